// SPDX-License-Identifier: Apache-2.0
//
// Constants and generics.

#include "Evaluate.h"
#include "GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace spyre {

std::optional<Shape> broadcastShapes(ArrayRef<ShapeRef> shapes) {
  Shape result;
  for (ShapeRef shape : shapes) {
    if (shape.size() > result.size()) {
      result.insert(result.begin(), shape.size() - result.size(), 1);
    }
    auto tail = MutableArrayRef<int64_t>(result).take_back(shape.size());
    for (auto [extent, other] : llvm::zip(tail, shape)) {
      if (extent != other && extent != 1 && other != 1) {
        return std::nullopt;
      }
      extent = extent == 1 ? other : extent;
    }
  }
  return result;
}

int64_t numElements(ShapeRef shape) {
  int64_t product = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(product, extent, &product)) {
      // A zero extent makes it zero whatever the others are.
      return llvm::is_contained(shape, 0) ? 0
                                          : std::numeric_limits<int64_t>::max();
    }
  }
  return product;
}

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ShapeRef shapeOf(Value value) { return typeOf(value).getShape(); }

Type elementOf(Value value) { return typeOf(value).getElementType(); }

DenseElementsAttr constantOf(Value value) {
  auto op =
      value ? value.getDefiningOp<arith::ConstantOp>() : arith::ConstantOp();
  return op ? dyn_cast<DenseElementsAttr>(op.getValue()) : DenseElementsAttr();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value GraphBuilder::constant(DenseElementsAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

Value GraphBuilder::splat(ShapeRef shape, Type element, double value) {
  const Number number = {value, static_cast<int64_t>(value)};
  return constant(writeNumbers(RankedTensorType::get({}, element), number)
                      .resizeSplat(RankedTensorType::get(shape, element)));
}

Value GraphBuilder::integers(ShapeRef values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                    b.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value GraphBuilder::empty(ShapeRef shape, Type element) {
  return tensor::EmptyOp::create(b, loc, shape, element);
}

Value GraphBuilder::nothing(ShapeRef shape, Type element) {
  return constant(writeNumbers(RankedTensorType::get(shape, element), {}));
}

Value GraphBuilder::filled(ShapeRef shape, TypedAttr scalar) {
  Value value = arith::ConstantOp::create(b, loc, scalar);
  return linalg::FillOp::create(b, loc, value, empty(shape, scalar.getType()))
      .result();
}

Value GraphBuilder::neutral(ShapeRef shape, Type element, Reduction kind) {
  TypedAttr scalar;
  const bool isFloat = isFloatType(element);
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Product: {
    const int64_t value = kind == Reduction::Sum ? 0 : 1;
    scalar = isFloat ? TypedAttr(b.getFloatAttr(element, double(value)))
                     : TypedAttr(b.getIntegerAttr(element, value));
    break;
  }
  case Reduction::Maximum:
  case Reduction::Minimum: {
    // The extreme value as a scalar op has it.
    Scalars scalars(b, loc);
    Value value = scalars.extreme(element, kind == Reduction::Minimum);
    auto op = value.getDefiningOp<arith::ConstantOp>();
    scalar = op.getValue();
    op.erase();
    break;
  }
  }
  return filled(shape, scalar);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

AffineMap GraphBuilder::identity(int64_t rank) {
  return b.getMultiDimIdentityMap(static_cast<unsigned>(rank));
}

AffineMap GraphBuilder::dimsMap(int64_t numDims, ShapeRef dims) {
  SmallVector<AffineExpr> results;
  for (int64_t dim : dims) {
    results.push_back(b.getAffineDimExpr(static_cast<unsigned>(dim)));
  }
  return AffineMap::get(static_cast<unsigned>(numDims), 0, results,
                        b.getContext());
}

AffineMap GraphBuilder::broadcastMap(ShapeRef shape, ShapeRef result) {
  SmallVector<AffineExpr> exprs;
  const size_t first = result.size() - shape.size();
  for (auto [i, extent] : llvm::enumerate(shape)) {
    const bool repeated = extent == 1 && result[first + i] != 1;
    exprs.push_back(repeated
                        ? b.getAffineConstantExpr(0)
                        : b.getAffineDimExpr(static_cast<unsigned>(first + i)));
  }
  return AffineMap::get(static_cast<unsigned>(result.size()), 0, exprs,
                        b.getContext());
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

/// The splat as a scalar constant of the compute type.
static Value scalarConstant(OpBuilder &b, Location loc,
                            DenseElementsAttr splat) {
  Type type = computeType(splat.getElementType());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value = splat.getSplatValue<APFloat>();
    bool losesInfo = false;
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, splat.getSplatValue<APInt>()));
}

/// The generic that makes the value of scalars alone; it could not be
/// evaluated.
static linalg::GenericOp scalarComputation(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return op && op.getNumDpsInputs() == 0 && op.getNumReductionLoops() == 0 &&
                 !op.hasIndexSemantics() &&
                 op.getRegionOutputArgs().front().use_empty()
             ? op
             : linalg::GenericOp();
}

/// Its result before it is rounded, computed in another body.
static Value cloneScalar(OpBuilder &b, linalg::GenericOp op) {
  Value result = op.getBody()->getTerminator()->getOperand(0);
  auto rounding = result.getDefiningOp<arith::TruncFOp>();
  IRMapping mapping;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (&inner != rounding) {
      b.clone(inner, mapping);
    }
  }
  return mapping.lookup(rounding ? rounding.getIn() : result);
}

/// Erases ops that a generic which is gone was made from.
static void eraseUnused(Value init) {
  while (Operation *op = init.getDefiningOp()) {
    if (!op->use_empty() || !isa<linalg::FillOp, tensor::EmptyOp>(op)) {
      return;
    }
    auto fill = dyn_cast<linalg::FillOp>(op);
    init = fill ? fill.getOutputs()[0] : Value();
    op->erase();
    if (!fill) {
      return;
    }
  }
}

Value GraphBuilder::generic(ValueRange inputs, ArrayRef<AffineMap> maps,
                            ArrayRef<utils::IteratorType> iterators,
                            ShapeRef shape, Type element, Value init,
                            Body body) {
  if (numElements(shape) == 0) {
    return nothing(shape, element);
  }
  if (!init) {
    init = empty(shape, element);
  }
  auto type = RankedTensorType::get(shape, element);
  auto op = linalg::GenericOp::create(
      b, loc, type, inputs, init, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange args) {
        Scalars scalars(inner, loc);
        Value result = body(scalars, args);
        linalg::YieldOp::create(inner, loc, scalars.cast(result, element));
      });
  const bool onConstants = llvm::all_of(inputs, [](Value input) {
    return constantOf(input) || input.getDefiningOp<tensor::EmptyOp>();
  });
  if (onConstants) {
    if (std::optional<DenseElementsAttr> value = evaluate(op, budget)) {
      op.erase();
      eraseUnused(init);
      return constant(*value);
    }
  }
  return op.getResult(0);
}

