// SPDX-License-Identifier: Apache-2.0
//
// The plan checker: proves, before anything runs, that a launch plan stays
// inside its memory, never reads what was not written, and cannot deadlock or
// race. The compiler runs it after the last lowering and the runtime runs it
// at load, so that an accepted plan means the same to both.
// docs/PlanChecker.md says what is proved, at what cost, and what is not.

#ifndef SPYRE_LAUNCHPLAN_CHECKER_H
#define SPYRE_LAUNCHPLAN_CHECKER_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"
#include "spyre/Target/Target.h"

#include <cstdint>
#include <vector>

namespace spyre::launch {

/// How much work a proof may cost. A plan that needs more is refused.
struct CheckerBudgets {
  /// Command instances and loop iterations, over all cores, units and steps.
  int64_t maxCommandInstances = 10'000'000;
  /// Sticks that commands and host work read and write, each counted once per
  /// operand.
  int64_t maxStickVisits = 4'000'000'000;
  /// Sticks of device memory that programs write (33,554,432 = 4 GiB).
  int64_t maxTrackedSticks = int64_t{1} << 25;
};

/// All errors of the first stage that fails, at most 20; empty if the plan is
/// accepted. Safe for any content of the structs.
std::vector<Error> checkPlan(const LaunchPlan &plan,
                             const target::Target &target,
                             const CheckerBudgets &budgets = {});

/// What a step reads and writes: one hull per region, sorted by kind and index.
struct StepFootprints {
  std::vector<Footprint> reads;
  std::vector<Footprint> writes;
  bool operator==(const StepFootprints &) const = default;
};

/// The footprints that a compute step of `program` must declare: the interval
/// hulls of its commands' device memory boxes.
Expected<StepFootprints> computeFootprints(const LaunchPlan &plan,
                                           uint32_t program,
                                           const target::Target &target,
                                           const CheckerBudgets &budgets = {});

/// The footprints that any step must declare.
Expected<StepFootprints> stepFootprints(const LaunchPlan &plan,
                                        const Step &step,
                                        const target::Target &target,
                                        const CheckerBudgets &budgets = {});

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_CHECKER_H
