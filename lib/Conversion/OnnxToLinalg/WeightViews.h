// SPDX-License-Identifier: Apache-2.0
//
// Views of weights: a weight that is reshaped, transposed or sliced is another
// reference to the same bytes as far as a reference can say so.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_WEIGHTVIEWS_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_WEIGHTVIEWS_H

#include "GraphBuilder.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

namespace spyre {

/// The weight with another shape, range of the file and permutation (null:
/// none).
mlir::Value weightView(mlir::OpBuilder &b, stick::WeightOp weight,
                       ShapeRef shape, int64_t offset, int64_t length,
                       mlir::DenseI64ArrayAttr permutation);

/// A weight whose dims are those of the file; null for anything else.
stick::WeightOp plainWeight(mlir::Value value);

/// A range of the outermost dim of a weight that is not 1, as fewer bytes of
/// the same file; null if the value is none or other dims are cut.
mlir::Value weightSlice(mlir::OpBuilder &b, mlir::Value value, ShapeRef offsets,
                        ShapeRef sizes);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_WEIGHTVIEWS_H
