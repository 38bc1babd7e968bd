// SPDX-License-Identifier: Apache-2.0

#include "Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace spyre {

bool isFloatType(Type type) { return isa<FloatType>(type); }

bool isBoolType(Type type) { return type.isSignlessInteger(1); }

Type computeType(Type stored) {
  auto type = dyn_cast<FloatType>(stored);
  return type && type.getWidth() < 32 ? Float32Type::get(stored.getContext())
                                      : stored;
}

/// Saturating; NaN gives 0.
static int64_t toInteger(double value) {
  if (value >= 0x1p63) {
    return std::numeric_limits<int64_t>::max();
  }
  if (value < -0x1p63) {
    return std::numeric_limits<int64_t>::min();
  }
  return std::isnan(value) ? 0 : static_cast<int64_t>(value);
}

Value Scalars::constant(double value, Type type) {
  TypedAttr attr;
  if (isFloatType(type)) {
    attr = b.getFloatAttr(type, value);
  } else {
    attr = b.getIntegerAttr(type, toInteger(value));
  }
  return arith::ConstantOp::create(b, loc, attr);
}

Value Scalars::extreme(Type type, bool greatest) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat infinity =
        APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/!greatest);
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, infinity));
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1) {
    return constant(greatest ? 1 : 0, type);
  }
  APInt value = greatest ? APInt::getSignedMaxValue(width)
                         : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// An op of `FloatOp` or `IntOp`, whichever fits the operands.
template <typename FloatOp, typename IntOp>
static Value binary(OpBuilder &b, Location loc, Value a, Value c) {
  if (isFloatType(a.getType())) {
    return FloatOp::create(b, loc, a, c);
  }
  return IntOp::create(b, loc, a, c);
}

Value Scalars::add(Value a, Value c) {
  return binary<arith::AddFOp, arith::AddIOp>(b, loc, a, c);
}

Value Scalars::sub(Value a, Value c) {
  return binary<arith::SubFOp, arith::SubIOp>(b, loc, a, c);
}

Value Scalars::mul(Value a, Value c) {
  return binary<arith::MulFOp, arith::MulIOp>(b, loc, a, c);
}

Value Scalars::div(Value a, Value c) {
  return binary<arith::DivFOp, arith::DivSIOp>(b, loc, a, c);
}

Value Scalars::rem(Value a, Value c) {
  if (!isFloatType(a.getType())) {
    return arith::RemSIOp::create(b, loc, a, c);
  }
  // a - trunc(a / c) * c; the quotient is rounded towards zero by hand, since
  // there is no truncation in bodies of the device.
  Value quotient = div(a, c);
  Value towardsZero = select(compare(Order::Less, quotient, like(quotient, 0)),
                             ceil(quotient), floor(quotient));
  return sub(a, mul(towardsZero, c));
}

Value Scalars::mod(Value a, Value c) {
  if (isFloatType(a.getType())) {
    return sub(a, mul(floor(div(a, c)), c));
  }
  // The remainder has the dividend's sign: add the divisor where that is not
  // the divisor's.
  Value remainder = rem(a, c);
  Value zero = like(a, 0);
  Value differs = bitXor(compare(Order::Less, remainder, zero),
                         compare(Order::Less, c, zero));
  Value isZero = compare(Order::Equal, remainder, zero);
  Value shifted = select(differs, add(remainder, c), remainder);
  return select(isZero, remainder, shifted);
}

Value Scalars::min(Value a, Value c) {
  if (isBoolType(a.getType())) {
    return bitAnd(a, c);
  }
  return binary<arith::MinimumFOp, arith::MinSIOp>(b, loc, a, c);
}

Value Scalars::max(Value a, Value c) {
  if (isBoolType(a.getType())) {
    return bitOr(a, c);
  }
  return binary<arith::MaximumFOp, arith::MaxSIOp>(b, loc, a, c);
}

Value Scalars::pow(Value a, Value c) {
  return binary<math::PowFOp, math::IPowIOp>(b, loc, a, c);
}

Value Scalars::neg(Value a) {
  if (isFloatType(a.getType())) {
    return arith::NegFOp::create(b, loc, a);
  }
  return sub(like(a, 0), a);
}

Value Scalars::abs(Value a) {
  if (isFloatType(a.getType())) {
    return math::AbsFOp::create(b, loc, a);
  }
  return math::AbsIOp::create(b, loc, a);
}

Value Scalars::sign(Value a) {
  // A NaN compares false twice and stays.
  Value zero = like(a, 0);
  Value negative = select(compare(Order::Less, a, zero), like(a, -1), a);
  return select(compare(Order::Greater, a, zero), like(a, 1), negative);
}

