// SPDX-License-Identifier: Apache-2.0
//
// The binary form, the JSON dump and the enumeration of fields.

#include "TestPlans.h"

#include "spyre/LaunchPlan/Mutate.h"
#include "spyre/LaunchPlan/Serialize.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::launch;
using testing::HasSubstr;

namespace {

TEST(Serialize, ScalarsAreFixedWidthLittleEndianWithCountsFirst) {
  LaunchPlan plan;
  plan.producer = "ab";
  plan.targetHash = 0x0102030405060708;
  std::vector<std::byte> bytes = encodePlan(plan);
  // 3 strings (4 + 2, 4, 4), the hash (8), 6 counts (24), numEvents (4) and
  // the count of host calls (4).
  ASSERT_EQ(bytes.size(), 6u + 4 + 4 + 8 + 24 + 4 + 4);
  EXPECT_EQ(bytes[0], std::byte{2});
  EXPECT_EQ(bytes[4], std::byte{'a'});
  EXPECT_EQ(bytes[14], std::byte{0x08});
  EXPECT_EQ(bytes[21], std::byte{0x01});
}

TEST(Serialize, RoundTripsTheExample) {
  LaunchPlan plan = examplePlan();
  Expected<LaunchPlan> decoded = decodePlan(encodePlan(plan));
  ASSERT_TRUE(decoded) << decoded.error().str();
  EXPECT_TRUE(*decoded == plan);
}

// Format 1.0 ends before the host calls, whose count is 4 bytes.
TEST(Serialize, ReadsAPlanWithoutHostCalls) {
  LaunchPlan plan = examplePlan();
  plan.hostCalls.clear();
  std::vector<std::byte> bytes = encodePlan(plan);
  std::span<const std::byte> old = std::span(bytes).first(bytes.size() - 4);
  Expected<LaunchPlan> decoded = decodePlan(old, 0);
  ASSERT_TRUE(decoded) << decoded.error().str();
  EXPECT_TRUE(*decoded == plan);
  EXPECT_FALSE(decodePlan(old, 1));
  EXPECT_FALSE(decodePlan(bytes, 0));
}

TEST(Serialize, RoundTripsRandomPlansInEveryField) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    LaunchPlan plan = randomPlan(seed);
    std::vector<std::byte> bytes = encodePlan(plan);
    Expected<LaunchPlan> decoded = decodePlan(bytes);
    ASSERT_TRUE(decoded) << seed << ": " << decoded.error().str();
    ASSERT_TRUE(*decoded == plan) << seed;
    ASSERT_EQ(encodePlan(*decoded), bytes) << seed;
  }
}

TEST(Serialize, EveryPrefixIsAnError) {
  std::vector<std::byte> bytes = encodePlan(examplePlan());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Expected<LaunchPlan> decoded = decodePlan(std::span(bytes).first(size));
    ASSERT_FALSE(decoded) << size;
    ASSERT_THAT(decoded.error().str(), HasSubstr("E0605"));
  }
}

TEST(Serialize, RefusesBytesAfterThePlan) {
  std::vector<std::byte> bytes = encodePlan(LaunchPlan());
  size_t size = bytes.size();
  bytes.push_back(std::byte{0});
  Expected<LaunchPlan> decoded = decodePlan(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message,
              HasSubstr("ends at byte " + std::to_string(size)));
}

TEST(Serialize, RefusesACountThatTheBytesCannotHold) {
  std::vector<std::byte> bytes = encodePlan(LaunchPlan());
  std::fill_n(bytes.begin(), 4, std::byte{0xff});
  Expected<LaunchPlan> decoded = decodePlan(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().str(), HasSubstr("4294967295 entries"));
  EXPECT_THAT(decoded.error().str(), HasSubstr("\"producer\""));
}

