// SPDX-License-Identifier: Apache-2.0

#include "CheckerPlans.h"

#include "spyre/LaunchPlan/Text.h"

#include <gtest/gtest.h>

namespace spyre::launch {
namespace {

layout::StickLayout layoutOf(const HostTensor &tensor) {
  int64_t rank = static_cast<int64_t>(tensor.shape.size());
  return layout::defaultLayout(rank, rank - 1, tensor.type);
}

int64_t bytesOf(const HostTensor &tensor) {
  return *layout::sizeBytes(layoutOf(tensor), tensor.shape, tensor.type);
}

void addArguments(LaunchPlan &plan, const PlanParts &parts) {
  for (const HostTensor &tensor : parts.arguments) {
    Argument argument;
    argument.name = "arg" + std::to_string(plan.arguments.size());
    argument.shape = tensor.shape;
    argument.deviceType = tensor.type;
    argument.layout = layoutOf(tensor);
    plan.arguments.push_back(argument);
  }
  plan.arguments.back().role = ArgumentRole::Output;
}

void addWeights(LaunchPlan &plan, const PlanParts &parts) {
  plan.segments = {{SegmentKind::Weights, 0}, {SegmentKind::Scratch, 1 << 20}};
  for (const HostTensor &tensor : parts.weights) {
    Weight weight;
    weight.name = "weight" + std::to_string(plan.weights.size());
    weight.offset = plan.segments[0].sizeBytes;
    weight.sizeBytes = bytesOf(tensor);
    weight.shape = tensor.shape;
    weight.deviceType = tensor.type;
    weight.layout = layoutOf(tensor);
    plan.segments[0].sizeBytes += weight.sizeBytes;
    plan.weights.push_back(weight);
  }
}

void addStep(LaunchPlan &plan, StepKind kind, StepRole role, uint32_t index) {
  Step step;
  step.kind = kind;
  step.role = role;
  step.index = index;
  Expected<StepFootprints> footprints =
      stepFootprints(plan, step, target::defaultTarget());
  // A plan that is wrong by intent may have none.
  if (footprints) {
    step.reads = footprints->reads;
    step.writes = footprints->writes;
  }
  plan.steps.push_back(step);
}

} // namespace

LaunchPlan planOf(const std::string &programText, const PlanParts &parts) {
  LaunchPlan plan;
  addArguments(plan, parts);
  addWeights(plan, parts);
  Expected<Program> program = parseProgram(programText);
  EXPECT_TRUE(program) << (program ? "" : program.error().str());
  plan.programs = {program ? *program : Program()};
  const std::vector<Buffer> &buffers = plan.programs[0].buffers;
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    if (buffers[index].binding == Binding::Argument) {
      plan.symbols.push_back(
          {SymbolKind::Address, buffers[index].bindingIndex, 0, index});
    }
  }
  const std::vector<Scalar> &scalars = plan.programs[0].scalars;
  for (uint32_t index = 0; index < scalars.size(); ++index) {
    plan.symbols.push_back(
        {SymbolKind::Value, scalars[index].argument, 0, index});
  }
  uint32_t output = static_cast<uint32_t>(plan.arguments.size()) - 1;
  for (uint32_t input = 0; input < output; ++input) {
    addStep(plan, StepKind::H2D, StepRole::Prep, input);
  }
  plan.numEvents = 1;
  addStep(plan, StepKind::Signal, StepRole::Prep, 0);
  addStep(plan, StepKind::Wait, StepRole::Device, 0);
  addStep(plan, StepKind::Compute, StepRole::Device, 0);
  addStep(plan, StepKind::D2H, StepRole::Device, output);
  return plan;
}

std::string doubleText() {
  return R"(program @double cores 2
table %c = core
buffer %X ddr arg(0) f16 [2, 64, 64] input valid 128 along 0
buffer %Y ddr arg(1) f16 [2, 64, 64] output valid 128 along 0
buffer %x lx f16 [2, 8, 64] queue 2 load -> sfu
buffer %y lx at 4096 f16 [2, 8, 64] queue 2 sfu -> store
source "double" ["model/Add"]
body @twice(x) { s = add(x, x) return s }
phase @main {
  load { loop 4 {
    move [2, 8] %X[d0, 32*%c + 8*i0 + d1] -> %x[d0, d1] next %x } }
  sfu { loop 4 {
    map @twice [8] stick 128 %x[tile, d0] -> %y[tile, d0] next %x, %y } }
  store { loop 4 {
    move [2, 8] %y[d0, d1] -> %Y[d0, 32*%c + 8*i0 + d1] next %y } }
}
)";
}

PlanParts doubleParts() { return {{{{64, 128}}, {{64, 128}}}, {}}; }

LaunchPlan doublePlan() { return planOf(doubleText(), doubleParts()); }

