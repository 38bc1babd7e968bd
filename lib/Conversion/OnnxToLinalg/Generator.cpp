// SPDX-License-Identifier: Apache-2.0
//
// Operators that make tensors: constants, shapes, ranges, and those whose
// elements depend on the position.

#include "Evaluate.h"
#include "Registry.h"

#include "spyre/Dialect/Onnx/IR/ElementTypes.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

using Order = Scalars::Order;

/// A node Constant in text; the importer makes constants of those in files.
LogicalResult decodeConstant(DecodeContext &c) {
  if (DenseElementsAttr value = c.tensorAttr("value")) {
    return c.set(0, c.g.constant(value));
  }
  if (c.hasAttr("value_int")) {
    return c.set(0, c.g.reshape(c.g.integers(c.intAttr("value_int", 0)), {}));
  }
  if (std::optional<Shape> values = c.intsAttr("value_ints")) {
    return c.set(0, c.g.integers(*values));
  }
  if (c.hasAttr("value_float")) {
    return c.set(
        0, c.g.splat({}, c.g.b.getF32Type(), c.floatAttr("value_float", 0)));
  }
  return c.unsupported("a value of this kind");
}

LogicalResult decodeConstantOfShape(DecodeContext &c) {
  FailureOr<Shape> shape = c.integers(0, "shape");
  if (failed(shape)) {
    return failure();
  }
  if (llvm::any_of(*shape, [](int64_t extent) { return extent < 0; })) {
    return c.mismatch("the shape has a negative extent");
  }
  DenseElementsAttr value = c.tensorAttr("value");
  if (!value) {
    return c.set(0, c.g.splat(*shape, c.g.b.getF32Type(), 0));
  }
  if (value.getNumElements() != 1) {
    return c.badAttribute("attribute \"value\" has " +
                          Twine(value.getNumElements()) + " elements, not one");
  }
  auto type = RankedTensorType::get(*shape, value.getElementType());
  return c.set(0, c.g.constant(value.resizeSplat(type)));
}

LogicalResult decodeShape(DecodeContext &c) {
  const int64_t rank = c.rank(0);
  const auto position = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const int64_t start = position(c.intAttr("start", 0));
  const int64_t end = position(c.intAttr("end", rank));
  return c.set(0, c.g.integers(c.shape(0).slice(
                      start, std::max<int64_t>(end - start, 0))));
}

LogicalResult decodeSize(DecodeContext &c) {
  return c.set(0, c.g.reshape(c.g.integers(numElements(c.shape(0))), {}));
}

LogicalResult decodeRange(DecodeContext &c) {
  FailureOr<double> start = c.scalar(0, "start");
  FailureOr<double> limit = c.scalar(1, "limit");
  FailureOr<double> delta = c.scalar(2, "delta");
  if (failed(start) || failed(limit) || failed(delta) ||
      failed(c.sameElements({0, 1, 2}))) {
    return failure();
  }
  if (*delta == 0) {
    return c.mismatch("a step of 0");
  }
  const double count = std::max(0.0, std::ceil((*limit - *start) / *delta));
  if (!(count < 1e9)) {
    return c.mismatch("a range of more than 10^9 elements");
  }
  Type element = c.element(0);
  Type wide = computeType(element);
  return c.set(0, c.g.mapIndexed({}, {static_cast<int64_t>(count)}, element,
                                 [&](Scalars &s, ValueRange) {
                                   Value index = s.cast(s.index(0), wide);
                                   return s.add(
                                       s.constant(*start, wide),
                                       s.mul(index, s.constant(*delta, wide)));
                                 }));
}

LogicalResult decodeTrilu(DecodeContext &c) {
  const int64_t rank = c.rank(0);
  if (rank < 2) {
    return c.mismatch("shape " + toText(c.shape(0)) + " has no matrices");
  }
  const bool upper = c.intAttr("upper", 1) != 0;
  double diagonal = 0;
  if (c.has(1)) {
    FailureOr<double> given = c.scalar(1, "k");
    if (failed(given)) {
      return failure();
    }
    diagonal = *given;
  }
  return c.set(
      0, c.g.mapIndexed(
             c.in(0), c.shape(0), c.element(0), [&](Scalars &s, ValueRange v) {
               Value row = s.index(rank - 2);
               Value column = s.index(rank - 1);
               Value limit = s.add(row, s.like(row, diagonal));
               Value kept =
                   s.compare(upper ? Order::GreaterOrEqual : Order::LessOrEqual,
                             column, limit);
               return s.select(kept, v[0], s.like(v[0], 0));
             }));
}

LogicalResult decodeEyeLike(DecodeContext &c) {
  if (c.rank(0) != 2) {
    return c.mismatch("shape " + toText(c.shape(0)) + " is no matrix");
  }
  Type element = c.element(0);
  if (c.hasAttr("dtype")) {
    std::optional<onnxfile::DataType> type =
        onnxfile::dataTypeFromNumber(c.intAttr("dtype", 0));
    element = type ? onnx::toElementType(c.g.b.getContext(), *type) : Type();
    if (!element || element.isUnsignedInteger()) {
      return c.unsupported("elements of this type");
    }
  }
  const auto diagonal = static_cast<double>(c.intAttr("k", 0));
  Type wide = computeType(element);
  return c.set(
      0, c.g.mapIndexed({}, c.shape(0), element, [&](Scalars &s, ValueRange) {
        Value row = s.index(0);
        Value same = s.compare(Order::Equal, s.index(1),
                               s.add(row, s.like(row, diagonal)));
        return s.select(same, s.constant(1, wide), s.constant(0, wide));
      }));
}

