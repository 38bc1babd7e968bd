// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute each element from the elements at its place.

#include "Evaluate.h"
#include "Registry.h"

#include "spyre/Dialect/Onnx/IR/ElementTypes.h"

#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

using Unary = Value (Scalars::*)(Value);
using Binary = Value (Scalars::*)(Value, Value);

LogicalResult requireFloats(DecodeContext &c) {
  if (!isFloatType(c.element(0))) {
    return c.mismatch("elements of type " + toText(c.element(0)) +
                      " are no floats");
  }
  return success();
}

/// On floats and integers.
template <Unary method> LogicalResult unary(DecodeContext &c) {
  return c.set(0, c.g.map(c.in(0), c.element(0), [](Scalars &s, ValueRange v) {
    return (s.*method)(v[0]);
  }));
}

template <Unary method> LogicalResult floatUnary(DecodeContext &c) {
  return failed(requireFloats(c)) ? failure() : unary<method>(c);
}

template <Binary method> LogicalResult binary(DecodeContext &c) {
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1)});
  if (failed(shape) || failed(c.sameElements({0, 1}))) {
    return failure();
  }
  return c.set(0, c.g.map({c.in(0), c.in(1)}, *shape, c.element(0),
                          [](Scalars &s, ValueRange v) {
                            return (s.*method)(v[0], v[1]);
                          }));
}

template <Scalars::Order order> LogicalResult compare(DecodeContext &c) {
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1)});
  if (failed(shape) || failed(c.sameElements({0, 1}))) {
    return failure();
  }
  return c.set(0, c.g.map({c.in(0), c.in(1)}, *shape, c.g.b.getI1Type(),
                          [](Scalars &s, ValueRange v) {
                            return s.compare(order, v[0], v[1]);
                          }));
}

/// Any number of operands; `mean` divides by it.
template <Binary method, bool mean = false>
LogicalResult variadic(DecodeContext &c) {
  for (size_t i = 0; i < c.numInputs(); ++i) {
    if (!c.has(i)) {
      return c.mismatch("input " + Twine(i) + " is missing");
    }
    if (failed(c.sameElements({0, i}))) {
      return failure();
    }
  }
  FailureOr<Shape> shape = c.broadcast(c.inputs());
  if (failed(shape)) {
    return failure();
  }
  return c.set(
      0,
      c.g.map(c.inputs(), *shape, c.element(0), [](Scalars &s, ValueRange v) {
        Value result = v[0];
        for (Value next : v.drop_front()) {
          result = (s.*method)(result, next);
        }
        const auto count = static_cast<double>(v.size());
        return mean ? s.mul(result, s.like(result, 1 / count)) : result;
      }));
}

//===----------------------------------------------------------------------===//
// Pow, Mod
//===----------------------------------------------------------------------===//

/// Exponents that are cheaper as products and roots.
Value powerOf(Scalars &s, Value base, double exponent) {
  if (exponent == 1) {
    return base;
  }
  if (exponent == 2) {
    return s.mul(base, base);
  }
  if (exponent == 3) {
    return s.mul(s.mul(base, base), base);
  }
  if (exponent == 0.5) {
    return s.sqrt(base);
  }
  if (exponent == -1) {
    return s.reciprocal(base);
  }
  return s.pow(base, s.like(base, exponent));
}

LogicalResult decodePow(DecodeContext &c) {
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1)});
  if (failed(shape)) {
    return failure();
  }
  const bool floats = isFloatType(c.element(0));
  DenseElementsAttr exponent = c.constantInput(1);
  if (floats && exponent && exponent.isSplat()) {
    const Number number = readSplat(exponent);
    const double value = isFloatType(c.element(1))
                             ? number.real
                             : static_cast<double>(number.integer);
    return c.set(0, c.g.map(c.in(0), *shape, c.element(0),
                            [&](Scalars &s, ValueRange v) {
                              return powerOf(s, v[0], value);
                            }));
  }
  // The exponent may have another type than the base.
  Type type = computeType(floats || isFloatType(c.element(1))
                              ? (floats ? c.element(0) : c.element(1))
                              : c.element(0));
  return c.set(0, c.g.map({c.in(0), c.in(1)}, *shape, c.element(0),
                          [&](Scalars &s, ValueRange v) {
                            return s.pow(s.cast(v[0], type),
                                         s.cast(v[1], type));
                          }));
}

