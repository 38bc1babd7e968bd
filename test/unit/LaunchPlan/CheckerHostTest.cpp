// SPDX-License-Identifier: Apache-2.0
//
// Host work: a plan of two calls, one after the other over scratch memory, and
// each change that must be refused.

#include "CheckerPlans.h"

#include <functional>
#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::launch;
using testing::AllOf;
using testing::HasSubstr;

namespace {

HostOperand tensor(RegionKind region, uint32_t index, int64_t offset,
                   std::vector<int64_t> shape, ElementType type) {
  return {region,           index, offset,
          std::move(shape), type,  layout::defaultLayout(2, 1, type)};
}

Argument argument(std::string name, ArgumentRole role, int64_t columns,
                  ElementType type) {
  Argument result;
  result.name = std::move(name);
  result.role = role;
  result.hostType = type == ElementType::I32 ? HostType::I32 : HostType::F16;
  result.shape = {2, columns};
  result.deviceType = type;
  result.layout = layout::defaultLayout(2, 1, type);
  return result;
}

void declareFootprints(LaunchPlan &plan) {
  for (Step &step : plan.steps) {
    Expected<StepFootprints> footprints =
        stepFootprints(plan, step, target::defaultTarget());
    if (footprints) {
      step.reads = footprints->reads;
      step.writes = footprints->writes;
    }
  }
}

/// x [2, 200] f16: its 100 largest go to scratch, and of these the 10 smallest
/// are the outputs. In scratch: 2 * 2 sticks of values (0 to 512), 4 * 2 sticks
/// of positions (512 to 1536).
LaunchPlan hostPlan() {
  LaunchPlan plan;
  plan.arguments = {argument("x", ArgumentRole::Input, 200, ElementType::F16),
                    argument("v", ArgumentRole::Output, 10, ElementType::F16),
                    argument("i", ArgumentRole::Output, 10, ElementType::I32)};
  plan.segments = {{SegmentKind::Scratch, 1536}};
  HostOperand values =
      tensor(RegionKind::Segment, 0, 0, {2, 100}, ElementType::F16);
  plan.hostCalls = {
      {HostFunction::TopK,
       {1, 100, 1},
       {tensor(RegionKind::Argument, 0, 0, {2, 200}, ElementType::F16)},
       {values,
        tensor(RegionKind::Segment, 0, 512, {2, 100}, ElementType::I32)},
       "100 rounds"},
      {HostFunction::TopK,
       {1, 10, 0},
       {values},
       {tensor(RegionKind::Argument, 1, 0, {2, 10}, ElementType::F16),
        tensor(RegionKind::Argument, 2, 0, {2, 10}, ElementType::I32)},
       "for the test"}};
  auto add = [&](StepKind kind, uint32_t index) {
    Step step;
    step.kind = kind;
    step.index = index;
    step.name = std::string(toString(kind)) + std::to_string(index);
    plan.steps.push_back(step);
  };
  add(StepKind::H2D, 0);
  add(StepKind::HostWork, 0);
  add(StepKind::HostWork, 1);
  add(StepKind::D2H, 1);
  add(StepKind::D2H, 2);
  declareFootprints(plan);
  return plan;
}

using Change = std::function<void(LaunchPlan &)>;

std::string errorsAfter(const Change &change) {
  LaunchPlan plan = hostPlan();
  change(plan);
  return errorsOf(plan);
}

TEST(PlanCheckerHost, Accepts) {
  LaunchPlan plan = hostPlan();
  EXPECT_EQ(errorsOf(plan), "");
  // Both results of the first call, in one hull.
  const std::vector<Footprint> written = {{RegionKind::Segment, 0, 0, 1536}};
  EXPECT_EQ(plan.steps[1].writes, written);
}

TEST(PlanCheckerHost, FunctionsAndShapes) {
  const std::pair<std::string, Change> cases[] = {
      {"axis 2 of a tensor of rank 2",
       [](LaunchPlan &plan) { plan.hostCalls[0].attributes[0] = 2; }},
      {"201 of the 200 elements along axis 1",
       [](LaunchPlan &plan) { plan.hostCalls[0].attributes[1] = 201; }},
      {"largest is 0 or 1, not 2",
       [](LaunchPlan &plan) { plan.hostCalls[0].attributes[2] = 2; }},
      {"has the attributes axis, k, largest; 2 are given",
       [](LaunchPlan &plan) { plan.hostCalls[0].attributes.pop_back(); }},
      {"takes 1 operand and gives 2 results; 0 and 2",
       [](LaunchPlan &plan) { plan.hostCalls[0].operands.clear(); }},
      {"result 0 is 2x99xf16, it must be 2x100xf16",
       [](LaunchPlan &plan) { plan.hostCalls[0].results[0].shape[1] = 99; }},
      {"result 1 is 2x100xf32, it must be 2x100xi32", [](LaunchPlan &plan) {
         plan.hostCalls[0].results[1].deviceType = ElementType::F32;
       }}};
  for (const auto &[words, change] : cases) {
    EXPECT_THAT(errorsAfter(change),
                AllOf(HasSubstr("E0757"), HasSubstr(words)));
  }
}

TEST(PlanCheckerHost, Places) {
  const std::tuple<std::string, std::string, Change> cases[] = {
      {"E0700", "operand 0 names segment 9, the plan has 1",
       [](LaunchPlan &plan) { plan.hostCalls[1].operands[0].index = 9; }},
      {"E0757", "512 bytes at offset 64 is not whole sticks inside",
       [](LaunchPlan &plan) { plan.hostCalls[1].operands[0].offset = 64; }},
      {"E0757", "512 bytes at offset 1152 is not whole sticks inside the 1536",
       [](LaunchPlan &plan) { plan.hostCalls[1].operands[0].offset = 1152; }},
      {"E0757", "result 0 is not a tensor that argument 0 holds for it",
       [](LaunchPlan &plan) {
         plan.hostCalls[0].results[0] = plan.hostCalls[0].operands[0];
         plan.hostCalls[0].results[0].shape[1] = 100;
       }},
      {"E0757", "result 1 shares bytes with another tensor",
       [](LaunchPlan &plan) { plan.hostCalls[0].results[1].offset = 256; }},
      {"E0757", "operand 0 is not a tensor that segment 0 holds for it",
       [](LaunchPlan &plan) { plan.segments[0].kind = SegmentKind::Program; }},
      {"E0708", "its layout is not valid",
       [](LaunchPlan &plan) {
         plan.hostCalls[1].operands[0].layout.dims.pop_back();
       }},
      {"E0701", "unknown function", [](LaunchPlan &plan) {
         plan.hostCalls[1].function = static_cast<HostFunction>(7);
       }}};
  for (const auto &[code, words, change] : cases) {
    EXPECT_THAT(errorsAfter(change), AllOf(HasSubstr(code), HasSubstr(words)));
  }
}

TEST(PlanCheckerHost, Steps) {
  const std::tuple<std::string, std::string, Change> cases[] = {
      {"E0700", "host_work names 7, the plan has 2",
       [](LaunchPlan &plan) { plan.steps[1].index = 7; }},
      {"E0750", "host_work cannot run as preparation step",
       [](LaunchPlan &plan) { plan.steps[1].role = StepRole::Prep; }},
      {"E0753", "does not write what its footprint says",
       [](LaunchPlan &plan) { plan.steps[1].writes[0].hi = 1408; }},
      {"E0752", "which no step before sends",
       [](LaunchPlan &plan) { plan.steps.erase(plan.steps.begin()); }},
      {"E0752", "which no step before computes",
       [](LaunchPlan &plan) { plan.steps.erase(plan.steps.begin() + 2); }}};
  for (const auto &[code, words, change] : cases) {
    EXPECT_THAT(errorsAfter(change), AllOf(HasSubstr(code), HasSubstr(words)));
  }
}

/// What a call reads is a whole tensor that a step before has written.
TEST(PlanCheckerHost, WrittenBefore) {
  auto after = [](const Change &change) {
    return errorsAfter([&](LaunchPlan &plan) {
      change(plan);
      declareFootprints(plan);
    });
  };
  EXPECT_THAT(
      after([](LaunchPlan &plan) { plan.steps.erase(plan.steps.begin() + 1); }),
      AllOf(HasSubstr("E0744"), HasSubstr("operand 0, stick 0")));
  // One stick on: still written, but not this tensor.
  EXPECT_THAT(
      after(
          [](LaunchPlan &plan) { plan.hostCalls[1].operands[0].offset = 128; }),
      AllOf(HasSubstr("E0746"), HasSubstr("another tensor was written")));
  // The same bytes with one valid lane less.
  EXPECT_THAT(
      after([](LaunchPlan &plan) {
        plan.hostCalls[1].operands[0].shape[1] = 99;
      }),
      AllOf(HasSubstr("E0746"), HasSubstr("another tensor was written")));
}

/// The half of a tensor in scratch memory that another program wrote is not
/// what a program may take for a tensor of its own.
TEST(PlanCheckerHost, ProgramsAgreeOnTensors) {
  const std::string copy = R"(program @NAME cores 1
buffer %X BIND f16 [2, 8, 64] ROLE valid 128 along 0
buffer %Y BOUND f16 [2, 8, 64] TAKEN valid 128 along 0
buffer %x lx f16 [2, 8, 64] queue 1 load -> sfu
buffer %y lx at 2048 f16 [2, 8, 64] queue 1 sfu -> store
source "copy" ["model/Identity"]
body @same(x) { return x }
phase @main {
  load { move [2, 8] %X[d0, d1] -> %x[d0, d1] next %x }
  sfu { map @same [8] stick 128 %x[tile, d0] -> %y[tile, d0] next %x, %y }
  store { move [2, 8] %y[d0, d1] -> %Y[d0, d1] next %y }
}
)";
  auto text = [&](std::string name, std::string from, std::string role,
                  std::string to, std::string taken) {
    std::string result = replaced(copy, "NAME", name);
    result = replaced(result, "BIND", from);
    result = replaced(result, "ROLE", role);
    result = replaced(result, "BOUND", to);
    return replaced(result, "TAKEN", taken);
  };
  PlanParts parts{{{{8, 128}}, {{8, 128}}}, {}};
  auto plan = [&](const std::string &from) {
    LaunchPlan result = planOf(
        text("one", "ddr arg(0)", "input", "ddr seg(1)", "scratch"), parts);
    LaunchPlan second = planOf(
        text("two", "ddr seg(1)" + from, "scratch", "ddr arg(1)", "output"),
        parts);
    result.programs.push_back(second.programs[0]);
    result.symbols.push_back({SymbolKind::Address, 1, 1, 1});
    Step step = result.steps[3];
    step.index = 1;
    result.steps.insert(result.steps.begin() + 4, step);
    declareFootprints(result);
    return result;
  };
  EXPECT_EQ(errorsOf(plan("")), "");
  // Sixteen sticks from byte 128 on: the last was never written, the others are
  // of another tensor.
  EXPECT_THAT(errorsOf(plan(" at 128")),
              AllOf(HasSubstr("E0746"),
                    HasSubstr("a step before wrote another tensor there")));
}

// The first call reads 2 * 4 sticks of x and writes 2 * 2 and 2 * 4: 20 visits;
// the second reads 4 and writes 2 + 2.
TEST(PlanCheckerHost, CountsAsVisits) {
  const LaunchPlan plan = hostPlan();
  CheckerBudgets budgets;
  budgets.maxStickVisits = 28;
  EXPECT_TRUE(checkPlan(plan, target::defaultTarget(), budgets).empty());
  budgets.maxStickVisits = 27;
  const std::vector<Error> errors =
      checkPlan(plan, target::defaultTarget(), budgets);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, ErrorCode::CheckBudget);
  EXPECT_THAT(errors[0].subject, HasSubstr("host_work1"));
  EXPECT_THAT(errors[0].message, HasSubstr("more than 27 sticks"));
}

} // namespace