std::string matmulText() {
  return R"(program @matmul cores 4
table %m = core div 2
table %n = core mod 2
table %row = mask(core div 2)
table %col = mask(core mod 2)
buffer %A ddr arg(0) f16 [4, 32, 64] input valid 256 along 0
buffer %B ddr seg(0) f16 [2, 256, 64] weight valid 128 along 0
buffer %C ddr arg(1) f16 [2, 32, 64] output valid 128 along 0
buffer %a lx f16 [1, 16, 64] queue 2 load@%row -> pt
buffer %b lx at 4096 f16 [1, 64, 64] queue 2 load@%col -> pt
buffer %acc lx at 20480 f32 [2, 16, 32] queue 1 pt -> sfu
buffer %out lx at 24576 f16 [1, 16, 64] queue 1 sfu -> store
source "matmul" ["encoder/MatMul"]
body @copy(x) { return x }
phase @main {
  load { loop 4 {
    move [1, 8] %A[i0 + d0, 16*%m + 8*%n + d1] -> %a[d0, 8*%n + d1]
      to %row next %a
    move [1, 32] %B[%n + d0, 64*i0 + 32*%m + d1] -> %b[d0, 32*%m + d1]
      to %col next %b } }
  pt { loop 4 {
      matmul [16] rows 1 stick 64 inner 64
        %a[tile, d0], %b[tile, row] -> %acc[tile, d0] first(i0) next %a, %b }
    only next %acc }
  sfu { map @copy [16] stick 64 %acc[tile, d0] -> %out[tile, d0]
      next %acc, %out }
  store { move [1, 16] %out[d0, d1] -> %C[%n + d0, 16*%m + d1] next %out }
}
)";
}

PlanParts matmulParts() { return {{{{32, 256}}, {{32, 128}}}, {{{256, 128}}}}; }

std::string residentText() {
  return R"(program @resident cores 2
table %c = core
buffer %X ddr arg(0) f16 [1, 8, 64] input valid 50 along 0
buffer %Y ddr arg(1) f16 [1, 8, 64] output valid 50 along 0
buffer %S ddr seg(1) f16 [1, 8, 64] scratch
buffer %x lx f16 [1, 4, 64] queue 1 load -> sfu
buffer %kept lx at 512 f16 [1, 4, 64]
buffer %out lx at 1024 f16 [1, 4, 64] queue 1 sfu -> store
source "residual" ["model/Add_1", "model/Add_2"]
body @two(x) { s = add(x, x) return s, s }
body @sum(x, y) { s = add(x, y) return s }
phase @first {
  load { move [1, 4] %X[d0, 4*%c + d1] -> %x[d0, d1] next %x }
  sfu { map @two [4] stick 50 %x[tile, d0] -> %kept[tile, d0], %out[tile, d0]
      next %x, %out }
  store { move [1, 4] %out[d0, d1] -> %S[d0, 4*%c + d1] next %out }
}
phase @second residents %kept {
  load { move [1, 4] %S[d0, 4*%c + d1] -> %x[d0, d1] next %x }
  sfu { map @sum [4] stick 50 %kept[tile, d0], %x[tile, d0] -> %out[tile, d0]
      next %x, %out }
  store { move [1, 4] %out[d0, d1] -> %Y[d0, 4*%c + d1] next %out }
}
)";
}

PlanParts residentParts() { return {{{{8, 50}}, {{8, 50}}}, {}}; }

std::string reduceText() {
  return R"(program @reduce cores 2
table %c = core
table %all = [3, 3]
table %last = [0, 1]
table %fill = [0, 2]
buffer %X ddr arg(0) f16 [1, 2, 64] input valid 64 along 0
buffer %Y ddr arg(1) f32 [2, 32] output valid 64 along 0
buffer %x lx f16 [1, 64] queue 1 load -> sfu
buffer %part lx at 1024 f32 [2, 32] queue 1 sfu -> ring
buffer %sum lx at 2048 f32 [2, 32] queue 1 ring@%fill -> store
source "sum" ["model/ReduceSum"]
body @copy(x) { return x }
phase @main {
  load { move [1] %X[0, %c + d0] -> %x[d0] next %x }
  sfu { map @copy stick 64 %x[tile] -> %part[tile] next %x, %part }
  ring { reduce add [2] %part[d0] -> %sum[d0] to %all next %part, %sum }
  store { move [2] %sum[d0] -> %Y[d0] if %last next %sum }
}
)";
}

PlanParts reduceParts() { return {{{{2, 64}}, {{64}, ElementType::F32}}, {}}; }

std::string replaced(const std::string &text, const std::string &from,
                     const std::string &to) {
  size_t position = text.find(from);
  if (position == std::string::npos) {
    ADD_FAILURE() << "the text has no " << from;
    return text;
  }
  std::string result = text;
  return result.replace(position, from.size(), to);
}

std::string errorsOf(const LaunchPlan &plan, const CheckerBudgets &budgets) {
  std::string text;
  for (const Error &error : checkPlan(plan, target::defaultTarget(), budgets)) {
    text += error.str() + "\n";
  }
  return text;
}

} // namespace spyre::launch