LogicalResult decodeMod(DecodeContext &c) {
  return c.intAttr("fmod", 0) != 0 ? binary<&Scalars::rem>(c)
                                   : binary<&Scalars::mod>(c);
}

//===----------------------------------------------------------------------===//
// Where, Clip, PRelu
//===----------------------------------------------------------------------===//

LogicalResult decodeWhere(DecodeContext &c) {
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1), c.in(2)});
  if (failed(shape) || failed(c.sameElements({1, 2}))) {
    return failure();
  }
  if (!isBoolType(c.element(0))) {
    return c.mismatch("the condition has elements of type " +
                      toText(c.element(0)));
  }
  // A known condition of one value chooses an operand as a whole.
  DenseElementsAttr condition = c.constantInput(0);
  if (condition && condition.isSplat()) {
    Value chosen = c.in(condition.getSplatValue<bool>() ? 1 : 2);
    return c.set(0, c.g.broadcast(chosen, *shape));
  }
  return c.set(0, c.g.map({c.in(0), c.in(1), c.in(2)}, *shape, c.element(1),
                          [](Scalars &s, ValueRange v) {
                            return s.select(v[0], v[1], v[2]);
                          }));
}

/// Bounds as operands; either may be absent.
LogicalResult decodeClip(DecodeContext &c) {
  SmallVector<Value> operands = {c.in(0)};
  for (size_t index : {1, 2}) {
    if (c.has(index)) {
      if (numElements(c.shape(index)) != 1) {
        return c.mismatch("a bound of shape " + toText(c.shape(index)) +
                          " is no scalar");
      }
      operands.push_back(c.g.reshape(c.in(index), {}));
    }
  }
  if (failed(c.sameElements({0, 1, 2}))) {
    return failure();
  }
  const bool hasMin = c.has(1);
  return c.set(0, c.g.map(operands, c.shape(0), c.element(0),
                          [&](Scalars &s, ValueRange v) {
                            Value value = v[0];
                            if (hasMin) {
                              value = s.max(value, v[1]);
                            }
                            const bool hasMax = v.size() > (hasMin ? 2u : 1u);
                            return hasMax ? s.min(value, v.back()) : value;
                          }));
}

/// Bounds as attributes, until opset 10.
LogicalResult decodeClipAttributes(DecodeContext &c) {
  const double low = c.floatAttr("min", -INFINITY);
  const double high = c.floatAttr("max", INFINITY);
  return c.set(0, c.g.map(c.in(0), c.element(0), [&](Scalars &s, ValueRange v) {
    Value value = s.max(v[0], s.like(v[0], low));
    return s.min(value, s.like(v[0], high));
  }));
}

LogicalResult decodePRelu(DecodeContext &c) {
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1)});
  if (failed(shape) || failed(c.sameElements({0, 1}))) {
    return failure();
  }
  if (*shape != Shape(c.shape(0))) {
    return c.mismatch("the slope of shape " + toText(c.shape(1)) +
                      " does not broadcast to " + toText(c.shape(0)));
  }
  return c.set(0, c.g.map({c.in(0), c.in(1)}, *shape, c.element(0),
                          [](Scalars &s, ValueRange v) {
                            Value negative = s.compare(Scalars::Order::Less,
                                                       v[0], s.like(v[0], 0));
                            return s.select(negative, s.mul(v[0], v[1]), v[0]);
                          }));
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

