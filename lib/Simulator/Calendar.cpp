// SPDX-License-Identifier: Apache-2.0
//
// Bookings: see Calendar.h.

#include "Calendar.h"

#include <algorithm>

namespace spyre::sim {

int64_t Calendar::book(int64_t from, int64_t ticks, int64_t now) {
  const auto live =
      std::find_if(taken.begin(), taken.end(), [&](const Interval &interval) {
        return interval.end > now;
      });
  taken.erase(taken.begin(), live);
  // The last interval that starts at `from` or before may still cover it.
  auto at = std::upper_bound(taken.begin(), taken.end(), from,
                             [](int64_t time, const Interval &interval) {
                               return time < interval.start;
                             });
  int64_t start = from;
  if (at != taken.begin()) {
    start = std::max(start, std::prev(at)->end);
  }
  while (at != taken.end() && at->start < start + ticks) {
    start = at->end;
    ++at;
  }
  if (ticks == 0) {
    return start;
  }
  const bool joinsBefore = at != taken.begin() && std::prev(at)->end == start;
  const bool joinsAfter = at != taken.end() && at->start == start + ticks;
  if (joinsBefore && joinsAfter) {
    std::prev(at)->end = at->end;
    taken.erase(at);
  } else if (joinsBefore) {
    std::prev(at)->end += ticks;
  } else if (joinsAfter) {
    at->start = start;
  } else {
    taken.insert(at, {start, start + ticks});
  }
  return start;
}

} // namespace spyre::sim
