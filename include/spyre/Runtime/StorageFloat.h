// SPDX-License-Identifier: Apache-2.0
//
// The 16-bit storage floats of host files and device tensors. All three follow
// from one parameter set (exponent bits, fraction bits, specials), so that
// rounding is written once: to nearest, ties to even, directly from double.

#ifndef SPYRE_RUNTIME_STORAGEFLOAT_H
#define SPYRE_RUNTIME_STORAGEFLOAT_H

#include <cstdint>

namespace spyre::rt {

enum class StorageFloat : uint8_t {
  /// IEEE 754 binary16.
  F16 = 0,
  /// The upper half of binary32.
  BF16 = 1,
  /// 1-6-9 with bias 31, no subnormals, no infinity; all ones is the only
  /// special value (NaN). Values beyond the largest finite saturate.
  DL16 = 2,
};

/// Rounds to the nearest value of the format, ties to even. A value beyond the
/// finite range becomes infinity (DL16: the largest finite value).
uint16_t encode(StorageFloat format, double value);

/// Exact: every value of the three formats is a double.
double decode(StorageFloat format, uint16_t bits);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_STORAGEFLOAT_H
