// SPDX-License-Identifier: Apache-2.0
//
// A small plan that the checker accepts, y = x + w on tensors of 2x3, and a
// device that executes just that, so that the runtime is tested alone.

#ifndef SPYRE_TEST_UNIT_RUNTIME_TESTPLAN_H
#define SPYRE_TEST_UNIT_RUNTIME_TESTPLAN_H

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/Runtime/Device.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spyre::rt::test {

/// Arguments 0 "x" (f32 on the host, f16 on the device) and 1 "y", weight "w"
/// = 10, 20, 30, 40, 50, 60 embedded in segment 0; steps h2d x, signal, wait,
/// compute, d2h y.
launch::LaunchPlan addPlan();
/// The same with a third argument "n" whose value is patched into a scalar, a
/// multiple of 2 in [0, 8).
launch::LaunchPlan scalarPlan();
/// Host work between transfers: of "x" (2x3) the 2 smallest along axis 1 are
/// argument 1 "y" and their positions argument 2 "i"; step "pick".
launch::LaunchPlan hostPlan();
/// The footprints that every step must declare, for a plan that was changed.
void declareFootprints(launch::LaunchPlan &plan);
/// Host bytes of "w" (f32).
std::vector<std::byte> weightValues();
/// The plan and the image of its weight in one artifact in memory.
launch::Artifact artifactOf(const launch::LaunchPlan &plan);
/// Writes the same as a file.
Status writeAddArtifact(const launch::LaunchPlan &plan,
                        const std::string &path);

/// Computes output = input + weight on whole sticks of f16, wherever a launch
/// says that these three lie. Keeps a log of calls.
class FakeDevice : public Device {
public:
  Expected<uint32_t> allocate(int64_t bytes) override;
  Status free(uint32_t region) override;
  Status copyIn(Address to, std::span<const std::byte> bytes,
                DefinedMask defined) override;
  Status copyOut(Address from, std::span<std::byte> bytes,
                 DefinedMask required) override;
  Expected<ComputeStats> run(const ComputeLaunch &launch) override;
  double ticksPerSecond() const override { return 1e9; }

  std::map<uint32_t, std::vector<std::byte>> regions;
  std::vector<std::string> log;
  std::vector<ComputeLaunch> launches;
  /// Mask of the last copyIn.
  std::vector<uint64_t> lastDefined;
  /// Calls of run() that fail with a trap.
  bool trap = false;
  int64_t capacity = int64_t{1} << 30;

private:
  uint32_t nextRegion = 100;
};

} // namespace spyre::rt::test

#endif // SPYRE_TEST_UNIT_RUNTIME_TESTPLAN_H
