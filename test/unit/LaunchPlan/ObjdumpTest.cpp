// SPDX-License-Identifier: Apache-2.0
//
// spyre-objdump: its dumps in process, its exit status as a program.

#include "Dump.h"
#include "TestPlans.h"

#include "spyre/LaunchPlan/Serialize.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace spyre;
using namespace spyre::launch;
using testing::HasSubstr;

namespace {

/// The artifact of a plan whose weights are not stored.
Artifact artifactOf(LaunchPlan plan) {
  for (Weight &weight : plan.weights) {
    weight.storage = WeightStorage::None;
  }
  std::string path = temporaryPath("model.spyre");
  Status status = writeArtifact(plan, path, {});
  EXPECT_TRUE(status) << status.error().str();
  Expected<Artifact> artifact = readArtifact(path);
  EXPECT_TRUE(artifact) << artifact.error().str();
  std::filesystem::remove(path);
  return artifact ? std::move(*artifact) : Artifact();
}

int exitStatus(const std::string &arguments) {
  std::string command =
      std::string(SPYRE_OBJDUMP) + " " + arguments + " >/dev/null 2>&1";
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(Objdump, ShowsEveryPart) {
  Artifact artifact = artifactOf(examplePlan());
  std::string text = objdump::dump(artifact, {}).value();
  for (const char *part :
       {"format 1.1", "target \"spyre-32\" hash 0123456789abcdef",
        "1 output \"y\" f16 [512x4096] on device f16", "0 weights 256 bytes",
        "\"w\" f16 [2x64] segment 0 offset 0 bytes 256 none",
        "device compute card 0 0 \"matmul\" reads argument 0 [0, 4194304)",
        "address of argument 0 into buffer 0 of program 0",
        "0 topk(axis=1, k=100, largest=1) because \"more than 64 rounds\"",
        "reads argument 0 offset 0 f16 [512x4096] layout (",
        "matmul [128] rows 1 stick 512 inner 256"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Objdump, SectionsAndJson) {
  Artifact artifact = artifactOf(examplePlan());
  auto json = [&](const std::string &section) {
    return nlohmann::json::parse(
        objdump::dump(artifact, {true, section, ""}).value());
  };
  EXPECT_EQ(json("plan")["producer"], "test");
  EXPECT_EQ(json("header")["sections"].size(), 3u);
  EXPECT_EQ(json("weights")[0]["name"], "w");
  EXPECT_EQ(json("manifest")["steps"][0]["kind"], "compute");
  EXPECT_EQ(json("")["plan"]["programs"][0]["name"], "k");
  EXPECT_THAT(objdump::dump(artifact, {false, "manifest", ""}).value(),
              HasSubstr("\"producer\": \"test\""));
}

TEST(Objdump, OneProgram) {
  Artifact artifact = artifactOf(examplePlan());
  EXPECT_THAT(objdump::dump(artifact, {false, "", "k"}).value(),
              testing::StartsWith("program @k cores 32"));
  Expected<std::string> unknown = objdump::dump(artifact, {false, "", "q"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().str(), HasSubstr("E0609"));
  EXPECT_THAT(unknown.error().str(), HasSubstr("the 1 programs are: \"k\""));
}

TEST(Objdump, AnyPlanPrints) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Artifact artifact = artifactOf(randomPlan(seed));
    for (bool json : {false, true}) {
      Expected<std::string> text = objdump::dump(artifact, {json, "", ""});
      ASSERT_TRUE(text) << seed;
      // Names of the plan hold control characters; none is printed.
      EXPECT_EQ(text->find('\x1b'), std::string::npos) << seed;
    }
  }
}

TEST(Objdump, ExitStatus) {
  std::string path = temporaryPath("model.spyre");
  ASSERT_TRUE(
      writeArtifact(examplePlan(), path, provide({std::string(256, 'w')})));
  EXPECT_EQ(exitStatus(path), 0);
  EXPECT_EQ(exitStatus(path + " --verify --format=json --section=plan"), 0);
  EXPECT_EQ(exitStatus("--help"), 0);
  EXPECT_EQ(exitStatus(path + ".missing"), 1);
  EXPECT_EQ(exitStatus(path + " --program=missing"), 1);
  EXPECT_EQ(exitStatus(""), 2);
  EXPECT_EQ(exitStatus(path + " --format=xml"), 2);
  EXPECT_EQ(exitStatus(path + " --unknown"), 2);
  std::filesystem::remove(path);
}

} // namespace
