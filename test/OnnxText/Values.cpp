// SPDX-License-Identifier: Apache-2.0

#include "Values.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace spyre::onnxfile::text {
namespace {

bool isSigned(DataType type) {
  switch (type) {
  case DataType::Int2:
  case DataType::Int4:
  case DataType::Int8:
  case DataType::Int16:
  case DataType::Int32:
  case DataType::Int64:
    return true;
  default:
    return false;
  }
}

uint64_t mask(int width) {
  return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

/// All of `text` as a number of type T; nothing if it is none or out of range.
template <typename T>
std::optional<T> parseAll(std::string_view text, int base = 10) {
  T value = {};
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> parseDouble(std::string_view text) {
  double value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

std::optional<uint64_t> parseIntegral(std::string_view text, DataType type) {
  const int width = bitWidth(type);
  if (!isSigned(type)) {
    const std::optional<uint64_t> value = parseAll<uint64_t>(text);
    return value && (*value & ~mask(width)) == 0 ? value : std::nullopt;
  }
  const std::optional<int64_t> value = parseAll<int64_t>(text);
  if (!value) {
    return std::nullopt;
  }
  const int64_t shifted = *value >> (width - 1);
  if (shifted != 0 && shifted != -1) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(*value) & mask(width);
}

uint16_t bfloatBits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<uint16_t>((bits >> 16U) | 0x40U);
  }
  // Rounds to nearest, ties to even.
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

/// The value of the bits; only for the four float types of 16 to 64 bits.
double floatOf(uint64_t bits, DataType type) {
  switch (type) {
  case DataType::Float16:
    return static_cast<double>(
        std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  case DataType::BFloat16:
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
  case DataType::Float:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

bool hasDecimalForm(DataType type) {
  return type == DataType::Float16 || type == DataType::BFloat16 ||
         type == DataType::Float || type == DataType::Double;
}

} // namespace

DataType componentType(DataType type) {
  return type == DataType::Complex64    ? DataType::Float
         : type == DataType::Complex128 ? DataType::Double
                                        : type;
}

int numComponents(DataType type) { return componentType(type) == type ? 1 : 2; }

std::optional<uint64_t> valueBits(double value, DataType type) {
  switch (type) {
  case DataType::Float16:
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  case DataType::BFloat16:
    return bfloatBits(static_cast<float>(value));
  case DataType::Float:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case DataType::Double:
    return std::bit_cast<uint64_t>(value);
  case DataType::Bool:
    return value != 0 ? 1 : 0;
  default:
    break;
  }
  if (!isInteger(type) || !(std::fabs(value) < 0x1p63)) {
    return std::nullopt;
  }
  return parseIntegral(
      fmt::to_string(static_cast<int64_t>(std::llround(value))), type);
}

std::optional<uint64_t> parseValue(std::string_view text, DataType type) {
  if (type == DataType::Bool && (text == "true" || text == "false")) {
    return text == "true" ? 1 : 0;
  }
  if (type == DataType::Bool || isInteger(type)) {
    return parseIntegral(text, type);
  }
  if (text.starts_with("0x")) {
    const std::optional<uint64_t> bits = parseAll<uint64_t>(text.substr(2), 16);
    return bits && (*bits & ~mask(bitWidth(type))) == 0 ? bits : std::nullopt;
  }
  if (!hasDecimalForm(type)) {
    return std::nullopt;
  }
  if (type == DataType::Float) {
    // Not by way of double, which would round twice.
    float value = 0;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) {
      return std::nullopt;
    }
    return std::bit_cast<uint32_t>(value);
  }
  const std::optional<double> value = parseDouble(text);
  return value ? valueBits(*value, type) : std::nullopt;
}

std::string printFloat(double value, bool isSingle) {
  if (std::isnan(value)) {
    return std::signbit(value) ? "-nan" : "nan";
  }
  std::string text = isSingle ? fmt::format("{}", static_cast<float>(value))
                              : fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string printValue(uint64_t bits, DataType type) {
  if (type == DataType::Bool && bits <= 1) {
    return bits != 0 ? "true" : "false";
  }
  if (isSigned(type)) {
    const int unused = 64 - bitWidth(type);
    return fmt::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  if (type == DataType::Bool || isInteger(type)) {
    return fmt::to_string(bits);
  }
  if (hasDecimalForm(type)) {
    const std::string text =
        printFloat(floatOf(bits, type), type != DataType::Double);
    if (parseValue(text, type) == bits) {
      return text;
    }
  }
  return fmt::format("0x{:x}", bits);
}

void BitWriter::append(uint64_t bits, int width) {
  if (width < 8) {
    if (usedBits == 8) {
      bytes.push_back(std::byte{0});
      usedBits = 0;
    }
    bytes.back() |= static_cast<std::byte>(bits << usedBits);
    usedBits += width;
    return;
  }
  for (int i = 0; i < width; i += 8) {
    bytes.push_back(static_cast<std::byte>(bits >> i));
  }
}

uint64_t bitsAt(std::span<const std::byte> bytes, int64_t index, int width) {
  if (width < 8) {
    const int64_t perByte = 8 / width;
    const auto byte =
        std::to_integer<uint64_t>(bytes[static_cast<size_t>(index / perByte)]);
    return (byte >> (index % perByte * width)) & mask(width);
  }
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(width / 8);
  std::memcpy(&bits, bytes.data() + static_cast<size_t>(index) * size, size);
  return bits;
}

} // namespace spyre::onnxfile::text