LogicalResult castTo(DecodeContext &c, Type to) {
  Type from = c.element(0);
  if (from == to) {
    return c.set(0, c.in(0));
  }
  const auto isUnsigned = [](Type type) { return type.isUnsignedInteger(); };
  if (isUnsigned(from) || isUnsigned(to)) {
    // Bodies have no unsigned integers; constants are converted here.
    DenseElementsAttr constant = c.constantInput(0);
    auto type = RankedTensorType::get(c.shape(0), to);
    if (!constant || !c.g.budget.allows(type)) {
      Value value = isUnsigned(to) ? Value() : c.g.cast(c.in(0), to);
      return value ? c.set(0, value)
                   : c.unsupported("unsigned integers are converted only if "
                                   "they are known when compiling");
    }
    std::vector<Number> numbers = readNumbers(constant);
    for (Number &number : numbers) {
      number.real =
          isFloatType(from) ? number.real : static_cast<double>(number.integer);
      number.integer = isFloatType(from) ? static_cast<int64_t>(number.real)
                                         : number.integer;
    }
    return c.set(0, c.g.constant(writeNumbers(type, numbers)));
  }
  return c.set(0, c.g.cast(c.in(0), to));
}

LogicalResult decodeCast(DecodeContext &c) {
  if (!c.hasAttr("to")) {
    return c.badAttribute("attribute \"to\" is missing");
  }
  std::optional<onnxfile::DataType> type =
      onnxfile::dataTypeFromNumber(c.intAttr("to", 0));
  Type to = type ? onnx::toElementType(c.g.b.getContext(), *type) : Type();
  if (!to) {
    return c.unsupported("conversion to " +
                         Twine(type ? std::string(onnxfile::toString(*type))
                                    : std::string("an unknown type")));
  }
  return castTo(c, to);
}

LogicalResult decodeCastLike(DecodeContext &c) {
  return castTo(c, c.element(1));
}

//===----------------------------------------------------------------------===//
// Identity, Dropout, IsInf
//===----------------------------------------------------------------------===//

LogicalResult decodeIdentity(DecodeContext &c) { return c.set(0, c.in(0)); }

LogicalResult decodeDropout(DecodeContext &c) {
  DenseElementsAttr training = c.constantInput(2);
  if (c.has(2) && (!training || readNumbers(training).front().integer != 0)) {
    return c.unsupported("dropout in training");
  }
  if (c.wants(1)) {
    (void)c.set(1, c.g.splat(c.shape(0), c.g.b.getI1Type(), 1));
  }
  return c.set(0, c.in(0));
}

LogicalResult decodeIsInf(DecodeContext &c) {
  const bool negative = c.intAttr("detect_negative", 1) != 0;
  const bool positive = c.intAttr("detect_positive", 1) != 0;
  return c.set(
      0, c.g.map(c.in(0), c.g.b.getI1Type(), [&](Scalars &s, ValueRange v) {
        Value result = s.isInf(v[0]);
        Value zero = s.like(v[0], 0);
        if (!negative) {
          result =
              s.bitAnd(result, s.compare(Scalars::Order::Greater, v[0], zero));
        }
        if (!positive) {
          result =
              s.bitAnd(result, s.compare(Scalars::Order::Less, v[0], zero));
        }
        return result;
      }));
}

LogicalResult decodeIsNan(DecodeContext &c) {
  return c.set(0,
               c.g.map(c.in(0), c.g.b.getI1Type(),
                       [](Scalars &s, ValueRange v) { return s.isNan(v[0]); }));
}

