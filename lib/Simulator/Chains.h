// SPDX-License-Identifier: Apache-2.0
//
// The partial results of a combination over positions. An adder that is several
// stages deep takes a new operand a cycle only if that does not wait for the
// last result, so that a unit keeps several chains: the values of a stick go to
// them in turn, and at the end of the command the chains are combined in
// halves. The order is a fixed one, and rounding errors grow with the length of
// a chain and not with the number of values. Private to the simulator.

#ifndef SPYRE_LIB_SIMULATOR_CHAINS_H
#define SPYRE_LIB_SIMULATOR_CHAINS_H

#include "Executor.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace spyre::sim {

/// One output of a map command.
class Chains {
public:
  static constexpr int64_t kCount = 8;

  /// The box moves along some of the command's dims; the others are combined.
  Chains(const ResolvedCommand &command, const launch::Box &box,
         int64_t numTiles, int64_t lanes)
      : command(command), box(box), numTiles(numTiles), lanes(lanes) {
    int64_t sticks = numTiles;
    for (size_t dim = 0; dim < numDims(); ++dim) {
      sticks *= isCombined(dim) ? 1 : command.extents[dim];
    }
    partial.resize(static_cast<size_t>(sticks * kCount * lanes));
  }

  /// Values for tile `tile` of the stick that the position reaches.
  void add(launch::Combine combine, bool isFloat,
           std::span<const int64_t> position, int64_t tile,
           const uint32_t *values, int64_t count) {
    int64_t visit = 0;
    int64_t stick = 0;
    for (size_t dim = 0; dim < numDims(); ++dim) {
      int64_t &number = isCombined(dim) ? visit : stick;
      number = number * command.extents[dim] + position[dim];
    }
    uint32_t *chain = chainOf(stick * numTiles + tile, visit % kCount);
    if (visit < kCount) {
      std::memcpy(chain, values, static_cast<size_t>(count) * 4);
    } else {
      elementKernels().combine(combine, isFloat, values, chain, count);
    }
  }

  /// Combines the chains of a stick; the position is the last that reaches it.
  const uint32_t *finish(launch::Combine combine, bool isFloat,
                         std::span<const int64_t> position, int64_t tile,
                         int64_t count) {
    int64_t visits = 1;
    int64_t stick = 0;
    for (size_t dim = 0; dim < numDims(); ++dim) {
      if (isCombined(dim)) {
        visits *= command.extents[dim];
      } else {
        stick = stick * command.extents[dim] + position[dim];
      }
    }
    stick = stick * numTiles + tile;
    const int64_t used = std::min(visits, kCount);
    for (int64_t half = kCount / 2; half > 0; half /= 2) {
      for (int64_t chain = 0; chain < half && chain + half < used; ++chain) {
        elementKernels().combine(combine, isFloat, chainOf(stick, chain + half),
                                 chainOf(stick, chain), count);
      }
    }
    return chainOf(stick, 0);
  }

private:
  size_t numDims() const { return static_cast<size_t>(command.numDims); }
  bool isCombined(size_t dim) const { return box.dims[dim].deviceDim < 0; }
  uint32_t *chainOf(int64_t stick, int64_t chain) {
    return partial.data() + (stick * kCount + chain) * lanes;
  }

  const ResolvedCommand &command;
  const launch::Box &box;
  int64_t numTiles;
  int64_t lanes;
  std::vector<uint32_t> partial;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_CHAINS_H
