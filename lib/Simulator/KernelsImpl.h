// SPDX-License-Identifier: Apache-2.0
//
// Conversions and body operations as plain loops that the compiler
// vectorises; f32 functions as polynomials with a relative error near 1e-7.
// Internal linkage throughout; included once per level.

#ifndef SPYRE_LIB_SIMULATOR_KERNELSIMPL_H
#define SPYRE_LIB_SIMULATOR_KERNELSIMPL_H

#include "Conversions.h"
#include "Functions.h"
#include "Kernels.h"

namespace spyre::sim {
namespace {

using launch::BodyOpcode;
using launch::Combine;

template <typename To, typename From, typename Function>
inline void unary(const void *a, void *to, int64_t count, Function function) {
  const From *x = static_cast<const From *>(a);
  To *result = static_cast<To *>(to);
  for (int64_t i = 0; i < count; ++i) {
    result[i] = function(x[i]);
  }
}

template <typename To, typename From, typename Function>
inline void binary(const void *a, const void *b, void *to, int64_t count,
                   Function function) {
  const From *x = static_cast<const From *>(a);
  const From *y = static_cast<const From *>(b);
  To *result = static_cast<To *>(to);
  for (int64_t i = 0; i < count; ++i) {
    result[i] = function(x[i], y[i]);
  }
}

// Min and Max give NaN if either operand is NaN; MinNum and MaxNum only if
// both are.
inline float minimum(float x, float y) { return x < y || x != x ? x : y; }
inline float maximum(float x, float y) { return x > y || x != x ? x : y; }
inline float minimumNumber(float x, float y) { return x < y || y != y ? x : y; }
inline float maximumNumber(float x, float y) { return x > y || y != y ? x : y; }

inline int32_t wrap(uint32_t value) { return static_cast<int32_t>(value); }
inline uint32_t bits(int32_t value) { return static_cast<uint32_t>(value); }

inline int32_t divide(int32_t x, int32_t y) {
  // The one quotient that does not fit wraps.
  return y == -1 ? wrap(0u - bits(x)) : x / y;
}

inline int32_t truncate(float x) {
  if (x != x) {
    return 0;
  }
  return x >= 2147483648.0f   ? INT32_MAX
         : x < -2147483648.0f ? INT32_MIN
                              : static_cast<int32_t>(x);
}

#define UNARY(NAME, TO, FROM, EXPRESSION)                                      \
  case BodyOpcode::NAME:                                                       \
    return unary<TO, FROM>(a, to, count,                                       \
                           [](FROM x) -> TO { return EXPRESSION; });
#define BINARY(NAME, TO, FROM, EXPRESSION)                                     \
  case BodyOpcode::NAME:                                                       \
    return binary<TO, FROM>(a, b, to, count,                                   \
                            [](FROM x, FROM y) -> TO { return EXPRESSION; });

void evaluateFloat(BodyOpcode opcode, const void *a, const void *b,
                   const void *c, void *to, int64_t count) {
  switch (opcode) {
    UNARY(Neg, float, float, -x)
    UNARY(Abs, float, float, __builtin_fabsf(x))
    UNARY(Sign, float, float, x > 0 ? 1.0f : x < 0 ? -1.0f : x)
    UNARY(Floor, float, float, __builtin_floorf(x))
    UNARY(Ceil, float, float, __builtin_ceilf(x))
    UNARY(Round, float, float, __builtin_rintf(x))
    UNARY(Recip, float, float, 1.0f / x)
    UNARY(Sqrt, float, float, __builtin_sqrtf(x))
    UNARY(Rsqrt, float, float, 1.0f / __builtin_sqrtf(x))
    UNARY(Exp, float, float, exponential(x))
    UNARY(Log, float, float, logarithm(x))
    UNARY(Erf, float, float, errorFunction(x))
    UNARY(Tanh, float, float, hyperbolicTangent(x))
    UNARY(Sigmoid, float, float, 1.0f / (1.0f + exponential(-x)))
    UNARY(Sin, float, float, __builtin_sinf(x))
    UNARY(Cos, float, float, __builtin_cosf(x))
    BINARY(Add, float, float, x + y)
    BINARY(Sub, float, float, x - y)
    BINARY(Mul, float, float, x *y)
    BINARY(Div, float, float, x / y)
    BINARY(Min, float, float, minimum(x, y))
    BINARY(Max, float, float, maximum(x, y))
    BINARY(MinNum, float, float, minimumNumber(x, y))
    BINARY(MaxNum, float, float, maximumNumber(x, y))
    BINARY(Pow, float, float, __builtin_powf(x, y))
    BINARY(CmpEq, int32_t, float, x == y)
    BINARY(CmpNe, int32_t, float, x != y)
    BINARY(CmpLt, int32_t, float, x < y)
    BINARY(CmpLe, int32_t, float, x <= y)
    BINARY(CmpGt, int32_t, float, x > y)
    BINARY(CmpGe, int32_t, float, x >= y)
    UNARY(IsNan, int32_t, float, x != x)
    UNARY(IsInf, int32_t, float, __builtin_fabsf(x) == __builtin_inff())
    UNARY(F32ToI32, int32_t, float, truncate(x))
    UNARY(F32ToBool, int32_t, float, x != 0)
  case BodyOpcode::Fma: {
    const float *x = static_cast<const float *>(a);
    const float *y = static_cast<const float *>(b);
    const float *z = static_cast<const float *>(c);
    float *result = static_cast<float *>(to);
    for (int64_t i = 0; i < count; ++i) {
      result[i] = __builtin_fmaf(x[i], y[i], z[i]);
    }
    return;
  }
  default:
    return;
  }
}

void evaluateInteger(BodyOpcode opcode, bool isBool, const void *a,
                     const void *b, const void *c, void *to, int64_t count) {
  switch (opcode) {
    BINARY(And, int32_t, int32_t, x &y)
    BINARY(Or, int32_t, int32_t, x | y)
    BINARY(Xor, int32_t, int32_t, x ^ y)
    BINARY(IShl, int32_t, int32_t, wrap(bits(x) << (y & 31)))
    BINARY(IShr, int32_t, int32_t, x >> (y & 31))
    BINARY(IAdd, int32_t, int32_t, wrap(bits(x) + bits(y)))
    BINARY(ISub, int32_t, int32_t, wrap(bits(x) - bits(y)))
    BINARY(IMul, int32_t, int32_t, wrap(bits(x) * bits(y)))
    BINARY(IDiv, int32_t, int32_t, divide(x, y))
    BINARY(IRem, int32_t, int32_t, y == -1 ? 0 : x % y)
    BINARY(IMin, int32_t, int32_t, x < y ? x : y)
    BINARY(IMax, int32_t, int32_t, x > y ? x : y)
    BINARY(ICmpEq, int32_t, int32_t, x == y)
    BINARY(ICmpNe, int32_t, int32_t, x != y)
    BINARY(ICmpLt, int32_t, int32_t, x < y)
    BINARY(ICmpLe, int32_t, int32_t, x <= y)
    BINARY(ICmpGt, int32_t, int32_t, x > y)
    BINARY(ICmpGe, int32_t, int32_t, x >= y)
    UNARY(I32ToF32, float, int32_t, static_cast<float>(x))
    UNARY(BoolToF32, float, int32_t, static_cast<float>(x))
    UNARY(BoolToI32, int32_t, int32_t, x)
    UNARY(I32ToBool, int32_t, int32_t, x != 0)
  case BodyOpcode::Not: {
    int32_t flip = isBool ? 1 : -1;
    return unary<int32_t, int32_t>(a, to, count,
                                   [flip](int32_t x) { return x ^ flip; });
  }
  case BodyOpcode::Select: {
    const int32_t *condition = static_cast<const int32_t *>(a);
    const int32_t *x = static_cast<const int32_t *>(b);
    const int32_t *y = static_cast<const int32_t *>(c);
    int32_t *result = static_cast<int32_t *>(to);
    for (int64_t i = 0; i < count; ++i) {
      result[i] = condition[i] ? x[i] : y[i];
    }
    return;
  }
  default:
    return;
  }
}
#undef UNARY
#undef BINARY

bool isIntegerOperation(BodyOpcode opcode) {
  return opcode == BodyOpcode::Select ||
         (opcode >= BodyOpcode::And && opcode <= BodyOpcode::ICmpGe) ||
         opcode == BodyOpcode::I32ToF32 || opcode == BodyOpcode::BoolToF32 ||
         opcode == BodyOpcode::BoolToI32 || opcode == BodyOpcode::I32ToBool;
}

void evaluate(BodyOpcode opcode, bool isBool, const void *a, const void *b,
              const void *c, void *to, int64_t count) {
  if (isIntegerOperation(opcode)) {
    evaluateInteger(opcode, isBool, a, b, c, to, count);
  } else {
    evaluateFloat(opcode, a, b, c, to, count);
  }
}

void combineBlocks(Combine combine, bool isFloat, const void *from, void *to,
                   int64_t count) {
  static constexpr BodyOpcode kFloat[] = {BodyOpcode::Add, BodyOpcode::Add,
                                          BodyOpcode::Mul, BodyOpcode::Min,
                                          BodyOpcode::Max};
  static constexpr BodyOpcode kInteger[] = {
      BodyOpcode::IAdd, BodyOpcode::IAdd, BodyOpcode::IMul, BodyOpcode::IMin,
      BodyOpcode::IMax, BodyOpcode::And,  BodyOpcode::Or};
  auto index = static_cast<int>(combine);
  if (isFloat) {
    evaluateFloat(kFloat[index], to, from, nullptr, to, count);
  } else {
    evaluateInteger(kInteger[index], false, to, from, nullptr, to, count);
  }
}

ElementKernels makeElementKernels() {
  return {loadElements, storeElements, evaluate, combineBlocks};
}

} // namespace
} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_KERNELSIMPL_H
