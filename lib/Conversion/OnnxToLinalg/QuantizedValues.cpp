// SPDX-License-Identifier: Apache-2.0
//
// Operators on values that are quantized at run time. Whatever integer type the
// model gives them, they are i32 here: the device has no unsigned ones.

#include "MatMul.h"
#include "Quantization.h"
#include "Registry.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

using namespace mlir;

namespace spyre {

namespace {

/// What a quantized type holds.
struct Range {
  double least = 0;
  double greatest = 255;
};

Range rangeOf(Type type) {
  const auto count =
      static_cast<double>(uint64_t{1} << type.getIntOrFloatBitWidth());
  return type.isUnsignedInteger() ? Range{0, count - 1}
                                  : Range{-count / 2, count / 2 - 1};
}

/// An integer input as i32.
FailureOr<Value> widened(DecodeContext &c, size_t index) {
  Value value = c.in(index);
  Type element = elementOf(value);
  if (!element.isInteger() || element.getIntOrFloatBitWidth() > 32) {
    return c.mismatch("input " + Twine(index) + " has elements of type " +
                      toText(element));
  }
  const bool isReadable = constantOf(value) || stick::toHostType(element);
  Value wide = isReadable ? c.g.cast(value, c.g.b.getI32Type()) : Value();
  if (!wide) {
    return c.unsupported("elements of type " + toText(element) +
                         " that are read at run time");
  }
  return wide;
}

/// The zero points as i32 of that shape, or one 0.
FailureOr<Value> zeroPoint(DecodeContext &c, size_t index, ShapeRef shape) {
  if (!c.has(index)) {
    return c.g.splat({}, c.g.b.getI32Type(), 0);
  }
  if (numElements(c.shape(index)) != numElements(shape)) {
    return c.mismatch("zero points of shape " + toText(c.shape(index)));
  }
  FailureOr<Value> value = widened(c, index);
  if (failed(value)) {
    return failure();
  }
  return c.g.reshape(*value, shape);
}

/// round(x / scale) + zero, within the range.
Value quantize(GraphBuilder &g, Value x, Value scale, Value zero, Range range) {
  return g.map({x, scale, zero}, g.b.getI32Type(),
               [&](Scalars &s, ValueRange v) {
                 Type wide = v[0].getType();
                 Value steps = s.roundEven(s.div(v[0], s.cast(v[1], wide)));
                 Value value = s.add(steps, s.cast(v[2], wide));
                 value = s.max(value, s.like(value, range.least));
                 return s.min(value, s.like(value, range.greatest));
               });
}

LogicalResult decodeQuantizeLinear(DecodeContext &c) {
  if (c.intAttr("output_dtype", 0) != 0) {
    return c.unsupported("a type of the result by output_dtype");
  }
  FailureOr<Granularity> granularity = granularityOf(c);
  if (failed(granularity)) {
    return failure();
  }
  if (granularity->isBlocked) {
    return c.unsupported("blocks of values that are quantized at run time");
  }
  if (!isFloatType(c.element(0)) || !isFloatType(c.element(1)) ||
      (c.has(2) && (!c.element(2).isInteger() ||
                    c.element(2).getIntOrFloatBitWidth() > 16))) {
    return c.mismatch("x " + toText(c.in(0).getType()) + " with scales " +
                      toText(c.in(1).getType()));
  }
  FailureOr<Value> zero = zeroPoint(c, 2, granularity->scales);
  if (failed(zero)) {
    return failure();
  }
  return c.set(0,
               quantize(c.g, c.in(0), c.g.reshape(c.in(1), granularity->scales),
                        *zero, c.has(2) ? rangeOf(c.element(2)) : Range()));
}

/// To 0..255, by the range of the values and 0.
LogicalResult decodeDynamicQuantize(DecodeContext &c) {
  if (!isFloatType(c.element(0)) || numElements(c.shape(0)) == 0) {
    return c.mismatch("x is " + toText(c.in(0).getType()));
  }
  const Shape dims = llvm::to_vector(llvm::seq(c.rank(0)));
  Type f32 = c.g.b.getF32Type();
  Value least = c.g.reduce(c.in(0), dims, Reduction::Minimum);
  Value greatest = c.g.reduce(c.in(0), dims, Reduction::Maximum);
  const Range range;
  Value scale = c.g.map({least, greatest}, f32, [&](Scalars &s, ValueRange v) {
    Value zero = s.like(v[0], 0);
    Value span = s.sub(s.max(v[1], zero), s.min(v[0], zero));
    Value isFlat = s.compare(Scalars::Order::Equal, span, zero);
    return s.select(isFlat, s.like(span, 1),
                    s.div(span, s.like(span, range.greatest)));
  });
  Value negated = c.g.map(least, f32, [](Scalars &s, ValueRange v) {
    return s.neg(s.min(v[0], s.like(v[0], 0)));
  });
  Value none = c.g.splat({}, c.g.b.getI32Type(), 0);
  Value zero = quantize(c.g, negated, scale, none, range);
  (void)c.set(1, c.g.cast(scale, c.element(0)));
  (void)c.set(2, zero);
  return c.set(0, quantize(c.g, c.in(0), scale, zero, range));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The shape in which scales or zero points of an operand broadcast to it: one
/// for all, or one for each of its rows (columns).
FailureOr<Shape> perVector(DecodeContext &c, size_t index, size_t parameter,
                           bool ofRows) {
  Shape shape(c.shape(parameter));
  if (numElements(shape) == 1) {
    return Shape();
  }
  if (shape.size() == 1 && ofRows) {
    shape.push_back(1);
  }
  if (broadcastShapes({shape, c.shape(index)}) != Shape(c.shape(index))) {
    return c.mismatch("scales or zero points of shape " +
                      toText(c.shape(parameter)) + " for " +
                      toText(c.shape(index)));
  }
  return shape;
}

/// An operand of a product without its zero points, as f32, which has all
/// differences of 8-bit integers.
FailureOr<Value> centered(DecodeContext &c, size_t index, size_t zeroIndex,
                          bool ofRows) {
  FailureOr<Value> value = widened(c, index);
  if (failed(value)) {
    return failure();
  }
  FailureOr<Shape> shape = c.has(zeroIndex)
                               ? perVector(c, index, zeroIndex, ofRows)
                               : FailureOr<Shape>(Shape());
  if (failed(shape)) {
    return failure();
  }
  FailureOr<Value> zero = zeroPoint(c, zeroIndex, *shape);
  if (failed(zero)) {
    return failure();
  }
  Type f32 = c.g.b.getF32Type();
  return c.g.map({*value, *zero}, f32, [&](Scalars &s, ValueRange v) {
    return s.cast(s.sub(v[0], v[1]), f32);
  });
}

/// Dim `dim` of the value cut into pieces, `step` long, which are a dim before
/// it; zeros fill the last one.
Value cut(GraphBuilder &g, Value value, int64_t dim, int64_t step) {
  Shape shape(shapeOf(value));
  const int64_t pieces = (shape[dim] + step - 1) / step;
  if (shape[dim] != pieces * step) {
    shape[dim] = pieces * step;
    Value zeros = g.filled(shape, g.b.getZeroAttr(elementOf(value)));
    value = g.insert(value, zeros, Shape(shape.size(), 0));
  }
  shape[dim] = pieces;
  shape.insert(shape.begin() + dim + 1, step);
  return g.reshape(value, shape);
}

/// The product in i32 is one of f32 in pieces of the depth whose sums are
/// exact: 256 * 255 * 255 < 2^24.
LogicalResult decodeMatMulInteger(DecodeContext &c) {
  constexpr int64_t kExactDepth = 256;
  if (c.rank(0) < 2 || c.rank(1) < 2 ||
      c.shape(0).back() != c.shape(1)[c.rank(1) - 2]) {
    return c.mismatch("shapes " + toText(c.shape(0)) + " and " +
                      toText(c.shape(1)) + " do not multiply");
  }
  FailureOr<Value> lhs = centered(c, 0, 2, /*ofRows=*/true);
  FailureOr<Value> rhs = centered(c, 1, 3, /*ofRows=*/false);
  if (failed(lhs) || failed(rhs)) {
    return failure();
  }
  // [.., M, K] becomes [.., pieces, M, step].
  const int64_t rank = c.rank(0);
  Shape order = llvm::to_vector(llvm::seq(rank + 1));
  std::swap(order[rank - 2], order[rank - 1]);
  FailureOr<Value> product = buildMatMul(
      c, c.g.transpose(cut(c.g, *lhs, rank - 1, kExactDepth), order),
      cut(c.g, *rhs, c.rank(1) - 2, kExactDepth));
  if (failed(product)) {
    return failure();
  }
  const auto pieces = static_cast<int64_t>(shapeOf(*product).size()) - 3;
  Value exact = c.g.cast(*product, c.g.b.getI32Type());
  return c.set(0, c.g.reduce(exact, pieces, Reduction::Sum));
}

} // namespace

LogicalResult dequantizeAtRunTime(DecodeContext &c,
                                  const Granularity &granularity) {
  if (granularity.isBlocked) {
    return c.unsupported("blocks of values that are quantized at run time");
  }
  FailureOr<Value> value = widened(c, 0);
  FailureOr<Value> zero = zeroPoint(c, 2, granularity.scales);
  if (failed(value) || failed(zero)) {
    return failure();
  }
  Value scale = c.g.reshape(c.in(1), granularity.scales);
  Type wide = computeType(c.element(1));
  return c.set(0, c.g.map({*value, *zero, scale}, c.element(1),
                          [&](Scalars &s, ValueRange v) {
                            Value steps = s.cast(s.sub(v[0], v[1]), wide);
                            return s.mul(steps, v[2]);
                          }));
}

void addQuantizedValueDecoders(DecoderRegistry &r) {
  r.add("QuantizeLinear", 10, decodeQuantizeLinear,
        {.numRequired = 2,
         .anyElement = true,
         .condition = "no `output_dtype`, no blocks"});
  r.add("DynamicQuantizeLinear", 11, decodeDynamicQuantize);
  r.add("MatMulInteger", 10, decodeMatMulInteger,
        {.numRequired = 2, .anyElement = true});
}

} // namespace spyre
