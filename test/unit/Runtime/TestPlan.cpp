// SPDX-License-Identifier: Apache-2.0

#include "TestPlan.h"

#include "Support.h"

#include "spyre/LaunchPlan/Checker.h"
#include "spyre/LaunchPlan/Text.h"
#include "spyre/Runtime/Conversion.h"
#include "spyre/Runtime/StorageFloat.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::StepKind;
using launch::StepRole;

namespace {

constexpr std::string_view kProgram = R"(
program @add cores 1
buffer %x ddr arg(0) f16 [1, 2, 64] input valid 3 along 0
buffer %w ddr seg(0) at 128 f16 [1, 2, 64] weight valid 3 along 0
buffer %y ddr arg(1) f16 [1, 2, 64] output valid 3 along 0
buffer %a lx f16 [1, 2, 64] queue 1 load -> sfu
buffer %b lx at 256 f16 [1, 2, 64] queue 1 load -> sfu
buffer %c lx at 512 f16 [1, 2, 64] queue 1 sfu -> store
source "add" ["model/Add"]
body @sum(p, q) {
  s = add(p, q)
  return s
}
phase @main {
  load {
    move [1, 2] %x[d0, d1] -> %a[d0, d1] next %a
    move [1, 2] %w[d0, d1] -> %b[d0, d1] next %b
  }
  sfu {
    map @sum [2] stick 3 %a[tile, d0], %b[tile, d0] -> %c[tile, d0]
      next %a, %b, %c
  }
  store {
    move [1, 2] %c[d0, d1] -> %y[d0, d1] next %c
  }
}
)";

launch::Argument tensorArgument(std::string name, launch::ArgumentRole role) {
  launch::Argument argument;
  argument.name = std::move(name);
  argument.role = role;
  argument.hostType = launch::HostType::F32;
  argument.shape = {2, 3};
  argument.layout = layout::defaultLayout(2, 1, ElementType::F16);
  return argument;
}

launch::Step step(StepKind kind, StepRole role, uint32_t index,
                  std::string name) {
  launch::Step result;
  result.kind = kind;
  result.role = role;
  result.index = index;
  result.name = std::move(name);
  return result;
}

std::vector<std::byte> weightImage(const launch::Weight &weight) {
  return *packTensor(launch::HostType::F32, weightValues(), weight.shape,
                     weight.layout, weight.deviceType, "w");
}

} // namespace

std::vector<std::byte> test::weightValues() {
  return bytesOf(std::vector<float>{10, 20, 30, 40, 50, 60});
}

void test::declareFootprints(launch::LaunchPlan &plan) {
  for (launch::Step &step : plan.steps) {
    const Expected<launch::StepFootprints> footprints =
        launch::stepFootprints(plan, step, target::defaultTarget());
    ASSERT_TRUE(footprints) << textOf(footprints);
    step.reads = footprints->reads;
    step.writes = footprints->writes;
  }
}

launch::LaunchPlan test::hostPlan() {
  launch::LaunchPlan plan;
  plan.modelName = "pick";
  plan.targetName = target::defaultTarget().name;
  plan.targetHash = target::defaultTarget().hash;
  plan.arguments = {tensorArgument("x", launch::ArgumentRole::Input),
                    tensorArgument("y", launch::ArgumentRole::Output),
                    tensorArgument("i", launch::ArgumentRole::Output)};
  plan.arguments[1].shape = {2, 2};
  plan.arguments[2].shape = {2, 2};
  plan.arguments[2].hostType = launch::HostType::I64;
  plan.arguments[2].deviceType = ElementType::I32;
  plan.arguments[2].layout = layout::defaultLayout(2, 1, ElementType::I32);
  auto operand = [&](uint32_t index) {
    const launch::Argument &argument = plan.arguments[index];
    return launch::HostOperand{
        launch::RegionKind::Argument, index,          0, argument.shape,
        argument.deviceType,          argument.layout};
  };
  plan.hostCalls = {{launch::HostFunction::TopK,
                     {1, 2, 0},
                     {operand(0)},
                     {operand(1), operand(2)},
                     "for the test"}};
  plan.steps = {step(StepKind::H2D, StepRole::Device, 0, "send x"),
                step(StepKind::HostWork, StepRole::Device, 0, "pick"),
                step(StepKind::D2H, StepRole::Device, 1, "fetch y"),
                step(StepKind::D2H, StepRole::Device, 2, "fetch i")};
  declareFootprints(plan);
  return plan;
}

