// SPDX-License-Identifier: Apache-2.0
//
// The search drops divisions by their lower bound: no plan with these slices
// may be cheaper, whatever its tiles and loop order, also where a read goes to
// more cores than one read serves.

#include "Model.h"
#include "Problems.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace spyre::cost::test {
namespace {

TEST(LowerBound, NoPlanIsCheaper) {
  std::mt19937 random(7);
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  for (int i = 0; i < 3000; ++i) {
    const KernelProblem problem =
        matmul(1 + below(4), 1 + below(600), 64 * (1 + below(40)),
               64 * (1 + below(70)));
    const CostModel model(problem, target::defaultTarget());
    KernelPlan plan{{}, {}, {0, 1, 2, 3}, {0, 1, 2, 3}, 2};
    int64_t cores = 32;
    for (size_t d = 0; d < problem.dims.size(); ++d) {
      const int64_t slices = 1 + below(std::min(cores, problem.dims[d].extent));
      cores /= slices;
      plan.slices.push_back(slices);
      plan.tiles.push_back(1 + below(maxSliceSize(problem.dims[d], slices)));
    }
    std::shuffle(plan.loopOrder.begin(), plan.loopOrder.end(), random);
    EXPECT_LE(model.lowerBoundNs(plan.slices, plan.buffers),
              model.evaluate(plan).totalNs * (1 + 1e-12))
        << i;
  }
}

} // namespace
} // namespace spyre::cost::test
