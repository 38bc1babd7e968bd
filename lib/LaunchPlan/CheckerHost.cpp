// SPDX-License-Identifier: Apache-2.0
//
// Host calls: the function accepts what it is given, and every operand and
// result is a whole tensor where the plan says it is. What steps before have
// written there is the abstract run's business.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/HostFunction.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

class HostCallChecker {
public:
  HostCallChecker(Context &context, size_t number)
      : context(context), call(context.plan.hostCalls[number]),
        subject(fmt::format("host call {} \"{}\"", number,
                            nameOf(call.function))) {}

  HostFacts check() {
    if (static_cast<size_t>(call.function) >= enumNames<HostFunction>.size()) {
      context.errors.add(ErrorCode::CheckEnum, subject, "unknown function");
      return {};
    }
    for (const HostOperand &operand : call.operands) {
      add(operand, "operand", facts.operands);
    }
    for (const HostOperand &result : call.results) {
      add(result, "result", facts.results);
    }
    if (!context.errors.empty()) {
      return {};
    }
    if (Status status = verifyHostCall(call); !status) {
      refuse(status.error().message);
      return {};
    }
    checkApart();
    facts.footprints.reads = hullsOf(facts.operands);
    facts.footprints.writes = hullsOf(facts.results);
    return facts;
  }

private:
  void refuse(std::string message) {
    context.errors.add(ErrorCode::CheckHostCall, subject, std::move(message));
  }

  void add(const HostOperand &operand, std::string_view what,
           std::vector<PlacedTensor> &list) {
    std::string name = fmt::format("{} {}", what, list.size());
    bool isArgument = operand.region == RegionKind::Argument;
    if (!isArgument && operand.region != RegionKind::Segment) {
      context.errors.add(ErrorCode::CheckEnum, subject,
                         name + " lies in an unknown kind of region");
      return;
    }
    size_t count = isArgument ? context.plan.arguments.size()
                              : context.plan.segments.size();
    if (operand.index >= count) {
      context.errors.add(ErrorCode::CheckIndex, subject,
                         fmt::format("{} names {} {}, the plan has {}", name,
                                     nameOf(operand.region), operand.index,
                                     count));
      return;
    }
    std::optional<Image> image =
        imageOf(context, fmt::format("{} of {}", name, subject), operand.layout,
                operand.shape, operand.deviceType);
    if (!image) {
      return;
    }
    PlacedTensor tensor{operand.region, operand.index, operand.offset,
                        operand.deviceType, *image};
    list.push_back(tensor);
    int64_t bytes = isArgument ? context.argumentBytes[operand.index]
                               : context.plan.segments[operand.index].sizeBytes;
    if (operand.offset < 0 || operand.offset % kStickBytes != 0 ||
        operand.offset > bytes - image->bytes) {
      refuse(fmt::format("{} of {} bytes at offset {} is not whole sticks "
                         "inside the {} bytes of {} {}",
                         name, image->bytes, operand.offset, bytes,
                         nameOf(operand.region), operand.index));
    } else if (!isTensorThere(tensor, what == "result")) {
      refuse(fmt::format("{} is not a tensor that {} {} holds for it", name,
                         nameOf(operand.region), operand.index));
    }
  }

  /// An argument is one tensor, a weight segment holds those of the weights;
  /// neither is written unless the argument is an output. In scratch memory
  /// the tensors are those that steps write.
  bool isTensorThere(const PlacedTensor &tensor, bool isWritten) const {
    const LaunchPlan &plan = context.plan;
    if (tensor.region == RegionKind::Argument) {
      const Argument &argument = plan.arguments[tensor.index];
      return isSameTensor(tensor, {RegionKind::Argument,
                                   tensor.index,
                                   0,
                                   argument.deviceType,
                                   {context.argumentBytes[tensor.index],
                                    context.argumentValid[tensor.index]}}) &&
             !(isWritten && argument.role == ArgumentRole::Input);
    }
    if (plan.segments[tensor.index].kind == SegmentKind::Scratch) {
      return true;
    }
    for (size_t i = 0; !isWritten && i < plan.weights.size(); ++i) {
      const Weight &weight = plan.weights[i];
      if (isSameTensor(tensor, {RegionKind::Segment,
                                weight.segment,
                                weight.offset,
                                weight.deviceType,
                                {weight.sizeBytes, context.weightValid[i]}})) {
        return true;
      }
    }
    return false;
  }

  void checkApart() {
    for (size_t i = 0; i < facts.results.size(); ++i) {
      bool overlaps = std::any_of(
          facts.operands.begin(), facts.operands.end(),
          [&](const auto &other) { return overlap(facts.results[i], other); });
      overlaps |= std::any_of(
          facts.results.begin(),
          facts.results.begin() + static_cast<int64_t>(i),
          [&](const auto &other) { return overlap(facts.results[i], other); });
      if (overlaps) {
        refuse(fmt::format("result {} shares bytes with another tensor of the "
                           "call",
                           i));
      }
    }
  }

  bool overlap(const PlacedTensor &a, const PlacedTensor &b) const {
    auto storage = [&](const PlacedTensor &tensor) {
      return tensor.region == RegionKind::Argument
                 ? context.storageOf(tensor.index)
                 : tensor.index;
    };
    return a.region == b.region && storage(a) == storage(b) &&
           a.offset < b.offset + b.image.bytes &&
           b.offset < a.offset + a.image.bytes;
  }

  static std::vector<Footprint>
  hullsOf(const std::vector<PlacedTensor> &tensors) {
    std::vector<Footprint> hulls;
    for (const PlacedTensor &tensor : tensors) {
      if (tensor.image.bytes == 0) {
        continue;
      }
      int64_t end = tensor.offset + tensor.image.bytes;
      auto hull = std::find_if(hulls.begin(), hulls.end(), [&](const auto &h) {
        return h.region == tensor.region && h.index == tensor.index;
      });
      if (hull == hulls.end()) {
        hulls.push_back({tensor.region, tensor.index, tensor.offset, end});
      } else {
        hull->lo = std::min(hull->lo, tensor.offset);
        hull->hi = std::max(hull->hi, end);
      }
    }
    return sortedFootprints(std::move(hulls));
  }

  Context &context;
  const HostCall &call;
  std::string subject;
  HostFacts facts;
};

} // namespace

bool isSameTensor(const PlacedTensor &a, const PlacedTensor &b) {
  return a.region == b.region && a.index == b.index && a.offset == b.offset &&
         a.type == b.type && a.image.bytes == b.image.bytes &&
         isSameValid(a.image.valid, b.image.valid, a.type);
}

void checkHostCalls(Context &context) {
  for (size_t number = 0; number < context.plan.hostCalls.size(); ++number) {
    context.hostFacts.push_back(HostCallChecker(context, number).check());
  }
}

} // namespace spyre::launch::checker
