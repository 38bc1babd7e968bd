// SPDX-License-Identifier: Apache-2.0
//
// Views and copies. A constant is moved at compile time; a weight is moved by
// changing the reference as far as a reference can say it.

#include "Evaluate.h"
#include "GraphBuilder.h"
#include "WeightViews.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <numeric>

using namespace mlir;

namespace spyre {

using stick::WeightOp;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

int64_t rowMajor(ShapeRef shape, ShapeRef position) {
  int64_t linear = 0;
  for (auto [extent, index] : llvm::zip(shape, position)) {
    linear = linear * extent + index;
  }
  return linear;
}

Value GraphBuilder::movementOf(Value input, ShapeRef shape,
                               function_ref<int64_t(ShapeRef)> source) {
  DenseElementsAttr attr = constantOf(input);
  auto type = RankedTensorType::get(shape, elementOf(input));
  if (!attr) {
    return {};
  }
  if (attr.isSplat() && numElements(shape) > 0) {
    return constant(attr.resizeSplat(type));
  }
  if (!budget.allows(type)) {
    return {};
  }
  std::vector<Number> from = readNumbers(attr);
  std::vector<Number> to(static_cast<size_t>(numElements(shape)));
  Shape position(shape.size(), 0);
  for (Number &number : to) {
    number = from[source(position)];
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim]) {
        break;
      }
      position[dim] = 0;
    }
  }
  return constant(writeNumbers(type, to));
}

//===----------------------------------------------------------------------===//
// Transpose, broadcast
//===----------------------------------------------------------------------===//

Value GraphBuilder::transpose(Value input, ShapeRef permutation) {
  ShapeRef from = shapeOf(input);
  Shape shape;
  for (int64_t dim : permutation) {
    shape.push_back(from[dim]);
  }
  if (llvm::is_sorted(permutation)) {
    return input;
  }
  if (Value scalar = spreadScalar(input, shape)) {
    return scalar;
  }
  const auto source = [&](ShapeRef position) {
    Shape at(position.size());
    for (auto [to, dim] : llvm::enumerate(permutation)) {
      at[dim] = position[to];
    }
    return rowMajor(from, at);
  };
  if (Value moved = movementOf(input, shape, source)) {
    return moved;
  }
  if (auto weight = input.getDefiningOp<WeightOp>()) {
    SmallVector<int64_t> before = weight.getPermutation();
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation) {
      composed.push_back(before[dim]);
    }
    const bool none = llvm::is_sorted(composed);
    return weightView(
        b, weight, shape, static_cast<int64_t>(weight.getOffset()),
        static_cast<int64_t>(weight.getLength()),
        none ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(composed));
  }
  // Dim i of the result is dim permutation[i] of the input.
  Shape inverse(permutation.size());
  for (auto [to, dim] : llvm::enumerate(permutation)) {
    inverse[dim] = static_cast<int64_t>(to);
  }
  const auto rank = static_cast<int64_t>(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return generic(input, {dimsMap(rank, inverse), identity(rank)}, iterators,
                 shape, elementOf(input), Value(),
                 [](Scalars &, ValueRange v) { return v[0]; });
}