void addUnary(DecoderRegistry &r) {
  r.add("Abs", 1, unary<&Scalars::abs>);
  r.add("Neg", 1, unary<&Scalars::neg>);
  r.add("Sign", 9, unary<&Scalars::sign>);
  r.add("Not", 1, unary<&Scalars::bitNot>);
  r.add("BitwiseNot", 18, unary<&Scalars::bitNot>);
  r.add("Exp", 1, floatUnary<&Scalars::exp>);
  r.add("Log", 1, floatUnary<&Scalars::log>);
  r.add("Sqrt", 1, floatUnary<&Scalars::sqrt>);
  r.add("Reciprocal", 1, floatUnary<&Scalars::reciprocal>);
  r.add("Erf", 9, floatUnary<&Scalars::erf>);
  r.add("Tanh", 1, floatUnary<&Scalars::tanh>);
  r.add("Sin", 7, floatUnary<&Scalars::sin>);
  r.add("Cos", 7, floatUnary<&Scalars::cos>);
  r.add("Floor", 1, floatUnary<&Scalars::floor>);
  r.add("Ceil", 1, floatUnary<&Scalars::ceil>);
  r.add("Round", 11, floatUnary<&Scalars::roundEven>);
  r.add("Tan", 7, floatUnary<&Scalars::tan>);
  r.add("Asin", 7, floatUnary<&Scalars::asin>);
  r.add("Acos", 7, floatUnary<&Scalars::acos>);
  r.add("Atan", 7, floatUnary<&Scalars::atan>);
  r.add("Sinh", 9, floatUnary<&Scalars::sinh>);
  r.add("Cosh", 9, floatUnary<&Scalars::cosh>);
  r.add("Asinh", 9, floatUnary<&Scalars::asinh>);
  r.add("Acosh", 9, floatUnary<&Scalars::acosh>);
  r.add("Atanh", 9, floatUnary<&Scalars::atanh>);
  r.add("IsNaN", 9, decodeIsNan);
  r.add("IsInf", 10, decodeIsInf);
}

void addBinary(DecoderRegistry &r) {
  using Order = Scalars::Order;
  const DecoderTraits two = {.numRequired = 2};
  r.add("Add", 7, binary<&Scalars::add>, two);
  r.add("Sub", 7, binary<&Scalars::sub>, two);
  r.add("Mul", 7, binary<&Scalars::mul>, two);
  r.add("Div", 7, binary<&Scalars::div>, two);
  r.add("Mod", 10, decodeMod, two);
  r.add("Pow", 7, decodePow, two);
  r.add("And", 7, binary<&Scalars::bitAnd>, two);
  r.add("Or", 7, binary<&Scalars::bitOr>, two);
  r.add("Xor", 7, binary<&Scalars::bitXor>, two);
  r.add("BitwiseAnd", 18, binary<&Scalars::bitAnd>, two);
  r.add("BitwiseOr", 18, binary<&Scalars::bitOr>, two);
  r.add("BitwiseXor", 18, binary<&Scalars::bitXor>, two);
  r.add("Equal", 7, compare<Order::Equal>, two);
  r.add("Less", 7, compare<Order::Less>, two);
  r.add("LessOrEqual", 12, compare<Order::LessOrEqual>, two);
  r.add("Greater", 7, compare<Order::Greater>, two);
  r.add("GreaterOrEqual", 12, compare<Order::GreaterOrEqual>, two);
  r.add("PRelu", 7, decodePRelu, two);
  r.add("Where", 9, decodeWhere, {.numRequired = 3});
}

} // namespace

void addElementwiseDecoders(DecoderRegistry &r) {
  addUnary(r);
  addBinary(r);
  r.add("Sum", 6, variadic<&Scalars::add>);
  r.add("Mean", 6, variadic<&Scalars::add, true>);
  r.add("Max", 6, variadic<&Scalars::max>);
  r.add("Min", 6, variadic<&Scalars::min>);
  r.add("Clip", 6, decodeClipAttributes);
  r.add("Clip", 11, decodeClip);
  const std::string cast = "to unsigned integers only of what is known when "
                           "compiling";
  r.add("Cast", 6, decodeCast, {.anyElement = true, .condition = cast});
  r.add("CastLike", 15, decodeCastLike,
        {.numRequired = 2, .anyElement = true, .condition = cast});
  r.add("Identity", 1, decodeIdentity, {.anyElement = true});
  r.add("Dropout", 7, decodeDropout,
        {.anyElement = true, .condition = "inference"});
}

} // namespace spyre
