// SPDX-License-Identifier: Apache-2.0
//
// The machine description. A target file (JSON, one per target) is the only
// place where a hardware number stands: compiler, cost model, checker and
// simulator all read this struct. Fields.h in this folder describes each field
// once (JSON name, unit, confidence, source); loader, hash and the
// documentation table follow from it.

#ifndef SPYRE_TARGET_TARGET_H
#define SPYRE_TARGET_TARGET_H

#include "spyre/Support/ElementType.h"
#include "spyre/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::target {

/// How well a value is founded.
enum class Confidence : uint8_t {
  /// P: published in official documents, code or specifications.
  Published = 0,
  /// P*: published only in an unreviewed contributor fork.
  Unreviewed = 1,
  /// D: derived by arithmetic from other values.
  Derived = 2,
  /// A: assumed.
  Assumed = 3,
};

/// Where a value comes from; kept for the documentation table.
struct Provenance {
  Confidence confidence = Confidence::Assumed;
  std::string source;
};

/// Published regressions. For the cost model and for comparison only; the
/// simulator's mechanisms read none of them.
struct ReferenceFits {
  double sustainedMacsPerNsPerCore = 0;
  /// Fill efficiency of the PT: min(1, (rows per core / rows)^exponent).
  double ptFillRows = 0;
  double ptFillExponent = 0;
  double sustainedDdrGBps = 0;
  /// Added per byte of min(bytes read, bytes written).
  double mixedPenaltyNsPerByte = 0;
  /// Fraction of the sustained rate that a read-only reduction reaches.
  double rateFraction1Core = 0;
  double rateFraction2Cores = 0;
  double rateFraction4Cores = 0;
  double rateFraction8Cores = 0;
  double rateFraction16Cores = 0;
  double rateFraction32Cores = 0;
  double restickifyGBps = 0;
  double broadcastGBps = 0;
  double reduceGBps = 0;
  double scatteredGBps = 0;
  /// Batched matmul: default tile order, and 3-D by 2-D with a batch of at most
  /// four and of more than four.
  double bmmDefaultMacsPerNsPerCore = 0;
  double bmmSmallBatchMacsPerNsPerCore = 0;
  double bmmLargeBatchMacsPerNsPerCore = 0;
  /// Row reduction: min(plateau, base + amplitude * e^(-rows / decay)).
  double rowReducePlateauGBps = 0;
  double rowReduceBaseGBps = 0;
  double rowReduceAmplitudeGBps = 0;
  double rowReduceDecayRows = 0;
  /// Operand re-read: an output tile of more than `elements` re-reads (bytes of
  /// A + B) * min(maximum, slope * log2(area / elements)).
  double rereadTileElements = 0;
  double rereadSlope = 0;
  double rereadMaximum = 0;
  /// Relayout: runs * (intercept + slope * log2 split) ns + bytes per core *
  /// split / rate.
  double relayoutInterceptNs = 0;
  double relayoutSlopeNs = 0;
  double relayoutGBps = 0;
};

struct Target {
  std::string name;

  // Cores
  int64_t numCores = 0;
  int64_t coreletsPerCore = 0;
  double coreClockGHz = 0;

  // Matrix unit (PT), per core unless said
  int64_t ptFp16MacsPerCycle = 0;
  int64_t ptRowsPerPass = 0;
  int64_t ptWeightRegisterBytesPerCorelet = 0;
  double ptFp8Factor = 0;
  double ptInt8Factor = 0;
  double ptInt4Factor = 0;
  double ptFp32Factor = 0;
  int64_t l0SlicesPerCorelet = 0;
  int64_t l0SliceBytes = 0;
  int64_t l0BytesPerCyclePerSlice = 0;

  // Vector unit (SFU), lanes per corelet and cycle
  int64_t sfuFp16Lanes = 0;
  int64_t sfuFp32Lanes = 0;
  double sfuTranscendentalFactor = 0;

  // Scratchpad, per core
  int64_t lxBytes = 0;
  int64_t lxPlannerBudgetBytes = 0;
  int64_t lxPortBytesPerCycle = 0;
  int64_t lxLatencyCycles = 0;