Value GraphBuilder::broadcast(Value input, ShapeRef shape) {
  if (shapeOf(input) == shape) {
    return input;
  }
  DenseElementsAttr attr = constantOf(input);
  auto type = RankedTensorType::get(shape, elementOf(input));
  if (attr && attr.isSplat() && numElements(shape) > 0) {
    return constant(attr.resizeSplat(type));
  }
  if (Value scalar = spreadScalar(input, shape)) {
    return scalar;
  }
  const auto rank = static_cast<int64_t>(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return generic(input, {broadcastMap(shapeOf(input), shape), identity(rank)},
                 iterators, shape, elementOf(input), Value(),
                 [](Scalars &, ValueRange v) { return v[0]; });
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Value GraphBuilder::slice(Value input, ShapeRef offsets, ShapeRef sizes,
                          ShapeRef strides) {
  ShapeRef from = shapeOf(input);
  const bool dense =
      llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
  if (from == sizes && dense) {
    return input;
  }
  if (Value scalar = spreadScalar(input, sizes)) {
    return scalar;
  }
  const auto source = [&](ShapeRef position) {
    Shape at(position);
    for (size_t dim = 0; dim < at.size(); ++dim) {
      at[dim] = offsets[dim] + at[dim] * strides[dim];
    }
    return rowMajor(from, at);
  };
  if (Value moved = movementOf(input, sizes, source)) {
    return moved;
  }
  if (numElements(sizes) == 0) {
    return nothing(sizes, elementOf(input));
  }
  if (Value view = dense ? weightSlice(b, input, offsets, sizes) : Value()) {
    return view;
  }
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(sizes, elementOf(input)), input,
      getAsIndexOpFoldResult(b.getContext(), offsets),
      getAsIndexOpFoldResult(b.getContext(), sizes),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

Value GraphBuilder::slice(Value input, int64_t dim, int64_t begin,
                          int64_t size) {
  Shape offsets(shapeOf(input).size(), 0);
  Shape sizes(shapeOf(input));
  Shape strides(sizes.size(), 1);
  offsets[dim] = begin;
  sizes[dim] = size;
  return slice(input, offsets, sizes, strides);
}

/// The elements of a constant, or of a fill that a constant is written over.
static std::optional<std::vector<Number>> knownNumbers(Value value) {
  if (DenseElementsAttr attr = constantOf(value)) {
    return readNumbers(attr);
  }
  auto fill = value.getDefiningOp<linalg::FillOp>();
  auto scalar = fill ? fill.getInputs()[0].getDefiningOp<arith::ConstantOp>()
                     : arith::ConstantOp();
  if (!scalar) {
    return std::nullopt;
  }
  auto type = RankedTensorType::get({}, elementOf(value));
  const Number number =
      readSplat(DenseElementsAttr::get(type, Attribute(scalar.getValue())));
  return std::vector<Number>(
      static_cast<size_t>(typeOf(value).getNumElements()), number);
}

static DenseElementsAttr insertConstant(Value part, Value whole,
                                        ShapeRef offsets,
                                        const EvaluationBudget &budget) {
  DenseElementsAttr from = constantOf(part);
  if (!from || !budget.allows(typeOf(whole))) {
    return {};
  }
  std::optional<std::vector<Number>> numbers = knownNumbers(whole);
  if (!numbers) {
    return {};
  }
  ShapeRef shape = shapeOf(part);
  Shape position(shape.size(), 0);
  for (const Number &number : readNumbers(from)) {
    Shape at(position);
    for (size_t dim = 0; dim < at.size(); ++dim) {
      at[dim] += offsets[dim];
    }
    (*numbers)[rowMajor(shapeOf(whole), at)] = number;
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim]) {
        break;
      }
      position[dim] = 0;
    }
  }
  return writeNumbers(typeOf(whole), *numbers);
}

