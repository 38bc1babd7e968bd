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
  // the weights of 4 MiB per core at 256 bytes a cycle, 14.9 us.
  EXPECT_GT(cost.computeNs, 253e3);
  EXPECT_LT(cost.computeNs, 256e3);
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
  KernelProblem one = matmul(1, 1, 512, 512);
  KernelProblem eight = matmul(1, 8, 512, 512);
  KernelProblem nine = matmul(1, 9, 512, 512);
  double oneNs = estimate(one, wholePlan(one), machine()).computeNs;
  double eightNs = estimate(eight, wholePlan(eight), machine()).computeNs;
  double nineNs = estimate(nine, wholePlan(nine), machine()).computeNs;
  EXPECT_DOUBLE_EQ(oneNs, eightNs);
  // One more pass: 8 * 512 * 512 / 1024 cycles.
  EXPECT_NEAR(nineNs - eightNs, 2048 / 1.1, 1e-6);
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
