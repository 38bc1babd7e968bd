// SPDX-License-Identifier: Apache-2.0
//
// Encoding and decoding of the 16-bit storage floats. The significand of the
// double is an integer; rounding it to the format's precision is a shift with
// ties to even, and a carry moves into the exponent by itself.

#include "spyre/Runtime/StorageFloat.h"

#include <bit>
#include <cmath>

using namespace spyre;
using namespace spyre::rt;

namespace {

struct Format {
  int fractionBits;
  int bias;
  /// Largest finite value without the sign.
  uint16_t maxFinite;
  bool hasInfinity;
  bool hasSubnormals;
};

constexpr Format kFormats[] = {
    {10, 15, 0x7BFF, true, true},
    {7, 127, 0x7F7F, true, true},
    {9, 31, 0x7FFE, false, false},
};

constexpr int kDoubleFractionBits = 52;
constexpr int kDoubleBias = 1023;

/// value >> shift, rounded to nearest with ties to even.
uint64_t shiftRight(uint64_t value, int shift) {
  if (shift > 63) {
    return 0;
  }
  const uint64_t kept = value >> shift;
  const uint64_t rest = value & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return kept + (up ? 1 : 0);
}

/// The format's bits of a finite positive value; may exceed maxFinite.
uint64_t roundMagnitude(const Format &format, double magnitude) {
  const auto bits = std::bit_cast<uint64_t>(magnitude);
  const int biased = static_cast<int>(bits >> kDoubleFractionBits);
  if (biased == 0) {
    // Zero, or a double below every value of the three formats.
    return 0;
  }
  const uint64_t fraction = bits & ((uint64_t{1} << kDoubleFractionBits) - 1);
  const uint64_t significand = fraction | (uint64_t{1} << kDoubleFractionBits);
  const int drop = kDoubleFractionBits - format.fractionBits;
  const int exponent = biased - kDoubleBias + format.bias;
  if (exponent > 0 || (!format.hasSubnormals && exponent == 0)) {
    const uint64_t rounded = shiftRight(significand, drop);
    const uint64_t hidden = uint64_t{1} << format.fractionBits;
    // The hidden bit adds one to the exponent field, hence exponent * hidden -
    // hidden; a carry out of the fraction adds another.
    return static_cast<uint64_t>(exponent) * hidden + rounded - hidden;
  }
  if (format.hasSubnormals) {
    return shiftRight(significand, drop + 1 - exponent);
  }
  return 0;
}

} // namespace

uint16_t rt::encode(StorageFloat kind, double value) {
  const Format &format = kFormats[static_cast<int>(kind)];
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinity = static_cast<uint16_t>(format.maxFinite + 1);
  if (std::isnan(value)) {
    const int quiet = format.hasInfinity ? 1 << (format.fractionBits - 1) : 0;
    return static_cast<uint16_t>(sign | infinity | quiet);
  }
  if (std::isinf(value)) {
    return sign | infinity;
  }
  const uint64_t magnitude = roundMagnitude(format, std::fabs(value));
  if (magnitude > format.maxFinite) {
    return sign | (format.hasInfinity ? infinity : format.maxFinite);
  }
  return sign | static_cast<uint16_t>(magnitude);
}

double rt::decode(StorageFloat kind, uint16_t bits) {
  const Format &format = kFormats[static_cast<int>(kind)];
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int magnitude = bits & 0x7FFF;
  const int exponent = magnitude >> format.fractionBits;
  const int fraction = magnitude & ((1 << format.fractionBits) - 1);
  const int hidden = 1 << format.fractionBits;
  if (magnitude > format.maxFinite) {
    const bool infinite = format.hasInfinity && fraction == 0;
    return infinite ? sign * INFINITY : NAN;
  }
  if (magnitude == 0) {
    return sign * 0.0;
  }
  if (exponent == 0 && format.hasSubnormals) {
    return sign * std::ldexp(fraction, 1 - format.bias - format.fractionBits);
  }
  return sign * std::ldexp(hidden + fraction,
                           exponent - format.bias - format.fractionBits);
}
