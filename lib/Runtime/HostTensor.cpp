// SPDX-License-Identifier: Apache-2.0
//
// Host tensors: sizes with checked arithmetic, typed access to elements, the
// text form and reproducible random values.

#include "spyre/Runtime/HostTensor.h"

#include "ElementCodec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

using namespace spyre;
using namespace spyre::rt;
using launch::HostType;

std::optional<int64_t> rt::numElements(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0) {
      return std::nullopt;
    }
    empty |= extent == 0;
  }
  if (empty) {
    return 0;
  }
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

std::optional<int64_t> rt::denseBytes(HostType type,
                                      std::span<const int64_t> shape) {
  const std::optional<int64_t> count = numElements(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, launch::sizeOf(type), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::optional<HostType> rt::parseHostType(std::string_view name) {
  for (uint8_t value = 0; value <= static_cast<uint8_t>(HostType::BF16);
       ++value) {
    const auto type = static_cast<HostType>(value);
    if (launch::toString(type) == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string rt::describe(HostType type, std::span<const int64_t> shape) {
  std::string text;
  for (int64_t extent : shape) {
    text += fmt::format("{}x", extent);
  }
  return text + std::string(launch::toString(type));
}

bool rt::isFloat(HostType type) {
  return type == HostType::F16 || type == HostType::F32 ||
         type == HostType::F64 || type == HostType::BF16;
}

double rt::elementAsDouble(const HostTensor &tensor, int64_t index) {
  const std::byte *at =
      tensor.bytes.data() + index * launch::sizeOf(tensor.type);
  return isFloat(tensor.type)
             ? loadFloat(tensor.type, at)
             : static_cast<double>(loadInteger(tensor.type, at));
}

int64_t rt::elementAsInteger(const HostTensor &tensor, int64_t index) {
  return loadInteger(tensor.type,
                     tensor.bytes.data() + index * launch::sizeOf(tensor.type));
}

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

template <typename T> bool parseWhole(std::string_view text, T &value) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Parses one value into the element at `to`; false if it does not fit.
bool parseElement(std::string_view text, HostType type, std::byte *to) {
  if (isFloat(type)) {
    double value = 0;
    if (!parseWhole(text, value)) {
      return false;
    }
    storeFloat(type, value, to);
    return true;
  }
  int64_t value = 0;
  if (text == "true" || text == "false") {
    value = text == "true" ? 1 : 0;
  } else if (!parseWhole(text, value)) {
    return false;
  }
  const IntegerRange range = rangeOf(type);
  if (value < range.lo || value > range.hi) {
    return false;
  }
  storeInteger(type, value, to);
  return true;
}

/// Values on the command line only; a larger tensor comes from a file.
constexpr int64_t kMaxLiteralBytes = int64_t{1} << 30;

} // namespace

Expected<HostTensor> rt::parseLiteral(std::string_view text) {
  const std::string subject = fmt::format("tensor \"{}\"", text.substr(0, 80));
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return makeError(ErrorCode::MalformedLiteral, subject,
                     "there is no = between the type and the values");
  }
  std::vector<std::string_view> parts = split(text.substr(0, equals), 'x');
  const std::optional<HostType> type = parseHostType(parts.back());
  if (!type) {
    return makeError(
        ErrorCode::MalformedLiteral, subject,
        fmt::format("\"{}\" is not an element type", parts.back()));
  }
  HostTensor tensor{*type, {}, {}};
  parts.pop_back();
  for (std::string_view part : parts) {
    int64_t extent = 0;
    if (!parseWhole(part, extent) || extent < 0) {
      return makeError(ErrorCode::MalformedLiteral, subject,
                       fmt::format("\"{}\" is not an extent", part));
    }
    tensor.shape.push_back(extent);
  }
  const std::optional<int64_t> bytes = denseBytes(*type, tensor.shape);
  if (!bytes || *bytes > kMaxLiteralBytes) {
    return makeError(
        ErrorCode::MalformedLiteral, subject,
        fmt::format("the tensor is larger than {} bytes", kMaxLiteralBytes));
  }
  const int64_t elementBytes = launch::sizeOf(*type);
  const int64_t count = *bytes / elementBytes;
  std::vector<std::string_view> values;
  if (equals + 1 < text.size()) {
    values = split(text.substr(equals + 1), ',');
  }
  if (static_cast<int64_t>(values.size()) != count && values.size() != 1) {
    return makeError(
        ErrorCode::MalformedLiteral, subject,
        fmt::format("{} values for {} elements", values.size(), count));
  }
  tensor.bytes.resize(static_cast<size_t>(*bytes));
  std::byte scratch[8];
  for (size_t i = 0; i < values.size(); ++i) {
    std::byte *to = static_cast<int64_t>(i) < count
                        ? tensor.bytes.data() + i * elementBytes
                        : scratch;
    if (!parseElement(values[i], *type, to)) {
      return makeError(ErrorCode::MalformedLiteral, subject,
                       fmt::format("value {} (\"{}\") is not of type {}", i,
                                   values[i], launch::toString(*type)));
    }
  }
  for (int64_t i = 1; values.size() == 1 && i < count; ++i) {
    std::copy_n(tensor.bytes.data(), elementBytes,
                tensor.bytes.data() + i * elementBytes);
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

namespace {

uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : name) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  return hash;
}

uint64_t splitmix64(uint64_t state, uint64_t index) {
  uint64_t z = state + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int randomBits(HostType type) {
  switch (type) {
  case HostType::F16:
    return 11;
  case HostType::BF16:
    return 8;
  default:
    return 24;
  }
}

} // namespace

Expected<HostTensor> rt::randomTensor(HostType type,
                                      std::span<const int64_t> shape,
                                      int64_t indexBound, std::string_view name,
                                      uint64_t seed) {
  const std::optional<int64_t> bytes = denseBytes(type, shape);
  if (!bytes) {
    return makeError(
        ErrorCode::ArgumentMismatch, fmt::format("argument \"{}\"", name),
        fmt::format("the shape {} has more bytes than int64 counts",
                    describe(type, shape)));
  }
  HostTensor tensor{type, {shape.begin(), shape.end()}, {}};
  tensor.bytes.resize(static_cast<size_t>(*bytes));
  const uint64_t state = seed ^ hashName(name);
  const int64_t elementBytes = launch::sizeOf(type);
  const int64_t count = *bytes / elementBytes;
  const int bits = randomBits(type);
  // Multiply-shift needs a bound below 2^32; larger ones are cut.
  constexpr int64_t kMaxBound = int64_t{1} << 31;
  int64_t bound = indexBound > 0 ? std::min(indexBound, kMaxBound) : 2;
  if (!isFloat(type)) {
    bound = std::min(bound, std::min(rangeOf(type).hi, kMaxBound - 1) + 1);
  }
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t z = splitmix64(state, static_cast<uint64_t>(i));
    std::byte *to = tensor.bytes.data() + i * elementBytes;
    if (isFloat(type)) {
      const auto value = static_cast<double>(z >> (64 - bits));
      storeFloat(type, std::ldexp(value, 1 - bits) - 1.0, to);
    } else if (type == HostType::Bool) {
      storeInteger(type, static_cast<int64_t>(z >> 63), to);
    } else {
      const uint64_t value = ((z >> 32) * static_cast<uint64_t>(bound)) >> 32;
      storeInteger(type, static_cast<int64_t>(value), to);
    }
  }
  return tensor;
}
