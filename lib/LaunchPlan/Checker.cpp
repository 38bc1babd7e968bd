// SPDX-License-Identifier: Apache-2.0
//
// The order of the stages. Each stage runs only on what the ones before have
// accepted, and reports all of its errors.

#include "spyre/LaunchPlan/Checker.h"

#include "CheckerInternal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spyre::launch {
namespace checker {

void Reporter::add(ErrorCode code, std::string subject, std::string message,
                   std::vector<std::string> notes) {
  if (!full()) {
    errors.push_back(Error{code, std::move(subject), std::move(message),
                           std::move(notes), ""});
  }
}

void Reporter::addAt(ErrorCode code, const Place &place, std::string message,
                     std::vector<std::string> notes) {
  if (full()) {
    return;
  }
  const Program &program = *place.program;
  const Phase &phase = program.phases[place.phase];
  const std::vector<Command> &list =
      phase.units[static_cast<size_t>(place.unit)];
  std::string subject = subjectOfProgram(program);
  std::string kernel;
  if (place.command < list.size() &&
      list[place.command].source < program.sources.size()) {
    const SourceInfo &source = program.sources[list[place.command].source];
    kernel = fmt::format(", kernel {}", quoted(source.kernel));
    if (!source.nodes.empty()) {
      subject = fmt::format("node {}", quoted(source.nodes.front()));
    }
    if (source.nodes.size() > 1) {
      kernel += fmt::format(" of {} nodes", source.nodes.size());
    }
  }
  notes.push_back(fmt::format(
      "in program {}, phase {} {}, unit {}, command {}{}{}",
      quoted(program.name), place.phase, quoted(phase.name),
      toString(place.unit), place.command,
      place.core < 0 ? std::string() : fmt::format(", core {}", place.core),
      kernel));
  add(code, std::move(subject), std::move(message), std::move(notes));
}

bool Context::spendVisits(int64_t visits, std::string &message) {
  if (visits > budgets.maxStickVisits - stickVisits) {
    message = fmt::format("the plan moves more than {} sticks",
                          budgets.maxStickVisits);
    return false;
  }
  stickVisits += visits;
  return true;
}

std::optional<int64_t> checkedProduct(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > (int64_t{1} << 62) ||
      result < -(int64_t{1} << 62)) {
    return std::nullopt;
  }
  return result;
}

std::optional<int64_t> checkedSum(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result) || result > (int64_t{1} << 62) ||
      result < -(int64_t{1} << 62)) {
    return std::nullopt;
  }
  return result;
}

std::string quoted(const std::string &name) {
  // Names come from the plan: long ones are cut, so that a message stays one.
  constexpr size_t kLongestName = 200;
  return fmt::format("\"{}\"", name.substr(0, kLongestName));
}

std::string subjectOfProgram(const Program &program) {
  return fmt::format("program {}", quoted(program.name));
}

std::string subjectOfArgument(const Argument &argument) {
  return fmt::format("argument {}", quoted(argument.name));
}

namespace {

/// Structure of the plan and of the programs (all, or one).
bool provedStructure(Context &context, std::optional<uint32_t> only) {
  checkPlanStructure(context);
  if (!context.errors.empty()) {
    return false;
  }
  context.facts.resize(context.plan.programs.size());
  for (size_t index = 0; index < context.plan.programs.size(); ++index) {
    if (!only || *only == index) {
      checkProgramStructure(context, index);
    }
  }
  return context.errors.empty();
}

} // namespace
} // namespace checker

std::vector<Error> checkPlan(const LaunchPlan &plan,
                             const target::Target &target,
                             const CheckerBudgets &budgets) {
  checker::Reporter errors;
  checker::Context context{plan, target, budgets, errors};
  if (!checker::provedStructure(context, std::nullopt)) {
    return errors.take();
  }
  checker::checkBindings(context);
  if (errors.empty()) {
    checker::checkAddresses(context);
  }
  for (size_t index = 0; errors.empty() && index < plan.programs.size();
       ++index) {
    checker::checkIntervals(context, index);
  }
  if (errors.empty()) {
    checker::checkSteps(context);
  }
  if (errors.empty()) {
    checker::checkExecution(context);
  }
  return errors.take();
}

Expected<StepFootprints> computeFootprints(const LaunchPlan &plan,
                                           uint32_t program,
                                           const target::Target &target,
                                           const CheckerBudgets &budgets) {
  checker::Reporter errors;
  checker::Context context{plan, target, budgets, errors};
  // Steps name the footprints, so they are not yet complete here.
  if (program >= plan.programs.size()) {
    return makeError(ErrorCode::CheckIndex, "",
                     fmt::format("program {} does not exist: the plan has {}",
                                 program, plan.programs.size()));
  }
  if (checker::provedStructure(context, program)) {
    checker::checkIntervals(context, program);
  }
  if (!errors.empty()) {
    return tl::unexpected<Error>(errors.take().front());
  }
  return context.facts[program].footprints;
}

Expected<StepFootprints> stepFootprints(const LaunchPlan &plan,
                                        const Step &step,
                                        const target::Target &target,
                                        const CheckerBudgets &budgets) {
  if (step.kind == StepKind::Compute) {
    return computeFootprints(plan, step.index, target, budgets);
  }
  checker::Reporter errors;
  checker::Context context{plan, target, budgets, errors};
  checker::checkPlanStructure(context);
  if (!errors.empty()) {
    return tl::unexpected<Error>(errors.take().front());
  }
  bool isTransfer = step.kind == StepKind::H2D || step.kind == StepKind::D2H;
  bool isHostWork = step.kind == StepKind::HostWork;
  size_t count = isHostWork ? plan.hostCalls.size() : plan.arguments.size();
  if ((isTransfer || isHostWork) && step.index >= count) {
    return makeError(ErrorCode::CheckIndex, "",
                     fmt::format("{} {} does not exist: the plan has {}",
                                 isHostWork ? "host call" : "argument",
                                 step.index, count));
  }
  return checker::expectedFootprints(context, step);
}

} // namespace spyre::launch
