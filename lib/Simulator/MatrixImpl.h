// SPDX-License-Identifier: Apache-2.0
//
// A register-blocked f32 matrix product over one strip of columns, written with
// compiler vectors so that one text serves every level. Nothing is packed: the
// fixed stride of A's rows lets one register address all rows of a block, and
// the strip of B and the sums are sticks as they lie. Internal linkage
// throughout; included once per level.

#ifndef SPYRE_LIB_SIMULATOR_MATRIXIMPL_H
#define SPYRE_LIB_SIMULATOR_MATRIXIMPL_H

#include "Kernels.h"

namespace spyre::sim {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kRows = 12;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr int kRows = 6;
#else
constexpr int kLanes = 4;
constexpr int kRows = 6;
#endif
constexpr int kColumns = 2 * kLanes;

typedef float Vector __attribute__((vector_size(kLanes * 4)));
typedef float UnalignedVector
    __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

/// One block of Rows x kColumns, of which `columns` are stored.
template <int Rows>
inline void block(int64_t depth, const float *a, const float *b, int64_t ldb,
                  float *const *c, int64_t offset, int64_t columns,
                  bool starts) {
  Vector sum[Rows][2] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Vector b0 = *reinterpret_cast<const UnalignedVector *>(b);
    Vector b1 = *reinterpret_cast<const UnalignedVector *>(b + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      sum[row][0] += a[row * kPanelDepth] * b0;
      sum[row][1] += a[row * kPanelDepth] * b1;
    }
    ++a;
    b += ldb;
  }
  if (columns >= kColumns) {
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      auto *target = reinterpret_cast<UnalignedVector *>(c[row] + offset);
      target[0] = starts ? sum[row][0] : target[0] + sum[row][0];
      target[1] = starts ? sum[row][1] : target[1] + sum[row][1];
    }
    return;
  }
  for (int row = 0; row < Rows; ++row) {
    float edge[kColumns];
    *reinterpret_cast<UnalignedVector *>(edge) = sum[row][0];
    *reinterpret_cast<UnalignedVector *>(edge + kLanes) = sum[row][1];
    for (int64_t column = 0; column < columns; ++column) {
      float &target = c[row][offset + column];
      target = starts ? edge[column] : target + edge[column];
    }
  }
}

/// A block of at most Rows rows.
template <int Rows>
inline void blockOf(int64_t rows, int64_t depth, const float *a, const float *b,
                    int64_t ldb, float *const *c, int64_t offset,
                    int64_t columns, bool starts) {
  if constexpr (Rows > 1) {
    if (rows < Rows) {
      return blockOf<Rows - 1>(rows, depth, a, b, ldb, c, offset, columns,
                               starts);
    }
  }
  block<Rows>(depth, a, b, ldb, c, offset, columns, starts);
}

void multiply(int64_t rows, int64_t columns, int64_t depth, const float *a,
              const float *b, int64_t ldb, float *const *c, int64_t offset,
              bool starts) {
  for (int64_t column = 0; column < columns; column += kColumns) {
    for (int64_t row = 0; row < rows; row += kRows) {
      blockOf<kRows>(rows - row, depth, a + row * kPanelDepth, b + column, ldb,
                     c + row, offset + column, columns - column, starts);
    }
  }
}

} // namespace
} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_MATRIXIMPL_H
