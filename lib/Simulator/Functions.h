// SPDX-License-Identifier: Apache-2.0
//
// f32 functions without branches, so that loops over them vectorise. The
// coefficients are the minimax fits published with Cephes (exp, log, tanh) and
// the rational fit of erf on [-4, 4] that Eigen uses. Internal linkage.

#ifndef SPYRE_LIB_SIMULATOR_FUNCTIONS_H
#define SPYRE_LIB_SIMULATOR_FUNCTIONS_H

#include <cstdint>

namespace spyre::sim {
namespace {

inline float asFloat(int32_t bits) { return __builtin_bit_cast(float, bits); }
inline int32_t asBits(float value) {
  return __builtin_bit_cast(int32_t, value);
}

/// 2^n for n in [-252, 254], as a product of two in-range powers.
inline float scale(float value, int32_t n) {
  int32_t half = n >> 1;
  return value * asFloat((half + 127) << 23) * asFloat((n - half + 127) << 23);
}

inline float exponential(float x) {
  float clamped = x < -110.0f ? -110.0f : x > 95.0f ? 95.0f : x;
  clamped = x != x ? 0.0f : clamped;
  float n = __builtin_rintf(clamped * 1.44269504088896341f);
  float r = clamped - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float result = scale(p * r * r + r + 1.0f, static_cast<int32_t>(n));
  return x != x ? x : result;
}

inline float logarithm(float x) {
  bool isTiny = x < 1.17549435e-38f;
  float scaled = isTiny ? x * 8388608.0f : x;
  int32_t bits = asBits(scaled);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  int32_t exponent = ((bits - 0x3f3504f3) >> 23);
  float m = asFloat(bits - exponent * (1 << 23)) - 1.0f;
  float n = static_cast<float>(exponent - (isTiny ? 23 : 0));
  float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  float y = p * m * z + n * -2.12194440e-4f - 0.5f * z;
  float result = m + y + n * 0.693359375f;
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0f ? -__builtin_inff() : result;
  return x < 0.0f || x != x ? __builtin_nanf("") : result;
}

inline float hyperbolicTangent(float x) {
  float magnitude = __builtin_fabsf(x);
  float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  float nearZero = p * z * x + x;
  float far = 1.0f - 2.0f / (exponential(2.0f * magnitude) + 1.0f);
  return magnitude < 0.625f ? nearZero : __builtin_copysignf(far, x);
}

inline float errorFunction(float x) {
  float c = x > 4.0f ? 4.0f : x < -4.0f ? -4.0f : x;
  float z = c * c;
  float p = -2.72614225801306e-10f;
  p = p * z + 2.77068142495902e-08f;
  p = p * z - 2.10102402082508e-06f;
  p = p * z - 5.69250639462346e-05f;
  p = p * z - 7.34990630326855e-04f;
  p = p * z - 2.95459980854025e-03f;
  p = p * z - 1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * z - 2.13374055278905e-04f;
  q = q * z - 1.68282697438203e-03f;
  q = q * z - 7.37332916720468e-03f;
  q = q * z - 1.42647390514189e-02f;
  return c * p / q;
}

} // namespace
} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_FUNCTIONS_H
