// SPDX-License-Identifier: Apache-2.0
//
// Activation functions, and the softmax family.

#include "Registry.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace spyre {

namespace {

using Order = Scalars::Order;

LogicalResult activate(DecodeContext &c,
                       function_ref<Value(Scalars &, Value)> body) {
  return c.set(0, c.g.map(c.in(0), c.element(0), [&](Scalars &s, ValueRange v) {
    return body(s, v[0]);
  }));
}

LogicalResult decodeRelu(DecodeContext &c) {
  return activate(c,
                  [](Scalars &s, Value x) { return s.max(x, s.like(x, 0)); });
}

LogicalResult decodeLeakyRelu(DecodeContext &c) {
  const double alpha = c.floatAttr("alpha", 0.01f);
  return activate(c, [&](Scalars &s, Value x) {
    return s.select(s.compare(Order::Less, x, s.like(x, 0)),
                    s.mul(x, s.like(x, alpha)), x);
  });
}

/// scale * (x > 0 ? x : alpha * (exp(x / divisor) - 1)).
LogicalResult exponentialUnit(DecodeContext &c, double alpha, double scale,
                              double divisor) {
  return activate(c, [&](Scalars &s, Value x) {
    Value shrunk = divisor == 1 ? x : s.mul(x, s.like(x, 1 / divisor));
    Value negative =
        s.mul(s.sub(s.exp(shrunk), s.like(x, 1)), s.like(x, alpha));
    Value result =
        s.select(s.compare(Order::Greater, x, s.like(x, 0)), x, negative);
    return scale == 1 ? result : s.mul(result, s.like(x, scale));
  });
}

LogicalResult decodeElu(DecodeContext &c) {
  return exponentialUnit(c, c.floatAttr("alpha", 1), 1, 1);
}

LogicalResult decodeCelu(DecodeContext &c) {
  const double alpha = c.floatAttr("alpha", 1);
  return exponentialUnit(c, alpha, 1, alpha);
}

LogicalResult decodeSelu(DecodeContext &c) {
  return exponentialUnit(c, c.floatAttr("alpha", 1.67326319217681884765625),
                         c.floatAttr("gamma", 1.05070102214813232421875), 1);
}

Value clampToUnit(Scalars &s, Value x) {
  return s.min(s.max(x, s.like(x, 0)), s.like(x, 1));
}

LogicalResult decodeHardSigmoid(DecodeContext &c) {
  const double alpha = c.floatAttr("alpha", 0.2f);
  const double beta = c.floatAttr("beta", 0.5);
  return activate(c, [&](Scalars &s, Value x) {
    return clampToUnit(s, s.add(s.mul(x, s.like(x, alpha)), s.like(x, beta)));
  });
}

LogicalResult decodeHardSwish(DecodeContext &c) {
  return activate(c, [](Scalars &s, Value x) {
    Value gate = s.add(s.mul(x, s.like(x, 1.0 / 6)), s.like(x, 0.5));
    return s.mul(x, clampToUnit(s, gate));
  });
}

LogicalResult decodeSigmoid(DecodeContext &c) {
  return activate(c, [](Scalars &s, Value x) { return s.sigmoid(x); });
}

LogicalResult decodeSoftplus(DecodeContext &c) {
  return activate(c, [](Scalars &s, Value x) { return s.softplus(x); });
}

LogicalResult decodeSoftsign(DecodeContext &c) {
  return activate(c, [](Scalars &s, Value x) {
    return s.div(x, s.add(s.like(x, 1), s.abs(x)));
  });
}

LogicalResult decodeThresholdedRelu(DecodeContext &c) {
  const double alpha = c.floatAttr("alpha", 1);
  return activate(c, [&](Scalars &s, Value x) {
    return s.select(s.compare(Order::Greater, x, s.like(x, alpha)), x,
                    s.like(x, 0));
  });
}

LogicalResult decodeShrink(DecodeContext &c) {
  const double bias = c.floatAttr("bias", 0);
  const double lambd = c.floatAttr("lambd", 0.5);
  return activate(c, [&](Scalars &s, Value x) {
    Value above = s.select(s.compare(Order::Greater, x, s.like(x, lambd)),
                           s.sub(x, s.like(x, bias)), s.like(x, 0));
    return s.select(s.compare(Order::Less, x, s.like(x, -lambd)),
                    s.add(x, s.like(x, bias)), above);
  });
}

LogicalResult decodeMish(DecodeContext &c) {
  return activate(
      c, [](Scalars &s, Value x) { return s.mul(x, s.tanh(s.softplus(x))); });
}

/// x * sigmoid(alpha * x).
LogicalResult swish(DecodeContext &c, double alpha) {
  return activate(c, [&](Scalars &s, Value x) {
    return s.mul(x, s.sigmoid(alpha == 1 ? x : s.mul(x, s.like(x, alpha))));
  });
}

LogicalResult decodeSwish(DecodeContext &c) {
  return swish(c, c.floatAttr("alpha", 1));
}

LogicalResult decodeQuickGelu(DecodeContext &c) {
  return swish(c, c.floatAttr("alpha", 1.702f));
}

LogicalResult decodeGelu(DecodeContext &c) {
  const std::string approximate = c.stringAttr("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    return c.badAttribute("attribute \"approximate\" is \"" + approximate +
                          "\"");
  }
  return activate(c, [&](Scalars &s, Value x) {
    return approximate == "tanh" ? s.geluTanh(x) : s.gelu(x);
  });
}

