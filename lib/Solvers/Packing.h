// SPDX-License-Identifier: Apache-2.0
//
// What solver and validator of offset packing share: which inputs make sense.

#ifndef SPYRE_LIB_SOLVERS_PACKING_H
#define SPYRE_LIB_SOLVERS_PACKING_H

#include "spyre/Solvers/OffsetPacking.h"

namespace spyre::solvers::detail {

/// Bounds that keep every sum of sizes within int64.
inline constexpr int64_t kMaxBytes = int64_t(1) << 40;
inline constexpr size_t kMaxBuffers = size_t(1) << 20;

/// Sizes, lifetimes and alignments within bounds. A lifetime may be empty.
Status verifyBuffers(std::span<const PackingBuffer> buffers);

} // namespace spyre::solvers::detail

#endif // SPYRE_LIB_SOLVERS_PACKING_H