launch::LaunchPlan test::addPlan() {
  launch::LaunchPlan plan;
  plan.modelName = "add";
  plan.targetName = target::defaultTarget().name;
  plan.targetHash = target::defaultTarget().hash;
  plan.arguments = {tensorArgument("x", launch::ArgumentRole::Input),
                    tensorArgument("y", launch::ArgumentRole::Output)};
  plan.segments = {{launch::SegmentKind::Weights, 384}};
  launch::Weight weight;
  weight.name = "w";
  weight.offset = 128;
  weight.sizeBytes = 256;
  weight.hostType = launch::HostType::F32;
  weight.shape = {2, 3};
  weight.layout = layout::defaultLayout(2, 1, ElementType::F16);
  const std::vector<std::byte> image = weightImage(weight);
  weight.hash = XXH3_64bits(image.data(), image.size());
  plan.weights = {weight};
  plan.programs = {launch::parseProgram(kProgram).value()};
  plan.steps = {step(StepKind::H2D, StepRole::Prep, 0, "send x"),
                step(StepKind::Signal, StepRole::Prep, 0, "x is there"),
                step(StepKind::Wait, StepRole::Device, 0, "wait for x"),
                step(StepKind::Compute, StepRole::Device, 0, "add"),
                step(StepKind::D2H, StepRole::Device, 1, "fetch y")};
  plan.numEvents = 1;
  plan.symbols = {{launch::SymbolKind::Address, 0, 0, 0},
                  {launch::SymbolKind::Address, 1, 0, 2}};
  declareFootprints(plan);
  return plan;
}

launch::LaunchPlan test::scalarPlan() {
  launch::LaunchPlan plan = addPlan();
  launch::Argument argument;
  argument.name = "n";
  argument.hostType = launch::HostType::I64;
  argument.deviceType = ElementType::I32;
  argument.layout = layout::defaultLayout(0, -1, ElementType::I32);
  plan.arguments.push_back(argument);
  plan.programs[0].scalars = {{"n", 2, 0, 8, 2}};
  plan.symbols.push_back({launch::SymbolKind::Value, 2, 0, 0});
  return plan;
}

launch::Artifact test::artifactOf(const launch::LaunchPlan &plan) {
  launch::Artifact artifact;
  artifact.plan = plan;
  auto image = std::make_shared<std::vector<std::byte>>(
      weightImage(addPlan().weights[0]));
  artifact.weightSection = *image;
  artifact.mapping = image;
  artifact.folder = ".";
  return artifact;
}

Status test::writeAddArtifact(const launch::LaunchPlan &plan,
                              const std::string &path) {
  return launch::writeArtifact(
      plan, path, [&](uint32_t index, launch::ByteSink &sink) {
        return sink.write(weightImage(plan.weights[index]));
      });
}

//===----------------------------------------------------------------------===//
// FakeDevice
//===----------------------------------------------------------------------===//

Expected<uint32_t> FakeDevice::allocate(int64_t bytes) {
  if (bytes > capacity) {
    return makeError(ErrorCode::Internal, "", "the device is full");
  }
  capacity -= bytes;
  const uint32_t region = nextRegion++;
  regions[region].resize(static_cast<size_t>(bytes));
  return region;
}

Status FakeDevice::free(uint32_t region) {
  regions.erase(region);
  return {};
}

Status FakeDevice::copyIn(Address to, std::span<const std::byte> bytes,
                          DefinedMask defined) {
  log.push_back(fmt::format("copyIn {}+{}", to.region, to.offset));
  lastDefined.assign(defined.begin(), defined.end());
  std::copy(bytes.begin(), bytes.end(), regions[to.region].begin() + to.offset);
  return {};
}

Status FakeDevice::copyOut(Address from, std::span<std::byte> bytes,
                           DefinedMask) {
  log.push_back(fmt::format("copyOut {}+{}", from.region, from.offset));
  std::copy_n(regions[from.region].begin() + from.offset, bytes.size(),
              bytes.begin());
  return {};
}

Expected<ComputeStats> FakeDevice::run(const ComputeLaunch &launch) {
  log.push_back("run");
  launches.push_back(launch);
  if (trap) {
    return makeError(ErrorCode::Internal, "node \"model/Add\"", "a trap");
  }
  const auto at = [&](size_t buffer) {
    const Address &address = launch.bufferAddresses[buffer];
    return reinterpret_cast<uint16_t *>(regions[address.region].data() +
                                        address.offset);
  };
  for (int i = 0; i < 128 && !launch.timingOnly; ++i) {
    at(2)[i] =
        encode(StorageFloat::F16, decode(StorageFloat::F16, at(0)[i]) +
                                      decode(StorageFloat::F16, at(1)[i]));
  }
  ComputeStats stats;
  stats.ticks = 5000;
  return stats;
}
