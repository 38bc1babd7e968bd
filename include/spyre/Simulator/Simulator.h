// SPDX-License-Identifier: Apache-2.0
//
// A simulated device. It executes device programs and nothing else: the same
// event-driven run that predicts time also moves and computes the real bytes,
// at the completion of each command. It distrusts the program: everything that
// hardware would silently get wrong is a trap, an Error that names the kernel,
// the graph nodes, the phase, the unit and the core.

#ifndef SPYRE_SIMULATOR_SIMULATOR_H
#define SPYRE_SIMULATOR_SIMULATOR_H

#include "spyre/Runtime/Device.h"
#include "spyre/Target/Target.h"

#include <memory>

namespace spyre::sim {

/// How the shared parts of the machine are timed. Results never depend on it.
enum class Fidelity : uint8_t {
  /// Transfers are flows that share channels and links max-min fairly; for
  /// whole models.
  Flow,
  /// Trains of sticks queue for channels, rows, links and ports; for kernels.
  Stick,
};

struct SimulatorOptions {
  Fidelity fidelity = Fidelity::Flow;
  /// Collect one TraceEvent per command.
  bool trace = false;
  /// False: every run is timing only, whatever the launch says.
  bool functional = true;
  /// Threads of the host that compute; 0: as many as the host runs at once.
  /// No result depends on it.
  int64_t numThreads = 0;
  /// Commands and loop iterations of all units together that one run may take.
  int64_t maxEvents = int64_t{1} << 28;
  /// Positions (sticks moved, stick operands of maps and matrix rows) that one
  /// run may visit.
  int64_t maxPositions = int64_t{1} << 38;
};

class Simulator final : public rt::Device {
public:
  explicit Simulator(const target::Target &target,
                     SimulatorOptions options = {});
  ~Simulator() override;

  Expected<uint32_t> allocate(int64_t bytes) override;
  Status free(uint32_t region) override;
  Status copyIn(rt::Address to, std::span<const std::byte> bytes,
                rt::DefinedMask defined) override;
  Status copyOut(rt::Address from, std::span<std::byte> bytes,
                 rt::DefinedMask required) override;
  /// After an error device memory holds nothing in particular.
  Expected<rt::ComputeStats> run(const rt::ComputeLaunch &launch) override;
  double ticksPerSecond() const override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace spyre::sim

#endif // SPYRE_SIMULATOR_SIMULATOR_H
