// SPDX-License-Identifier: Apache-2.0
//
// The name of every enumerator of the launch plan. One table per enumeration,
// in the order of the numeric values, so that the artifact's reader can check
// the range of a value, the text form can print and parse it, and no second
// list can disagree.

#ifndef SPYRE_LAUNCHPLAN_NAMES_H
#define SPYRE_LAUNCHPLAN_NAMES_H

#include "spyre/LaunchPlan/LaunchPlan.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace spyre::launch {

/// enumNames<E>[v] names the enumerator of value v; values are dense from 0.
template <typename E>
inline constexpr std::array<std::string_view, 0> enumNames = {};

template <>
inline constexpr auto enumNames<TermKind> =
    std::to_array<std::string_view>({"loop", "table", "scalar"});
template <>
inline constexpr auto enumNames<Unit> =
    std::to_array<std::string_view>({"load", "store", "ring", "pt", "sfu"});
static_assert(enumNames<Unit>.size() == kNumUnits);
template <>
inline constexpr auto enumNames<Space> =
    std::to_array<std::string_view>({"ddr", "lx"});
template <>
inline constexpr auto enumNames<BufferRole> = std::to_array<std::string_view>(
    {"input", "output", "inout", "weight", "scratch"});
template <>
inline constexpr auto enumNames<BufferKind> =
    std::to_array<std::string_view>({"private", "queue"});
template <>
inline constexpr auto enumNames<Binding> =
    std::to_array<std::string_view>({"lx", "argument", "segment"});
template <>
inline constexpr auto enumNames<LaneAccess> =
    std::to_array<std::string_view>({"stickwise", "splat"});
template <>
inline constexpr auto enumNames<BodyOpcode> = std::to_array<std::string_view>({
    // clang-format off
    "neg", "abs", "sign", "floor", "ceil", "round", "recip", "sqrt", "rsqrt",
    "exp", "log", "erf", "tanh", "sigmoid", "sin", "cos",
    "add", "sub", "mul", "div", "fma", "min", "max", "minnum", "maxnum", "pow",
    "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge", "select",
    "isnan", "isinf",
    "and", "or", "xor", "not",
    "ishl", "ishr", "iadd", "isub", "imul", "idiv", "irem", "imin", "imax",
    "icmp_eq", "icmp_ne", "icmp_lt", "icmp_le", "icmp_gt", "icmp_ge",
    "f32_to_i32", "i32_to_f32", "bool_to_f32", "bool_to_i32", "f32_to_bool",
    "i32_to_bool",
    "const_f32", "const_i32", "const_bool", "scalar", "index",
    "round_to",
    // clang-format on
});
static_assert(enumNames<BodyOpcode>.size() ==
              static_cast<size_t>(BodyOpcode::RoundTo) + 1);
template <>
inline constexpr auto enumNames<CommandKind> =
    std::to_array<std::string_view>({"loop", "end", "move", "reduce", "matmul",
                                     "map", "transpose", "shift", "next"});
static_assert(enumNames<CommandKind>.size() ==
              static_cast<size_t>(CommandKind::Next) + 1);
template <>
inline constexpr auto enumNames<Combine> = std::to_array<std::string_view>(
    {"store", "add", "mul", "min", "max", "and", "or"});
static_assert(enumNames<Combine>.size() ==
              static_cast<size_t>(Combine::Or) + 1);
template <>
inline constexpr auto enumNames<MapOutput::Lanes> =
    std::to_array<std::string_view>({"keep", "lane0", "splat_all"});

template <>
inline constexpr auto enumNames<ArgumentRole> =
    std::to_array<std::string_view>({"input", "output", "inout"});
template <>
inline constexpr auto enumNames<HostType> = std::to_array<std::string_view>(
    {"f16", "f32", "f64", "i8", "u8", "i16", "i32", "i64", "bool", "bf16"});
static_assert(enumNames<HostType>.size() ==
              static_cast<size_t>(HostType::BF16) + 1);
template <>
inline constexpr auto enumNames<SegmentKind> =
    std::to_array<std::string_view>({"weights", "scratch", "program"});
template <>
inline constexpr auto enumNames<WeightStorage> =
    std::to_array<std::string_view>({"embedded", "external", "none"});
template <>
inline constexpr auto enumNames<StepKind> =
    std::to_array<std::string_view>({"host_work", "h2d", "compute", "d2h",
                                     "fill", "signal", "wait", "send", "recv"});
static_assert(enumNames<StepKind>.size() ==
              static_cast<size_t>(StepKind::Recv) + 1);
template <>
inline constexpr auto enumNames<StepRole> =
    std::to_array<std::string_view>({"prep", "device"});
template <>
inline constexpr auto enumNames<RegionKind> =
    std::to_array<std::string_view>({"argument", "segment"});
template <>
inline constexpr auto enumNames<HostFunction> =
    std::to_array<std::string_view>({"topk"});
template <>
inline constexpr auto enumNames<SymbolKind> =
    std::to_array<std::string_view>({"address", "value"});
template <>
inline constexpr auto enumNames<layout::DimKind> =
    std::to_array<std::string_view>({"full", "tile", "stick", "unit"});
template <>
inline constexpr auto enumNames<ElementType> =
    std::to_array<std::string_view>({"f16", "f32", "i32", "bool", "bf16",
                                     "dl16", "i8", "f8e4m3", "f8e5m2", "i4"});
static_assert(enumNames<ElementType>.size() == kNumElementTypes);

/// The name of an enumerator, "invalid" for a value out of range.
template <typename E> constexpr std::string_view nameOf(E value) {
  size_t index = static_cast<size_t>(value);
  return index < enumNames<E>.size() ? enumNames<E>[index]
                                     : std::string_view("invalid");
}

template <typename E>
constexpr std::optional<E> parseName(std::string_view name) {
  for (size_t index = 0; index < enumNames<E>.size(); ++index) {
    if (enumNames<E>[index] == name) {
      return static_cast<E>(index);
    }
  }
  return std::nullopt;
}

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_NAMES_H