/// Gelu of x + bias, where the bias may be absent.
template <Value (Scalars::*method)(Value)>
LogicalResult biasedGelu(DecodeContext &c) {
  SmallVector<Value> operands = {c.in(0)};
  if (c.has(1)) {
    operands.push_back(c.in(1));
  }
  FailureOr<Shape> shape = c.broadcast(operands);
  if (failed(shape) || failed(c.sameElements({0, 1}))) {
    return failure();
  }
  return c.set(
      0, c.g.map(operands, *shape, c.element(0), [](Scalars &s, ValueRange v) {
        Value x = v.size() == 2 ? s.add(v[0], v[1]) : v[0];
        return (s.*method)(x);
      }));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// exp(x - max) / sum, by hand so that it is evaluated.
Value evaluateSoftmax(GraphBuilder &g, Value input, int64_t axis) {
  Type wide = computeType(elementOf(input));
  Value maximum = g.unsqueeze(g.reduce(input, axis, Reduction::Maximum), axis);
  Value powers = g.map({input, maximum}, wide, [](Scalars &s, ValueRange v) {
    return s.exp(s.sub(v[0], v[1]));
  });
  Value sum = g.unsqueeze(g.reduce(powers, axis, Reduction::Sum), axis);
  return g.map({powers, sum}, elementOf(input),
               [](Scalars &s, ValueRange v) { return s.div(v[0], v[1]); });
}

Value buildSoftmax(GraphBuilder &g, Value input, int64_t axis) {
  if (numElements(shapeOf(input)) == 0) {
    return input;
  }
  if (constantOf(input) && g.budget.allows(typeOf(input))) {
    return evaluateSoftmax(g, input, axis);
  }
  Value init = g.empty(shapeOf(input), elementOf(input));
  return linalg::SoftmaxOp::create(g.b, g.loc, input.getType(), input, init,
                                   static_cast<uint64_t>(axis))
      .getResult()[0];
}

/// x - max - log(sum(exp(x - max))), with f32 in between.
Value buildLogSoftmax(GraphBuilder &g, Value input, int64_t axis) {
  Type wide = computeType(elementOf(input));
  Value maximum = g.unsqueeze(g.reduce(input, axis, Reduction::Maximum), axis);
  Value shifted = g.map({input, maximum}, wide, [](Scalars &s, ValueRange v) {
    return s.sub(v[0], v[1]);
  });
  Value sum = g.unsqueeze(
      g.reduce(shifted, axis, Reduction::Sum,
               [](Scalars &s, ValueRange v) { return s.exp(v[0]); }),
      axis);
  return g.map({shifted, sum}, elementOf(input), [](Scalars &s, ValueRange v) {
    return s.sub(v[0], s.log(v[1]));
  });
}

using BuildSoftmax = Value (*)(GraphBuilder &, Value, int64_t);

/// Along one axis, since opset 13.
template <BuildSoftmax build> LogicalResult alongAxis(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  return c.set(0, build(c.g, c.in(0), *axis));
}

/// Before opset 13: over all dims from the axis on, as one.
template <BuildSoftmax build> LogicalResult flattened(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 1), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  ShapeRef shape = c.shape(0);
  if (*axis == c.rank(0) - 1) {
    return c.set(0, build(c.g, c.in(0), *axis));
  }
  Value matrix = c.g.reshape(c.in(0), {numElements(shape.take_front(*axis)),
                                       numElements(shape.drop_front(*axis))});
  return c.set(0, c.g.reshape(build(c.g, matrix, 1), shape));
}

} // namespace

void addActivationDecoders(DecoderRegistry &r) {
  r.add("Relu", 6, decodeRelu);
  r.add("LeakyRelu", 6, decodeLeakyRelu);
  r.add("Elu", 6, decodeElu);
  r.add("Celu", 12, decodeCelu);
  r.add("Selu", 6, decodeSelu);
  r.add("HardSigmoid", 6, decodeHardSigmoid);
  r.add("HardSwish", 14, decodeHardSwish);
  r.add("Sigmoid", 6, decodeSigmoid);
  r.add("Softplus", 1, decodeSoftplus);
  r.add("Softsign", 1, decodeSoftsign);
  r.add("ThresholdedRelu", 10, decodeThresholdedRelu);
  r.add("Shrink", 9, decodeShrink);
  r.add("Mish", 18, decodeMish);
  r.add("Swish", 24, decodeSwish);
  r.add("Gelu", 20, decodeGelu);
  r.add("Softmax", 1, flattened<buildSoftmax>);
  r.add("Softmax", 13, alongAxis<buildSoftmax>);
  r.add("LogSoftmax", 1, flattened<buildLogSoftmax>);
  r.add("LogSoftmax", 13, alongAxis<buildLogSoftmax>);
  r.add(kMicrosoft, "Gelu", 1, decodeGelu);
  r.add(kMicrosoft, "QuickGelu", 1, decodeQuickGelu);
  r.add(kMicrosoft, "FastGelu", 1, biasedGelu<&Scalars::geluTanh>);
  r.add(kMicrosoft, "BiasGelu", 1, biasedGelu<&Scalars::gelu>);
}

} // namespace spyre
