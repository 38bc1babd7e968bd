// SPDX-License-Identifier: Apache-2.0
//
// How close a tensor is to its reference, measured per row: a single maximum
// over the tensor hides everything where one row is much larger than the rest.

#ifndef SPYRE_RUNTIME_COMPARE_H
#define SPYRE_RUNTIME_COMPARE_H

#include "spyre/Runtime/HostTensor.h"

namespace spyre::rt {

/// What a float tensor must satisfy to pass. A limit that is not set is not
/// checked. NaN and infinities must stand in the same places in any case, and
/// integers and bool must be equal.
struct Gates {
  /// Largest relative L2 error of a row.
  std::optional<double> rowL2 = std::nullopt;
  /// The cosine between every row and its reference must exceed this.
  std::optional<double> cosine = std::nullopt;
  /// Largest absolute error, as a fraction of the reference's largest element.
  std::optional<double> maxRelative = std::nullopt;
  /// |error| <= absolute + relative * |reference|, for every element.
  struct Elementwise {
    double relative = 0;
    double absolute = 0;
  };
  std::optional<Elementwise> elementwise = std::nullopt;
};

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
  /// Largest element of the reference that is finite on both sides, absolute.
  double maxReference = 0;
  /// Smallest cosine between a row and its reference (small rows left out), and
  /// that row.
  double cosine = 1;
  int64_t cosineRow = 0;
  /// Elements where NaN or an infinity stands on one side only, or the
  /// infinities differ in sign; `firstNonFinite` is the first of them.
  int64_t nonFiniteMismatches = 0;
  int64_t firstNonFinite = -1;
  /// Integer and bool tensors: elements that differ.
  int64_t integerMismatches = 0;
  /// Elements beyond Gates::elementwise, and the first of them.
  int64_t elementMismatches = 0;
  int64_t firstElementMismatch = -1;
  /// Gates::rowL2, or 0 without one.
  double tolerance = 0;
  bool passed = false;
  /// What is beyond its limit, in words, with both numbers; empty if passed.
  std::string failure;

  /// maxAbs as a fraction of maxReference; absolute for a zero reference.
  double maxRelative() const;
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
                             const HostTensor &reference, const Gates &gates,
                             std::string_view name);
/// The same with the one gate rowL2 = `tolerance`.
Expected<Comparison> compare(const HostTensor &actual,
                             const HostTensor &reference, double tolerance,
                             std::string_view name);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_COMPARE_H