/// A product with a triangle of ones: position i sums the positions up to i.
LogicalResult decodeCumSum(DecodeContext &c) {
  FailureOr<double> given = c.scalar(1, "axis");
  if (failed(given)) {
    return failure();
  }
  FailureOr<int64_t> axis = c.axis(static_cast<int64_t>(*given), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  const bool exclusive = c.intAttr("exclusive", 0) != 0;
  const bool reverse = c.intAttr("reverse", 0) != 0;
  const int64_t rank = c.rank(0);
  // Iteration: the dims of the result, then the position summed over.
  Shape inDims;
  Shape outDims;
  for (int64_t dim = 0; dim < rank; ++dim) {
    inDims.push_back(dim == *axis ? rank : dim);
    outDims.push_back(dim);
  }
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators[rank] = utils::IteratorType::reduction;
  Type wide = computeType(c.element(0));
  const Order order =
      exclusive ? (reverse ? Order::Greater : Order::Less)
                : (reverse ? Order::GreaterOrEqual : Order::LessOrEqual);
  Value sum = c.g.generic(
      c.in(0), {c.g.dimsMap(rank + 1, inDims), c.g.dimsMap(rank + 1, outDims)},
      iterators, c.shape(0), wide,
      c.g.neutral(c.shape(0), wide, Reduction::Sum),
      [&](Scalars &s, ValueRange v) {
        Value counted = s.compare(order, s.index(rank), s.index(*axis));
        Value value = s.cast(v[0], wide);
        return s.add(v[1], s.select(counted, value, s.like(value, 0)));
      });
  return c.set(0, c.g.cast(sum, c.element(0)));
}

/// values[1] where the position along the axis is the index, else values[0].
LogicalResult decodeOneHot(DecodeContext &c) {
  FailureOr<double> depth = c.scalar(1, "depth");
  if (failed(depth)) {
    return failure();
  }
  const auto extent = static_cast<int64_t>(
      std::clamp(*depth, -1.0, static_cast<double>(kMaxCount)));
  if (extent < 0 || numElements(c.shape(2)) != 2) {
    return c.mismatch("depth " + Twine(extent) + " with " +
                      Twine(numElements(c.shape(2))) + " values");
  }
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0) + 1);
  if (failed(axis)) {
    return failure();
  }
  Value indices = c.g.unsqueeze(c.in(0), *axis);
  Shape shape(shapeOf(indices));
  shape[*axis] = extent;
  Value off = c.g.reshape(c.g.slice(c.in(2), 0, 0, 1), {});
  Value on = c.g.reshape(c.g.slice(c.in(2), 0, 1, 1), {});
  return c.set(0, c.g.mapIndexed(
                      {indices, off, on}, shape, c.element(2),
                      [&](Scalars &s, ValueRange v) {
                        Value at = s.cast(v[0], s.builder().getI64Type());
                        Value negative =
                            s.compare(Order::Less, at, s.like(at, 0));
                        Value wrapped = s.add(at, s.like(at, double(extent)));
                        at = s.select(negative, wrapped, at);
                        Value hit = s.compare(Order::Equal, at, s.index(*axis));
                        return s.select(hit, v[2], v[1]);
                      }));
}

/// Positions of the elements that are not zero, of a constant.
LogicalResult decodeNonZero(DecodeContext &c) {
  DenseElementsAttr attr = c.constantInput(0);
  if (!attr || attr.getNumElements() > c.g.budget.maxBytes) {
    return c.unsupported("the shape of its result depends on data");
  }
  ShapeRef shape = c.shape(0);
  std::vector<Shape> found;
  for (auto [linear, number] : llvm::enumerate(readNumbers(attr))) {
    if (number.integer == 0 && number.real == 0) {
      continue;
    }
    Shape position(shape.size());
    auto rest = static_cast<int64_t>(linear);
    for (size_t dim = shape.size(); dim-- > 0;) {
      position[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    found.push_back(position);
  }
  Shape flat;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    for (const Shape &position : found) {
      flat.push_back(position[dim]);
    }
  }
  return c.set(0, c.g.reshape(c.g.integers(flat),
                              {c.rank(0), static_cast<int64_t>(found.size())}));
}

} // namespace

void addGeneratorDecoders(DecoderRegistry &r) {
  r.add("Constant", 1, decodeConstant,
        {.numRequired = 0, .condition = "dense tensors and numbers"});
  r.add("ConstantOfShape", 9, decodeConstantOfShape);
  r.add("Shape", 1, decodeShape, {.anyElement = true});
  r.add("Size", 1, decodeSize, {.anyElement = true});
  r.add("Range", 11, decodeRange, {.numRequired = 3});
  r.add("Trilu", 14, decodeTrilu);
  r.add("EyeLike", 9, decodeEyeLike, {.condition = "no unsigned integers"});
  r.add("CumSum", 11, decodeCumSum, {.numRequired = 2});
  r.add("OneHot", 9, decodeOneHot, {.numRequired = 3});
  r.add("NonZero", 9, decodeNonZero,
        {.condition = "of what is known when compiling"});
}

} // namespace spyre
