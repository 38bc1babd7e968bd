// SPDX-License-Identifier: Apache-2.0
//
// Each rule of a plan, broken once.

#include "Problems.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::cost;
using namespace spyre::cost::test;
using testing::HasSubstr;

namespace {

std::string check(const KernelProblem &problem, const KernelPlan &plan) {
  Status status = verifyPlan(problem, plan, target::defaultTarget());
  return status ? "accepted" : status.error().str();
}

KernelProblem smallProduct() { return matmul(2, 64, 256, 256); }

TEST(VerifyPlan, AcceptsALegalPlan) {
  KernelProblem problem = smallProduct();
  EXPECT_EQ(check(problem, wholePlan(problem)), "accepted");
}

TEST(VerifyPlan, EachRule) {
  KernelProblem problem = smallProduct();
  auto broken = [&](auto change) {
    KernelPlan plan = wholePlan(problem);
    change(plan);
    std::string text = check(problem, plan);
    EXPECT_THAT(text, HasSubstr("E0404"));
    return text;
  };
  using Plan = KernelPlan;
  EXPECT_THAT(broken([](Plan &p) { p.slices.pop_back(); }),
              HasSubstr("3 slices and 4 tiles for 4 dims"));
  EXPECT_THAT(broken([](Plan &p) { p.slices[3] = 5; }),
              HasSubstr("\"N\" has 5 slices, but 1 to 4 granules of 64"));
  EXPECT_THAT(broken([](Plan &p) { p.slices[1] = 0; }),
              HasSubstr("\"M\" has 0 slices"));
  EXPECT_THAT(broken([](Plan &p) {
                p.slices[2] = 2;
                p.tiles[2] = 64;
              }),
              HasSubstr("\"K\" is reduced over cores, but is not the last in "
                        "core order"));
  EXPECT_THAT(broken([](Plan &p) { p.tiles[1] = 65; }),
              HasSubstr("tile of 65, but slices of 64"));
  EXPECT_THAT(broken([](Plan &p) { p.tiles[2] = 100; }),
              HasSubstr("neither its slice of 256 nor a multiple of 64"));
  EXPECT_THAT(check(matmul(6, 64, 256, 256),
                    [] {
                      KernelPlan plan = wholePlan(matmul(6, 64, 256, 256));
                      plan.tiles[0] = 4;
                      return plan;
                    }()),
              HasSubstr("a tile of 4, but needs 1 or what fills its slices of "
                        "6"));
  EXPECT_THAT(broken([](Plan &p) { p.buffers = 0; }), HasSubstr("0 slots"));
  EXPECT_THAT(broken([](Plan &p) { p.loopOrder = {0, 1, 2, 3}; }),
              HasSubstr("\"N\" is looped inside a reduced dim"));
  EXPECT_THAT(broken([](Plan &p) { p.loopOrder = {0, 1, 1, 2}; }),
              HasSubstr("must name each of 4 dims once"));
  EXPECT_THAT(broken([](Plan &p) { p.coreOrder = {0, 1, 2}; }),
              HasSubstr("must name each of 4 dims once"));
  EXPECT_THAT(broken([](Plan &p) {
                p.slices = {1, 11, 1, 3};
                p.tiles = {1, 4, 256, 128};
              }),
              HasSubstr("need 33 cores, 32 are available"));
}

TEST(VerifyPlan, AContractionAddsUpOverCores) {
  KernelProblem problem = smallProduct();
  KernelPlan plan = wholePlan(problem);
  plan.slices[2] = 4;
  plan.tiles[2] = 64;
  plan.coreOrder = {0, 1, 3, 2};
  EXPECT_EQ(check(problem, plan), "accepted");
  // A second accumulator of 64 x 256 in f32.
  KernelPlan whole = plan;
  whole.slices[2] = 1;
  EXPECT_EQ(lxBytes(problem, plan) - lxBytes(problem, whole), 64 * 256 * 4);
  problem.kind = KernelKind::Reduce;
  EXPECT_THAT(check(problem, plan),
              HasSubstr("only a contraction adds up over cores"));
}

TEST(VerifyPlan, WholeDimsAndMaxCores) {
  KernelProblem problem = add(64, 256);
  problem.dims[0].tileable = false;
  KernelPlan plan = wholePlan(problem);
  plan.tiles[0] = 32;
  EXPECT_THAT(check(problem, plan), HasSubstr("must be whole: 64"));
  problem.dims[0].splittable = false;
  plan = wholePlan(problem);
  plan.slices[0] = 2;
  plan.tiles[0] = 32;
  EXPECT_THAT(check(problem, plan), HasSubstr("not splittable"));
  problem.forced.maxCores = 2;
  plan = wholePlan(problem);
  plan.slices[1] = 4;
  plan.tiles[1] = 64;
  EXPECT_THAT(check(problem, plan), HasSubstr("need 4 cores, 2"));
}

TEST(VerifyPlan, ScratchpadSpanAndTrips) {
  KernelProblem problem = add(4096, 4096);
  std::string text = check(problem, wholePlan(problem));
  EXPECT_THAT(text, HasSubstr("E0401"));
  // X and Z: 64 sticks x 4096 rows, Y: 64 sticks; two slots each.
  EXPECT_THAT(text, HasSubstr("needs 134234112 bytes per core, 1625216"));

  // [64 tiles, 65536 rows] of one core: 2^22 sticks of 128 bytes.
  problem = add(65536, 4096);
  KernelPlan plan = wholePlan(problem);
  plan.tiles = {64, 64};
  text = check(problem, plan);
  EXPECT_THAT(text, HasSubstr("E0402"));
  EXPECT_THAT(text, HasSubstr("spans 536870912 bytes per core, 268431360"));

  problem = add(65536, 64);
  plan = wholePlan(problem);
  plan.tiles = {1, 64};
  text = check(problem, plan);
  EXPECT_THAT(text, HasSubstr("E0406"));
  EXPECT_THAT(text, HasSubstr("65536 trips of 1 elements, 65535 allowed"));
}

TEST(VerifyPlan, SpanOfStridesWindowsAndGathers) {
  // Every fourth row of a buffer of 2^20 rows.
  KernelProblem problem = add(1 << 18, 4096);
  problem.operands[0].coords[1].stride = 4;
  problem.operands[0].coords[1].extent = 1 << 20;
  KernelPlan plan = wholePlan(problem);
  plan.slices = {1, 32};
  plan.tiles = {64, 64};
  // A core has 2 of the 64 tiles: (2^20 + 4 * (2^18 - 1) + 1) * 128.
  EXPECT_THAT(check(problem, plan),
              HasSubstr("spans 268435072 bytes per core"));

  // Three taps, 2^22 rows apart.
  problem = add(1 << 18, 64);
  problem.dims.push_back({"T", 3, true, 1, false});
  problem.kind = KernelKind::Reduce;
  problem.operands[0].coords[1].windowDim = 2;
  problem.operands[0].coords[1].windowStride = 1 << 22;
  plan = wholePlan(problem);
  plan.tiles = {64, 64, 1};
  // (2^18 - 1 + 2 * 2^22 + 1) * 128.
  EXPECT_THAT(check(problem, plan),
              HasSubstr("spans 1107296256 bytes per core"));
  plan.tiles = {64, 64, 3};
  EXPECT_THAT(check(problem, plan),
              HasSubstr("\"T\", a window, has a tile of 3, but needs 1"));
}

TEST(VerifyPlan, MalformedProblems) {
  auto broken = [](KernelProblem problem, auto change) {
    KernelPlan plan = wholePlan(problem);
    change(problem);
    std::string text = check(problem, plan);
    EXPECT_THAT(text, HasSubstr("E0405"));
    return text;
  };
  using Problem = KernelProblem;
  broken(smallProduct(), [](Problem &p) { p.dims[1].extent = 0; });
  broken(smallProduct(), [](Problem &p) { p.dims[2].granule = 0; });
  broken(smallProduct(), [](Problem &p) { p.stickDim = 4; });
  broken(smallProduct(), [](Problem &p) { p.stickDim = 1; });
  broken(smallProduct(), [](Problem &p) { p.operands.pop_back(); });
  broken(smallProduct(), [](Problem &p) { p.operands[2].output = false; });
  broken(smallProduct(), [](Problem &p) { p.operands[0].coords.clear(); });
  broken(smallProduct(), [](Problem &p) { p.operands[0].coords[0].dim = 9; });
  broken(smallProduct(), [](Problem &p) { p.operands[0].coords.pop_back(); });
  broken(smallProduct(), [](Problem &p) { p.dims[2].reduction = false; });
  broken(add(4, 64), [](Problem &p) { p.dims[1].granule = 32; });
  broken(add(4, 64), [](Problem &p) { p.kind = KernelKind::Restickify; });
  broken(add(4, 64), [](Problem &p) { p.operands.clear(); });
  broken(add(4, 64), [](Problem &p) { p.dims.resize(17); });
}

} // namespace
