// SPDX-License-Identifier: Apache-2.0
//
// The search: optimal for small kernels, legal and balanced for large ones,
// obedient to forced choices, and clear when nothing fits.

#include "Problems.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <random>

using namespace spyre;
using namespace spyre::cost;
using namespace spyre::cost::test;
using testing::HasSubstr;

namespace {

const target::Target &machine() { return target::defaultTarget(); }

/// Least time over every legal plan, by enumeration without any pruning.
double exhaustiveOptimum(const KernelProblem &problem) {
  size_t numDims = problem.dims.size();
  double best = std::numeric_limits<double>::max();
  KernelPlan plan = wholePlan(problem);
  std::vector<int32_t> natural(numDims);
  std::iota(natural.begin(), natural.end(), 0);
  std::function<void(size_t)> choose = [&](size_t d) {
    if (d < numDims) {
      const KernelDim &dim = problem.dims[d];
      int64_t granules = (dim.extent + dim.granule - 1) / dim.granule;
      for (int64_t slices = 1; slices <= granules; ++slices) {
        plan.slices[d] = slices;
        int64_t slice = maxSliceSize(dim, slices);
        for (int64_t tile = 1; tile <= slice; ++tile) {
          // All others are illegal (see VerifyPlan.EachRule).
          if (tile % dim.granule == 0 || tile == slice) {
            plan.tiles[d] = tile;
            choose(d + 1);
          }
        }
      }
      return;
    }
    plan.loopOrder = natural;
    do {
      plan.coreOrder = natural;
      do {
        for (int32_t buffers : {1, 2}) {
          plan.buffers = buffers;
          // Sums over cores are only forced.
          if (splitReduction(problem, plan) >= 0 ||
              !verifyPlan(problem, plan, machine())) {
            continue;
          }
          best = std::min(best, estimate(problem, plan, machine()).totalNs);
        }
      } while (
          std::next_permutation(plan.coreOrder.begin(), plan.coreOrder.end()));
    } while (
        std::next_permutation(plan.loopOrder.begin(), plan.loopOrder.end()));
  };
  choose(0);
  return best;
}

TEST(Search, SmallMapsAreOptimal) {
  std::mt19937 random(4);
  for (int i = 0; i < 12; ++i) {
    KernelProblem problem =
        add(1 + random() % 6, 64 * (1 + random() % 2) - random() % 40);
    // Sometimes too small for the whole kernel.
    problem.lxBudgetBytes = 128 * (6 + random() % 60);
    auto found = searchPlan(problem, machine());
    double best = exhaustiveOptimum(problem);
    ASSERT_EQ(found.has_value(), best < std::numeric_limits<double>::max());
    if (found) {
      EXPECT_DOUBLE_EQ(found->cost.totalNs, best)
          << problem.dims[0].extent << " x " << problem.dims[1].extent;
    }
  }
}

TEST(Search, SmallProductsAreOptimal) {
  KernelProblem problem = matmul(1, 3, 128, 128);
  for (int64_t sticks : {20, 150, 400, 2000}) {
    problem.lxBudgetBytes = 128 * sticks;
    auto found = searchPlan(problem, machine());
    double best = exhaustiveOptimum(problem);
    ASSERT_EQ(found.has_value(), best < std::numeric_limits<double>::max());
    if (found) {
      EXPECT_DOUBLE_EQ(found->cost.totalNs, best) << sticks;
    }
  }
}

TEST(Search, EveryResultIsLegalAndDeterministic) {
  std::mt19937 random(5);
  auto extent = [&](int bits) {
    return static_cast<int64_t>(1 + random() % (1u << (1 + random() % bits)));
  };
  for (int i = 0; i < 60; ++i) {
    KernelProblem problem =
        i % 2 == 0 ? add(extent(12), extent(12))
                   : matmul(extent(4), extent(10), extent(12), extent(12));
    auto found = searchPlan(problem, machine(), 4);
    ASSERT_TRUE(found) << found.error().str();
    Status status = verifyPlan(problem, found->plan, machine());
    ASSERT_TRUE(status) << status.error().str();
    ASSERT_EQ(found->lxBytes, lxBytes(problem, found->plan));
    ASSERT_EQ(found->cost.totalNs,
              estimate(problem, found->plan, machine()).totalNs);
    ASSERT_LE(found->trace.size(), 4u);
    for (size_t t = 1; t < found->trace.size(); ++t) {
      ASSERT_LE(found->trace[t - 1].cost.totalNs, found->trace[t].cost.totalNs);
    }
    auto again = searchPlan(problem, machine(), 4);
    ASSERT_TRUE(again);
    ASSERT_EQ(again->plan, found->plan);
    ASSERT_EQ(again->stepsSpent, found->stepsSpent);
  }
}

TEST(Search, PrefillProjectionIsBalanced) {
  auto found = searchPlan(matmul(1, 512, 4096, 12800), machine());
  ASSERT_TRUE(found);
  // 200 sticks of N: 4 x 8 and 8 x 4 are even, 2 x 16 and 1 x 32 are not. The
  // published sweep's best is 4 x 8.
  EXPECT_EQ(found->plan.slices, (std::vector<int64_t>{1, 4, 1, 8}));
  // Between the compute limit and the measured 1017 us.
  EXPECT_GT(found->cost.totalNs, 745e3);
  EXPECT_LT(found->cost.totalNs, 1017e3);
  EXPECT_LE(found->stepsSpent, 200000);
}

TEST(Search, DecodeProjectionUsesAllCores) {
  auto found = searchPlan(matmul(1, 1, 4096, 49159), machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plan.slices, (std::vector<int64_t>{1, 1, 1, 32}));
}

TEST(Search, ForcedChoicesAreRespected) {
  KernelProblem problem = matmul(1, 512, 1024, 1024);
  problem.forced.slices = {1, 16, 1, 2};
  auto found = searchPlan(problem, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plan.slices, *problem.forced.slices);
  problem.forced = {};
  problem.forced.tiles = {1, 16, 128, 64};
  problem.forced.loopOrder = {3, 0, 1, 2};
  problem.forced.coreOrder = {3, 2, 1, 0};
  problem.forced.buffers = 3;
  problem.forced.maxCores = 5;
  found = searchPlan(problem, machine());
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_EQ(found->plan.tiles, *problem.forced.tiles);
  EXPECT_EQ(found->plan.loopOrder, *problem.forced.loopOrder);
  EXPECT_EQ(found->plan.coreOrder, *problem.forced.coreOrder);
  EXPECT_EQ(found->plan.buffers, 3);
  int64_t cores = 1;
  for (int64_t slices : found->plan.slices) {
    cores *= slices;
  }
  EXPECT_LE(cores, 5);
}

TEST(Search, IllegalForcedChoicesAreRefusedWithTheRule) {
  auto refused = [](auto change) {
    KernelProblem problem = matmul(1, 512, 1024, 1024);
    change(problem.forced);
    auto found = searchPlan(problem, machine());
    EXPECT_FALSE(found);
    std::string text = found ? "" : found.error().str();
    EXPECT_THAT(text, HasSubstr("E0403"));
    return text;
  };
  using Forced = ForcedChoices;
  EXPECT_THAT(refused([](Forced &f) { f.slices = {1, 64, 1, 1}; }),
              HasSubstr("need 64 cores, 32 are available"));
  EXPECT_THAT(refused([](Forced &f) { f.slices = {1, 1, 2, 1}; }),
              HasSubstr("reduced"));
  refused([](Forced &f) { f.slices = {1, 0, 1, 1}; });
  refused([](Forced &f) { f.slices = {1}; });
  refused([](Forced &f) { f.tiles = {1, 1}; });
  refused([](Forced &f) { f.tiles = {1, 0, 64, 64}; });
  EXPECT_THAT(refused([](Forced &f) { f.tiles = {1, 8, 64, 100}; }),
              HasSubstr("multiple of 64"));
  refused([](Forced &f) { f.loopOrder = {2, 0, 1, 3}; });
  refused([](Forced &f) { f.coreOrder = {0, 0, 1, 3}; });
  refused([](Forced &f) { f.buffers = 0; });
  refused([](Forced &f) { f.maxCores = 0; });
}

TEST(Search, TooLargeWorkingSetNamesWhatCannotShrink) {
  KernelProblem problem = add(64, 65536);
  problem.dims[0].tileable = false;
  problem.dims[0].splittable = false;
  problem.dims[1].tileable = false;
  problem.dims[1].splittable = false;
  auto found = searchPlan(problem, machine());
  ASSERT_FALSE(found);
  std::string text = found.error().str();
  EXPECT_THAT(text, HasSubstr("E0401"));
  EXPECT_THAT(text, HasSubstr("kernel \"add\""));
  // One slot: (64 + 1 + 64) rows of 1024 sticks.
  EXPECT_THAT(text, HasSubstr("needs 16908288 bytes per core, 1625216"));
  EXPECT_THAT(text, HasSubstr("M (must be whole), N (must be whole)"));
}

TEST(Search, SpanOverTheLimit) {
  // 2^22 sticks of one core: 512 MiB; nothing may be divided.
  KernelProblem problem = add(65536, 4096);
  problem.forced.maxCores = 1;
  auto found = searchPlan(problem, machine());
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().str(), HasSubstr("E0402"));
  // Dividing the outer device dim (tiles of N) shortens the span.
  problem.forced.maxCores = 4;
  found = searchPlan(problem, machine());
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_GT(found->plan.slices[1], 1);
}

