// SPDX-License-Identifier: Apache-2.0
//
// How a transfer between device memory and a core is cut into trains: the runs
// of its address pattern, and the window of what may be outstanding.

#ifndef SPYRE_LIB_SIMULATOR_TRAINS_H
#define SPYRE_LIB_SIMULATOR_TRAINS_H

#include "Demand.h"

#include <algorithm>
#include <deque>

namespace spyre::sim {

/// The sticks that one unit of a core has outstanding, and when each returns.
class Window {
public:
  explicit Window(int64_t sticks) : sticks(sticks) {}
  /// When stick `index`, counted from the first ever, may be asked for.
  int64_t opensAt(int64_t index) const {
    const int64_t before = index - sticks;
    for (const Train &train : trains) {
      if (before >= train.begin && before < train.end) {
        return train.firstReturn + (before - train.begin + 1) *
                                       (train.lastReturn - train.firstReturn) /
                                       (train.end - train.begin);
      }
    }
    return 0;
  }
  int64_t next() const { return trains.empty() ? 0 : trains.back().end; }
  void add(int64_t count, int64_t firstReturn, int64_t lastReturn) {
    const int64_t begin = next();
    if (!trains.empty()) {
      // Returns are in order.
      firstReturn = std::max(firstReturn, trains.back().lastReturn);
    }
    trains.push_back(
        {begin, begin + count, firstReturn, std::max(firstReturn, lastReturn)});
    while (trains.front().end <= begin + count - 2 * sticks) {
      trains.pop_front();
    }
  }

private:
  struct Train {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t firstReturn = 0;
    int64_t lastReturn = 0;
  };
  int64_t sticks;
  std::deque<Train> trains;
};

/// Walks the runs of an address pattern, upwards.
class RunWalker {
public:
  explicit RunWalker(const AddressPattern &walked) : pattern(walked) {}
  /// The next contiguous bytes, at most `most`, never across two runs or two
  /// requests.
  std::pair<int64_t, int64_t> take(int64_t most, int64_t requestBytes) {
    const int64_t count = std::min({most, pattern.runBytes - within,
                                    requestBytes - within % requestBytes});
    const int64_t address = pattern.base + offset + within;
    within += count;
    if (within == pattern.runBytes) {
      within = 0;
      advance();
    }
    return {address, count};
  }

private:
  void advance() {
    for (int32_t dim = pattern.numDims - 1; dim >= 0; --dim) {
      const auto at = static_cast<size_t>(dim);
      offset += pattern.strideBytes[at];
      if (++index[at] < pattern.extents[at]) {
        return;
      }
      offset -= pattern.strideBytes[at] * pattern.extents[at];
      index[at] = 0;
    }
  }
  AddressPattern pattern;
  std::array<int64_t, kMaxCommandDims> index = {};
  int64_t offset = 0;
  int64_t within = 0;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_TRAINS_H
