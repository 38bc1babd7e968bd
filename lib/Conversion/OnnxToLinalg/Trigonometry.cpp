// SPDX-License-Identifier: Apache-2.0
//
// Functions that bodies of the device do not have, by those that they have:
// accurate to a few units in the last place of f32, near 0 as well. NaN gives
// NaN, as does what is outside of a function's domain.

#include "Scalars.h"

#include <array>
#include <numbers>

using namespace mlir;

namespace spyre {

/// `value` with the sign of `of`; value is not negative.
static Value withSign(Scalars &s, Value value, Value of) {
  Value negative = s.compare(Scalars::Order::Less, of, s.like(of, 0));
  return s.select(negative, s.neg(value), value);
}

/// The sum of coefficient i times x^i.
static Value polynomial(Scalars &s, Value x, ArrayRef<double> coefficients) {
  Value sum = s.like(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = s.add(s.mul(sum, x), s.like(x, coefficient));
  }
  return sum;
}

/// W. Kahan's log(1 + x): the rounding error of u = 1 + x cancels in x / (u -
/// 1).
Value Scalars::log1p(Value a) {
  Value one = like(a, 1);
  Value u = add(one, a);
  Value corrected = mul(log(u), div(a, sub(u, one)));
  Value result = select(compare(Order::Equal, u, one), a, corrected);
  // Far from 0 it needs no correction, which infinity would not survive.
  return select(compare(Order::Greater, a, one), log(u), result);
}

Value Scalars::tan(Value a) { return div(sin(a), cos(a)); }

/// Abramowitz and Stegun 4.4.49 within [0, 1], an error of 2e-8; beyond,
/// pi/2 - atan(1/x).
Value Scalars::atan(Value a) {
  static constexpr std::array<double, 9> kCoefficients = {1,
                                                          -0.3333314528,
                                                          0.1999355085,
                                                          -0.1420889944,
                                                          0.1065626393,
                                                          -0.0752896400,
                                                          0.0429096138,
                                                          -0.0161657367,
                                                          0.0028662257};
  Value magnitude = abs(a);
  Value beyond = compare(Order::Greater, magnitude, like(a, 1));
  Value x = select(beyond, reciprocal(magnitude), magnitude);
  Value angle = mul(x, polynomial(*this, mul(x, x), kCoefficients));
  Value other = sub(like(a, std::numbers::pi / 2), angle);
  return withSign(*this, select(beyond, other, angle), a);
}

Value Scalars::asin(Value a) {
  Value one = like(a, 1);
  return atan(div(a, sqrt(mul(sub(one, a), add(one, a)))));
}

/// By half the angle, which stays accurate near 1.
Value Scalars::acos(Value a) {
  Value one = like(a, 1);
  Value half = atan(sqrt(div(sub(one, a), add(one, a))));
  return mul(like(a, 2), half);
}

/// Near 0 a Taylor series, since e^x - e^-x cancels. Elsewhere with
/// t = e^x / 2, so that no intermediate overflows before the result does.
Value Scalars::sinh(Value a) {
  static constexpr std::array<double, 5> kCoefficients = {
      1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880};
  Value magnitude = abs(a);
  Value t = exp(sub(magnitude, like(a, std::numbers::ln2)));
  Value large = withSign(*this, sub(t, div(like(a, 0.25), t)), a);
  Value small = mul(a, polynomial(*this, mul(a, a), kCoefficients));
  return select(compare(Order::Less, magnitude, like(a, 1)), small, large);
}

Value Scalars::cosh(Value a) {
  Value t = exp(sub(abs(a), like(a, std::numbers::ln2)));
  return add(t, div(like(a, 0.25), t));
}

/// log(2x), which both of the following are where x^2 hides the 1 beside it.
static Value logOfDouble(Scalars &s, Value x) {
  return s.add(s.log(x), s.like(x, std::numbers::ln2));
}

/// log(x + sqrt(x^2 + 1)) as log1p(x + x * x / (1 + sqrt(x^2 + 1))).
Value Scalars::asinh(Value a) {
  Value one = like(a, 1);
  Value x = abs(a);
  Value square = mul(x, x);
  Value near = log1p(add(x, div(square, add(one, sqrt(add(square, one))))));
  Value isFar = compare(Order::Greater, x, like(a, 1e9));
  return withSign(*this, select(isFar, logOfDouble(*this, x), near), a);
}

/// log(x + sqrt(x^2 - 1)) as log1p(t + sqrt(t) sqrt(t + 2)), t = x - 1.
Value Scalars::acosh(Value a) {
  Value t = sub(a, like(a, 1));
  Value near = log1p(add(t, mul(sqrt(t), sqrt(add(t, like(a, 2))))));
  Value isFar = compare(Order::Greater, a, like(a, 1e9));
  return select(isFar, logOfDouble(*this, a), near);
}

/// log((1 + x) / (1 - x)) / 2 as log1p(2x / (1 - x)) / 2, of |x|.
Value Scalars::atanh(Value a) {
  Value x = abs(a);
  Value quotient = div(mul(like(a, 2), x), sub(like(a, 1), x));
  return withSign(*this, mul(like(a, 0.5), log1p(quotient)), a);
}

} // namespace spyre
