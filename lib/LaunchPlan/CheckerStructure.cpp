// SPDX-License-Identifier: Apache-2.0
//
// Structure of the plan's arguments, segments and weights. Every size and
// every set of valid lanes is recomputed from shape, type and layout here;
// later stages use only these.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace spyre::launch::checker {
namespace {

constexpr size_t kMaxLayoutDims = 32;
constexpr int64_t kMaxLayoutFactor = int64_t{1} << 20;

bool isElementType(ElementType type) {
  return static_cast<int>(type) < kNumElementTypes;
}

template <typename E> bool isNamed(E value) {
  return static_cast<size_t>(value) < enumNames<E>.size();
}

/// Guards the layout library against extents and factors that could overflow.
bool hasSaneNumbers(Context &context, const std::string &subject,
                    const layout::StickLayout &layout,
                    const std::vector<int64_t> &shape) {
  for (int64_t extent : shape) {
    if (extent < 0 || extent > kMaxMagnitude) {
      context.errors.add(
          ErrorCode::CheckValue, subject,
          fmt::format("extent {} is not in [0, {}]", extent, kMaxMagnitude));
      return false;
    }
  }
  if (shape.size() > kMaxRank || layout.dims.size() > kMaxLayoutDims) {
    context.errors.add(
        ErrorCode::CheckCount, subject,
        fmt::format("rank {} and {} layout dims: at most {} and {} are "
                    "possible",
                    shape.size(), layout.dims.size(), kMaxRank,
                    kMaxLayoutDims));
    return false;
  }
  for (const layout::DeviceDim &dim : layout.dims) {
    if (static_cast<int>(dim.kind) > static_cast<int>(layout::DimKind::Unit)) {
      context.errors.add(ErrorCode::CheckEnum, subject,
                         fmt::format("a layout dim has the unknown kind {}",
                                     static_cast<int>(dim.kind)));
      return false;
    }
    if (dim.factor < 1 || dim.factor > kMaxLayoutFactor) {
      context.errors.add(ErrorCode::CheckValue, subject,
                         fmt::format("layout factor {} is not in [1, {}]",
                                     dim.factor, kMaxLayoutFactor));
      return false;
    }
  }
  return true;
}

/// The valid lanes that a layout of one stick dim implies.
std::optional<ValidPattern> patternOf(const layout::StickLayout &layout,
                                      const std::vector<int64_t> &shape,
                                      const std::vector<int64_t> &deviceShape,
                                      int64_t elementsPerStick) {
  if (!layout.arrangement.empty() || deviceShape.empty() ||
      deviceShape.back() != elementsPerStick) {
    return std::nullopt;
  }
  int32_t hostDim = layout::stickHostDim(layout);
  if (layout.sparse || hostDim < 0) {
    return ValidPattern{1, 1, 1};
  }
  ValidPattern pattern;
  pattern.elements = shape[static_cast<size_t>(hostDim)];
  bool inside = false;
  for (size_t i = 0; i + 1 < layout.dims.size(); ++i) {
    if (inside) {
      // The size check has proved that the product fits.
      pattern.inner *= deviceShape[i];
    }
    if (layout.dims[i].kind == layout::DimKind::Tile &&
        layout.dims[i].hostDim == hostDim) {
      pattern.tiles = std::max<int64_t>(deviceShape[i], 1);
      inside = true;
    }
  }
  pattern.inner = std::max<int64_t>(pattern.inner, 1);
  return pattern;
}

} // namespace

std::optional<Image> imageOf(Context &context, const std::string &subject,
                             const layout::StickLayout &layout,
                             const std::vector<int64_t> &shape,
                             ElementType type) {
  if (!isElementType(type)) {
    context.errors.add(
        ErrorCode::CheckEnum, subject,
        fmt::format("unknown element type {}", static_cast<int>(type)));
    return std::nullopt;
  }
  if (!hasSaneNumbers(context, subject, layout, shape)) {
    return std::nullopt;
  }
  Status verified =
      layout::verify(layout, static_cast<int64_t>(shape.size()), type);
  if (!verified) {
    context.errors.add(ErrorCode::CheckLayout, subject,
                       "its layout is not valid: " + verified.error().message,
                       verified.error().notes);
    return std::nullopt;
  }
  Expected<int64_t> bytes = layout::sizeBytes(layout, shape, type);
  if (!bytes || *bytes < 0 || *bytes > kMaxMagnitude) {
    context.errors.add(
        ErrorCode::CheckValue, subject,
        fmt::format("its image exceeds {} bytes", kMaxMagnitude));
    return std::nullopt;
  }
  Image image;
  image.bytes = *bytes;
  std::optional<ValidPattern> pattern =
      patternOf(layout, shape, layout::deviceShape(layout, shape),
                elementsPerStick(type));
  if (!pattern) {
    context.errors.add(
        ErrorCode::CheckNotProved, subject,
        "its stick has several dims or a permuted order of elements");
    return std::nullopt;
  }
  image.valid = *pattern;
  return image;
}

