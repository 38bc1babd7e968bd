// SPDX-License-Identifier: Apache-2.0
//
// Storage formats to 32-bit values and back. Integer arithmetic on the bits,
// exact and without branches; F16 uses the host's converter where it has one.
// DL16 is 1-6-9 with bias 31, no subnormals and no infinity: values beyond the
// largest finite one saturate. Internal linkage.

#ifndef SPYRE_LIB_SIMULATOR_CONVERSIONS_H
#define SPYRE_LIB_SIMULATOR_CONVERSIONS_H

#include "Kernels.h"

#include "spyre/Support/ElementType.h"

#include <cstdint>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace spyre::sim {
namespace {

inline float bitsToFloat(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline uint32_t floatToBits(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

inline float decodeF16(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu;
  // Moves the exponent field in place, then rescales: exact for subnormals.
  float value = bitsToFloat(magnitude << 13) * bitsToFloat(0x77800000u);
  uint32_t bits = floatToBits(value);
  bits |= magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return bitsToFloat(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

inline uint16_t encodeF16(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  uint32_t normal = (rounded - 0x38000000u) >> 13;
  normal = normal > 0x7c00u ? 0x7c00u : normal;
  // Below 2^-14 the addition of 0.5 rounds at the subnormal's last bit.
  uint32_t subnormal = floatToBits(bitsToFloat(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  result = magnitude > 0x7f800000u ? nan : result;
  return static_cast<uint16_t>(sign | result);
}

inline float decodeBF16(uint16_t half) {
  return bitsToFloat(static_cast<uint32_t>(half) << 16);
}

inline uint16_t encodeBF16(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<uint16_t>(isNan ? bits >> 16 | 0x40u : rounded);
}

inline float decodeDL16(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu;
  uint32_t bits = (magnitude << 14) + ((127u - 31u) << 23);
  bits = magnitude == 0 ? 0 : magnitude == 0x7fffu ? 0x7fc00000u : bits;
  return bitsToFloat(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

inline uint16_t encodeDL16(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t rounded = magnitude + 0x1fffu + (magnitude >> 14 & 1u);
  // Exponent 0 with fraction 0 is zero, so nothing lies below 2^-31 * (1 +
  // 2^-9); a value under it rounds to it or to zero.
  uint32_t lowest = (127u - 31u) << 23;
  uint32_t result = rounded < lowest ? 0 : (rounded - lowest) >> 14;
  result = result > 0x7ffeu ? 0x7ffeu : result;
  result = magnitude > 0x7f800000u ? 0x7fffu : result;
  return static_cast<uint16_t>(sign | result);
}

template <typename Encode>
inline void encodeAll(const float *from, uint16_t *to, int64_t count,
                      Encode encode) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = encode(from[i]);
  }
}

template <typename Decode>
inline void decodeAll(const uint16_t *from, float *to, int64_t count,
                      Decode decode) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = decode(from[i]);
  }
}

/// NaNs, and finite values of at least `limit` in magnitude.
inline StoreCounts countStored(const float *values, int64_t count,
                               float limit) {
  int32_t beyond = 0;
  int32_t nans = 0;
  for (int64_t i = 0; i < count; ++i) {
    float magnitude = __builtin_fabsf(values[i]);
    beyond += magnitude >= limit && magnitude < __builtin_inff() ? 1 : 0;
    nans += values[i] != values[i] ? 1 : 0;
  }
  return {beyond, nans};
}

inline void decodeF16All(const uint16_t *from, float *to, int64_t count) {
#if defined(__F16C__)
  for (; count >= 8; count -= 8, from += 8, to += 8) {
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(
                             reinterpret_cast<const __m128i *>(from))));
  }
#endif
  decodeAll(from, to, count, decodeF16);
}

inline void encodeF16All(const float *from, uint16_t *to, int64_t count) {
#if defined(__F16C__)
  for (; count >= 8; count -= 8, from += 8, to += 8) {
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(to),
        _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  encodeAll(from, to, count, encodeF16);
}

void loadElements(ElementType type, const void *from, void *to, int64_t count) {
  const auto *halves = static_cast<const uint16_t *>(from);
  auto *floats = static_cast<float *>(to);
  auto *integers = static_cast<int32_t *>(to);
  switch (type) {
  case ElementType::F16:
    return decodeF16All(halves, floats, count);
  case ElementType::BF16:
    return decodeAll(halves, floats, count, decodeBF16);
  case ElementType::DL16:
    return decodeAll(halves, floats, count, decodeDL16);
  case ElementType::Bool:
    for (int64_t i = 0; i < count; ++i) {
      // Minus zero is zero.
      integers[i] = (halves[i] & 0x7fffu) != 0;
    }
    return;
  case ElementType::I8:
    for (int64_t i = 0; i < count; ++i) {
      integers[i] = static_cast<const int8_t *>(from)[i];
    }
    return;
  default:
    std::memcpy(to, from, static_cast<size_t>(count) * 4);
  }
}

StoreCounts storeElements(ElementType type, const void *from, void *to,
                          int64_t count) {
  const auto *floats = static_cast<const float *>(from);
  const auto *integers = static_cast<const int32_t *>(from);
  auto *halves = static_cast<uint16_t *>(to);
  switch (type) {
  case ElementType::F16:
    encodeF16All(floats, halves, count);
    // Half way between the largest finite value and the next power of two.
    return countStored(floats, count, 65520.0f);
  case ElementType::BF16:
    encodeAll(floats, halves, count, encodeBF16);
    return countStored(floats, count, __builtin_inff());
  case ElementType::DL16:
    encodeAll(floats, halves, count, encodeDL16);
    // Half way between 2^32 * (1 + 510/512) and 2^32 * (1 + 511/512).
    return countStored(floats, count, 8577351680.0f);
  case ElementType::Bool:
    for (int64_t i = 0; i < count; ++i) {
      halves[i] = integers[i] ? 0x3c00u : 0u;
    }
    return {};
  case ElementType::I8:
    for (int64_t i = 0; i < count; ++i) {
      static_cast<int8_t *>(to)[i] = static_cast<int8_t>(integers[i]);
    }
    return {};
  case ElementType::F32:
    std::memcpy(to, from, static_cast<size_t>(count) * 4);
    return countStored(floats, count, __builtin_inff());
  default:
    std::memcpy(to, from, static_cast<size_t>(count) * 4);
    return {};
  }
}

} // namespace
} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_CONVERSIONS_H
