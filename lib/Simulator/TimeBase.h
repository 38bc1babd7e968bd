// SPDX-License-Identifier: Apache-2.0
//
// The time base: integer ticks in which all clocks of the machine are whole,
// 114.4 GHz for clocks of 1.1 and 1.3 GHz, else picoseconds (cycles rounded to
// the nearest).

#ifndef SPYRE_LIB_SIMULATOR_TIMEBASE_H
#define SPYRE_LIB_SIMULATOR_TIMEBASE_H

#include "spyre/Target/Target.h"

#include <cstdint>

namespace spyre::sim {

struct TimeBase {
  explicit TimeBase(const target::Target &target);

  double ticksPerNs = 0;
  int64_t coreCycle = 0;
  int64_t ringCycle = 0;

  /// A duration, rounded to the nearest tick.
  int64_t ticks(double nanoseconds) const;
  /// Bytes a tick at a rate in GB/s (bytes a nanosecond).
  double bytesPerTick(double gigabytesPerSecond) const {
    return gigabytesPerSecond / ticksPerNs;
  }
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_TIMEBASE_H
