// SPDX-License-Identifier: Apache-2.0
//
// What the checker accepts, the footprints it computes, and that no content of
// a plan makes it crash.

#include "CheckerPlans.h"
#include "TestPlans.h"

#include "spyre/LaunchPlan/Mutate.h"
#include "spyre/LaunchPlan/Text.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::launch;

namespace {

TEST(PlanChecker, AcceptsAnElementwiseKernel) {
  EXPECT_EQ(errorsOf(doublePlan()), "");
}

TEST(PlanChecker, AcceptsAMulticastMatmul) {
  EXPECT_EQ(errorsOf(planOf(matmulText(), matmulParts())), "");
}

TEST(PlanChecker, AcceptsResidentsAndScratch) {
  EXPECT_EQ(errorsOf(planOf(residentText(), residentParts())), "");
}

TEST(PlanChecker, AcceptsARingReduction) {
  EXPECT_EQ(errorsOf(planOf(reduceText(), reduceParts())), "");
}

TEST(PlanChecker, AcceptsTheReferenceMatmul) {
  PlanParts parts{{{{512, 4096}}, {{512, 4096}}}, {{{4096, 4096}}}};
  LaunchPlan plan = planOf(documentedProgram(), parts);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(errorsOf(plan), "");
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(seconds.count() * 1e3));
}

TEST(PlanChecker, AcceptsAViewOfAnArgument) {
  // [2, 64, 64] of 128 full columns is [2, 4, 16, 64] with the same sticks.
  std::string text = replaced(doubleText(), "%X ddr arg(0) f16 [2, 64, 64]",
                              "%X ddr arg(0) f16 [2, 8, 8, 64]");
  text = replaced(text, "%X[d0, 32*%c + 8*i0 + d1]", "%X[d0, 4*%c + i0, d1]");
  EXPECT_EQ(errorsOf(planOf(text, doubleParts())), "");
}

TEST(PlanChecker, AcceptsAScratchQueueBetweenStoreAndLoad) {
  // The second half of each core goes through DDR inside one phase.
  std::string text = R"(program @through cores 2
table %c = core
buffer %X ddr arg(0) f16 [1, 8, 64] input valid 64 along 0
buffer %Y ddr arg(1) f16 [1, 8, 64] output valid 64 along 0
buffer %S ddr seg(1) f16 [8, 64] scratch queue 2 store -> load
buffer %x lx f16 [1, 64] queue 1 load -> sfu
buffer %o lx at 512 f16 [1, 64] queue 1 sfu -> store
body @copy(x) { return x }
phase {
  load { loop 4 {
    move [1] %X[0, 4*%c + i0 + d0] -> %x[d0] next %x
    move [1] %S[4*%c + i0 + d0] -> %x[d0] next %S, %x } }
  sfu { loop 8 { map @copy stick 64 %x[tile] -> %o[tile] next %x, %o } }
  store { loop 4 {
    move [1] %o[d0] -> %S[4*%c + i0 + d0] next %o, %S
    move [1] %o[d0] -> %Y[0, 4*%c + i0 + d0] next %o } }
}
)";
  PlanParts parts{{{{8, 64}}, {{8, 64}}}, {}};
  EXPECT_EQ(errorsOf(planOf(text, parts)), "");
  // Core 1 reading what core 0 stores is not ordered by this queue.
  text = replaced(text, "%S[4*%c + i0 + d0] -> %x", "%S[i0 + d0] -> %x");
  EXPECT_NE(errorsOf(planOf(text, parts)).find("E0744"), std::string::npos);
}

TEST(PlanChecker, CarriesUndefinedLanesThroughATranspose) {
  // 50 of 64 lanes are valid: rows 50 to 63 of the transpose stay undefined.
  std::string text = R"(program @turn cores 1
buffer %X ddr arg(0) f16 [1, 64, 64] input valid 50 along 0
buffer %Y ddr arg(1) f16 [1, 50, 64] output valid 64 along 0
buffer %x lx f16 [1, 64, 64] queue 1 load -> sfu
buffer %y lx at 8192 f16 [1, 64, 64] queue 1 sfu -> store
phase {
  load { move [64] %X[0, d0] -> %x[0, d0] next %x }
  sfu { transpose stick 64 inner 64 %x[tile, row] -> %y[tile, row]
      next %x, %y }
  store { move [50] %y[0, d0] -> %Y[0, d0] next %y }
}
)";
  PlanParts parts{{{{64, 50}}, {{50, 64}}}, {}};
  EXPECT_EQ(errorsOf(planOf(text, parts)), "");
  // Row 50 of the transpose holds nothing (E0747).
  text = replaced(text, "[1, 50, 64] output", "[1, 51, 64] output");
  text = replaced(text, "move [50]", "move [51]");
  parts.arguments[1].shape = {51, 64};
  EXPECT_NE(errorsOf(planOf(text, parts))
                .find("valid lanes of stick 50 of 51 are not written"),
            std::string::npos);
}

