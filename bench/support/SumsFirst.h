// SPDX-License-Identifier: Apache-2.0
//
// The tiles that the device times speak of. A matmul keeps the f32 sums of its
// core's whole slice in the scratchpad as long as they fit, and what remains
// holds two stages of the operands: published are a cliff where the sums of a
// core pass 2 MB, and among the rows a batched matmul that gets faster when its
// K is cut in two, since its sums then do not fit and leave room to stage whole
// runs of the batch. Our own planner weighs sums against stages instead.

#ifndef SPYRE_BENCH_SUPPORT_SUMSFIRST_H
#define SPYRE_BENCH_SUPPORT_SUMSFIRST_H

#include "Matmul.h"

#include "spyre/Target/Target.h"

namespace spyre::bench {

/// Sets the tiles of a matmul whose slices are set; leaves them to the planner
/// if no tiles of this kind fit the scratchpad.
void setSumsFirstTiles(Matmul &matmul, const target::Target &target);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_SUMSFIRST_H
