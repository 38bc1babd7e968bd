// SPDX-License-Identifier: Apache-2.0
//
// Offset packing: buffers with a size and a half-open lifetime receive
// addresses so that buffers that are live at the same time never overlap.

#ifndef SPYRE_SOLVERS_OFFSETPACKING_H
#define SPYRE_SOLVERS_OFFSETPACKING_H

#include "spyre/Support/Error.h"

#include <cstdint>
#include <span>
#include <vector>

namespace spyre::solvers {

struct PackingBuffer {
  int64_t sizeBytes = 0;
  /// Live during [lower, upper).
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t alignment = 128;
};

/// Offsets in the order of the buffers, or nullopt-like error with the height
/// that the heuristics reached if it exceeds `capacityBytes`.
Expected<std::vector<int64_t>>
packOffsets(std::span<const PackingBuffer> buffers, int64_t capacityBytes);

/// Maximum live load: no packing is lower.
int64_t packingLowerBound(std::span<const PackingBuffer> buffers);

/// Independent check of an answer: alignment, capacity, no overlap.
Status validatePacking(std::span<const PackingBuffer> buffers,
                       std::span<const int64_t> offsets, int64_t capacityBytes);

} // namespace spyre::solvers

#endif // SPYRE_SOLVERS_OFFSETPACKING_H
