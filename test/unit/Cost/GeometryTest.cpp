// SPDX-License-Identifier: Apache-2.0
//
// Geometry against enumeration, and against numbers derived by hand.

#include "Problems.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace spyre;
using namespace spyre::cost;
using namespace spyre::cost::test;

namespace {

TEST(Geometry, SlicesCoverADimOnceAndEvenly) {
  for (int64_t extent = 1; extent <= 40; ++extent) {
    for (int64_t granule : {1, 3, 8}) {
      KernelDim dim{"d", extent, false, granule};
      for (int64_t slices = 1; slices <= 12; ++slices) {
        int64_t position = 0;
        int64_t least = extent;
        int64_t most = 0;
        for (int64_t i = 0; i < slices; ++i) {
          ASSERT_EQ(sliceStart(dim, slices, i), position);
          int64_t size = sliceSize(dim, slices, i);
          if (size > 0) {
            ASSERT_EQ(position % granule, 0);
          }
          int64_t granules = (size + granule - 1) / granule;
          least = std::min(least, granules);
          most = std::max(most, granules);
          position += size;
        }
        ASSERT_EQ(position, extent);
        ASSERT_LE(most - least, 1);
        ASSERT_EQ(maxSliceSize(dim, slices), std::min(extent, most * granule));
      }
    }
  }
}

TEST(Geometry, CoresAreRowMajorInTheCoreOrder) {
  KernelPlan plan;
  plan.slices = {4, 1, 8};
  plan.coreOrder = {0, 1, 2};
  // Core 21 = 2 * 8 + 5.
  EXPECT_EQ(slicesOfCore(plan, 21), (std::vector<int64_t>{2, 0, 5}));
  plan.coreOrder = {2, 1, 0};
  // Core 21 = 5 * 4 + 1.
  EXPECT_EQ(slicesOfCore(plan, 21), (std::vector<int64_t>{1, 0, 5}));
  EXPECT_TRUE(slicesOfCore(plan, 31));
  EXPECT_FALSE(slicesOfCore(plan, 32));
  std::set<std::vector<int64_t>> seen;
  for (int64_t core = 0; core < 32; ++core) {
    seen.insert(*slicesOfCore(plan, core));
  }
  EXPECT_EQ(seen.size(), 32u);
}

TEST(Geometry, ExampleOfTheDeviceProgram) {
  // 512 x 4096 by 4096 x 4096 on 4 x 8 cores with K tiles of 256.
  KernelProblem problem = matmul(1, 512, 4096, 4096);
  KernelPlan plan{
      {1, 4, 1, 8}, {1, 128, 256, 512}, {0, 1, 3, 2}, {0, 1, 2, 3}, 2};
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(tileShape(problem, plan, problem.operands[0]),
            (Shape{1, 4, 128, 64}));
  EXPECT_EQ(tileShape(problem, plan, problem.operands[1]),
            (Shape{1, 8, 256, 64}));
  EXPECT_EQ(tileShape(problem, plan, problem.operands[2]),
            (Shape{1, 8, 128, 64}));
  EXPECT_EQ(tileShape(problem, plan, accumulatorOperand(problem)),
            (Shape{1, 16, 128, 32}));
  EXPECT_EQ(trips(problem, plan, 2), 16);
  EXPECT_EQ(trips(problem, plan, 1), 1);
  // 2 x 64 + 2 x 256 + 2 x 128 + 256 KiB.
  EXPECT_EQ(lxBytes(problem, plan), (128 + 512 + 256 + 256) * 1024);
}

TEST(Geometry, ResidentOperandsNeedNoSlots) {
  KernelProblem problem = add(64, 128);
  KernelPlan plan = wholePlan(problem);
  // X and Z: 2 sticks x 64 rows; Y: 2 sticks; two slots each.
  EXPECT_EQ(lxBytes(problem, plan), 2 * (128 + 2 + 128) * 128);
  problem.operands[0].resident = true;
  EXPECT_EQ(lxBytes(problem, plan), 2 * (2 + 128) * 128);
}

TEST(Geometry, LoopLevelCountsLoopsOfSeveralTripsOnly) {
  KernelProblem problem = matmul(1, 512, 4096, 4096);
  KernelPlan plan{
      {1, 1, 1, 1}, {1, 128, 4096, 64}, {0, 1, 3, 2}, {0, 1, 2, 3}, 2};
  // Loops: M (4 trips), N (64 trips); K is whole.
  EXPECT_EQ(loopLevel(problem, plan, problem.operands[0]), 1); // A: M
  EXPECT_EQ(loopLevel(problem, plan, problem.operands[1]), 2); // W: N
  EXPECT_EQ(loopLevel(problem, plan, problem.operands[2]), 2); // C
  plan.tiles[2] = 64;
  EXPECT_EQ(loopLevel(problem, plan, problem.operands[0]), 3);
  EXPECT_EQ(loopLevel(problem, plan, problem.operands[2]), 2);
  KernelPlan whole = wholePlan(problem);
  EXPECT_EQ(loopLevel(problem, whole, problem.operands[0]), 0);
}

TEST(Geometry, AccumulatorsAreTwiceAsWide) {
  KernelProblem problem = add(8, 64);
  problem.kind = KernelKind::Reduce;
  EXPECT_EQ(accumulatorOperand(problem).type, ElementType::F32);
  EXPECT_EQ(accumulatorOperand(problem).coords.front().factor, 32);
  problem.operands[2].type = ElementType::I32;
  EXPECT_EQ(accumulatorOperand(problem).type, ElementType::I32);
  // A sparse output keeps its one element per stick.
  problem.operands[2] = operandOf("Z", {0}, -1, ElementType::F16, true);
  KernelOperand sparse = accumulatorOperand(problem);
  EXPECT_EQ(sparse.coords.back().dim, -1);
  EXPECT_EQ(sparse.coords.back().factor, 32);
}

TEST(Geometry, LxBytesAreTheSumOfTileShapes) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    KernelProblem problem =
        matmul(1 + random() % 3, 1 + random() % 200, 64 * (1 + random() % 9),
               64 * (1 + random() % 9));
    KernelPlan plan = wholePlan(problem);
    plan.buffers = 1 + static_cast<int32_t>(random() % 3);
    plan.tiles[1] = 1 + random() % problem.dims[1].extent;
    plan.tiles[2] = 64 * (1 + random() % (problem.dims[2].extent / 64));
    int64_t expected = 0;
    for (const KernelOperand &operand : problem.operands) {
      int64_t elements = plan.buffers;
      for (int64_t extent : tileShape(problem, plan, operand)) {
        elements *= extent;
      }
      expected += elements * 2; // f16
    }
    // One f32 accumulator of M x N, both whole in sticks of 32.
    expected += plan.tiles[1] * problem.dims[3].extent * 4;
    ASSERT_EQ(lxBytes(problem, plan), expected);
  }
}

TEST(Geometry, HugeExtentsSaturate) {
  KernelProblem problem = add(int64_t(1) << 40, int64_t(1) << 40);
  EXPECT_EQ(lxBytes(problem, wholePlan(problem)),
            std::numeric_limits<int64_t>::max());
}

} // namespace
