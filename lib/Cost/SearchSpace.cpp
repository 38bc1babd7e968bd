// SPDX-License-Identifier: Apache-2.0
//
// The candidates of the search. A division into s slices and a tile of t
// granules are worth considering only if they differ from their neighbours in
// the largest slice or in the number of trips; the ladders follow from that.

#include "SearchSpace.h"

#include "Arithmetic.h"

#include <algorithm>
#include <functional>
#include <set>

namespace spyre::cost {
namespace {

/// Up to this many granules every multiple is a candidate.
constexpr int64_t kAllTiles = 8;
/// Dims beyond this number are not divided: the product of slices is small.
constexpr size_t kMaxDividedDims = 5;
constexpr size_t kMaxOrders = 24;

/// The dims that may be divided, by falling number of granules, then index.
std::vector<size_t> dividedDims(const KernelProblem &problem) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    const KernelDim &dim = problem.dims[d];
    if (dim.splittable && !dim.reduction && dim.extent > dim.granule) {
      dims.push_back(d);
    }
  }
  std::sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
    auto key = [&](size_t d) {
      const KernelDim &dim = problem.dims[d];
      return std::pair(-ceilDiv(dim.extent, dim.granule), d);
    };
    return key(a) < key(b);
  });
  dims.resize(std::min(dims.size(), kMaxDividedDims));
  std::sort(dims.begin(), dims.end());
  return dims;
}

} // namespace

std::vector<std::vector<int64_t>> enumerateSlices(const KernelProblem &problem,
                                                  int64_t maxCores) {
  if (problem.forced.slices) {
    return {*problem.forced.slices};
  }
  std::vector<size_t> dims = dividedDims(problem);
  std::vector<std::vector<int64_t>> all;
  std::vector<int64_t> slices(problem.dims.size(), 1);
  std::function<void(size_t, int64_t)> choose = [&](size_t i, int64_t cores) {
    if (i == dims.size()) {
      all.push_back(slices);
      return;
    }
    const KernelDim &dim = problem.dims[dims[i]];
    int64_t most = std::min(cores, ceilDiv(dim.extent, dim.granule));
    for (int64_t count = 1; count <= most; ++count) {
      slices[dims[i]] = count;
      choose(i + 1, cores / count);
    }
    slices[dims[i]] = 1;
  };
  choose(0, maxCores);
  return all;
}

std::vector<int64_t> tileCandidates(const KernelProblem &problem, size_t d,
                                    int64_t slice, int64_t maxTrips,
                                    bool coarse) {
  const KernelDim &dim = problem.dims[d];
  if (problem.forced.tiles) {
    int64_t tile = (*problem.forced.tiles)[d];
    bool suits = tile <= slice && ceilDiv(slice, tile) <= maxTrips &&
                 (tile == slice || tile % dim.granule == 0) &&
                 (tile == slice || dim.tileable);
    return suits ? std::vector<int64_t>{tile} : std::vector<int64_t>{};
  }
  int64_t granules = ceilDiv(slice, dim.granule);
  std::set<int64_t, std::greater<>> counts = {granules};
  if (hasUnitTile(problem, d) || (isSerial(problem, d) && dim.granule != 1)) {
    counts = {1};
  } else if (isSerial(problem, d)) {
    for (int64_t count = 1; count < granules; count *= 2) {
      if (count == 1 || isWholeTile(dim, slice, count)) {
        counts.insert(count);
      }
    }
  } else if (dim.tileable) {
    // The smallest tile with which the loop is not too long.
    counts.insert(ceilDiv(ceilDiv(slice, maxTrips), dim.granule));
    if (!coarse && granules <= kAllTiles) {
      for (int64_t count = 1; count <= granules; ++count) {
        counts.insert(count);
      }
    } else if (!coarse) {
      // Even divisions into 1, 2, 3, 4, 6, 8, 12, ... trips.
      for (int64_t power = 1; power <= granules; power *= 2) {
        counts.insert(ceilDiv(granules, power));
        if (dim.granule == 1) {
          counts.insert(power);
        } else {
          counts.insert(ceilDiv(granules, 3 * power));
        }
      }
    }
  }
  std::vector<int64_t> tiles;
  for (int64_t count : counts) {
    int64_t tile = std::min(slice, count * dim.granule);
    if (ceilDiv(slice, tile) <= maxTrips) {
      tiles.push_back(tile);
    }
  }
  return tiles;
}

std::vector<std::vector<int32_t>>
enumerateOrders(const std::vector<bool> &moving,
                const std::vector<bool> &last) {
  std::vector<int32_t> head;
  std::vector<int32_t> middle;
  std::vector<int32_t> tail;
  for (size_t d = 0; d < moving.size(); ++d) {
    (last[d]     ? tail
     : moving[d] ? middle
                 : head)
        .push_back(static_cast<int32_t>(d));
  }
  std::vector<std::vector<int32_t>> orders;
  do {
    std::vector<int32_t> order = head;
    order.insert(order.end(), middle.begin(), middle.end());
    order.insert(order.end(), tail.begin(), tail.end());
    orders.push_back(std::move(order));
  } while (orders.size() < kMaxOrders &&
           std::next_permutation(middle.begin(), middle.end()));
  return orders;
}

} // namespace spyre::cost
