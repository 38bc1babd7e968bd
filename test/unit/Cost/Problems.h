// SPDX-License-Identifier: Apache-2.0
//
// Kernels that the tests of this folder share.

#ifndef SPYRE_TEST_UNIT_COST_PROBLEMS_H
#define SPYRE_TEST_UNIT_COST_PROBLEMS_H

#include "spyre/Cost/KernelPlan.h"

namespace spyre::cost::test {

using layout::DimKind;

/// An operand [row dims..., tile of `stick`, `inner`, stick] as the default
/// layout has it: the last row dim just outside the stick.
inline KernelOperand operandOf(const char *name, std::vector<int32_t> rows,
                               int32_t stick, ElementType type, bool output) {
  KernelOperand operand;
  operand.name = name;
  operand.type = type;
  operand.output = output;
  int64_t lanes = elementsPerStick(type);
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    operand.coords.push_back({DimKind::Full, rows[i], 1});
  }
  if (stick >= 0) {
    operand.coords.push_back({DimKind::Tile, stick, lanes});
  }
  if (!rows.empty()) {
    operand.coords.push_back({DimKind::Full, rows.back(), 1});
  }
  operand.coords.push_back(stick >= 0
                               ? OperandCoord{DimKind::Stick, stick, lanes}
                               : OperandCoord{DimKind::Unit, -1, lanes});
  return operand;
}

/// C[B, M, N] = A[B, M, K] * W[B, K, N] in f16.
inline KernelProblem matmul(int64_t b, int64_t m, int64_t k, int64_t n) {
  KernelProblem problem;
  problem.name = "matmul";
  problem.kind = KernelKind::Contract;
  problem.dims = {
      {"B", b}, {"M", m}, {"K", k, true, 64, false}, {"N", n, false, 64}};
  problem.operands = {operandOf("A", {0, 1}, 2, ElementType::F16, false),
                      operandOf("W", {0, 2}, 3, ElementType::F16, false),
                      operandOf("C", {0, 1}, 3, ElementType::F16, true)};
  problem.stickDim = 3;
  problem.epilogue.simple = 0;
  problem.lxBudgetBytes = target::defaultTarget().lxPlannerBudgetBytes;
  return problem;
}

/// Z[M, N] = X[M, N] + Y[N].
inline KernelProblem add(int64_t m, int64_t n) {
  KernelProblem problem;
  problem.name = "add";
  problem.kind = KernelKind::Map;
  problem.dims = {{"M", m}, {"N", n, false, 64}};
  problem.operands = {operandOf("X", {0}, 1, ElementType::F16, false),
                      operandOf("Y", {}, 1, ElementType::F16, false),
                      operandOf("Z", {0}, 1, ElementType::F16, true)};
  problem.stickDim = 1;
  problem.lxBudgetBytes = target::defaultTarget().lxPlannerBudgetBytes;
  return problem;
}

/// The plan that divides and tiles nothing.
inline KernelPlan wholePlan(const KernelProblem &problem) {
  KernelPlan plan;
  std::vector<int32_t> reduced;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    plan.slices.push_back(1);
    bool one = problem.kind == KernelKind::Contract && d == 0;
    plan.tiles.push_back(one ? 1 : problem.dims[d].extent);
    plan.coreOrder.push_back(static_cast<int32_t>(d));
    (problem.dims[d].reduction ? reduced : plan.loopOrder)
        .push_back(static_cast<int32_t>(d));
  }
  plan.loopOrder.insert(plan.loopOrder.end(), reduced.begin(), reduced.end());
  return plan;
}

} // namespace spyre::cost::test

#endif // SPYRE_TEST_UNIT_COST_PROBLEMS_H
