// SPDX-License-Identifier: Apache-2.0
//
// What decoders build graphs with: generics, views and copies on tensors of
// static shape. Every method evaluates at once what depends on constants only
// (within Evaluate.h's budget) and keeps references to weights references, so
// that no decoder has to ask.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_GRAPHBUILDER_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_GRAPHBUILDER_H

#include "Evaluate.h"
#include "Scalars.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace spyre {

using Shape = llvm::SmallVector<int64_t>;
using ShapeRef = llvm::ArrayRef<int64_t>;

/// No number of a model that counts elements along one dim (a stride, a pad, a
/// repetition) may be above this, so that sums and products of two fit.
inline constexpr int64_t kMaxCount = int64_t{1} << 31;

/// The shape that the shapes broadcast to, as in NumPy; nothing if they do not.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<ShapeRef> shapes);
/// Saturates at the greatest int64_t.
int64_t numElements(ShapeRef shape);
/// The row-major position of an element.
int64_t rowMajor(ShapeRef shape, ShapeRef position);
mlir::RankedTensorType typeOf(mlir::Value value);
ShapeRef shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
/// The value of an arith.constant, null for any other value.
mlir::DenseElementsAttr constantOf(mlir::Value value);

enum class Reduction { Sum, Product, Maximum, Minimum };

class GraphBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Body =
      llvm::function_ref<Value(Scalars &scalars, mlir::ValueRange values)>;

  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc,
               const EvaluationBudget &budget)
      : b(builder), loc(loc), budget(budget) {}

  // Constants and initial values.
  Value constant(mlir::DenseElementsAttr value);
  Value splat(ShapeRef shape, Type element, double value);
  Value integers(ShapeRef values);
  Value empty(ShapeRef shape, Type element);
  /// A constant without elements; one extent is 0.
  Value nothing(ShapeRef shape, Type element);
  /// A tensor that every element of is the neutral element of the reduction.
  Value neutral(ShapeRef shape, Type element, Reduction kind);
  /// A tensor to be written over in part: a fill.
  Value filled(ShapeRef shape, mlir::TypedAttr scalar);

  // Generics.

  /// Elementwise on inputs that broadcast to `shape`. The body sees values of
  /// computeType and gives one that is rounded to `element`.
  Value map(mlir::ValueRange inputs, ShapeRef shape, Type element, Body body);
  /// The same on inputs that are known to broadcast.
  Value map(mlir::ValueRange inputs, Type element, Body body);
  /// The same with a body that asks for the position (Scalars::index).
  Value mapIndexed(mlir::ValueRange inputs, ShapeRef shape, Type element,
                   Body body);
  /// Null for unsigned integers that are neither a weight nor a constant, or
  /// not within i32: bodies have none.
  Value cast(Value input, Type element);
  /// Combines `body(input)` along the dims, which the result does not have, in
  /// computeType of what the body gives.
  Value reduce(Value input, ShapeRef dims, Reduction kind, Body body = nullptr);
  /// The sum of products over the dims that `out` does not name, accumulated
  /// in computeType; the result has that type.
  Value contract(Value lhs, Value rhs, mlir::AffineMap lhsMap,
                 mlir::AffineMap rhsMap, mlir::AffineMap outMap,
                 ShapeRef outShape);
  /// Any generic with one result. `init` null: an empty tensor.
  Value generic(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                ShapeRef shape, Type element, Value init, Body body);

  // Movement. Shapes and positions are checked by the caller.
  Value reshape(Value input, ShapeRef shape);
  Value transpose(Value input, ShapeRef permutation);
  Value broadcast(Value input, ShapeRef shape);
  Value slice(Value input, ShapeRef offsets, ShapeRef sizes, ShapeRef strides);
  /// The range [begin, begin + size) of one dim.
  Value slice(Value input, int64_t dim, int64_t begin, int64_t size);
  /// `part` written over `whole` from `offsets` on.
  Value insert(Value part, Value whole, ShapeRef offsets);
  Value concat(llvm::ArrayRef<Value> parts, int64_t dim);
  /// Insertion or removal of dims of extent 1.
  Value unsqueeze(Value input, ShapeRef dims);
  Value squeeze(Value input, ShapeRef dims);
  /// Rows of `input` along `dim` at the indices: the indices' dims stand in
  /// the place of `dim`. Indices are in range and not negative.
  Value gather(Value input, Value indices, int64_t dim);

  /// d0..dn-1 -> the dims listed.
  mlir::AffineMap dimsMap(int64_t numDims, ShapeRef dims);
  mlir::AffineMap identity(int64_t rank);
  /// How a tensor of `shape` is read by an iteration over `result`, aligned at
  /// the last dim: constant 0 where it is broadcast.
  mlir::AffineMap broadcastMap(ShapeRef shape, ShapeRef result);

  mlir::OpBuilder &b;
  mlir::Location loc;
  EvaluationBudget budget;

  /// The elements of a constant input in another order, `source` giving the
  /// row-major position of each; null if the input is not constant or the
  /// result is above the budget.
  Value movementOf(Value input, ShapeRef shape,
                   llvm::function_ref<int64_t(ShapeRef position)> source);

  /// The one number that all elements are, if it is known; also where it was
  /// left to bodies because its type does not have it.
  static std::optional<Number> scalarOf(Value value);

private:
  /// A number that was left to bodies, at another shape; null for all else.
  Value spreadScalar(Value input, ShapeRef shape);
  Value uniform(Value fill);
  Value mapPoints(mlir::ValueRange inputs, ShapeRef shape, Type element,
                  Body body);
  Value reshapeView(Value input, ShapeRef shape);
  Value reshapeUnits(Value input, ShapeRef shape);
};

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_GRAPHBUILDER_H