/// One number for all elements, known when compiling.
static bool isScalar(Value value) {
  DenseElementsAttr constant = constantOf(value);
  return (constant && constant.isSplat()) || scalarComputation(value);
}

/// Scalars among the inputs are computed in the body.
Value GraphBuilder::mapPoints(ValueRange inputs, ShapeRef shape, Type element,
                              Body body) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    if (!isScalar(input)) {
      operands.push_back(input);
      maps.push_back(broadcastMap(shapeOf(input), shape));
    }
  }
  const auto wideBody = [&](Scalars &scalars, ValueRange args) {
    SmallVector<Value> values;
    size_t next = 0;
    for (Value input : inputs) {
      DenseElementsAttr constant = constantOf(input);
      if (constant && constant.isSplat()) {
        values.push_back(scalarConstant(scalars.builder(), loc, constant));
        continue;
      }
      linalg::GenericOp scalar = scalarComputation(input);
      Value value =
          scalar ? cloneScalar(scalars.builder(), scalar) : args[next++];
      values.push_back(scalars.cast(value, computeType(value.getType())));
    }
    return body(scalars, values);
  };
  maps.push_back(identity(static_cast<int64_t>(shape.size())));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return generic(operands, maps, iterators, shape, element, Value(), wideBody);
}

Value GraphBuilder::spreadScalar(Value input, ShapeRef shape) {
  return scalarComputation(input)
             ? mapPoints(input, shape, elementOf(input),
                         [](Scalars &, ValueRange v) { return v[0]; })
             : Value();
}

