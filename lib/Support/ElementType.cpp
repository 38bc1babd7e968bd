// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/ElementType.h"

#include <array>

namespace spyre {
namespace {

struct TypeInfo {
  std::string_view name;
  int bits;
  bool isFloat;
};

// Indexed by the enumerator.
constexpr std::array<TypeInfo, kNumElementTypes> kTypes = {{
    {"f16", 16, true},
    {"f32", 32, true},
    {"i32", 32, false},
    {"bool", 16, false},
    {"bf16", 16, true},
    {"dl16", 16, true},
    {"i8", 8, false},
    {"f8e4m3", 8, true},
    {"f8e5m2", 8, true},
    {"i4", 4, false},
}};

const TypeInfo &info(ElementType type) {
  return kTypes[static_cast<size_t>(type)];
}

} // namespace

int bitWidth(ElementType type) { return info(type).bits; }

int64_t elementsPerStick(ElementType type) {
  return kStickBytes * 8 / info(type).bits;
}

bool isFloat(ElementType type) { return info(type).isFloat; }

std::string_view toString(ElementType type) { return info(type).name; }

std::optional<ElementType> parseElementType(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) {
      return static_cast<ElementType>(i);
    }
  }
  return std::nullopt;
}

} // namespace spyre
