// SPDX-License-Identifier: Apache-2.0
//
// Scalar arithmetic in the body of a generic: one method per operation, for
// floats, integers and booleans alike. Bodies compute in f32 where the tensor
// stores less.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_SCALARS_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_SCALARS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace spyre {

/// The type in which values of a stored type are computed with: f32 for
/// narrower floats, otherwise the type itself.
mlir::Type computeType(mlir::Type stored);

/// Whether the types are floats (f16, bf16, f32, f64, fp8).
bool isFloatType(mlir::Type type);
/// i1: what ONNX calls bool.
bool isBoolType(mlir::Type type);

class Scalars {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  enum class Order { Less, LessOrEqual, Greater, GreaterOrEqual, Equal };

  Scalars(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  Value constant(double value, Type type);
  /// A constant of the operand's type.
  Value like(Value operand, double value) {
    return constant(value, operand.getType());
  }
  /// The greatest or least value of the type: an infinity for floats.
  Value extreme(Type type, bool greatest);

  // Arithmetic on two values of one type, float or integer.
  Value add(Value a, Value c);
  Value sub(Value a, Value c);
  Value mul(Value a, Value c);
  /// Integers are divided towards zero.
  Value div(Value a, Value c);
  /// The remainder with the sign of the dividend.
  Value rem(Value a, Value c);
  /// The remainder with the sign of the divisor.
  Value mod(Value a, Value c);
  /// NaN if an operand is NaN.
  Value min(Value a, Value c);
  Value max(Value a, Value c);
  Value pow(Value a, Value c);

  Value neg(Value a);
  Value abs(Value a);
  Value sign(Value a);
  Value exp(Value a);
  Value log(Value a);
  Value sqrt(Value a);
  Value reciprocal(Value a);
  Value tanh(Value a);
  Value erf(Value a);
  Value sin(Value a);
  Value cos(Value a);
  Value floor(Value a);
  Value ceil(Value a);
  Value roundEven(Value a);
  Value isNan(Value a);
  Value isInf(Value a);
  Value sigmoid(Value a);
  /// x * 0.5 * (1 + erf(x / sqrt(2))).
  Value gelu(Value a);
  /// The approximation of gelu by tanh.
  Value geluTanh(Value a);
  /// log(1 + exp(x)) without overflow.
  Value softplus(Value a);
  // Of floats, by functions that the device has (Trigonometry.cpp).
  Value log1p(Value a);
  Value tan(Value a);
  Value asin(Value a);
  Value acos(Value a);
  Value atan(Value a);
  Value sinh(Value a);
  Value cosh(Value a);
  Value asinh(Value a);
  Value acosh(Value a);
  Value atanh(Value a);

  /// Floats compare ordered: false if an operand is NaN.
  Value compare(Order order, Value a, Value c);
  Value select(Value condition, Value yes, Value no);
  // On i1, or bitwise on integers.
  Value bitAnd(Value a, Value c);
  Value bitOr(Value a, Value c);
  Value bitXor(Value a, Value c);
  Value bitNot(Value a);

  /// Conversion as of ONNX's Cast: floats to integers towards zero, anything
  /// to i1 by comparing with zero.
  Value cast(Value a, Type type);
  /// The position in an iteration dim as i64.
  Value index(int64_t dim);

  mlir::OpBuilder &builder() { return b; }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_SCALARS_H
