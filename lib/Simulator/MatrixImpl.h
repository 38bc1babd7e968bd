// SPDX-License-Identifier: Apache-2.0
//
// A packed f32 matrix product with a register-blocked inner kernel, written
// with compiler vectors so that one text serves every level. Internal linkage
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
constexpr int64_t kPanelK = 256;
constexpr int64_t kPanelRows = 8 * kRows;
/// Columns of B packed at a time: 256 x 1024 floats, 1 MiB.
constexpr int64_t kPanelColumns = 1024;

typedef float Vector __attribute__((vector_size(kLanes * 4)));
typedef float UnalignedVector
    __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

alignas(64) thread_local float packedA[kPanelRows * kPanelK];
alignas(64) thread_local float packedB[(kPanelColumns + kColumns) * kPanelK];

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Strips of `width` columns (or rows), k-major, padded with zeros.
void pack(const float *from, int64_t strideK, int64_t strideItem, int64_t k,
          int64_t items, int64_t width, float *to) {
  for (int64_t strip = 0; strip < items; strip += width) {
    int64_t count = smaller(width, items - strip);
    for (int64_t i = 0; i < k; ++i) {
      const float *source = from + i * strideK + strip * strideItem;
      int64_t item = 0;
      for (; item < count; ++item) {
        to[item] = source[item * strideItem];
      }
      for (; item < width; ++item) {
        to[item] = 0;
      }
      to += width;
    }
  }
}

/// One block of kRows x kColumns.
inline void block(int64_t k, const float *a, const float *b, float *c,
                  int64_t ldc, int64_t rows, int64_t columns) {
  Vector sum[kRows][2] = {};
  for (int64_t i = 0; i < k; ++i) {
    Vector b0 = *reinterpret_cast<const UnalignedVector *>(b);
    Vector b1 = *reinterpret_cast<const UnalignedVector *>(b + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      sum[row][0] += a[row] * b0;
      sum[row][1] += a[row] * b1;
    }
    a += kRows;
    b += kColumns;
  }
  if (rows == kRows && columns == kColumns) {
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      auto *target = reinterpret_cast<UnalignedVector *>(c + row * ldc);
      target[0] += sum[row][0];
      target[1] += sum[row][1];
    }
    return;
  }
  float edge[kRows][kColumns];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    *reinterpret_cast<UnalignedVector *>(&edge[row][0]) = sum[row][0];
    *reinterpret_cast<UnalignedVector *>(&edge[row][kLanes]) = sum[row][1];
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      c[row * ldc + column] += edge[row][column];
    }
  }
}

/// Few rows: streams B without packing.
void multiplyRow(int64_t n, int64_t k, const float *a, const float *b,
                 int64_t ldb, float *c) {
  int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    const float *b0 = b + i * ldb;
    const float *b1 = b0 + ldb;
    const float *b2 = b1 + ldb;
    const float *b3 = b2 + ldb;
    float a0 = a[i], a1 = a[i + 1], a2 = a[i + 2], a3 = a[i + 3];
    for (int64_t column = 0; column < n; ++column) {
      float value = c[column];
      value += a0 * b0[column];
      value += a1 * b1[column];
      value += a2 * b2[column];
      value += a3 * b3[column];
      c[column] = value;
    }
  }
  for (; i < k; ++i) {
    for (int64_t column = 0; column < n; ++column) {
      c[column] += a[i] * b[i * ldb + column];
    }
  }
}

void multiply(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
              const float *b, int64_t ldb, float *c, int64_t ldc) {
  if (m < 3) {
    for (int64_t row = 0; row < m; ++row) {
      multiplyRow(n, k, a + row * lda, b, ldb, c + row * ldc);
    }
    return;
  }
  for (int64_t k0 = 0; k0 < k; k0 += kPanelK) {
    int64_t depth = smaller(kPanelK, k - k0);
    for (int64_t n0 = 0; n0 < n; n0 += kPanelColumns) {
      int64_t width = smaller(kPanelColumns, n - n0);
      pack(b + k0 * ldb + n0, ldb, 1, depth, width, kColumns, packedB);
      for (int64_t m0 = 0; m0 < m; m0 += kPanelRows) {
        int64_t height = smaller(kPanelRows, m - m0);
        pack(a + m0 * lda + k0, 1, lda, depth, height, kRows, packedA);
        for (int64_t column = 0; column < width; column += kColumns) {
          for (int64_t row = 0; row < height; row += kRows) {
            block(depth, packedA + row * depth, packedB + column * depth,
                  c + (m0 + row) * ldc + n0 + column, ldc,
                  smaller(kRows, height - row),
                  smaller(kColumns, width - column));
          }
        }
      }
    }
  }
}

} // namespace
} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_MATRIXIMPL_H
