// SPDX-License-Identifier: Apache-2.0
//
// Normalisation by statistics, for the decoders of several domains.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_NORMALIZATION_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_NORMALIZATION_H

#include "GraphBuilder.h"

namespace spyre {

/// A normalised tensor and its f32 statistics, which keep the reduced dims as
/// 1.
struct Normalized {
  mlir::Value result;
  /// Null for RMS normalisation.
  mlir::Value mean;
  mlir::Value inverse;
};

/// (x - mean) / sqrt(variance + epsilon) * scale + bias over `dims`; scale and
/// bias may be null and broadcast to x. Without `center`, x / sqrt(mean of
/// squares + epsilon) * scale + bias. All of it in f32, rounded once.
Normalized buildNormalization(GraphBuilder &g, mlir::Value x, ShapeRef dims,
                              double epsilon, bool center, mlir::Value scale,
                              mlir::Value bias);

/// The sum of two or three values, which are normalised together.
mlir::Value sumOf(Scalars &s, mlir::ValueRange values);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_NORMALIZATION_H
