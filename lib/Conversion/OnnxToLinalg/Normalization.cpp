// SPDX-License-Identifier: Apache-2.0
//
// Layer, RMS, batch, instance and group normalisation. Statistics are f32
// whatever the tensor stores: an f16 epsilon of 1e-12 would be zero, an f16 sum
// of squares overflows.

#include "Normalization.h"

#include "Registry.h"

#include <numeric>

using namespace mlir;

namespace spyre {

/// sum((x - mean)^2) over the dims, without them.
static Value centeredSquares(GraphBuilder &g, Value x, Value mean,
                             ShapeRef dims) {
  ShapeRef shape = shapeOf(x);
  const auto rank = static_cast<int64_t>(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  Shape kept;
  Shape out;
  for (int64_t dim : dims) {
    iterators[dim] = utils::IteratorType::reduction;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (iterators[dim] == utils::IteratorType::parallel) {
      kept.push_back(dim);
      out.push_back(shape[dim]);
    }
  }
  AffineMap keptMap = g.dimsMap(rank, kept);
  Type wide = elementOf(mean);
  return g.generic({x, mean}, {g.identity(rank), keptMap, keptMap}, iterators,
                   out, wide, g.neutral(out, wide, Reduction::Sum),
                   [&](Scalars &s, ValueRange v) {
                     Value difference = s.sub(s.cast(v[0], wide), v[1]);
                     return s.add(v[2], s.mul(difference, difference));
                   });
}

Normalized buildNormalization(GraphBuilder &g, Value x, ShapeRef dims,
                              double epsilon, bool center, Value scale,
                              Value bias) {
  Type wide = computeType(elementOf(x));
  Shape kept(shapeOf(x));
  double count = 1;
  for (int64_t dim : dims) {
    count *= static_cast<double>(kept[dim]);
    kept[dim] = 1;
  }
  const auto divide = [&](Scalars &s, Value sum) {
    return s.mul(sum, s.like(sum, 1 / count));
  };
  Normalized result;
  Value squares;
  if (center) {
    Value sum = g.reduce(x, dims, Reduction::Sum);
    Value mean = g.map(
        sum, wide, [&](Scalars &s, ValueRange v) { return divide(s, v[0]); });
    squares = centeredSquares(g, x, mean, dims);
    result.mean = g.reshape(mean, kept);
  } else {
    squares = g.reduce(x, dims, Reduction::Sum, [](Scalars &s, ValueRange v) {
      return s.mul(v[0], v[0]);
    });
  }
  Value inverse = g.map(squares, wide, [&](Scalars &s, ValueRange v) {
    Value variance = s.add(divide(s, v[0]), s.like(v[0], epsilon));
    return s.reciprocal(s.sqrt(variance));
  });
  result.inverse = g.reshape(inverse, kept);

  SmallVector<Value> operands = {x, result.inverse};
  for (Value operand : {result.mean, scale, bias}) {
    if (operand) {
      operands.push_back(operand);
    }
  }
  result.result =
      g.map(operands, shapeOf(x), elementOf(x), [&](Scalars &s, ValueRange v) {
        size_t next = 2;
        Value value = v[0];
        if (result.mean) {
          value = s.sub(value, v[next++]);
        }
        value = s.mul(value, v[1]);
        if (scale) {
          Value factor = v[next++];
          value = s.mul(value, s.cast(factor, wide));
        }
        if (bias) {
          Value term = v[next++];
          value = s.add(value, s.cast(term, wide));
        }
        return value;
      });
  return result;
}

Value sumOf(Scalars &s, ValueRange v) {
  Value total = s.add(v[0], v[1]);
  return v.size() == 3 ? s.add(total, v[2]) : total;
}

namespace {

/// Whether the operand broadcasts to input 0.
LogicalResult fitsInput(DecodeContext &c, size_t index) {
  if (!c.has(index)) {
    return success();
  }
  std::optional<Shape> shape = broadcastShapes({c.shape(0), c.shape(index)});
  if (shape != Shape(c.shape(0))) {
    return c.mismatch("input " + Twine(index) + " of shape " +
                      toText(c.shape(index)) + " does not broadcast to " +
                      toText(c.shape(0)));
  }
  return success();
}

Shape dimsFrom(int64_t first, int64_t rank) {
  Shape dims(rank - first);
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

/// Statistics as outputs have the type that stash_type names, f32.
void setStatistics(DecodeContext &c, const Normalized &result, size_t meanIndex,
                   size_t inverseIndex) {
  if (result.mean && c.wants(meanIndex)) {
    (void)c.set(meanIndex, result.mean);
  }
  if (c.wants(inverseIndex)) {
    (void)c.set(inverseIndex, result.inverse);
  }
}

LogicalResult decodeLayerNorm(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0));
  if (failed(axis) || failed(fitsInput(c, 1)) || failed(fitsInput(c, 2))) {
    return failure();
  }
  Normalized result = buildNormalization(
      c.g, c.in(0), dimsFrom(*axis, c.rank(0)), c.floatAttr("epsilon", 1e-5f),
      /*center=*/true, c.in(1), c.in(2));
  setStatistics(c, result, 1, 2);
  return c.set(0, result.result);
}

LogicalResult decodeRmsNorm(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0));
  if (failed(axis) || failed(fitsInput(c, 1))) {
    return failure();
  }
  Normalized result = buildNormalization(
      c.g, c.in(0), dimsFrom(*axis, c.rank(0)), c.floatAttr("epsilon", 1e-5f),
      /*center=*/false, c.in(1), Value());
  setStatistics(c, result, 2, 1);
  return c.set(0, result.result);
}

