// SPDX-License-Identifier: Apache-2.0
//
// Ways over the ring: see Machine.h.

#include "Machine.h"

#include <algorithm>
#include <bit>

namespace spyre::sim {

std::array<int64_t, 2> RingWays::hops(int64_t from, uint64_t cores) const {
  std::array<int64_t, 2> result = {0, 0};
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    const int64_t ahead = (std::countr_zero(rest) - from + nodes) % nodes;
    const size_t direction = ahead <= nodes - ahead ? 0 : 1;
    result[direction] =
        std::max(result[direction], direction == 0 ? ahead : nodes - ahead);
  }
  return result;
}

std::array<int64_t, 2> RingWays::hopsOfRead(int64_t core,
                                            uint64_t cores) const {
  const size_t direction = 1 - directionToMemory(core);
  std::array<int64_t, 2> result = {0, 0};
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    const int64_t ahead =
        (std::countr_zero(rest) - memoryNode() + nodes) % nodes;
    result[direction] =
        std::max(result[direction], direction == 0 ? ahead : nodes - ahead);
  }
  return result;
}

int64_t RingWays::distance(int64_t from, int64_t to) const {
  const int64_t ahead = (to - from + nodes) % nodes;
  return std::min(ahead, nodes - ahead);
}

} // namespace spyre::sim
