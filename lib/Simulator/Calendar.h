// SPDX-License-Identifier: Apache-2.0
//
// When a part that serves one train at a time is taken. Trains are booked when
// they are issued, for moments that lie ahead by the latency of memory and
// ring, and not in the order of those moments; so a booking takes the first gap
// that is long enough, not the end of a queue.

#ifndef SPYRE_LIB_SIMULATOR_CALENDAR_H
#define SPYRE_LIB_SIMULATOR_CALENDAR_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyre::sim {

class Calendar {
public:
  /// Books `ticks` at `from` or later and returns the start. `now` is the
  /// present; nothing is ever booked before it.
  int64_t book(int64_t from, int64_t ticks, int64_t now);

private:
  struct Interval {
    int64_t start = 0;
    int64_t end = 0;
  };
  /// Ascending and apart from each other.
  std::vector<Interval> taken;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_CALENDAR_H