Value Scalars::exp(Value a) { return math::ExpOp::create(b, loc, a); }
Value Scalars::log(Value a) { return math::LogOp::create(b, loc, a); }
Value Scalars::sqrt(Value a) { return math::SqrtOp::create(b, loc, a); }
Value Scalars::tanh(Value a) { return math::TanhOp::create(b, loc, a); }
Value Scalars::erf(Value a) { return math::ErfOp::create(b, loc, a); }
Value Scalars::sin(Value a) { return math::SinOp::create(b, loc, a); }
Value Scalars::cos(Value a) { return math::CosOp::create(b, loc, a); }
Value Scalars::floor(Value a) { return math::FloorOp::create(b, loc, a); }
Value Scalars::ceil(Value a) { return math::CeilOp::create(b, loc, a); }
Value Scalars::roundEven(Value a) {
  return math::RoundEvenOp::create(b, loc, a);
}
Value Scalars::isNan(Value a) { return math::IsNaNOp::create(b, loc, a); }
Value Scalars::isInf(Value a) { return math::IsInfOp::create(b, loc, a); }

Value Scalars::reciprocal(Value a) { return div(like(a, 1), a); }

Value Scalars::sigmoid(Value a) {
  return reciprocal(add(like(a, 1), exp(neg(a))));
}

Value Scalars::gelu(Value a) {
  Value scaled = mul(a, like(a, 1 / std::numbers::sqrt2));
  return mul(mul(a, like(a, 0.5)), add(erf(scaled), like(a, 1)));
}

Value Scalars::geluTanh(Value a) {
  Value cube = mul(mul(a, a), a);
  Value inner = mul(add(a, mul(cube, like(a, 0.044715))),
                    like(a, std::sqrt(2 / std::numbers::pi)));
  return mul(mul(a, like(a, 0.5)), add(tanh(inner), like(a, 1)));
}

Value Scalars::softplus(Value a) {
  Value small = log(add(like(a, 1), exp(neg(abs(a)))));
  return add(max(a, like(a, 0)), small);
}

Value Scalars::compare(Order order, Value a, Value c) {
  using arith::CmpFPredicate;
  using arith::CmpIPredicate;
  CmpFPredicate floatPredicate = CmpFPredicate::OEQ;
  CmpIPredicate intPredicate = CmpIPredicate::eq;
  switch (order) {
  case Order::Less:
    floatPredicate = CmpFPredicate::OLT;
    intPredicate = CmpIPredicate::slt;
    break;
  case Order::LessOrEqual:
    floatPredicate = CmpFPredicate::OLE;
    intPredicate = CmpIPredicate::sle;
    break;
  case Order::Greater:
    floatPredicate = CmpFPredicate::OGT;
    intPredicate = CmpIPredicate::sgt;
    break;
  case Order::GreaterOrEqual:
    floatPredicate = CmpFPredicate::OGE;
    intPredicate = CmpIPredicate::sge;
    break;
  case Order::Equal:
    break;
  }
  if (isFloatType(a.getType())) {
    return arith::CmpFOp::create(b, loc, floatPredicate, a, c);
  }
  return arith::CmpIOp::create(b, loc, intPredicate, a, c);
}

Value Scalars::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

Value Scalars::bitAnd(Value a, Value c) {
  return arith::AndIOp::create(b, loc, a, c);
}

Value Scalars::bitOr(Value a, Value c) {
  return arith::OrIOp::create(b, loc, a, c);
}

Value Scalars::bitXor(Value a, Value c) {
  return arith::XOrIOp::create(b, loc, a, c);
}

Value Scalars::bitNot(Value a) {
  Value ones = arith::ConstantOp::create(
      b, loc,
      b.getIntegerAttr(a.getType(),
                       APInt::getAllOnes(a.getType().getIntOrFloatBitWidth())));
  return bitXor(a, ones);
}

Value Scalars::cast(Value a, Type to) {
  Type from = a.getType();
  if (from == to) {
    return a;
  }
  if (isBoolType(to)) {
    Value zero = like(a, 0);
    if (isFloatType(from)) {
      // NaN is true.
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, a, zero);
    }
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, a, zero);
  }
  const unsigned fromWidth = from.getIntOrFloatBitWidth();
  const unsigned toWidth = to.getIntOrFloatBitWidth();
  if (isFloatType(from)) {
    if (!isFloatType(to)) {
      return arith::FPToSIOp::create(b, loc, to, a);
    }
    if (fromWidth == toWidth) {
      Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), a);
      return arith::TruncFOp::create(b, loc, to, wide);
    }
    if (fromWidth < toWidth) {
      return arith::ExtFOp::create(b, loc, to, a);
    }
    return arith::TruncFOp::create(b, loc, to, a);
  }
  if (isFloatType(to)) {
    if (isBoolType(from)) {
      return arith::UIToFPOp::create(b, loc, to, a);
    }
    return arith::SIToFPOp::create(b, loc, to, a);
  }
  if (isBoolType(from)) {
    return arith::ExtUIOp::create(b, loc, to, a);
  }
  if (fromWidth < toWidth) {
    return arith::ExtSIOp::create(b, loc, to, a);
  }
  return arith::TruncIOp::create(b, loc, to, a);
}

Value Scalars::index(int64_t dim) {
  Value position = linalg::IndexOp::create(b, loc, dim);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
}

} // namespace spyre
