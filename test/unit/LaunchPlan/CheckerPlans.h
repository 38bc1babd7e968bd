// SPDX-License-Identifier: Apache-2.0
//
// Small plans that the checker accepts, as texts to change in one place.

#ifndef SPYRE_TEST_UNIT_LAUNCHPLAN_CHECKERPLANS_H
#define SPYRE_TEST_UNIT_LAUNCHPLAN_CHECKERPLANS_H

#include "spyre/LaunchPlan/Checker.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

#include <string>
#include <vector>

namespace spyre::launch {

/// A tensor of the host that becomes an argument or a weight.
struct HostTensor {
  std::vector<int64_t> shape;
  ElementType type = ElementType::F16;
};

/// Everything but the program: the last tensor is the output, `weights` lie in
/// segment 0 one after the other, and segment 1 is scratch.
struct PlanParts {
  std::vector<HostTensor> arguments;
  std::vector<HostTensor> weights;
};

/// A plan of one compute step: inputs are sent by preparation steps and the
/// output is fetched. Footprints are those that the checker computes.
LaunchPlan planOf(const std::string &programText, const PlanParts &parts);

/// y = x + x of [64, 128], two cores, four trips each.
std::string doubleText();
PlanParts doubleParts();
LaunchPlan doublePlan();

/// C = A * B of [32, 256] x [256, 128] on 2 x 2 cores that share what they read
/// by multicast.
std::string matmulText();
PlanParts matmulParts();

/// y = (x + x) + (x + x) in two phases: one half of the sum stays in LX, the
/// other goes through scratch memory.
std::string residentText();
PlanParts residentParts();

/// y = sum of two rows, one on each of two cores, over the ring.
std::string reduceText();
PlanParts reduceParts();

/// `text` with its first `from` replaced; fails the test if there is none.
std::string replaced(const std::string &text, const std::string &from,
                     const std::string &to);

/// Texts of all errors.
std::string errorsOf(const LaunchPlan &plan,
                     const CheckerBudgets &budgets = {});

} // namespace spyre::launch

#endif // SPYRE_TEST_UNIT_LAUNCHPLAN_CHECKERPLANS_H
