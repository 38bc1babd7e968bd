// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores single host elements as double or int64, the two types that
// hold every value of the host types. Private to the runtime.

#ifndef SPYRE_LIB_RUNTIME_ELEMENTCODEC_H
#define SPYRE_LIB_RUNTIME_ELEMENTCODEC_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Runtime/StorageFloat.h"

#include <cstddef>
#include <cstring>
#include <limits>

namespace spyre::rt {

template <typename T> inline T loadAs(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> inline void storeAs(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Inclusive range of an integer host type (bool: 0 and 1).
struct IntegerRange {
  int64_t lo = 0;
  int64_t hi = 0;
};

template <typename T> constexpr IntegerRange rangeOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

inline IntegerRange rangeOf(launch::HostType type) {
  switch (type) {
  case launch::HostType::I8:
    return rangeOf<int8_t>();
  case launch::HostType::U8:
    return rangeOf<uint8_t>();
  case launch::HostType::I16:
    return rangeOf<int16_t>();
  case launch::HostType::I32:
    return rangeOf<int32_t>();
  case launch::HostType::Bool:
    return {0, 1};
  default:
    return rangeOf<int64_t>();
  }
}

/// A float element. f64 values are exact, and so are the narrower ones.
inline double loadFloat(launch::HostType type, const std::byte *at) {
  switch (type) {
  case launch::HostType::F16:
    return decode(StorageFloat::F16, loadAs<uint16_t>(at));
  case launch::HostType::BF16:
    return decode(StorageFloat::BF16, loadAs<uint16_t>(at));
  case launch::HostType::F32:
    return loadAs<float>(at);
  default:
    return loadAs<double>(at);
  }
}

/// Rounds to the type, to nearest even.
inline void storeFloat(launch::HostType type, double value, std::byte *to) {
  switch (type) {
  case launch::HostType::F16:
    return storeAs(to, encode(StorageFloat::F16, value));
  case launch::HostType::BF16:
    return storeAs(to, encode(StorageFloat::BF16, value));
  case launch::HostType::F32:
    return storeAs(to, static_cast<float>(value));
  default:
    return storeAs(to, value);
  }
}

/// An integer or bool element; any non-zero byte is true.
inline int64_t loadInteger(launch::HostType type, const std::byte *at) {
  switch (type) {
  case launch::HostType::I8:
    return loadAs<int8_t>(at);
  case launch::HostType::U8:
    return loadAs<uint8_t>(at);
  case launch::HostType::I16:
    return loadAs<int16_t>(at);
  case launch::HostType::I32:
    return loadAs<int32_t>(at);
  case launch::HostType::Bool:
    return loadAs<uint8_t>(at) != 0 ? 1 : 0;
  default:
    return loadAs<int64_t>(at);
  }
}

/// The caller has checked the range.
inline void storeInteger(launch::HostType type, int64_t value, std::byte *to) {
  switch (type) {
  case launch::HostType::I8:
  case launch::HostType::U8:
  case launch::HostType::Bool:
    return storeAs(to, static_cast<uint8_t>(value));
  case launch::HostType::I16:
    return storeAs(to, static_cast<int16_t>(value));
  case launch::HostType::I32:
    return storeAs(to, static_cast<int32_t>(value));
  default:
    return storeAs(to, value);
  }
}

} // namespace spyre::rt

#endif // SPYRE_LIB_RUNTIME_ELEMENTCODEC_H
