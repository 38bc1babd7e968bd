// SPDX-License-Identifier: Apache-2.0
//
// What follows exactly from a kernel plan: slices, trips, tile shapes, staging
// levels, scratchpad bytes. The search and the scheduler both call these
// functions, so what was charged is what is built.

#include "spyre/Cost/KernelPlan.h"

#include "Arithmetic.h"

#include <algorithm>

namespace spyre::cost {
namespace {

int64_t numGranules(const KernelDim &dim) {
  return ceilDiv(dim.extent, dim.granule);
}

} // namespace

int64_t sliceStart(const KernelDim &dim, int64_t slices, int64_t index) {
  int64_t granules = numGranules(dim);
  int64_t start =
      index * (granules / slices) + std::min(index, granules % slices);
  return std::min(dim.extent, mulSaturating(start, dim.granule));
}

int64_t sliceSize(const KernelDim &dim, int64_t slices, int64_t index) {
  return sliceStart(dim, slices, index + 1) - sliceStart(dim, slices, index);
}

int64_t maxSliceSize(const KernelDim &dim, int64_t slices) {
  // The first slice is one of the largest; only the last can be cut by the
  // extent.
  return sliceSize(dim, slices, 0);
}

std::optional<std::vector<int64_t>> slicesOfCore(const KernelPlan &plan,
                                                 int64_t core) {
  std::vector<int64_t> index(plan.slices.size(), 0);
  int64_t rest = core;
  for (auto it = plan.coreOrder.rbegin(); it != plan.coreOrder.rend(); ++it) {
    int64_t slices = plan.slices[static_cast<size_t>(*it)];
    index[static_cast<size_t>(*it)] = rest % slices;
    rest /= slices;
  }
  if (rest != 0) {
    return std::nullopt;
  }
  return index;
}

int64_t trips(const KernelProblem &problem, const KernelPlan &plan,
              int32_t dim) {
  size_t d = static_cast<size_t>(dim);
  return ceilDiv(maxSliceSize(problem.dims[d], plan.slices[d]), plan.tiles[d]);
}

std::vector<int64_t> tileShape(const KernelProblem &problem,
                               const KernelPlan &plan,
                               const KernelOperand &operand) {
  std::vector<int64_t> shape;
  shape.reserve(operand.coords.size());
  for (const OperandCoord &coord : operand.coords) {
    int64_t tile =
        coord.dim < 0 ? 1 : plan.tiles[static_cast<size_t>(coord.dim)];
    switch (coord.kind) {
    case layout::DimKind::Full:
      shape.push_back(tile);
      break;
    case layout::DimKind::Tile:
      shape.push_back(ceilDiv(tile, coord.factor));
      break;
    case layout::DimKind::Stick:
      shape.push_back(coord.factor);
      break;
    case layout::DimKind::Unit:
      shape.push_back(1);
      break;
    }
  }
  // The stick is whole whatever it holds.
  if (!shape.empty()) {
    shape.back() = elementsPerStick(operand.type);
  }
  return shape;
}

KernelOperand accumulatorOperand(const KernelProblem &problem) {
  auto output = std::find_if(problem.operands.begin(), problem.operands.end(),
                             [](const KernelOperand &o) { return o.output; });
  KernelOperand accumulator = *output;
  accumulator.name = "accumulator";
  accumulator.output = false;
  accumulator.resident = false;
  bool integer = output->type == ElementType::I32 ||
                 output->type == ElementType::I8 ||
                 output->type == ElementType::I4;
  accumulator.type = integer ? ElementType::I32 : ElementType::F32;
  int64_t lanes = elementsPerStick(accumulator.type);
  int32_t stickDim = output->coords.back().dim;
  for (OperandCoord &coord : accumulator.coords) {
    bool ofStick = coord.kind != layout::DimKind::Full &&
                   coord.dim == stickDim && stickDim >= 0;
    if (ofStick) {
      coord.factor = lanes;
    }
  }
  accumulator.coords.back().factor = lanes;
  return accumulator;
}

int32_t splitReduction(const KernelProblem &problem, const KernelPlan &plan) {
  for (size_t dim = 0; dim < problem.dims.size(); ++dim) {
    if (problem.dims[dim].reduction && plan.slices[dim] > 1) {
      return static_cast<int32_t>(dim);
    }
  }
  return -1;
}

int64_t accumulatorBuffers(const KernelProblem &problem,
                           const KernelPlan &plan) {
  return splitReduction(problem, plan) >= 0 ? 2 : 1;
}

int32_t loopLevel(const KernelProblem &problem, const KernelPlan &plan,
                  const KernelOperand &operand) {
  int32_t depth = 0;
  int32_t level = 0;
  for (int32_t dim : plan.loopOrder) {
    if (trips(problem, plan, dim) <= 1) {
      continue;
    }
    ++depth;
    if (operand.dependsOn(dim)) {
      level = depth;
    }
  }
  return level;
}

int64_t lxBytes(const KernelProblem &problem, const KernelPlan &plan) {
  auto tileBytes = [&](const KernelOperand &operand) {
    int64_t sticks = 1;
    std::vector<int64_t> shape = tileShape(problem, plan, operand);
    for (size_t i = 0; i + 1 < shape.size(); ++i) {
      sticks = mulSaturating(sticks, shape[i]);
    }
    return mulSaturating(sticks, kStickBytes);
  };
  int64_t total = 0;
  for (const KernelOperand &operand : problem.operands) {
    if (!operand.resident) {
      total =
          addSaturating(total, mulSaturating(tileBytes(operand), plan.buffers));
    }
  }
  if (problem.kind == KernelKind::Reduce ||
      problem.kind == KernelKind::Contract) {
    total = addSaturating(total,
                          mulSaturating(tileBytes(accumulatorOperand(problem)),
                                        accumulatorBuffers(problem, plan)));
  }
  return total;
}

} // namespace spyre::cost
