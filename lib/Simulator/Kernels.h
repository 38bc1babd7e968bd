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

/// K comes in panels of this depth; it is the stride of A's rows.
inline constexpr int64_t kPanelDepth = 256;
/// Columns come in strips: an f32 stick.
inline constexpr int64_t kStripColumns = 32;

/// c[row][offset + column] += sum over k < depth of a[row * kPanelDepth + k] *
/// b[k * ldb + column], k ascending, for one strip of `columns` columns; if it
/// starts, what c holds does not count. A whole strip of B is read whatever
/// `columns` is.
using MatrixKernel = void (*)(int64_t rows, int64_t columns, int64_t depth,
                              const float *a, const float *b, int64_t ldb,
                              float *const *c, int64_t offset, bool starts);

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
