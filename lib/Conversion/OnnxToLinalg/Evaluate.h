// SPDX-License-Identifier: Apache-2.0
//
// Evaluation at compile time: a generic on constants becomes a constant. All
// folding of ONNX nodes rests on this one function, since decoders build
// generics whatever their operands are. It is bounded: nothing large is made.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATE_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATE_H

#include "spyre/Reference/ScalarBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <vector>

namespace spyre {

/// What evaluation may cost.
struct EvaluationBudget {
  /// Constants that evaluation makes are at most this large, except splats.
  int64_t maxBytes = 65536;
  /// Points of the iteration space of one generic.
  int64_t maxPoints = int64_t{1} << 20;

  /// Whether a tensor of this type may be made by evaluation.
  bool allows(mlir::RankedTensorType type) const;
};

/// The elements in row-major order; a splat is expanded.
std::vector<Number> readNumbers(mlir::DenseElementsAttr attr);
Number readSplat(mlir::DenseElementsAttr attr);
/// A constant of the type, a splat if all numbers are equal. Numbers are
/// rounded to the element type.
mlir::DenseElementsAttr writeNumbers(mlir::RankedTensorType type,
                                     llvm::ArrayRef<Number> numbers);

/// The one number, unrounded, that a generic without inputs gives at every
/// position; nothing if it has inputs or depends on the position.
std::optional<Number> exactScalar(mlir::linalg::GenericOp op);

/// The result of a generic with one result whose inputs are arith.constants
/// (or empty tensors that the body does not read) and whose init is empty or a
/// fill. Nothing if it is too large, has an op that is not known here, divides
/// by zero, or is a scalar that its 16-bit type does not have: bodies that read
/// it take it unrounded (GraphBuilder::map).
std::optional<mlir::DenseElementsAttr> evaluate(mlir::linalg::GenericOp op,
                                                const EvaluationBudget &budget);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATE_H
