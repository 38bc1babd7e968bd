// SPDX-License-Identifier: Apache-2.0
//
// The built-in targets, what follows from the list of fields, and the pages
// generated from them.

#include "spyre/Target/Target.h"
#include "spyre/Target/Fields.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <set>

using namespace spyre;
using namespace spyre::target;
using testing::HasSubstr;

namespace {

TEST(Target, DefaultHoldsThePublishedMachine) {
  const Target &t = defaultTarget();
  EXPECT_EQ(t.name, "spyre-32");
  EXPECT_EQ(t.numCores, 32);
  EXPECT_EQ(t.lxBytes, 2 * 1024 * 1024);
  // (2 MiB - 64 KiB) * 0.8 = 1625292.8, rounded down to whole sticks.
  EXPECT_EQ(t.lxPlannerBudgetBytes, 1625292 / 128 * 128);
  // 255.996 MiB = 256 MiB - 4 KiB.
  EXPECT_EQ(t.maxSpanBytes, 256 * 1024 * 1024 - 4096);
  EXPECT_EQ(t.maxLoopTrips, 65535);
  EXPECT_EQ(t.ddrBytes, int64_t(128) << 30);
  EXPECT_EQ(t.floatStorage, ElementType::F16);
  // 128 bytes at 1.3 GHz = 166.4 GB/s.
  EXPECT_NEAR(static_cast<double>(t.ringBytesPerCycle) * t.ringClockGHz,
              t.memoryNodeGBps, 1e-9);
  // Two operations per multiply-accumulate: 72 TFLOPS.
  EXPECT_NEAR(t.peakFp16MacsPerSecond() * 2 / 1e12, 72.1, 0.1);
  // A window of 22 sticks at 170 ns is 16.5 GB/s.
  EXPECT_NEAR(static_cast<double>(t.requestWindowSticks) * 128 /
                  t.requestLatencyNs,
              16.5, 0.1);
  EXPECT_EQ(t.reference.relayoutInterceptNs, -1.14);
  EXPECT_EQ(t.provenance.size(), fields().size());
}

TEST(Target, BuiltinsLoadByName) {
  for (const std::string &name : builtinTargets()) {
    Expected<Target> target = loadTarget(name);
    ASSERT_TRUE(target) << target.error().str();
    EXPECT_EQ(target->name, name);
  }
}

TEST(Target, InheritanceOverridesAndKeepsTheRest) {
  Expected<Target> small = loadTarget("spyre-32-lx512");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->lxPlannerBudgetBytes, 512 * 1024);
  EXPECT_EQ(small->lxBytes, defaultTarget().lxBytes);
  EXPECT_NE(small->hash, defaultTarget().hash);
}

TEST(Target, FieldsAreUniqueAndGrouped) {
  std::set<std::string_view> paths;
  std::set<std::string_view> groups;
  std::string_view group;
  for (const Field &field : fields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    if (field.group() != group) {
      group = field.group();
      EXPECT_TRUE(groups.insert(group).second) << group;
    }
  }
}

TEST(Target, HashFollowsFromNameAndValuesAlone) {
  auto hash = [](std::string_view overrides) {
    std::string text =
        R"({"name": "x", "inherit": "spyre-32", )" + std::string(overrides);
    Expected<Target> target = parseTarget(text + "}", "test");
    EXPECT_TRUE(target) << target.error().str();
    return target ? target->hash : 0;
  };
  uint64_t same = hash(
      R"("cores": {"coreClockGHz": {"value": 1.1, "unit": "GHz", "confidence": "A", "source": "a"}})");
  uint64_t source = hash(
      R"("cores": {"coreClockGHz": {"value": 1.10, "unit": "GHz", "confidence": "D", "source": "b"}})");
  uint64_t value = hash(
      R"("cores": {"coreClockGHz": {"value": 1.5, "unit": "GHz", "confidence": "A", "source": "a"}})");
  EXPECT_EQ(same, source);
  EXPECT_NE(same, value);
  EXPECT_NE(same, defaultTarget().hash); // another name
}

TEST(Target, CanonicalFormHoldsEveryField) {
  std::string text = canonicalJson(defaultTarget());
  for (const Field &field : fields()) {
    EXPECT_THAT(text, HasSubstr("\"" + std::string(field.path) + "\":"));
  }
  EXPECT_THAT(text, HasSubstr("\"ddr.ddrPeakGBps\":204.8,"));
}

TEST(Target, TableHoldsValueUnitConfidenceAndSource) {
  std::string table = targetTableMarkdown(defaultTarget());
  EXPECT_THAT(table, HasSubstr("| `lxBytes` | 2097152 (2 MiB) | B | P |"));
  EXPECT_THAT(table, HasSubstr("| `ringHopCycles` | 2 | cycles | A |"));
  std::ifstream page(SPYRE_SOURCE_DIR "/docs/Targets.md");
  std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(text, HasSubstr(table)) << "run spyre-docgen targets";
}

TEST(Target, LoadsAFile) {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / "spyre-target-test.json";
  std::ofstream(path) << R"({"name": "mine", "inherit": "spyre-32"})";
  Expected<Target> target = loadTarget(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(target) << target.error().str();
  EXPECT_EQ(target->name, "mine");
  EXPECT_EQ(target->numCores, 32);
}

} // namespace
