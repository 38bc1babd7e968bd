// SPDX-License-Identifier: Apache-2.0

#include "Support.h"
#include "TestPlan.h"

#include "spyre/Runtime/Runtime.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::LaunchPlan;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The plan loaded on a fake device, and memory for its two tensors.
class StreamTest : public testing::Test {
protected:
  void open(const LaunchPlan &plan) {
    auto loaded = load(artifactOf(plan), device, target::defaultTarget());
    ASSERT_TRUE(loaded) << textOf(loaded);
    model = std::move(*loaded);
    device.log.clear();
    // Both tensors in one region: an argument may start anywhere in it.
    const uint32_t region = *device.allocate(1024);
    bindings.resize(plan.arguments.size());
    bindings[0] = {{region, 256}, x, {}};
    bindings[1] = {{region, 512}, {}, y};
  }

  FakeDevice device;
  std::unique_ptr<Model> model;
  std::vector<std::byte> x = bytesOf(std::vector<float>{1, 2, 3, 4, 5, 6});
  std::vector<std::byte> y = std::vector<std::byte>(24);
  std::vector<Binding> bindings;
};

TEST_F(StreamTest, RunsStepsInOrderWithPatchedAddresses) {
  open(addPlan());
  Stream stream(device);
  LaunchStats stats;
  const Status status = stream.launch(*model, bindings, &stats);
  ASSERT_TRUE(status) << textOf(status);
  ASSERT_TRUE(stream.synchronize()) << textOf(stream.synchronize());
  EXPECT_THAT(device.log,
              ElementsAre("copyIn 101+256", "run", "copyOut 101+512"));
  EXPECT_THAT(valuesOf<float>(y), ElementsAre(11, 22, 33, 44, 55, 66));

  const ComputeLaunch &launch = device.launches.at(0);
  EXPECT_EQ(launch.bufferAddresses[0], (Address{101, 256}));
  EXPECT_EQ(launch.bufferAddresses[1], (Address{100, 128}));
  EXPECT_EQ(launch.bufferAddresses[2], (Address{101, 512}));
  // The step reads x and the weight (bytes 128 to 384 of its segment).
  ASSERT_EQ(launch.reads.size(), 2u);
  EXPECT_EQ(launch.reads[0].base, (Address{101, 256}));
  EXPECT_EQ(launch.reads[0].hi, 256);
  EXPECT_EQ(launch.reads[1].base, (Address{100, 0}));
  EXPECT_EQ(launch.reads[1].lo, 128);
  EXPECT_EQ(launch.reads[1].hi, 384);
  ASSERT_EQ(launch.writes.size(), 1u);
  EXPECT_EQ(launch.writes[0].base, (Address{101, 512}));
}

TEST_F(StreamTest, TimesFollowTheTarget) {
  open(addPlan());
  Stream stream(device);
  LaunchStats stats;
  ASSERT_TRUE(stream.launch(*model, bindings, &stats));
  // Signal and wait take no time and have no entry.
  ASSERT_EQ(stats.steps.size(), 3u);
  const target::Target &t = target::defaultTarget();
  const auto dma = [&](int64_t bytes) {
    return t.dmaSetupUs * 1e-6 +
           static_cast<double>(bytes) / (t.pcieGBps * 1e9);
  };
  const double layout = 256 / (t.hostLayoutGBps * 1e9);
  // The blob of addresses goes to the device before the input, which is laid
  // out meanwhile.
  const double before = (t.hostLaunchUs + t.addressCorrectionUs) * 1e-6 +
                        dma(t.correctionBlobBytes) + dma(256);
  EXPECT_EQ(stats.steps[0].transferBytes, 256);
  // 5000 ticks of 1 ns.
  EXPECT_EQ(stats.computeTicks, 5000);
  EXPECT_DOUBLE_EQ(stats.computeSeconds, 5e-6);
  EXPECT_NEAR(stats.totalSeconds,
              before + t.dispatchGapUs * 1e-6 + 5e-6 + dma(256) + layout,
              1e-12);
}

// The host makes the blob of addresses first; a program that runs again is
// ready when it ends.
TEST_F(StreamTest, CorrectionOverlapsTransfers) {
  LaunchPlan plan = addPlan();
  std::erase_if(plan.steps, [](const launch::Step &step) {
    return step.kind == launch::StepKind::Signal ||
           step.kind == launch::StepKind::Wait;
  });
  plan.numEvents = 0;
  plan.steps[0].role = launch::StepRole::Device;
  plan.steps.insert(plan.steps.begin() + 1, plan.steps[1]);
  open(plan);
  Stream stream(device);
  LaunchStats stats;
  ASSERT_TRUE(stream.launch(*model, bindings, &stats));
  ASSERT_EQ(stats.steps.size(), 4u);
  const target::Target &t = target::defaultTarget();
  const auto dma = [&](int64_t bytes) {
    return t.dmaSetupUs * 1e-6 +
           static_cast<double>(bytes) / (t.pcieGBps * 1e9);
  };
  // The input is laid out after the correction, while its blob is on its way,
  // and follows it.
  const double input = (t.hostLaunchUs + t.addressCorrectionUs) * 1e-6 +
                       dma(t.correctionBlobBytes) + dma(256);
  EXPECT_NEAR(stats.steps[0].endSeconds, input, 1e-12);
  const double first = input + t.dispatchGapUs * 1e-6;
  EXPECT_NEAR(stats.steps[1].startSeconds, first, 1e-12);
  EXPECT_NEAR(stats.steps[2].startSeconds,
              first + 5e-6 + t.queuedDispatchGapUs * 1e-6, 1e-12);
}