/// com.microsoft's normalisation of input + skip (+ bias): outputs result,
/// mean, inverse, sum.
LogicalResult skipNorm(DecodeContext &c, bool center, size_t betaIndex,
                       size_t biasIndex) {
  SmallVector<Value> terms = {c.in(0), c.in(1)};
  if (c.has(biasIndex)) {
    terms.push_back(c.in(biasIndex));
  }
  FailureOr<Shape> shape = c.broadcast(terms);
  if (failed(shape) || failed(fitsInput(c, 2)) ||
      failed(c.sameElements({0, 1}))) {
    return failure();
  }
  Value sum = c.g.map(terms, *shape, c.element(0), sumOf);
  const auto rank = static_cast<int64_t>(shape->size());
  Normalized result = buildNormalization(
      c.g, sum, rank - 1, c.floatAttr("epsilon", center ? 1e-12f : 1e-5f),
      center, c.in(2), center ? c.in(betaIndex) : Value());
  setStatistics(c, result, 1, 2);
  (void)c.set(3, sum);
  return c.set(0, result.result);
}

LogicalResult decodeSkipLayerNorm(DecodeContext &c) {
  return skipNorm(c, /*center=*/true, 3, 4);
}

LogicalResult decodeSkipRmsNorm(DecodeContext &c) {
  return skipNorm(c, /*center=*/false, 0, 3);
}

//===----------------------------------------------------------------------===//
// Per channel
//===----------------------------------------------------------------------===//

/// [C] as [C, 1, 1, ...], to broadcast against [N, C, ...].
Value perChannel(DecodeContext &c, Value value) {
  Shape shape(c.rank(0) - 1, 1);
  shape[0] = shapeOf(value)[0];
  return c.g.reshape(value, shape);
}

LogicalResult checkChannels(DecodeContext &c, ArrayRef<size_t> indices) {
  if (c.rank(0) < 2) {
    return c.mismatch("shape " + toText(c.shape(0)) + " has no channels");
  }
  for (size_t index : indices) {
    if (!c.has(index) || c.shape(index) != c.shape(0).slice(1, 1)) {
      return c.mismatch("input " + Twine(index) +
                        " has not one value for "
                        "each of the channels of " +
                        toText(c.shape(0)));
    }
  }
  return success();
}

/// x * a + b with a = scale / sqrt(variance + epsilon), b = bias - mean * a.
LogicalResult decodeBatchNorm(DecodeContext &c) {
  if (failed(checkChannels(c, {1, 2, 3, 4}))) {
    return failure();
  }
  if (c.intAttr("training_mode", 0) != 0 || c.wants(1)) {
    return c.unsupported("training");
  }
  const double epsilon = c.floatAttr("epsilon", 1e-5f);
  Type wide = computeType(c.element(0));
  Value factor =
      c.g.map({c.in(1), c.in(4)}, wide, [&](Scalars &s, ValueRange v) {
        Value variance = s.add(v[1], s.like(v[1], epsilon));
        return s.div(v[0], s.sqrt(variance));
      });
  Value offset =
      c.g.map({c.in(2), c.in(3), factor}, wide, [](Scalars &s, ValueRange v) {
        return s.sub(v[0], s.mul(v[1], v[2]));
      });
  return c.set(0,
               c.g.map({c.in(0), perChannel(c, factor), perChannel(c, offset)},
                       c.shape(0), c.element(0), [](Scalars &s, ValueRange v) {
                         return s.add(s.mul(v[0], v[1]), v[2]);
                       }));
}

