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
    const int64_t core = std::countr_zero(rest);
    const size_t direction = shorterWay(from, core);
    result[direction] =
        std::max(result[direction], hopsIn(direction, from, core));
  }
  return result;
}

std::array<int64_t, 2> RingWays::hopsOfRead(int64_t core,
                                            uint64_t cores) const {
  const size_t direction = directionFromMemory(core);
  std::array<int64_t, 2> result = {0, 0};
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    result[direction] =
        std::max(result[direction],
                 hopsIn(direction, memoryNode(), std::countr_zero(rest)));
  }
  return result;
}

} // namespace spyre::sim
