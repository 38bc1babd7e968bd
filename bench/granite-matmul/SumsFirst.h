// SPDX-License-Identifier: Apache-2.0
//
// The tiles that the device times speak of. A matmul keeps the f32 sums of its
// core's whole slice in the scratchpad as long as they fit, and what remains
// holds two stages of the operands: published are a cliff where the sums of a
// core pass 2 MB, and among the rows a batched matmul that gets faster when its
// K is cut in two, since its sums then do not fit and leave room to stage whole
// runs of the batch. Our own planner weighs sums against stages instead.

#ifndef SPYRE_BENCH_GRANITE_MATMUL_SUMSFIRST_H
#define SPYRE_BENCH_GRANITE_MATMUL_SUMSFIRST_H

#include "spyre/Target/Target.h"

#include <array>
#include <optional>

namespace spyre::bench {

/// Batch, M, N, K.
using MatmulDims = std::array<int64_t, 4>;

/// The tiles of one core's slice; nothing if no tiles fit the scratchpad.
/// `addsOverCores`: K is cut over cores, so that a buffer takes the sums of
/// all.
std::optional<MatmulDims> sumsFirstTiles(const MatmulDims &slice,
                                         bool addsOverCores,
                                         const target::Target &target);

} // namespace spyre::bench

#endif // SPYRE_BENCH_GRANITE_MATMUL_SUMSFIRST_H
