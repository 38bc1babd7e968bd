// SPDX-License-Identifier: Apache-2.0
//
// Iteration over the sticks of boxes: the longest dim is innermost, so that
// the work is done in long runs whatever the order of the dims.

#ifndef SPYRE_LIB_LAUNCHPLAN_CHECKERWALK_H
#define SPYRE_LIB_LAUNCHPLAN_CHECKERWALK_H

#include "CheckerInternal.h"

namespace spyre::launch::checker {

template <size_t K> using Bases = std::array<int64_t, K>;
using Steps = std::array<int64_t, kMaxCommandDims>;

/// Calls function(bases, count, steps of the run) for runs that together cover
/// the space of `extents`; K operands advance together. Stops and returns false
/// when the function does.
template <size_t K, typename Function>
bool forEachRun(const Steps &extents, size_t numDims,
                const std::array<const Steps *, K> &steps, Bases<K> bases,
                Function function) {
  size_t inner = 0;
  for (size_t dim = 1; dim < numDims; ++dim) {
    inner = extents[dim] > extents[inner] ? dim : inner;
  }
  int64_t count = numDims == 0 ? 1 : extents[inner];
  Bases<K> runSteps = {};
  for (size_t k = 0; numDims > 0 && k < K; ++k) {
    runSteps[k] = (*steps[k])[inner];
  }
  Steps position = {};
  while (true) {
    if (!function(bases, count, runSteps)) {
      return false;
    }
    bool advanced = false;
    for (size_t dim = numDims; dim-- > 0 && !advanced;) {
      if (dim == inner) {
        continue;
      }
      advanced = ++position[dim] < extents[dim];
      int64_t advance = advanced ? 1 : 1 - position[dim];
      for (size_t k = 0; k < K; ++k) {
        bases[k] += advance * (*steps[k])[dim];
      }
      position[dim] = advanced ? position[dim] : 0;
    }
    if (!advanced) {
      return true;
    }
  }
}

} // namespace spyre::launch::checker

#endif // SPYRE_LIB_LAUNCHPLAN_CHECKERWALK_H
