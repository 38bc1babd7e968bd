// SPDX-License-Identifier: Apache-2.0
//
// Which divisions, tiles and orders the search considers. Small kernels are
// enumerated completely; large ones on ladders that grow geometrically.

#ifndef SPYRE_LIB_COST_SEARCHSPACE_H
#define SPYRE_LIB_COST_SEARCHSPACE_H

#include "Verify.h"

namespace spyre::cost {

/// All slice vectors with a product of at most `maxCores` (forced slices: that
/// one), in lexicographic order.
std::vector<std::vector<int64_t>> enumerateSlices(const KernelProblem &problem,
                                                  int64_t maxCores);

/// Tile extents of a dim for a slice, descending. `coarse` keeps only the
/// largest and the smallest. Empty if a forced tile does not suit the slice.
std::vector<int64_t> tileCandidates(const KernelProblem &problem, size_t dim,
                                    int64_t slice, int64_t maxTrips,
                                    bool coarse);

/// Orders of all dims: those without `moving` first, then each permutation of
/// the moving ones; `last` dims close the order. At most 24 orders.
std::vector<std::vector<int32_t>>
enumerateOrders(const std::vector<bool> &moving, const std::vector<bool> &last);

} // namespace spyre::cost

#endif // SPYRE_LIB_COST_SEARCHSPACE_H
