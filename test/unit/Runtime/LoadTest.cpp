// SPDX-License-Identifier: Apache-2.0

#include "Support.h"
#include "TestPlan.h"

#include "spyre/Runtime/Runtime.h"

#include <fstream>
#include <gmock/gmock.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::LaunchPlan;
using launch::StepKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string loadText(const LaunchPlan &plan, const LoadOptions &options = {}) {
  FakeDevice device;
  return textOf(
      load(artifactOf(plan), device, target::defaultTarget(), options));
}

TEST(LoadTest, CopiesWeightsWithTheirMask) {
  FakeDevice device;
  {
    const auto model =
        load(artifactOf(addPlan()), device, target::defaultTarget());
    ASSERT_TRUE(model) << textOf(model);
    // The weight lies 128 bytes into its segment.
    EXPECT_THAT(device.log, ElementsAre("copyIn 100+128"));
    // Two sticks of three lanes each.
    EXPECT_THAT(device.lastDefined, ElementsAre(0b111, 0b111));
    EXPECT_EQ((*model)->argumentBytes(0), 256);
    EXPECT_EQ((*model)->findArgument("y"), 1u);
    EXPECT_EQ((*model)->findArgument("z"), std::nullopt);
  }
  EXPECT_TRUE(device.regions.empty());
}

TEST(LoadTest, ReadsAnArtifactFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "add.spyre").string();
  ASSERT_TRUE(writeAddArtifact(addPlan(), path));
  FakeDevice device;
  const auto model = load(path, device, target::defaultTarget());
  EXPECT_TRUE(model) << textOf(model);
}

TEST(LoadTest, RefusesAnotherTarget) {
  LaunchPlan plan = addPlan();
  plan.targetHash ^= 1;
  EXPECT_THAT(loadText(plan), HasSubstr("E0813"));
}

TEST(LoadTest, RefusesWhatTheCheckerRefuses) {
  LaunchPlan plan = addPlan();
  plan.steps[3].writes[0].hi -= 128;
  // The checker's own errors (E07xx) stand in the notes.
  EXPECT_THAT(loadText(plan), AllOf(HasSubstr("E0812"), HasSubstr("E07")));
}

TEST(LoadTest, ListsEveryStepThatItCannotExecute) {
  LaunchPlan plan = addPlan();
  for (StepKind kind : {StepKind::Fill, StepKind::Send, StepKind::Recv}) {
    launch::Step step;
    step.kind = kind;
    plan.steps.push_back(step);
  }
  plan.steps[4].card = 1;
  EXPECT_THAT(loadText(plan),
              AllOf(HasSubstr("E0814"), HasSubstr("4 of 8 steps"),
                    HasSubstr("step 5"), HasSubstr("step 7"),
                    HasSubstr("card 1")));
}

TEST(LoadTest, RefusesSymbolsThatDoNotFit) {
  LaunchPlan plan = addPlan();
  std::swap(plan.symbols[0].target, plan.symbols[1].target);
  EXPECT_THAT(loadText(plan), HasSubstr("E0818"));
  plan = addPlan();
  plan.symbols.pop_back();
  EXPECT_THAT(loadText(plan), HasSubstr("E0818"));
  plan = addPlan();
  plan.symbols.push_back(plan.symbols[0]);
  EXPECT_THAT(loadText(plan), HasSubstr("E0818"));
  plan = addPlan();
  plan.symbols[0].program = 7;
  EXPECT_THAT(loadText(plan), HasSubstr("E0818"));
  plan = addPlan();
  plan.symbols.push_back({launch::SymbolKind::Value, 0, 0, 0});
  EXPECT_THAT(loadText(plan), HasSubstr("E0818"));
}

TEST(LoadTest, AbsentWeightsAllowTimingOnly) {
  LaunchPlan plan = addPlan();
  plan.weights[0].storage = launch::WeightStorage::None;
  EXPECT_THAT(loadText(plan), AllOf(HasSubstr("E0815"), HasSubstr("\"w\"")));
  EXPECT_EQ(loadText(plan, {.timingOnly = true}), "success");
}

TEST(LoadTest, DamagedWeightsAreFound) {
  LaunchPlan plan = addPlan();
  plan.weights[0].hash ^= 1;
  EXPECT_THAT(loadText(plan), HasSubstr("E0817"));
}

/// The plan with its weight in a file, 4 bytes into it.
LaunchPlan externalPlan(const std::string &file) {
  LaunchPlan plan = addPlan();
  launch::Weight &weight = plan.weights[0];
  weight.storage = launch::WeightStorage::External;
  weight.file = file;
  weight.fileOffset = 4;
  weight.hostBytes = 24;
  const std::vector<std::byte> values = weightValues();
  weight.hash = XXH3_64bits(values.data(), values.size());
  return plan;
}

class ExternalWeightTest : public testing::Test {
protected:
  ExternalWeightTest() {
    std::filesystem::create_directories(root.path / "model" / "data");
    write(root.path / "model" / "data" / "w.bin");
    write(root.path / "secret.bin");
  }

  static void write(const std::filesystem::path &path) {
    std::ofstream stream(path, std::ios::binary);
    stream << "head";
    const std::vector<std::byte> values = weightValues();
    stream.write(reinterpret_cast<const char *>(values.data()), 24);
  }

  std::string loadText(const LaunchPlan &plan) {
    launch::Artifact artifact = artifactOf(plan);
    artifact.folder = (root.path / "model").string();
    return textOf(load(std::move(artifact), device, target::defaultTarget()));
  }

  TemporaryFolder root;
  FakeDevice device;
};

TEST_F(ExternalWeightTest, IsLaidOutByTheLoader) {
  EXPECT_EQ(loadText(externalPlan("data/w.bin")), "success");
  EXPECT_THAT(device.lastDefined, ElementsAre(0b111, 0b111));
}

TEST_F(ExternalWeightTest, StaysInTheFolder) {
  const std::string outside = (root.path / "secret.bin").string();
  std::filesystem::create_symlink(outside, root.path / "model" / "link.bin");
  for (const std::string &file :
       {std::string("../secret.bin"), std::string("data/../../secret.bin"),
        outside, std::string("link.bin"), std::string(),
        std::string("w\0.bin", 6)}) {
    EXPECT_THAT(loadText(externalPlan(file)), HasSubstr("E0816")) << file;
  }
}

TEST_F(ExternalWeightTest, MustHaveTheRightBytes) {
  EXPECT_THAT(loadText(externalPlan("missing.bin")), HasSubstr("E0817"));
  EXPECT_THAT(loadText(externalPlan("data")), HasSubstr("E0817"));
  LaunchPlan plan = externalPlan("data/w.bin");
  // 28 bytes in the file: 24 from offset 5 on are one too many.
  plan.weights[0].fileOffset = 5;
  EXPECT_THAT(loadText(plan), HasSubstr("E0817"));
  plan.weights[0].fileOffset = 0;
  EXPECT_THAT(loadText(plan), HasSubstr("E0817"));
}

TEST(LoadTest, AFullDeviceIsReported) {
  FakeDevice device;
  device.capacity = 100;
  EXPECT_THAT(
      textOf(load(artifactOf(addPlan()), device, target::defaultTarget())),
      HasSubstr("the device is full"));
}

} // namespace
