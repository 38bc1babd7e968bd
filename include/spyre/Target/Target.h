// SPDX-License-Identifier: Apache-2.0
//
// The machine description. A target file (JSON, one per target) is the only
// place where a hardware number stands: compiler, cost model, checker and
// simulator all read this struct. Fields.h in this folder describes each field
// once (JSON name, unit, confidence, source); loader, hash and the
// documentation table follow from it.

#ifndef SPYRE_TARGET_TARGET_H
#define SPYRE_TARGET_TARGET_H

#include "spyre/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::target {

/// Published regressions. For the cost model and for comparison only; the
/// simulator's mechanisms read none of them.
struct ReferenceFits {
  double sustainedMacsPerNsPerCore = 0;
  double ptFillRows = 0;
  double ptFillExponent = 0;
  double sustainedDdrGBps = 0;
  double mixedPenaltyNsPerByte = 0;
  double windowSticks = 0;
  double windowLatencyNs = 0;
  double restickifyGBps = 0;
  double broadcastGBps = 0;
  double reduceGBps = 0;
  double scatteredGBps = 0;
  /// The remaining rows (28, 30, 43-45 of the machine table), added by the
  /// loader's author as named fields.
};

struct Target {
  std::string name;

  // Cores
  int64_t numCores = 0;
  int64_t coreletsPerCore = 0;
  double coreClockGHz = 0;

  // Matrix unit (PT), per core
  int64_t ptFp16MacsPerCycle = 0;
  int64_t ptRowsPerPass = 0;
  int64_t ptWeightRegisterBytesPerCorelet = 0;
  double ptFp8Factor = 0;
  double ptInt8Factor = 0;
  double ptInt4Factor = 0;
  double ptFp32Factor = 0;

  // Vector unit (SFU), lanes per corelet and cycle
  int64_t sfuFp16Lanes = 0;
  int64_t sfuFp32Lanes = 0;
  double sfuTranscendentalFactor = 0;

  // Scratchpad
  int64_t lxBytes = 0;
  int64_t lxPlannerBudgetBytes = 0;
  int64_t lxPortBytesPerCycle = 0;
  int64_t lxLatencyCycles = 0;

  // Ring
  int64_t ringBytesPerCycle = 0;
  double ringClockGHz = 0;
  int64_t ringHopCycles = 0;
  int64_t partialSumRings = 0;
  int64_t partialSumBytesPerCycle = 0;

  // Device memory
  double ddrPeakGBps = 0;
  double memoryNodeGBps = 0;
  int64_t ddrBytes = 0;
  int64_t ddrUsableBytes = 0;
  int64_t numSegments = 0;
  int64_t segmentBytes = 0;

  // Limits
  int64_t maxSpanBytes = 0;
  int64_t maxLoopTrips = 0;

  // Host
  double pcieGBps = 0;
  double dmaSetupUs = 0;
  double dispatchGapUs = 0;
  double hostLaunchUs = 0;
  double addressCorrectionUs = 0;
  double hostLayoutGBps = 0;

  ReferenceFits reference;

  /// xxh3-64 of the canonical JSON form.
  uint64_t hash = 0;

  /// Peak multiply-accumulates per second of all cores in f16.
  double peakFp16MacsPerSecond() const {
    return static_cast<double>(numCores * ptFp16MacsPerCycle) * coreClockGHz *
           1e9;
  }
};

/// Parses a target file. Missing, unknown, non-positive and inconsistent
/// values are errors that name the value.
Expected<Target> parseTarget(std::string_view json, std::string_view origin);
/// Loads a file, or a built-in target by name ("spyre-32").
Expected<Target> loadTarget(const std::string &fileOrName);
/// The built-in default target, "spyre-32" (embedded in the library).
const Target &defaultTarget();
/// Names of the built-in targets.
std::vector<std::string> builtinTargets();

} // namespace spyre::target

#endif // SPYRE_TARGET_TARGET_H
