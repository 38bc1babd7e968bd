// SPDX-License-Identifier: Apache-2.0
//
// MLIR text of matmuls with a forced division and given layouts.

#ifndef SPYRE_BENCH_SUPPORT_MATMUL_H
#define SPYRE_BENCH_SUPPORT_MATMUL_H

#include <cstdint>
#include <string>
#include <vector>

namespace spyre::bench {

/// Where the batch of a rank-3 operand lies on the device: just outside of the
/// stick (what the public stack does by default), or outermost.
enum class BatchOrder { Innermost, Outermost };

struct Matmul {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  /// One weight for the whole batch.
  bool sharesWeight = false;
  BatchOrder order = BatchOrder::Innermost;
  /// Slices along (batch,) m, n and k; empty: the planner's choice.
  std::vector<int64_t> slices = {};
  /// Tiles within a slice, in the same order, staged twice and K innermost;
  /// empty: the planner's choice.
  std::vector<int64_t> tiles = {};
};

/// C = A W in f16; without a batch A is m x k and W k x n.
std::string matmulMlir(const Matmul &matmul);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_MATMUL_H