Value GraphBuilder::insert(Value part, Value whole, ShapeRef offsets) {
  ShapeRef sizes = shapeOf(part);
  if (numElements(sizes) == 0) {
    return whole;
  }
  if (sizes == shapeOf(whole)) {
    return part;
  }
  if (DenseElementsAttr attr = insertConstant(part, whole, offsets, budget)) {
    return constant(attr);
  }
  Shape strides(sizes.size(), 1);
  return tensor::InsertSliceOp::create(
      b, loc, part, whole, getAsIndexOpFoldResult(b.getContext(), offsets),
      getAsIndexOpFoldResult(b.getContext(), sizes),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

/// The concatenation of constants, null if a part is none.
static DenseElementsAttr concatConstants(ArrayRef<Value> parts,
                                         RankedTensorType type, int64_t dim) {
  ShapeRef shape = type.getShape();
  const int64_t outer = numElements(shape.take_front(dim));
  const int64_t row = numElements(shape.drop_front(dim));
  std::vector<Number> numbers(static_cast<size_t>(type.getNumElements()));
  int64_t start = 0;
  for (Value part : parts) {
    DenseElementsAttr attr = constantOf(part);
    if (!attr) {
      return {};
    }
    std::vector<Number> from = readNumbers(attr);
    const int64_t partRow = numElements(shapeOf(part).drop_front(dim));
    for (int64_t i = 0; i < outer; ++i) {
      std::copy_n(from.begin() + i * partRow, partRow,
                  numbers.begin() + i * row + start);
    }
    start += partRow;
  }
  return writeNumbers(type, numbers);
}

Value GraphBuilder::concat(ArrayRef<Value> allParts, int64_t dim) {
  SmallVector<Value> parts;
  Shape shape(shapeOf(allParts.front()));
  shape[dim] = 0;
  for (Value part : allParts) {
    shape[dim] += shapeOf(part)[dim];
    if (numElements(shapeOf(part)) > 0) {
      parts.push_back(part);
    }
  }
  if (parts.size() == 1) {
    return parts.front();
  }
  auto type = RankedTensorType::get(shape, elementOf(allParts.front()));
  if (parts.empty()) {
    return reshape(allParts.front(), shape);
  }
  if (budget.allows(type)) {
    if (DenseElementsAttr attr = concatConstants(parts, type, dim)) {
      return constant(attr);
    }
  }
  Value whole = empty(shape, type.getElementType());
  Shape offsets(shape.size(), 0);
  for (Value part : parts) {
    whole = insert(part, whole, offsets);
    offsets[dim] += shapeOf(part)[dim];
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// first, first + 1, ...: the first index, if the indices are such a range.
static std::optional<int64_t> consecutive(ArrayRef<Number> indices) {
  for (auto [i, number] : llvm::enumerate(indices)) {
    if (number.integer != indices.front().integer + static_cast<int64_t>(i)) {
      return std::nullopt;
    }
  }
  return indices.empty() ? std::nullopt
                         : std::optional<int64_t>(indices.front().integer);
}

/// The indices with a last dim of extent 1, as tensor.gather takes them.
static Value withCoordinateDim(GraphBuilder &g, Value indices) {
  Shape shape(shapeOf(indices));
  shape.push_back(1);
  if (DenseElementsAttr attr = constantOf(indices)) {
    return g.constant(
        attr.reshape(RankedTensorType::get(shape, attr.getElementType())));
  }
  SmallVector<ReassociationIndices> groups;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    groups.push_back({static_cast<int64_t>(dim)});
  }
  if (!groups.empty()) {
    groups.back().push_back(static_cast<int64_t>(shape.size()) - 1);
  }
  return tensor::ExpandShapeOp::create(
      g.b, g.loc, RankedTensorType::get(shape, elementOf(indices)), indices,
      groups);
}

Value GraphBuilder::gather(Value input, Value indices, int64_t dim) {
  ShapeRef from = shapeOf(input);
  ShapeRef at = shapeOf(indices);
  const auto indexRank = static_cast<int64_t>(at.size());
  Shape shape(from.take_front(dim));
  llvm::append_range(shape, at);
  llvm::append_range(shape, from.drop_front(dim + 1));
  if (numElements(shape) == 0) {
    return nothing(shape, elementOf(input));
  }
  if (DenseElementsAttr attr = constantOf(indices)) {
    std::vector<Number> numbers = readNumbers(attr);
    if (std::optional<int64_t> first = consecutive(numbers)) {
      return reshape(
          slice(input, dim, *first, static_cast<int64_t>(numbers.size())),
          shape);
    }
    const auto source = [&](ShapeRef position) {
      Shape sourceAt(position.take_front(dim));
      sourceAt.push_back(
          numbers[rowMajor(at, position.slice(dim, indexRank))].integer);
      llvm::append_range(sourceAt, position.drop_front(dim + indexRank));
      return rowMajor(from, sourceAt);
    };
    if (Value moved = movementOf(input, shape, source)) {
      return moved;
    }
  }
  // tensor.gather puts the dims of the indices first.
  Shape gathered(at);
  llvm::append_range(gathered, from.take_front(dim));
  llvm::append_range(gathered, from.drop_front(dim + 1));
  Value result = tensor::GatherOp::create(
      b, loc, RankedTensorType::get(gathered, elementOf(input)), input,
      withCoordinateDim(*this, indices), dim, /*unique=*/false);
  Shape permutation;
  for (int64_t i = 0; i < dim; ++i) {
    permutation.push_back(indexRank + i);
  }
  for (int64_t i = 0; i < indexRank; ++i) {
    permutation.push_back(i);
  }
  for (size_t i = dim + indexRank; i < shape.size(); ++i) {
    permutation.push_back(static_cast<int64_t>(i));
  }
  return transpose(result, permutation);
}

/// A conversion of a weight is part of the reference.
Value GraphBuilder::cast(Value input, Type element) {
  if (elementOf(input) == element) {
    return input;
  }
  Type from = elementOf(input);
  const bool areFloats = isFloatType(from) && isFloatType(element);
  const bool isWidened = from.isInteger() && element.isSignlessInteger(32) &&
                         from.getIntOrFloatBitWidth() < 32;
  auto weight = input.getDefiningOp<WeightOp>();
  if (weight && !weight.getHostType() &&
      (areFloats || (isWidened && stick::toHostType(from)))) {
    return WeightOp::create(
        b, weight.getLoc(), RankedTensorType::get(shapeOf(input), element),
        weight.getNameAttr(), weight.getFileAttr(), weight.getOffsetAttr(),
        weight.getLengthAttr(), TypeAttr::get(from), weight.getPermAttr());
  }
  DenseElementsAttr known = constantOf(input);
  if (known && isWidened) {
    auto type = RankedTensorType::get(shapeOf(input), element);
    return constant(writeNumbers(type, readNumbers(known)));
  }
  if (from.isUnsignedInteger()) {
    Type i32 = b.getI32Type();
    Value wide = element == i32 ? Value() : cast(input, i32);
    return wide ? cast(wide, element) : Value();
  }
  return map(input, shapeOf(input), element,
             [&](Scalars &, ValueRange v) { return v[0]; });
}

} // namespace spyre
