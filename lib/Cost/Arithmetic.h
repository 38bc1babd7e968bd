// SPDX-License-Identifier: Apache-2.0
//
// Integer helpers. A model sets the factors, so products saturate instead of
// wrapping: a saturated size exceeds every limit and is refused as too large.

#ifndef SPYRE_LIB_COST_ARITHMETIC_H
#define SPYRE_LIB_COST_ARITHMETIC_H

#include <cstdint>
#include <limits>

namespace spyre::cost {

/// Of non-negative numbers.
inline int64_t mulSaturating(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

inline int64_t addSaturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

/// Of a non-negative by a positive number.
inline int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

inline int64_t roundUp(int64_t a, int64_t b) {
  return mulSaturating(ceilDiv(a, b), b);
}

} // namespace spyre::cost

#endif // SPYRE_LIB_COST_ARITHMETIC_H