// x = 5 1 5 / 2 4 3 in f16 on the device.
TEST_F(StreamTest, RunsHostWorkOnDeviceMemory) {
  x = bytesOf(std::vector<float>{5, 1, 5, 2, 4, 3});
  y.resize(16);
  open(hostPlan());
  std::vector<std::byte> positions(32);
  bindings[2] = {{bindings[0].device.region, 768}, {}, positions};
  Stream stream(device);
  LaunchStats stats;
  ASSERT_TRUE(stream.launch(*model, bindings, &stats));
  ASSERT_TRUE(stream.synchronize()) << textOf(stream.synchronize());
  EXPECT_THAT(valuesOf<float>(y), ElementsAre(1, 5, 2, 3));
  EXPECT_THAT(valuesOf<int64_t>(positions), ElementsAre(1, 0, 0, 2));
  const uint32_t region = bindings[0].device.region;
  const auto at = [&](std::string_view call, int64_t offset) {
    return std::string(call) + " " + std::to_string(region) + "+" +
           std::to_string(offset);
  };
  EXPECT_THAT(device.log, ElementsAre(at("copyIn", 256), at("copyOut", 256),
                                      at("copyIn", 512), at("copyIn", 768),
                                      at("copyOut", 512), at("copyOut", 768)));
  // Two rows, a stick each, in three tensors.
  EXPECT_EQ(stats.steps[1].transferBytes, 3 * 256);
  const target::Target &t = target::defaultTarget();
  EXPECT_NEAR(stats.hostWorkSeconds,
              3 * (t.dmaSetupUs * 1e-6 + 256 / (t.pcieGBps * 1e9) +
                   256 / (t.hostLayoutGBps * 1e9)),
              1e-12);
  EXPECT_NEAR(stats.totalSeconds,
              t.hostLaunchUs * 1e-6 + 2 * stats.hostWorkSeconds, 1e-12);
}

TEST_F(StreamTest, StepsWithoutNamesTakeThatOfTheirTarget) {
  LaunchPlan plan = hostPlan();
  for (launch::Step &step : plan.steps) {
    step.name.clear();
  }
  x = bytesOf(std::vector<float>{5, 1, 5, 2, 4, 3});
  y.resize(16);
  open(plan);
  std::vector<std::byte> positions(32);
  bindings[2] = {{bindings[0].device.region, 768}, {}, positions};
  Stream stream(device);
  LaunchStats stats;
  ASSERT_TRUE(stream.launch(*model, bindings, &stats));
  ASSERT_TRUE(stream.synchronize()) << textOf(stream.synchronize());
  std::vector<std::string> names;
  for (const StepStats &step : stats.steps) {
    names.push_back(step.name);
  }
  EXPECT_THAT(names,
              ElementsAre(plan.arguments[0].name, "topk",
                          plan.arguments[1].name, plan.arguments[2].name));
}

TEST_F(StreamTest, FailuresAreSticky) {
  open(addPlan());
  Stream stream(device);
  device.trap = true;
  ASSERT_TRUE(stream.launch(*model, bindings));
  // The copy of y, after the trap, is not dispatched.
  EXPECT_THAT(device.log, ElementsAre("copyIn 101+256", "run"));
  EXPECT_THAT(textOf(stream.synchronize()),
              AllOf(HasSubstr("a trap"), HasSubstr("in step \"add\"")));
  device.trap = false;
  ASSERT_TRUE(stream.launch(*model, bindings));
  EXPECT_EQ(device.log.size(), 2u);
  EXPECT_THAT(textOf(stream.synchronize()), HasSubstr("a trap"));
  // Another stream is not affected.
  Stream other(device);
  ASSERT_TRUE(other.launch(*model, bindings));
  EXPECT_TRUE(other.synchronize());
}

TEST_F(StreamTest, MisuseLeavesTheStreamUsable) {
  open(addPlan());
  Stream stream(device);
  std::vector<Binding> wrong = bindings;
  wrong[0].device.offset = 100;
  EXPECT_THAT(textOf(stream.launch(*model, wrong)),
              AllOf(HasSubstr("E0808"), HasSubstr("argument \"x\"")));
  wrong = bindings;
  wrong[1].hostOutput = wrong[1].hostOutput.first(20);
  EXPECT_THAT(textOf(stream.launch(*model, wrong)),
              AllOf(HasSubstr("E0808"), HasSubstr("24"), HasSubstr("20")));
  wrong.pop_back();
  EXPECT_THAT(textOf(stream.launch(*model, wrong)), HasSubstr("E0808"));
  FakeDevice elsewhere;
  Stream foreign(elsewhere);
  EXPECT_THAT(textOf(foreign.launch(*model, bindings)), HasSubstr("E0808"));
  EXPECT_TRUE(device.log.empty());
  EXPECT_TRUE(stream.launch(*model, bindings));
  EXPECT_TRUE(stream.synchronize());
}

