// SPDX-License-Identifier: Apache-2.0
//
// A hypothesis on the tiles of the public stack's closed back end. Its device
// times speak of three facts, and the published size of the register file that
// holds a corelet's weights gives all numbers:
//
// 1. The weights of a step fill the register files of a core: 256 x 256 with
//    64 KiB a corelet. With fewer columns a step takes more of K, or, where
//    each batch has a weight of its own, more of the batch.
// 2. A tile's f32 sums take as many bytes: 128 rows of 256 columns, more rows
//    with fewer columns. Each tile reads its operands anew: A once for every
//    tile of columns, the weights once for every tile of rows.
// 3. A batched product with a weight for each batch keeps the sums of its
//    core's whole slice in the scratchpad as long as they fit, and stages
//    operands in what remains: it gets faster on the device when its K is cut
//    in two, since its sums then do not fit and leave room to stage whole runs
//    of the batch.
//
// Our own planner weighs reads against stages instead.

#ifndef SPYRE_BENCH_SUPPORT_PUBLICTILES_H
#define SPYRE_BENCH_SUPPORT_PUBLICTILES_H

#include "Matmul.h"

#include "spyre/Target/Target.h"

namespace spyre::bench {

/// Sets the tiles of a matmul whose slices are set. If none of this kind fit
/// the scratchpad the planner chooses, which the standard error then says.
void setPublicTiles(Matmul &matmul, const target::Target &target);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_PUBLICTILES_H