std::optional<Number> GraphBuilder::scalarOf(Value value) {
  if (DenseElementsAttr constant = constantOf(value)) {
    return constant.isSplat() ? std::optional(readSplat(constant))
                              : std::nullopt;
  }
  linalg::GenericOp computation = scalarComputation(value);
  return computation ? exactScalar(computation) : std::nullopt;
}

Value GraphBuilder::mapIndexed(ValueRange inputs, ShapeRef shape, Type element,
                               Body body) {
  return mapPoints(inputs, shape, element, body);
}

Value GraphBuilder::map(ValueRange inputs, ShapeRef shape, Type element,
                        Body body) {
  const bool uniform = llvm::all_of(inputs, isScalar);
  // Of scalars alone every element is the same.
  if (uniform && !shape.empty()) {
    Value scalar = mapPoints(inputs, {}, element, body);
    if (constantOf(scalar)) {
      return broadcast(scalar, shape);
    }
  }
  return mapPoints(inputs, shape, element, body);
}

Value GraphBuilder::map(ValueRange inputs, Type element, Body body) {
  SmallVector<ShapeRef> shapes =
      llvm::map_to_vector(inputs, [](Value input) { return shapeOf(input); });
  return map(inputs, *broadcastShapes(shapes), element, body);
}

/// A fill that nothing is combined with, as a constant.
Value GraphBuilder::uniform(Value fill) {
  auto op = fill.getDefiningOp<linalg::FillOp>();
  auto scalar = op.getInputs()[0].getDefiningOp<arith::ConstantOp>();
  return constant(
      DenseElementsAttr::get(typeOf(fill), Attribute(scalar.getValue())));
}

Value GraphBuilder::reduce(Value input, ShapeRef dims, Reduction kind,
                           Body body) {
  ShapeRef shape = shapeOf(input);
  const auto rank = static_cast<int64_t>(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  for (int64_t dim : dims) {
    iterators[dim] = utils::IteratorType::reduction;
  }
  Shape kept;
  Shape resultShape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (iterators[dim] == utils::IteratorType::parallel) {
      kept.push_back(dim);
      resultShape.push_back(shape[dim]);
    }
  }
  Type element = computeType(elementOf(input));
  if (dims.empty()) {
    return body ? map(input, element, body) : cast(input, element);
  }
  Value init = neutral(resultShape, element, kind);
  if (numElements(shape) == 0) {
    return uniform(init);
  }
  return generic(input, {identity(rank), dimsMap(rank, kept)}, iterators,
                 resultShape, element, init, [&](Scalars &s, ValueRange v) {
                   Value value = s.cast(v[0], element);
                   value = body ? body(s, value) : value;
                   switch (kind) {
                   case Reduction::Sum:
                     return s.add(v[1], value);
                   case Reduction::Product:
                     return s.mul(v[1], value);
                   case Reduction::Maximum:
                     return s.max(v[1], value);
                   case Reduction::Minimum:
                     return s.min(v[1], value);
                   }
                   llvm_unreachable("covered switch");
                 });
}

Value GraphBuilder::contract(Value lhs, Value rhs, AffineMap lhsMap,
                             AffineMap rhsMap, AffineMap outMap,
                             ShapeRef outShape) {
  SmallVector<utils::IteratorType> iterators(outMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr result : outMap.getResults()) {
    iterators[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  }
  Type element = computeType(elementOf(lhs));
  Value init = neutral(outShape, element, Reduction::Sum);
  if (numElements(shapeOf(lhs)) == 0 || numElements(shapeOf(rhs)) == 0) {
    return uniform(init);
  }
  return generic(
      {lhs, rhs}, {lhsMap, rhsMap, outMap}, iterators, outShape, element, init,
      [&](Scalars &s, ValueRange v) {
        return s.add(v[2], s.mul(s.cast(v[0], element), s.cast(v[1], element)));
      });
}

} // namespace spyre