TEST_F(StreamTest, TimingOnlyMovesNothing) {
  LaunchPlan plan = addPlan();
  auto loaded = load(artifactOf(plan), device, target::defaultTarget(),
                     {.timingOnly = true});
  ASSERT_TRUE(loaded) << textOf(loaded);
  EXPECT_TRUE(device.log.empty());
  Stream stream(device);
  LaunchStats stats;
  ASSERT_TRUE(stream.launch(**loaded, std::vector<Binding>(2), &stats));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_THAT(device.log, ElementsAre("run"));
  EXPECT_TRUE(device.launches[0].timingOnly);
  EXPECT_EQ(stats.steps.size(), 3u);
}

TEST_F(StreamTest, ScalarsArePatchedAndChecked) {
  open(scalarPlan());
  for (const auto &[value, isFine] :
       {std::pair(int64_t{6}, true), std::pair(int64_t{0}, true),
        std::pair(int64_t{8}, false), std::pair(int64_t{-2}, false),
        std::pair(int64_t{3}, false)}) {
    const std::vector<std::byte> bytes = bytesOf(std::vector<int64_t>{value});
    bindings[2].hostInput = bytes;
    Stream stream(device);
    ASSERT_TRUE(stream.launch(*model, bindings));
    const Status status = stream.synchronize();
    EXPECT_EQ(status.has_value(), isFine) << textOf(status);
    if (isFine) {
      EXPECT_THAT(device.launches.back().scalarValues, ElementsAre(value));
    } else {
      EXPECT_THAT(textOf(status), HasSubstr("E0819")) << value;
    }
  }
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

HostTensor f32(const std::vector<int64_t> &shape,
               const std::vector<float> &values) {
  return {launch::HostType::F32, shape, bytesOf(values)};
}

TEST_F(StreamTest, RunTakesAndGivesTensorsByName) {
  open(addPlan());
  const Expected<RunResult> result =
      run(*model, {{"x", f32({2, 3}, {1, 2, 3, 4, 5, 6})}});
  ASSERT_TRUE(result) << textOf(result);
  ASSERT_EQ(result->outputs.size(), 1u);
  EXPECT_EQ(result->outputs.at("y"), f32({2, 3}, {11, 22, 33, 44, 55, 66}));
  // Only the segment and the region of the fixture are left.
  EXPECT_EQ(device.regions.size(), 2u);

  EXPECT_THAT(textOf(run(*model, {{"q", f32({1}, {1})}})),
              AllOf(HasSubstr("E0807"), HasSubstr("\"q\"")));
  EXPECT_THAT(textOf(run(*model, {{"y", f32({2, 3}, {1, 2, 3, 4, 5, 6})}})),
              HasSubstr("E0807"));
  EXPECT_THAT(textOf(run(*model, {})),
              AllOf(HasSubstr("E0808"), HasSubstr("input \"x\": 2x3xf32")));
  EXPECT_THAT(textOf(run(*model, {{"x", f32({3, 2}, {1, 2, 3, 4, 5, 6})}})),
              AllOf(HasSubstr("E0806"), HasSubstr("argument \"x\""),
                    HasSubstr("required: 2x3xf32"),
                    HasSubstr("given: 3x2xf32")));
}

TEST_F(StreamTest, ASessionRunsAgainAfterAFailure) {
  open(addPlan());
  auto session = Session::create(*model);
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->fillInputs(7));
  device.trap = true;
  EXPECT_THAT(textOf((*session)->run()), HasSubstr("a trap"));
  EXPECT_EQ((*session)->output(1), nullptr);
  device.trap = false;
  ASSERT_TRUE((*session)->run());
  // The first random value of seed 7 and "x" is 0.48258...; the nearest f16 is
  // 0.482666015625, and 10.482666015625 rounds to a multiple of 2^-7.
  EXPECT_EQ(elementAsDouble(*(*session)->output(1), 0), 10.484375);
}

TEST(CheckInputTest, IndicesMustBeBelowTheBound) {
  launch::Argument argument;
  argument.name = "ids";
  argument.hostType = launch::HostType::I64;
  argument.shape = {2};
  argument.indexBound = 10;
  HostTensor tensor{
      launch::HostType::I64, {2}, bytesOf(std::vector<int64_t>{0, 9})};
  EXPECT_TRUE(checkInput(argument, tensor));
  tensor.bytes = bytesOf(std::vector<int64_t>{0, 10});
  EXPECT_THAT(textOf(checkInput(argument, tensor)),
              AllOf(HasSubstr("E0810"), HasSubstr("element 1 is 10")));
  tensor.bytes = bytesOf(std::vector<int64_t>{-1, 0});
  EXPECT_THAT(textOf(checkInput(argument, tensor)), HasSubstr("E0810"));
  tensor.bytes.pop_back();
  EXPECT_THAT(textOf(checkInput(argument, tensor)), HasSubstr("E0806"));
}

} // namespace
