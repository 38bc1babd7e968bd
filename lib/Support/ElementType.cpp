// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/ElementType.h"

#include <array>

namespace spyre {
namespace {

// Indexed by the enumerator.
constexpr std::array<std::string_view, kNumElementTypes> kNames = {
    "f16",  "f32", "i32",    "bool",   "bf16",
    "dl16", "i8",  "f8e4m3", "f8e5m2", "i4"};

} // namespace

std::string_view toString(ElementType type) {
  return kNames[static_cast<size_t>(type)];
}

std::optional<ElementType> parseElementType(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<ElementType>(i);
    }
  }
  return std::nullopt;
}

} // namespace spyre