  // Ring; a cycle is a ring cycle for data and requests, a core cycle for
  // partial sums
  int64_t ringNodes = 0;
  int64_t ringBytesPerCycle = 0;
  double ringClockGHz = 0;
  int64_t ringHopCycles = 0;
  int64_t partialSumRings = 0;
  int64_t partialSumBytesPerCycle = 0;
  int64_t requestRingBytesPerCycle = 0;
  int64_t requestPacketBytes = 0;
  int64_t ringCorePortBytesPerCycle = 0;

  // Device memory
  double ddrPeakGBps = 0;
  double memoryNodeGBps = 0;
  int64_t ddrBytes = 0;
  int64_t ddrUsableBytes = 0;
  int64_t ddrChannels = 0;
  int64_t ddrChannelBits = 0;
  double ddrMegaTransfersPerSecond = 0;
  int64_t ddrBurstBytes = 0;
  double ddrBurstNs = 0;
  double ddrClockNs = 0;
  double ddrRowToColumnNs = 0;
  double ddrPrechargeNs = 0;
  double ddrReadLatencyNs = 0;
  double ddrRowCycleNs = 0;
  double ddrRefreshIntervalNs = 0;
  double ddrRefreshNs = 0;
  int64_t ddrBanks = 0;
  int64_t ddrRowBytes = 0;
  int64_t ddrInterleaveBytes = 0;
  int64_t requestWindowSticks = 0;
  double requestLatencyNs = 0;
  int64_t maxRequestBytes = 0;
  double ddrReadToWriteNs = 0;
  double ddrWriteToReadNs = 0;
  int64_t ddrDrainBatchSticks = 0;
  int64_t numSegments = 0;
  int64_t segmentBytes = 0;
  int64_t segmentAlignmentBytes = 0;

  // Allocator regions: sizes are tried from large to small
  int64_t maxRegions = 0;
  int64_t regionLargeBytes = 0;
  int64_t regionMediumBytes = 0;
  int64_t regionSmallBytes = 0;

  // Limits
  int64_t maxSpanBytes = 0;
  int64_t maxLoopTrips = 0;

  // Host
  double pcieLinkGBps = 0;
  /// The effective rate.
  double pcieGBps = 0;
  double dmaSetupUs = 0;
  double dispatchGapUs = 0;
  double queuedDispatchGapUs = 0;
  double hostLaunchUs = 0;
  double addressCorrectionUs = 0;
  int64_t correctionBlobBytes = 0;
  double hostLayoutGBps = 0;

  // Board
  double cardLinkGBps = 0;
  double cardLatencyUs = 0;
  double boardPowerW = 0;

  /// How the device stores floats.
  ElementType floatStorage = ElementType::F16;

  ReferenceFits reference;

  /// One per field, in the order of `fields()` of Fields.h.
  std::vector<Provenance> provenance;

  /// xxh3-64 of the canonical JSON form (name and values; not the sources).
  uint64_t hash = 0;

  /// Peak multiply-accumulates per second of all cores in f16.
  double peakFp16MacsPerSecond() const {
    return static_cast<double>(numCores * ptFp16MacsPerCycle) * coreClockGHz *
           1e9;
  }
};

/// Parses a target file. Missing, unknown, non-positive, wrong-unit and
/// inconsistent values are errors that name the value; all of them are listed.
/// A file may inherit a built-in target and override some of its values.
Expected<Target> parseTarget(std::string_view json, std::string_view origin);
/// Loads a file, or a built-in target by name ("spyre-32").
Expected<Target> loadTarget(const std::string &fileOrName);
/// The built-in default target, "spyre-32" (embedded in the library).
const Target &defaultTarget();
/// Names of the built-in targets.
std::vector<std::string> builtinTargets();

/// Name and values as compact JSON in a fixed order: what the hash is over.
std::string canonicalJson(const Target &target);
/// The Markdown table of docs/Targets.md: value, unit, confidence, source.
std::string targetTableMarkdown(const Target &target);

} // namespace spyre::target

#endif // SPYRE_TARGET_TARGET_H