TEST(Search, ManyDimsStayWithinTheBudget) {
  KernelProblem problem;
  problem.name = "many";
  problem.lxBudgetBytes = machine().lxPlannerBudgetBytes;
  std::vector<int32_t> rows;
  for (int32_t d = 0; d < 9; ++d) {
    problem.dims.push_back({"d" + std::to_string(d), 12});
    rows.push_back(d);
  }
  problem.dims.push_back({"stick", 640, false, 64});
  problem.stickDim = 9;
  problem.dims[0].extent = 4;
  for (size_t d = 4; d < 9; ++d) {
    problem.dims[d].extent = 3;
  }
  problem.operands = {operandOf("X", rows, 9, ElementType::F16, false),
                      operandOf("Z", rows, 9, ElementType::F16, true)};
  auto found = searchPlan(problem, machine());
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_LE(found->stepsSpent, 210000);
}

TEST(Search, ScalarKernels) {
  KernelProblem problem;
  problem.name = "scalar";
  problem.operands = {operandOf("X", {}, -1, ElementType::F32, false),
                      operandOf("Z", {}, -1, ElementType::F32, true)};
  problem.lxBudgetBytes = 1024;
  auto found = searchPlan(problem, machine());
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_EQ(found->lxBytes, 512); // two operands, two slots, one stick
}

} // namespace
