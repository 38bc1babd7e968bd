// SPDX-License-Identifier: Apache-2.0
//
// The element types that a device tensor can have. One enumeration serves the
// stick arithmetic, the launch plan, the simulator and the dialects, so that a
// type cannot mean two things. Everything that depends on a type's width (such
// as the elements of a stick) is derived from the width, never from a literal.

#ifndef SPYRE_SUPPORT_ELEMENTTYPE_H
#define SPYRE_SUPPORT_ELEMENTTYPE_H

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spyre {

/// Bytes of a stick, the unit of every transfer: 128 contiguous bytes at an
/// address that is a multiple of 128.
inline constexpr int64_t kStickBytes = 128;

/// Storage format of an element on the device. Bool is stored as f16 0 or 1
/// (any non-zero value reads as true). The numeric values are part of the
/// artifact format: append, never renumber.
enum class ElementType : uint8_t {
  F16 = 0,
  F32 = 1,
  I32 = 2,
  Bool = 3,
  BF16 = 4,
  DL16 = 5,
  I8 = 6,
  F8E4M3 = 7,
  F8E5M2 = 8,
  I4 = 9,
};
inline constexpr int kNumElementTypes = 10;

/// Bits of one stored element.
constexpr int bitWidth(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::I32:
    return 32;
  case ElementType::I8:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return 8;
  case ElementType::I4:
    return 4;
  default:
    return 16;
  }
}

/// E, the number of elements in a stick: 1024 bits / bitWidth(type).
constexpr int64_t elementsPerStick(ElementType type) {
  // Widths are powers of two; a division costs as much as a stick's work.
  return kStickBytes * 8 >>
         std::countr_zero(static_cast<unsigned>(bitWidth(type)));
}

/// True for F16, BF16, DL16, F32 and the fp8 types.
constexpr bool isFloat(ElementType type) {
  return type != ElementType::I32 && type != ElementType::Bool &&
         type != ElementType::I8 && type != ElementType::I4;
}

/// Lower-case name: "f16", "f32", "i32", "bool", "bf16", "dl16", "i8",
/// "f8e4m3", "f8e5m2", "i4".
std::string_view toString(ElementType type);
std::optional<ElementType> parseElementType(std::string_view name);

} // namespace spyre

#endif // SPYRE_SUPPORT_ELEMENTTYPE_H