TEST(Serialize, RefusesUnbalancedAndDeepLoops) {
  LaunchPlan plan;
  std::vector<Command> &list =
      plan.programs.emplace_back().phases.emplace_back().units[0];
  list.resize(1);
  list[0].kind = CommandKind::End;
  EXPECT_FALSE(decodePlan(encodePlan(plan)));
  list.assign(2 * (kMaxLoopNesting + 1), Command());
  for (size_t index = 0; index < list.size(); ++index) {
    list[index].kind =
        index < list.size() / 2 ? CommandKind::Loop : CommandKind::End;
  }
  Expected<LaunchPlan> decoded = decodePlan(encodePlan(plan));
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, HasSubstr("65 nested loops"));
}

TEST(Serialize, RandomBytesNeverCrash) {
  uint64_t state = 1;
  std::vector<std::byte> original = encodePlan(examplePlan());
  int decodedCount = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = original;
    for (int change = 0; change <= round % 3; ++change) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes[(state >> 33) % bytes.size()] = static_cast<std::byte>(state >> 25);
    }
    Expected<LaunchPlan> decoded = decodePlan(bytes);
    if (decoded) {
      ++decodedCount;
      // One encoding per plan.
      ASSERT_EQ(encodePlan(*decoded), bytes);
    }
  }
  EXPECT_GT(decodedCount, 0);
}

TEST(Serialize, JsonNamesEveryFieldAndEnum) {
  nlohmann::ordered_json json = toJson(examplePlan());
  EXPECT_EQ(json["target_hash"], "0123456789abcdef");
  EXPECT_EQ(json["arguments"][1]["role"], "output");
  EXPECT_EQ(json["arguments"][0]["layout"]["dims"].size(), 3u);
  EXPECT_EQ(json["programs"][0]["phases"][0]["units"].size(), 5u);
  EXPECT_EQ(json["programs"][0]["phases"][0]["units"][0][0]["kind"], "loop");
  EXPECT_TRUE(json["programs"][0]["buffers"][0]["queue"].is_null());
}

TEST(Serialize, HashDependsOnEveryScalarField) {
  LaunchPlan plan = examplePlan();
  uint64_t original = hashPlan(plan);
  for (const FieldRef &field : enumerateFields(plan)) {
    if (field.numValues == 1) {
      continue; // An enum of one value: the function of a host call.
    }
    int64_t value = field.get();
    int64_t other =
        field.numValues > 0 ? (value + 1) % field.numValues : value + 1;
    field.set(other);
    EXPECT_NE(hashPlan(plan), original) << field.path;
    field.set(value);
  }
  EXPECT_EQ(hashPlan(plan), original);
}

TEST(Mutate, PathsNameTheFields) {
  LaunchPlan plan = examplePlan();
  std::vector<FieldRef> fields = enumerateFields(plan);
  auto find = [&](const std::string &path) {
    auto found =
        std::find_if(fields.begin(), fields.end(),
                     [&](const FieldRef &ref) { return ref.path == path; });
    EXPECT_NE(found, fields.end()) << path;
    return *found;
  };
  FieldRef shape = find("programs[0].buffers[0].shape[1]");
  EXPECT_EQ(shape.kind, FieldKind::Extent);
  EXPECT_EQ(shape.get(), 512);
  shape.set(511);
  EXPECT_EQ(plan.programs[0].buffers[0].shape[1], 511);
  FieldRef next = find("programs[0].phases[0].units[0][1].next[0]");
  EXPECT_EQ(next.kind, FieldKind::QueueAction);
  EXPECT_EQ(toString(next.kind), "queue_action");
  FieldRef role = find("arguments[1].role");
  EXPECT_EQ(role.numValues, 3);
  EXPECT_EQ(toString(find("weights[0].hash").kind), "hash");
}

TEST(Mutate, ListsErase) {
  LaunchPlan plan = examplePlan();
  for (const ListRef &list : enumerateLists(plan)) {
    if (list.path == "steps[0].reads") {
      ASSERT_EQ(list.size(), 1u);
      list.erase(0);
    }
  }
  EXPECT_TRUE(plan.steps[0].reads.empty());
}

} // namespace
