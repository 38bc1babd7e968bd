// SPDX-License-Identifier: Apache-2.0
//
// Loading: the plan is refused unless the checker accepts it, it was made for
// this target and this runtime executes all its steps; only then is memory
// reserved and filled.

#include "LoadParts.h"

#include "spyre/LaunchPlan/Checker.h"
#include "spyre/Runtime/Runtime.h"

#include <algorithm>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::LaunchPlan;

namespace {

/// Steps that other runtimes may execute; listed all at once.
Status checkSteps(const LaunchPlan &plan) {
  std::vector<std::string> notes;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const launch::Step &step = plan.steps[i];
    const bool isSupported = step.kind == launch::StepKind::H2D ||
                             step.kind == launch::StepKind::Compute ||
                             step.kind == launch::StepKind::HostWork ||
                             step.kind == launch::StepKind::D2H ||
                             step.kind == launch::StepKind::Signal ||
                             step.kind == launch::StepKind::Wait;
    if (!isSupported) {
      notes.push_back(fmt::format("step {} \"{}\" is of kind {}", i, step.name,
                                  launch::toString(step.kind)));
    } else if (step.card != 0) {
      notes.push_back(
          fmt::format("step {} \"{}\" runs on card {}, this runtime "
                      "has one card",
                      i, step.name, step.card));
    }
  }
  if (notes.empty()) {
    return {};
  }
  return makeError(ErrorCode::UnsupportedStep,
                   fmt::format("model \"{}\"", plan.modelName),
                   fmt::format("{} of {} steps cannot be executed",
                               notes.size(), plan.steps.size()),
                   std::move(notes));
}

Status checkTarget(const LaunchPlan &plan, const target::Target &target) {
  if (plan.targetHash == target.hash) {
    return {};
  }
  return makeError(
      ErrorCode::TargetMismatch, fmt::format("model \"{}\"", plan.modelName),
      fmt::format("it was compiled for target \"{}\" ({:016x}), this is \"{}\" "
                  "({:016x})",
                  plan.targetName, plan.targetHash, target.name, target.hash));
}

Status runChecker(const LaunchPlan &plan, const target::Target &target) {
  const std::vector<Error> errors = launch::checkPlan(plan, target);
  if (errors.empty()) {
    return {};
  }
  std::vector<std::string> notes;
  for (const Error &error : errors) {
    notes.push_back(error.str());
  }
  return makeError(ErrorCode::PlanRejected,
                   fmt::format("model \"{}\"", plan.modelName),
                   fmt::format("the checker found {} errors", errors.size()),
                   std::move(notes));
}

} // namespace

Model::Model(LaunchPlan plan, Device &device, const target::Target &target,
             bool timingOnly)
    : launchPlan(std::move(plan)), machine(target), owner(&device),
      timingOnly(timingOnly) {}

Model::~Model() {
  for (const std::optional<uint32_t> &region : segmentRegions) {
    if (region) {
      // Nothing can be done about a failure here, and nobody to tell.
      (void)owner->free(*region);
    }
  }
}

Address Model::segment(uint32_t index) const {
  return {segmentRegions[index].value_or(0), 0};
}

std::optional<uint32_t> Model::findArgument(std::string_view name) const {
  for (uint32_t i = 0; i < launchPlan.arguments.size(); ++i) {
    if (launchPlan.arguments[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

Status Model::prepare() {
  for (const launch::Argument &argument : launchPlan.arguments) {
    const Expected<int64_t> bytes =
        layout::sizeBytes(argument.layout, argument.shape, argument.deviceType);
    if (!bytes) {
      return tl::unexpected(bytes.error());
    }
    imageBytes.push_back(*bytes);
  }
  return allocateSegments();
}

Status Model::allocateSegments() {
  segmentRegions.resize(launchPlan.segments.size());
  for (size_t i = 0; i < launchPlan.segments.size(); ++i) {
    if (launchPlan.segments[i].sizeBytes == 0) {
      continue;
    }
    const Expected<uint32_t> region =
        owner->allocate(launchPlan.segments[i].sizeBytes);
    if (!region) {
      return tl::unexpected(region.error());
    }
    segmentRegions[i] = *region;
  }
  return {};
}

Expected<std::unique_ptr<Model>> rt::load(launch::Artifact artifact,
                                          Device &device,
                                          const target::Target &target,
                                          const LoadOptions &options) {
  Status status = checkSteps(artifact.plan);
  status = status ? checkTarget(artifact.plan, target) : status;
  if (!status) {
    return tl::unexpected(status.error());
  }
  Expected<std::vector<std::vector<Model::Patch>>> patches =
      resolveSymbols(artifact.plan);
  if (!patches) {
    return tl::unexpected(patches.error());
  }
  if (status = runChecker(artifact.plan, target); !status) {
    return tl::unexpected(status.error());
  }
  std::unique_ptr<Model> model(
      new Model(artifact.plan, device, target, options.timingOnly));
  model->programPatches = std::move(*patches);
  status = model->prepare();
  if (status && !options.timingOnly) {
    status = loadWeights(artifact, *model);
  }
  if (!status) {
    return tl::unexpected(status.error());
  }
  return model;
}

Expected<std::unique_ptr<Model>> rt::load(const std::string &path,
                                          Device &device,
                                          const target::Target &target,
                                          const LoadOptions &options) {
  // Each weight is checked by its own hash when it is copied.
  Expected<launch::Artifact> artifact =
      launch::readArtifact(path, {.verifyWeights = false});
  if (!artifact) {
    return tl::unexpected(artifact.error());
  }
  return load(std::move(*artifact), device, target, options);
}