TEST(PlanChecker, ACoreWithoutWorkLeavesItsSlots) {
  // Core 0 has 3 rows, core 1 has 2: on the third trip core 1 gets the stick
  // that both share, and has no row for it.
  std::string text = R"(program @uneven cores 2
table %c = core
table %rows = [3, 2]
table %send = [1, 0]
table %both = [3, 3]
table %from = [1, 1]
buffer %X ddr arg(0) f16 [1, 5, 64] input valid 64 along 0
buffer %B ddr arg(1) f16 [1, 64] input valid 64 along 0
buffer %Y ddr arg(2) f16 [1, 5, 64] output valid 64 along 0
buffer %x lx f16 [1, 1, 64] queue 1 load -> sfu
buffer %b lx at 512 f16 [1, 64] queue 1 load@%from -> sfu
buffer %y lx at 1024 f16 [1, 1, 64] queue 1 sfu -> store
body @sum(x, b) { s = add(x, b) return s }
phase {
  load { loop 3 {
    move [1] %B[d0] -> %b[d0] to %both if %send next %b
    move [1, min(1, %rows - i0)] %X[d0, 3*%c + i0 + d1] -> %x[d0, d1] next %x } }
  sfu { loop 3 {
    map @sum [min(1, %rows - i0)] stick 64 %x[tile, d0], %b[tile] -> %y[tile, d0]
        next %x, %b, %y } }
  store { loop 3 {
    move [1, min(1, %rows - i0)] %y[d0, d1] -> %Y[d0, 3*%c + i0 + d1] next %y } }
}
)";
  EXPECT_EQ(errorsOf(planOf(text, {{{{5, 64}}, {{64}}, {{5, 64}}}, {}})), "");
}

TEST(PlanChecker, FootprintsAreTheHullsOfTheBoxes) {
  LaunchPlan plan = planOf(replaced(doubleText(), "%X[d0, 32*%c + 8*i0 + d1]",
                                    "%X[1, 32*%c + 8*i0 + d1]"),
                           doubleParts());
  Expected<StepFootprints> footprints =
      computeFootprints(plan, 0, target::defaultTarget());
  ASSERT_TRUE(footprints) << footprints.error().str();
  // The second half of X: sticks 64 to 127; all 128 sticks of Y.
  EXPECT_EQ(footprints->reads,
            (std::vector<Footprint>{{RegionKind::Argument, 0, 8192, 16384}}));
  EXPECT_EQ(footprints->writes,
            (std::vector<Footprint>{{RegionKind::Argument, 1, 0, 16384}}));
}

TEST(PlanChecker, NamesTheNodeAndThePlace) {
  std::string text =
      errorsOf(planOf(replaced(doubleText(), "32*%c + 8*i0 + d1] -> %x",
                               "32*%c + 9*i0 + d1] -> %x"),
                      doubleParts()));
  // Core 1, trip 3: 32 + 27 + 7 = 66.
  EXPECT_NE(text.find("E0730"), std::string::npos) << text;
  EXPECT_NE(text.find("node \"model/Add\""), std::string::npos) << text;
  EXPECT_NE(text.find("reaches [59, 66] of dim 1 of \"X\", which has 64"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("phase 0 \"main\", unit load, command 1, core 1, kernel "
                      "\"double\""),
            std::string::npos)
      << text;
}

TEST(PlanCheckerRobustness, SurvivesRandomPlans) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    LaunchPlan plan = randomPlan(seed);
    EXPECT_LE(checkPlan(plan, target::defaultTarget()).size(), 20u);
    EXPECT_LE(checkPlan(plan, target::Target()).size(), 20u);
  }
}

TEST(PlanCheckerRobustness, SurvivesEveryFieldAtEveryExtreme) {
  CheckerBudgets budgets{20'000, 1'000'000, 1 << 20};
  for (LaunchPlan plan : {doublePlan(), planOf(matmulText(), matmulParts()),
                          planOf(residentText(), residentParts()),
                          planOf(reduceText(), reduceParts())}) {
    for (FieldRef &field : enumerateFields(plan)) {
      int64_t before = field.get();
      std::vector<int64_t> values = {0, 1, 2, before + 1};
      if (field.numValues == 0) {
        for (int64_t value :
             {before - 1, before * 2, int64_t{-1}, INT64_MIN, INT64_MAX,
              int64_t{INT32_MIN}, int64_t{INT32_MAX}, int64_t{1} << 40}) {
          values.push_back(value);
        }
      }
      for (int64_t value : values) {
        if (field.numValues == 0 || value < field.numValues) {
          field.set(value);
          EXPECT_LE(checkPlan(plan, target::defaultTarget(), budgets).size(),
                    20u)
              << field.path;
        }
      }
      field.set(before);
    }
  }
}

TEST(PlanCheckerRobustness, SurvivesMissingAndSwappedEntries) {
  for (const LaunchPlan &plan : {planOf(matmulText(), matmulParts()),
                                 planOf(residentText(), residentParts())}) {
    LaunchPlan changed = plan;
    size_t lists = enumerateLists(changed).size();
    for (size_t list = 0; list < lists; ++list) {
      size_t entries = enumerateLists(changed)[list].size();
      for (size_t entry = 0; entry < entries; ++entry) {
        changed = plan;
        enumerateLists(changed)[list].erase(entry);
        EXPECT_LE(checkPlan(changed, target::defaultTarget()).size(), 20u);
        changed = plan;
        enumerateLists(changed)[list].swap(entry, 0);
        EXPECT_LE(checkPlan(changed, target::defaultTarget()).size(), 20u);
        changed = plan;
      }
    }
  }
}

} // namespace
