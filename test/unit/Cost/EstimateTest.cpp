// SPDX-License-Identifier: Apache-2.0
//
// The model's bytes and times against numbers derived by hand.

#include "Problems.h"

#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::cost;
using namespace spyre::cost::test;

namespace {

const target::Target &machine() { return target::defaultTarget(); }

TEST(Estimate, EachOperandLeavesMemoryOnceIfShared) {
  KernelProblem problem = matmul(1, 512, 4096, 4096);
  KernelPlan plan{
      {1, 4, 1, 8}, {1, 128, 256, 512}, {0, 1, 3, 2}, {0, 1, 2, 3}, 2};
  KernelCost cost = estimate(problem, plan, machine());
  int64_t mebi = 1 << 20;
  EXPECT_EQ(cost.ddrReadBytes, (4 + 32) * mebi);
  EXPECT_EQ(cost.ddrWriteBytes, 4 * mebi);
  // A reaches 7 more cores of its row, W 3 more of its column.
  EXPECT_EQ(cost.ringBytes, (7 * 4 + 3 * 32) * mebi);
  // 512 * 4096 * 4096 / 32 cores / 1024 per cycle at 1.1 GHz = 238.3 us, plus
  // 16 steps whose first block and last sums take 64 cycles each, 1.9 us. The
  // weights, 4 MiB per core, come meanwhile: 29.8 us at 128 bytes a cycle.
  EXPECT_GT(cost.computeNs, 240.2e3);
  EXPECT_LT(cost.computeNs, 241e3);
  // 40 MiB at 150 GB/s plus the mixing penalty of 4 MiB: 279.6 + 24.1 us.
  EXPECT_GT(cost.ddrNs, 303e3);
  EXPECT_LT(cost.ddrNs, 312e3);
  EXPECT_DOUBLE_EQ(cost.totalNs, cost.ddrNs + cost.exposedNs);
}

TEST(Estimate, LoopsOutsideTheLevelReadAgain) {
  KernelProblem problem = matmul(1, 512, 4096, 4096);
  // W (level N) is read for each of 4 trips of M; A (level M) once.
  KernelPlan plan{
      {1, 1, 1, 1}, {1, 128, 4096, 64}, {0, 1, 3, 2}, {0, 1, 2, 3}, 2};
  int64_t mebi = 1 << 20;
  EXPECT_EQ(estimate(problem, plan, machine()).ddrReadBytes,
            (4 + 4 * 32) * mebi);
  // N outside: A is read for each of 64 trips of N; W once.
  plan.loopOrder = {0, 3, 1, 2};
  EXPECT_EQ(estimate(problem, plan, machine()).ddrReadBytes,
            (64 * 4 + 32) * mebi);
}

TEST(Estimate, RowsArePaddedToPasses) {
  auto computeNs = [](int64_t rows) {
    KernelProblem problem = matmul(1, rows, 512, 512);
    return estimate(problem, wholePlan(problem), machine()).computeNs;
  };
  EXPECT_DOUBLE_EQ(computeNs(57), computeNs(64));
  // One more pass: 8 * 512 * 512 / 1024 cycles.
  EXPECT_NEAR(computeNs(65) - computeNs(64), 2048 / 1.1, 1e-6);
}

TEST(Estimate, FewRowsWaitForTheirWeights) {
  KernelProblem problem = matmul(1, 1, 512, 512);
  // 512 KiB at 128 bytes a cycle take longer than a pass of rows, 2048 cycles;
  // a block and its sums 128 cycles more.
  EXPECT_NEAR(estimate(problem, wholePlan(problem), machine()).computeNs,
              (4096 + 128) / 1.1, 30);
}

TEST(Estimate, DataForMoreThanEightCoresIsReadAgain) {
  // W goes to 8, then to 16 cores, A the other way round: 64 rows make it the
  // smaller operand by far.
  KernelProblem problem = matmul(1, 64, 4096, 4096);
  auto ddrNs = [&](int64_t m) {
    KernelPlan plan{{1, m, 1, 32 / m},
                    {1, 64 / m, 256, 4096 * m / 32},
                    {0, 1, 3, 2},
                    {0, 1, 2, 3},
                    2};
    return estimate(problem, plan, machine()).ddrNs;
  };
  EXPECT_NEAR(ddrNs(16) / ddrNs(8), 2, 0.1);
}

TEST(Estimate, ResidentOperandsMoveNoBytes) {
  KernelProblem problem = add(64, 128);
  for (KernelOperand &operand : problem.operands) {
    operand.resident = true;
  }
  KernelCost cost = estimate(problem, wholePlan(problem), machine());
  EXPECT_EQ(cost.ddrReadBytes, 0);
  EXPECT_EQ(cost.ddrWriteBytes, 0);
  EXPECT_EQ(cost.ddrNs, 0);
  EXPECT_GT(cost.totalNs, 0);
}

TEST(Estimate, OneBufferAddsTheResources) {
  KernelProblem problem = add(4096, 4096);
  KernelPlan plan = wholePlan(problem);
  plan.slices = {32, 1};
  plan.tiles = {4, 4096};
  plan.buffers = 1;
  KernelCost cost = estimate(problem, plan, machine());
  EXPECT_DOUBLE_EQ(cost.totalNs, cost.computeNs + cost.ddrNs + cost.ringNs);
}

TEST(Estimate, ABalancedCopyRunsAtThePublishedRate) {
  // 105 to 113 GB/s, read and written bytes together.
  KernelProblem problem = add(8192, 8192);
  problem.operands.erase(problem.operands.begin() + 1);
  KernelPlan plan = wholePlan(problem);
  plan.slices = {32, 1};
  plan.tiles = {16, 8192};
  KernelCost cost = estimate(problem, plan, machine());
  double rate = static_cast<double>(cost.ddrReadBytes + cost.ddrWriteBytes) /
                cost.totalNs;
  EXPECT_GT(rate, 98);
  EXPECT_LT(rate, 113);
}

TEST(Estimate, DividingWorkNeverCosts) {
  KernelProblem problem = add(4096, 4096);
  double last = std::numeric_limits<double>::max();
  for (int64_t slices : {1, 2, 4, 8, 16, 32}) {
    KernelPlan plan = wholePlan(problem);
    plan.slices = {slices, 1};
    plan.tiles = {16, 4096};
    double totalNs = estimate(problem, plan, machine()).totalNs;
    EXPECT_LE(totalNs, last) << slices;
    last = totalNs;
  }
}

} // namespace