namespace {

void checkUniqueName(Context &context, std::set<std::string> &names,
                     const std::string &name, std::string_view kind,
                     size_t index) {
  if (name.empty()) {
    context.errors.add(ErrorCode::CheckName, "",
                       fmt::format("{} {} has no name", kind, index));
  } else if (!names.insert(name).second) {
    context.errors.add(ErrorCode::CheckName, "",
                       fmt::format("{} {} has the name {} of another {}", kind,
                                   index, quoted(name), kind));
  }
}

void checkAlias(Context &context, size_t index, std::set<int32_t> &aliased) {
  const Argument &argument = context.plan.arguments[index];
  std::string subject = subjectOfArgument(argument);
  if (argument.alias < 0) {
    if (argument.alias != -1) {
      context.errors.add(ErrorCode::CheckIndex, subject,
                         fmt::format("alias {} is neither an argument nor -1",
                                     argument.alias));
    }
    return;
  }
  if (static_cast<size_t>(argument.alias) >= context.plan.arguments.size()) {
    context.errors.add(ErrorCode::CheckIndex, subject,
                       fmt::format("overwrites argument {}, the plan has {}",
                                   argument.alias,
                                   context.plan.arguments.size()));
    return;
  }
  const Argument &input =
      context.plan.arguments[static_cast<size_t>(argument.alias)];
  if (argument.role != ArgumentRole::Output ||
      input.role == ArgumentRole::Output || input.alias != -1 ||
      !aliased.insert(argument.alias).second) {
    context.errors.add(
        ErrorCode::CheckBinding, subject,
        fmt::format("overwrites argument {}: only an output can overwrite an "
                    "input, and only one output each",
                    argument.alias));
  } else if (input.shape != argument.shape ||
             input.deviceType != argument.deviceType ||
             !(input.layout == argument.layout)) {
    context.errors.add(
        ErrorCode::CheckBinding, subject,
        fmt::format("overwrites {}, which has another shape, type or layout",
                    subjectOfArgument(input)));
  }
}

void checkArguments(Context &context) {
  const std::vector<Argument> &arguments = context.plan.arguments;
  std::set<std::string> names;
  std::set<int32_t> aliased;
  context.argumentBytes.assign(arguments.size(), 0);
  context.argumentValid.assign(arguments.size(), {});
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Argument &argument = arguments[index];
    // An output that overwrites its input may carry the input's name.
    std::string scope =
        argument.role == ArgumentRole::Output ? "output " : "input ";
    checkUniqueName(context, names,
                    argument.name.empty() ? "" : scope + argument.name,
                    "argument", index);
    if (!isNamed(argument.role) || !isNamed(argument.hostType)) {
      context.errors.add(ErrorCode::CheckEnum, subjectOfArgument(argument),
                         "unknown role or host type");
      continue;
    }
    std::optional<Image> image =
        imageOf(context, subjectOfArgument(argument), argument.layout,
                argument.shape, argument.deviceType);
    if (image) {
      context.argumentBytes[index] = image->bytes;
      context.argumentValid[index] = image->valid;
    }
    if (argument.indexBound < 0) {
      context.errors.add(
          ErrorCode::CheckValue, subjectOfArgument(argument),
          fmt::format("index bound {} is negative", argument.indexBound));
    }
    checkAlias(context, index, aliased);
  }
}

void checkSegments(Context &context) {
  for (size_t index = 0; index < context.plan.segments.size(); ++index) {
    const Segment &segment = context.plan.segments[index];
    std::string subject = fmt::format("segment {}", index);
    if (!isNamed(segment.kind)) {
      context.errors.add(ErrorCode::CheckEnum, subject, "unknown kind");
    }
    if (segment.sizeBytes < 0 || segment.sizeBytes > kMaxMagnitude) {
      context.errors.add(ErrorCode::CheckValue, subject,
                         fmt::format("its size of {} bytes is not in [0, {}]",
                                     segment.sizeBytes, kMaxMagnitude));
    }
  }
}

void checkWeights(Context &context) {
  std::set<std::string> names;
  for (size_t index = 0; index < context.plan.weights.size(); ++index) {
    const Weight &weight = context.plan.weights[index];
    std::string subject = fmt::format("weight {}", quoted(weight.name));
    checkUniqueName(context, names, weight.name, "weight", index);
    if (!isNamed(weight.storage) || !isNamed(weight.hostType)) {
      context.errors.add(ErrorCode::CheckEnum, subject,
                         "unknown storage or host type");
    }
    if (weight.segment >= context.plan.segments.size()) {
      context.errors.add(ErrorCode::CheckIndex, subject,
                         fmt::format("lies in segment {}, the plan has {}",
                                     weight.segment,
                                     context.plan.segments.size()));
    }
    for (int64_t number : {weight.offset, weight.fileOffset, weight.hostBytes,
                           weight.sizeBytes}) {
      if (number < 0 || number > kMaxMagnitude) {
        context.errors.add(ErrorCode::CheckValue, subject,
                           fmt::format("an offset or size of {} bytes is not "
                                       "in [0, {}]",
                                       number, kMaxMagnitude));
      }
    }
    std::optional<Image> image = imageOf(context, subject, weight.layout,
                                         weight.shape, weight.deviceType);
    context.weightValid.push_back(image ? image->valid : ValidPattern());
    if (image && image->bytes != weight.sizeBytes) {
      context.errors.add(ErrorCode::CheckBytes, subject,
                         fmt::format("declares {} bytes, its layout has {}",
                                     weight.sizeBytes, image->bytes));
    }
  }
}

} // namespace

void checkPlanStructure(Context &context) {
  checkArguments(context);
  checkSegments(context);
  checkWeights(context);
  std::set<std::string> names;
  for (size_t index = 0; index < context.plan.programs.size(); ++index) {
    checkUniqueName(context, names, context.plan.programs[index].name,
                    "program", index);
  }
  if (context.errors.empty()) {
    checkHostCalls(context);
  }
}

} // namespace spyre::launch::checker
