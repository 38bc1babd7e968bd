// SPDX-License-Identifier: Apache-2.0

#include "spyre/OnnxFile/DataType.h"

#include <algorithm>
#include <array>
#include <limits>

namespace spyre::onnxfile {
namespace {

enum class Kind { Other, Float, Integer };

struct TypeInfo {
  std::string_view name;
  int bits;
  Kind kind;
};

// Indexed by ONNX's number.
constexpr std::array<TypeInfo, kNumDataTypes> kTypes = {{
    {"undefined", 0, Kind::Other},      {"float", 32, Kind::Float},
    {"uint8", 8, Kind::Integer},        {"int8", 8, Kind::Integer},
    {"uint16", 16, Kind::Integer},      {"int16", 16, Kind::Integer},
    {"int32", 32, Kind::Integer},       {"int64", 64, Kind::Integer},
    {"string", 0, Kind::Other},         {"bool", 8, Kind::Other},
    {"float16", 16, Kind::Float},       {"double", 64, Kind::Float},
    {"uint32", 32, Kind::Integer},      {"uint64", 64, Kind::Integer},
    {"complex64", 64, Kind::Other},     {"complex128", 128, Kind::Other},
    {"bfloat16", 16, Kind::Float},      {"float8e4m3fn", 8, Kind::Float},
    {"float8e4m3fnuz", 8, Kind::Float}, {"float8e5m2", 8, Kind::Float},
    {"float8e5m2fnuz", 8, Kind::Float}, {"uint4", 4, Kind::Integer},
    {"int4", 4, Kind::Integer},         {"float4e2m1", 4, Kind::Float},
    {"float8e8m0", 8, Kind::Float},     {"uint2", 2, Kind::Integer},
    {"int2", 2, Kind::Integer},
}};

const TypeInfo &info(DataType type) {
  return kTypes[static_cast<size_t>(type)];
}

} // namespace

std::optional<DataType> dataTypeFromNumber(int64_t number) {
  if (number < 0 || number >= kNumDataTypes) {
    return std::nullopt;
  }
  return static_cast<DataType>(number);
}

std::string_view toString(DataType type) { return info(type).name; }

std::optional<DataType> parseDataType(std::string_view name) {
  const auto *it =
      std::find_if(kTypes.begin(), kTypes.end(),
                   [&](const TypeInfo &row) { return row.name == name; });
  if (it == kTypes.end()) {
    return std::nullopt;
  }
  return static_cast<DataType>(it - kTypes.begin());
}

int bitWidth(DataType type) { return info(type).bits; }

bool isFloat(DataType type) { return info(type).kind == Kind::Float; }

bool isInteger(DataType type) { return info(type).kind == Kind::Integer; }

std::optional<int64_t> numElements(std::span<const int64_t> dims) {
  if (std::any_of(dims.begin(), dims.end(),
                  [](int64_t dim) { return dim < 0; })) {
    return std::nullopt;
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
    return 0;
  }
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return std::nullopt;
    }
  }
  return product;
}

std::optional<int64_t> denseBytes(DataType type,
                                  std::span<const int64_t> dims) {
  const int bits = bitWidth(type);
  const std::optional<int64_t> elements = numElements(dims);
  if (bits == 0 || !elements) {
    return std::nullopt;
  }
  if (bits < 8) {
    const int perByte = 8 / bits;
    return *elements / perByte + (*elements % perByte != 0 ? 1 : 0);
  }
  if (*elements > std::numeric_limits<int64_t>::max() / (bits / 8)) {
    return std::nullopt;
  }
  return *elements * (bits / 8);
}

} // namespace spyre::onnxfile
