// SPDX-License-Identifier: Apache-2.0
//
// How close a tensor is to its reference, measured per row: a single maximum
// over the tensor hides everything where one row is much larger than the rest.

#ifndef SPYRE_RUNTIME_COMPARE_H
#define SPYRE_RUNTIME_COMPARE_H

#include "spyre/Runtime/HostTensor.h"

namespace spyre::rt {

struct Comparison {
  int64_t numRows = 0;
  /// Rows whose reference norm is below 1e-3 of the largest. Their error is
  /// measured against the largest norm, so that garbage in them still shows.
  int64_t numSmallRows = 0;
  /// Largest relative L2 error of a row, and that row.
  double rowL2 = 0;
  int64_t worstRow = 0;
  /// Largest absolute difference, and its element.
  double maxAbs = 0;
  int64_t maxElement = 0;
  /// Smallest cosine between a row and its reference (small rows left out).
  double cosine = 1;
  /// Elements where NaN or an infinity stands on one side only, or the
  /// infinities differ in sign; `firstNonFinite` is the first of them.
  int64_t nonFiniteMismatches = 0;
  int64_t firstNonFinite = -1;
  /// Integer and bool tensors: elements that differ.
  int64_t integerMismatches = 0;
  double tolerance = 0;
  bool passed = false;
};

/// Row L2 tolerance of an output: 4e-3 where the device stores f16 or bf16,
/// twice that for dl16 (one fraction bit less), 2e-5 for f32, 0 for integers
/// and bool, which must be equal.
double defaultTolerance(ElementType deviceType);

/// Rows run along the last axis if it has at least 32 elements, else the whole
/// tensor is one row. If the whole reference is zero, errors are absolute.
/// Different shapes are an error; types may differ among floats, and among
/// integers.
Expected<Comparison> compare(const HostTensor &actual,
                             const HostTensor &reference, double tolerance,
                             std::string_view name);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_COMPARE_H
