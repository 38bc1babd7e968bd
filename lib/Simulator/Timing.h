// SPDX-License-Identifier: Apache-2.0
//
// How long commands take. Mechanisms only: every figure is a parameter of the
// target, and no published regression is read (except the request window of a
// core, which is a mechanism). Units of one core run at their own pace; DDR,
// the memory node's port and the ring's links are shared servers that grant
// transfers in the order of the events. What is not modelled stands in
// docs/Machine.md.

#ifndef SPYRE_LIB_SIMULATOR_TIMING_H
#define SPYRE_LIB_SIMULATOR_TIMING_H

#include "Evaluate.h"

#include "spyre/Target/Target.h"

namespace spyre::sim {

/// Integer ticks in which all clocks of the machine are whole: 114.4 GHz for
/// 1.1 and 1.3 GHz, else picoseconds (cycles rounded to the nearest).
struct TimeBase {
  explicit TimeBase(const target::Target &target);
  double ticksPerNs = 0;
  int64_t coreCycle = 0;
  int64_t ringCycle = 0;
  /// Ticks to move bytes at a rate, rounded up.
  int64_t transfer(double bytes, double gigabytesPerSecond) const;
};

/// A shared resource that serves one transfer at a time.
class Server {
public:
  /// End of a transfer that asks at `now` and occupies the server for `ticks`.
  int64_t serve(int64_t now, int64_t ticks) {
    freeAt = (now > freeAt ? now : freeAt) + ticks;
    return freeAt;
  }
  void reset() { freeAt = 0; }
  int64_t freeAt = 0;
};

/// What one command moved and computed.
struct Work {
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  int64_t macs = 0;
};

class TimingModel {
public:
  explicit TimingModel(const target::Target &target);

  const TimeBase &timeBase() const { return base; }
  void reset();
  /// End of a command that starts at `now` on `core`; grants shared servers.
  int64_t finish(const launch::Program &program, const ResolvedCommand &command,
                 launch::Unit unit, int32_t core, int64_t now, Work &work);
  /// End of a ring reduction over the cores of `mask`.
  int64_t finishReduce(const ResolvedCommand &command, uint64_t mask,
                       int64_t now, Work &work);

private:
  int64_t finishMove(const ResolvedCommand &command, launch::Unit unit,
                     int32_t core, int64_t now, Work &work);
  int64_t finishRing(int64_t bytes, uint64_t mask, int32_t core, int64_t now,
                     Work &work);
  int64_t matmulCycles(const ResolvedCommand &command, Work &work) const;
  int64_t mapCycles(const launch::Program &program,
                    const ResolvedCommand &command) const;
  int64_t portCycles(int64_t bytes) const;

  const target::Target &target;
  TimeBase base;
  Server ddr;
  Server nodeReads;
  Server nodeWrites;
  /// Link i leaves core i clockwise, or counter-clockwise.
  std::vector<Server> clockwise;
  std::vector<Server> counterClockwise;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_TIMING_H
