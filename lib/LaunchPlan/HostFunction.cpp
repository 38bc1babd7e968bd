// SPDX-License-Identifier: Apache-2.0
//
// One case per function: its attributes, and the rule for what it is given and
// gives.

#include "spyre/LaunchPlan/HostFunction.h"
#include "spyre/LaunchPlan/Names.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spyre::launch {
namespace {

constexpr std::array<std::string_view, 3> kTopKAttributes = {"axis", "k",
                                                             "largest"};

tl::unexpected<Error> mismatch(const HostCall &call, std::string message) {
  return makeError(ErrorCode::HostCallMismatch,
                   fmt::format("host function \"{}\"", nameOf(call.function)),
                   std::move(message));
}

std::string typeText(const HostOperand &operand) {
  return fmt::format("{}x{}", fmt::join(operand.shape, "x"),
                     toString(operand.deviceType));
}

Status verifyTopK(const HostCall &call) {
  if (call.operands.size() != 1 || call.results.size() != 2) {
    return mismatch(call,
                    fmt::format("takes 1 operand and gives 2 results; {} "
                                "and {} are named",
                                call.operands.size(), call.results.size()));
  }
  const HostOperand &operand = call.operands[0];
  const int64_t axis = call.attributes[0];
  const int64_t k = call.attributes[1];
  const int64_t largest = call.attributes[2];
  const auto rank = static_cast<int64_t>(operand.shape.size());
  if (axis < 0 || axis >= rank) {
    return mismatch(call,
                    fmt::format("axis {} of a tensor of rank {}", axis, rank));
  }
  std::vector<int64_t> shape = operand.shape;
  const int64_t extent = shape[static_cast<size_t>(axis)];
  if (k < 1 || k > extent) {
    return mismatch(
        call, fmt::format("{} of the {} elements along axis {} are asked for",
                          k, extent, axis));
  }
  if (largest != 0 && largest != 1) {
    return mismatch(call, fmt::format("largest is 0 or 1, not {}", largest));
  }
  shape[static_cast<size_t>(axis)] = k;
  HostOperand wanted;
  wanted.shape = shape;
  for (size_t i = 0; i < call.results.size(); ++i) {
    const HostOperand &result = call.results[i];
    wanted.deviceType = i == 0 ? operand.deviceType : ElementType::I32;
    if (result.shape != shape || result.deviceType != wanted.deviceType) {
      return mismatch(call, fmt::format("result {} is {}, it must be {}", i,
                                        typeText(result), typeText(wanted)));
    }
  }
  return {};
}

} // namespace

std::string_view toString(HostFunction function) { return nameOf(function); }

std::span<const std::string_view> attributeNames(HostFunction function) {
  switch (function) {
  case HostFunction::TopK:
    return kTopKAttributes;
  }
  return {};
}

Status verifyHostCall(const HostCall &call) {
  std::span<const std::string_view> names = attributeNames(call.function);
  if (call.attributes.size() != names.size()) {
    return mismatch(call, fmt::format("has the attributes {}; {} are given",
                                      fmt::join(names, ", "),
                                      call.attributes.size()));
  }
  switch (call.function) {
  case HostFunction::TopK:
    return verifyTopK(call);
  }
  return mismatch(call, "is unknown");
}

std::string describe(const HostCall &call) {
  std::span<const std::string_view> names = attributeNames(call.function);
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), call.attributes.size()); ++i) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", names[i],
                        call.attributes[i]);
  }
  return fmt::format("{}({})", nameOf(call.function), text);
}

} // namespace spyre::launch