LogicalResult decodeInstanceNorm(DecodeContext &c) {
  if (failed(checkChannels(c, {1, 2}))) {
    return failure();
  }
  Normalized result = buildNormalization(
      c.g, c.in(0), dimsFrom(2, c.rank(0)), c.floatAttr("epsilon", 1e-5f),
      /*center=*/true, perChannel(c, c.in(1)), perChannel(c, c.in(2)));
  return c.set(0, result.result);
}

/// Since opset 21 scale and bias are per channel, before per group.
LogicalResult decodeGroupNorm(DecodeContext &c) {
  const int64_t groups = c.intAttr("num_groups", 0);
  ShapeRef in = c.shape(0);
  if (in.size() < 2 || groups < 1 || in[1] % groups != 0) {
    return c.mismatch(Twine(groups) + " groups do not fit " + toText(in));
  }
  const bool perGroup = c.version() < 21;
  Shape grouped = {in[0], groups, in[1] / groups};
  llvm::append_range(grouped, in.drop_front(2));
  const auto rank = static_cast<int64_t>(grouped.size());
  Shape parameter(rank - 1, 1);
  parameter[0] = groups;
  parameter[1] = perGroup ? 1 : grouped[2];
  for (size_t index : {1, 2}) {
    if (c.rank(index) != 1 || c.shape(index)[0] != numElements(parameter)) {
      return c.mismatch("input " + Twine(index) + " has " +
                        Twine(numElements(c.shape(index))) +
                        " elements, needed are " +
                        Twine(numElements(parameter)));
    }
  }
  Normalized result = buildNormalization(
      c.g, c.g.reshape(c.in(0), grouped), dimsFrom(2, rank),
      c.floatAttr("epsilon", 1e-5f), /*center=*/true,
      c.g.reshape(c.in(1), parameter), c.g.reshape(c.in(2), parameter));
  return c.set(0, c.g.reshape(result.result, in));
}

LogicalResult decodeMeanVariance(DecodeContext &c) {
  FailureOr<Shape> axes =
      c.axes(c.intsAttr("axes").value_or(Shape{0, 2, 3}), c.rank(0));
  if (failed(axes)) {
    return failure();
  }
  return c.set(0, buildNormalization(c.g, c.in(0), *axes, 1e-9,
                                     /*center=*/true, Value(), Value())
                      .result);
}

/// x / max(norm, tiny) along an axis.
LogicalResult decodeLpNorm(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0));
  const int64_t p = c.intAttr("p", 2);
  if (failed(axis) || (p != 1 && p != 2)) {
    return c.badAttribute("p is " + Twine(p));
  }
  Value sum = c.g.unsqueeze(c.g.reduce(c.in(0), *axis, Reduction::Sum,
                                       [&](Scalars &s, ValueRange v) {
                                         return p == 1 ? s.abs(v[0])
                                                       : s.mul(v[0], v[0]);
                                       }),
                            *axis);
  return c.set(
      0, c.g.map({c.in(0), sum}, c.element(0), [&](Scalars &s, ValueRange v) {
        Value norm = p == 1 ? v[1] : s.sqrt(v[1]);
        Value zero = s.like(norm, 0);
        Value none = s.compare(Scalars::Order::Equal, norm, zero);
        return s.select(none, zero, s.div(v[0], norm));
      }));
}

} // namespace

void addNormalizationDecoders(DecoderRegistry &r) {
  r.add("LayerNormalization", 17, decodeLayerNorm, {.numRequired = 2});
  r.add("RMSNormalization", 23, decodeRmsNorm, {.numRequired = 2});
  // No ONNX schema has it, yet exporters use it in the default domain.
  r.add("SimplifiedLayerNormalization", 1, decodeRmsNorm, {.numRequired = 2});
  r.add(kMicrosoft, "SimplifiedLayerNormalization", 1, decodeRmsNorm,
        {.numRequired = 2});
  r.add(kMicrosoft, "SkipSimplifiedLayerNormalization", 1, decodeSkipRmsNorm,
        {.numRequired = 3});
  r.add(kMicrosoft, "SkipLayerNormalization", 1, decodeSkipLayerNorm,
        {.numRequired = 3});
  r.add("BatchNormalization", 7, decodeBatchNorm,
        {.numRequired = 5, .condition = "inference"});
  r.add("InstanceNormalization", 6, decodeInstanceNorm, {.numRequired = 3});
  r.add("GroupNormalization", 18, decodeGroupNorm, {.numRequired = 3});
  r.add("LpNormalization", 1, decodeLpNorm);
  r.add("MeanVarianceNormalization", 9, decodeMeanVariance);
}

} // namespace spyre
