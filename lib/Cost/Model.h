// SPDX-License-Identifier: Apache-2.0
//
// The planner's analytical model of one kernel, digested once per problem so
// that the search can evaluate many plans. It is kept apart from the
// simulator: their disagreement is a measured number.

#ifndef SPYRE_LIB_COST_MODEL_H
#define SPYRE_LIB_COST_MODEL_H

#include "Verify.h"

#include <array>
#include <span>

namespace spyre::cost {

class CostModel {
public:
  CostModel(const KernelProblem &problem, const target::Target &target);

  KernelCost evaluate(const KernelPlan &plan) const;

  /// No plan with these slices and this number of slots is cheaper: every tile
  /// covers its slice, nothing is read twice and nothing is exposed.
  double lowerBoundNs(std::span<const int64_t> slices, int32_t buffers) const;

  /// Link bytes of the ring for an order of the cores, each operand read once.
  double linkBytes(std::span<const int64_t> slices,
                   std::span<const int32_t> coreOrder) const;

private:
  using PerDim = std::array<int64_t, kMaxKernelDims>;

  /// Sizes that follow from the slices and tiles of a plan.
  struct Shape {
    PerDim slices{};
    PerDim slice{};
    PerDim tile{};
    PerDim trips{};
    double steps = 1;
    double cores = 1;
    /// True: count what no tiling can avoid.
    bool bound = false;
  };

  /// Bytes of one operand, summed and per core.
  struct Traffic {
    /// All cores, reads by a group counted once.
    double totalBytes = 0;
    /// The share that the most loaded core moves from or to DDR.
    double ownBytes = 0;
    /// What arrives in a core, whoever read it.
    double arrivingBytes = 0;
    /// Cores that share the data.
    double group = 1;
    double tileBytes = 0;
    /// Time per byte relative to long contiguous runs.
    double scatter = 1;
  };

  Traffic traffic(const KernelOperand &operand, const Shape &shape,
                  std::span<const int32_t> loopOrder) const;
  double sticks(const KernelOperand &operand, const PerDim &extents) const;
  double scatterFactor(const KernelOperand &operand, const Shape &shape) const;
  double groupSpan(const KernelOperand &operand, const Shape &shape,
                   std::span<const int32_t> coreOrder) const;
  double refetchTrips(const KernelOperand &operand, const Shape &shape,
                      std::span<const int32_t> loopOrder) const;
  double computeNs(const Shape &shape) const;
  double partialSumNs(const Shape &shape) const;
  double ptCycles(const Shape &shape) const;
  double sfuCycles(const Shape &shape) const;
  double ddrRate(double totalBytes, double ownBytes) const;
  KernelCost cost(const Shape &shape, std::span<const int32_t> loopOrder,
                  std::span<const int32_t> coreOrder, int32_t buffers) const;

  const KernelProblem &problem;
  const target::Target &target;
  size_t numDims;
  PerDim extents{};
  /// depends[operand] has bit d if the operand depends on dim d.
  std::vector<uint32_t> depends;
};

} // namespace spyre::cost

#endif // SPYRE_LIB_COST_MODEL_H
