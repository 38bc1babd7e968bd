// SPDX-License-Identifier: Apache-2.0
//
// What one command asks of the machine, whatever the fidelity: the time of its
// own unit when nothing is in its way, the bytes that it sends over shared
// parts, and the latency from its last byte to its effect. Mechanisms only:
// every figure is a parameter of the target, and no published regression is
// read. docs/Machine.md explains each.

#ifndef SPYRE_LIB_SIMULATOR_DEMAND_H
#define SPYRE_LIB_SIMULATOR_DEMAND_H

#include "Evaluate.h"
#include "TimeBase.h"

namespace spyre::sim {

/// The way that the bytes of a command take.
enum class Path : uint8_t {
  /// Within the core: PT, SFU, and whatever only takes time.
  Core,
  /// Device memory, memory node, ring, scratchpads of the receivers.
  Read,
  /// Scratchpad, ring, memory node, device memory.
  Write,
  /// Scratchpad, ring, scratchpads of the receivers.
  Ring,
  /// The partial-sum ring, over the cores of a reduction.
  PartialSum,
};

/// Where the sticks of a transfer lie in device memory. A move has no order,
/// so that its unit walks memory upwards: dims are sorted by stride, outermost
/// first, and contiguous ones are merged into runs.
struct AddressPattern {
  /// Physical address of the first stick.
  int64_t base = 0;
  int64_t runBytes = 0;
  int32_t numDims = 0;
  std::array<int64_t, kMaxCommandDims> extents = {};
  std::array<int64_t, kMaxCommandDims> strideBytes = {};
};

struct Demand {
  Path path = Path::Core;
  int32_t core = 0;
  /// Read, Ring: the receiving cores. PartialSum: the cores of the group.
  uint64_t cores = 0;
  /// Payload over device memory or ring, once, however many receive it.
  int64_t bytes = 0;
  /// Core: what the unit needs when its scratchpad port is free.
  int64_t unitTicks = 0;
  /// Core: bytes through the scratchpad port.
  int64_t lxBytes = 0;
  /// Core: the matrix unit is busy (it also adds the sums of a reduction over
  /// cores, and works on nothing else meanwhile).
  bool onMatrixUnit = false;
  /// From the last byte, or the end of the unit's work, to the effect.
  int64_t latencyTicks = 0;
  AddressPattern addresses;
};

/// Counts of one command that do not depend on time.
struct Work {
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  /// Payload that reaches a core over the ring beyond the first copy of a load.
  int64_t ringBytes = 0;
  int64_t macs = 0;
};

class DemandModel {
public:
  /// `addresses`: the physical address of each device memory buffer.
  DemandModel(const launch::Program &program, const target::Target &target,
              std::span<const int64_t> addresses);

  const TimeBase &timeBase() const { return base; }
  Demand of(const ResolvedCommand &command, launch::Unit unit, int32_t core,
            Work &work) const;
  /// A ring reduction over the cores of `mask`.
  Demand ofReduce(const ResolvedCommand &command, uint64_t mask,
                  Work &work) const;

private:
  Demand ofMove(const ResolvedCommand &command, launch::Unit unit, int32_t core,
                Work &work) const;
  AddressPattern patternOf(const ResolvedCommand &command,
                           const ResolvedBox &box) const;
  void addMatmul(const ResolvedCommand &command, Demand &demand,
                 Work &work) const;
  void addMap(const ResolvedCommand &command, Demand &demand) const;
  void addTranspose(const ResolvedCommand &command, Demand &demand) const;

  const launch::Program &program;
  const target::Target &target;
  std::span<const int64_t> addresses;
  TimeBase base;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_DEMAND_H
