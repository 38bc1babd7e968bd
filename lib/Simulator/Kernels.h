// SPDX-License-Identifier: Apache-2.0
//
// The numeric inner loops, compiled once per x86 level and chosen at run time,
// so that one binary is portable and still uses the host's vectors. Everything
// in KernelsImpl.h and MatrixImpl.h has internal linkage: code compiled for a
// newer level must not replace an inline function of the same name elsewhere.

#ifndef SPYRE_LIB_SIMULATOR_KERNELS_H
#define SPYRE_LIB_SIMULATOR_KERNELS_H

#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Support/ElementType.h"

#include <cstdint>

namespace spyre::sim {

/// A map is evaluated over blocks of this many elements.
inline constexpr int64_t kBlockElements = 256;

/// What a store met.
struct StoreCounts {
  /// Finite values that left the finite range of their 16-bit type.
  int64_t overflows = 0;
  int64_t nans = 0;

  StoreCounts &operator+=(const StoreCounts &other) {
    overflows += other.overflows;
    nans += other.nans;
    return *this;
  }
};

struct ElementKernels {
  /// Storage to 32-bit values: f32 for floats, i32 for integers, 0 or 1 for
  /// bool.
  void (*load)(ElementType type, const void *from, void *to, int64_t count);
  /// The reverse, rounding to nearest even.
  StoreCounts (*store)(ElementType type, const void *from, void *to,
                       int64_t count);
  /// One body operation over blocks. Operands are what the opcode takes;
  /// `isBool` tells a logical from a bitwise Not.
  void (*evaluate)(launch::BodyOpcode opcode, bool isBool, const void *a,
                   const void *b, const void *c, void *to, int64_t count);
  /// to = combine(to, from), lane by lane; isFloat else i32.
  void (*combine)(launch::Combine combine, bool isFloat, const void *from,
                  void *to, int64_t count);
};

/// c[m][n] += sum over k of a[m][k] * b[k][n], row-major with leading
/// dimensions, k ascending in panels of a fixed size.
using MatrixKernel = void (*)(int64_t m, int64_t n, int64_t k, const float *a,
                              int64_t lda, const float *b, int64_t ldb,
                              float *c, int64_t ldc);

/// The best of the host.
const ElementKernels &elementKernels();
MatrixKernel matrixKernel();

ElementKernels elementKernelsV2();
ElementKernels elementKernelsV3();
ElementKernels elementKernelsV4();
MatrixKernel matrixKernelV2();
MatrixKernel matrixKernelV3();
MatrixKernel matrixKernelV4();

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_KERNELS_H
