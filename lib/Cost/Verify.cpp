// SPDX-License-Identifier: Apache-2.0
//
// The rules of a kernel plan, each checked with the geometry functions alone:
// nothing here knows how the search chose.

#include "Verify.h"

#include "Arithmetic.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::cost {
namespace {

/// Far above any tensor, far below where sums of products overflow.
constexpr int64_t kMaxExtent = int64_t(1) << 40;

tl::unexpected<Error> malformed(const KernelProblem &problem,
                                std::string message) {
  return makeError(ErrorCode::KernelProblemMalformed, kernelSubject(problem),
                   std::move(message));
}

tl::unexpected<Error> illegal(const KernelProblem &problem,
                              std::string message) {
  return makeError(ErrorCode::KernelPlanIllegal, kernelSubject(problem),
                   std::move(message));
}

Status verifyOperand(const KernelProblem &problem,
                     const KernelOperand &operand) {
  if (operand.coords.empty()) {
    return malformed(problem,
                     fmt::format("operand \"{}\" has no stick", operand.name));
  }
  for (const OperandCoord &coord : operand.coords) {
    bool unit = coord.kind == layout::DimKind::Unit;
    if (coord.dim >= static_cast<int32_t>(problem.dims.size()) ||
        (coord.dim < 0 && coord.kind != layout::DimKind::Full && !unit) ||
        (coord.dim >= 0 && unit) || coord.factor < 1 || coord.stride < 1 ||
        coord.offset < 0 || coord.windowStride < 1 ||
        coord.windowDim >= static_cast<int32_t>(problem.dims.size()) ||
        (coord.kind != layout::DimKind::Full &&
         (coord.stride != 1 || coord.windowDim >= 0))) {
      return malformed(
          problem, fmt::format("operand \"{}\" has a coordinate of kind {}, "
                               "dim {} and factor {}",
                               operand.name, static_cast<int>(coord.kind),
                               coord.dim, coord.factor));
    }
    bool inStick = coord.kind == layout::DimKind::Tile ||
                   coord.kind == layout::DimKind::Stick;
    if (inStick) {
      int64_t granule = problem.dims[static_cast<size_t>(coord.dim)].granule;
      if (granule % coord.factor != 0) {
        return malformed(
            problem,
            fmt::format("operand \"{}\" cuts dim {} by {}, which does not "
                        "divide its granule {}",
                        operand.name, coord.dim, coord.factor, granule));
      }
    }
  }
  const OperandCoord &last = operand.coords.back();
  int64_t lanes = elementsPerStick(operand.type);
  bool wholeStick =
      last.kind == layout::DimKind::Unit ||
      (last.kind == layout::DimKind::Stick && last.factor == lanes);
  if (!wholeStick) {
    return malformed(problem,
                     fmt::format("operand \"{}\" does not end with a stick of "
                                 "{} elements",
                                 operand.name, lanes));
  }
  return {};
}

/// A and B in their places, M whole in A, sticks on K, N and N.
Status verifyContract(const KernelProblem &problem) {
  if (problem.operands.size() < 3 || problem.operands[0].output ||
      problem.operands[1].output) {
    return malformed(problem, "a Contract has operands A, B and an output");
  }
  const KernelOperand &a = problem.operands[0];
  const KernelOperand &b = problem.operands[1];
  int32_t aStick = a.coords.back().dim;
  int32_t bStick = b.coords.back().dim;
  if (aStick >= 0 && !problem.dims[static_cast<size_t>(aStick)].reduction) {
    return malformed(problem, fmt::format("dim {} in the stick of A is not "
                                          "reduced",
                                          aStick));
  }
  if (bStick >= 0 && bStick != problem.stickDim) {
    return malformed(problem,
                     fmt::format("dim {} in the stick of B is not the stick "
                                 "dim {}",
                                 bStick, problem.stickDim));
  }
  for (const OperandCoord &coord : a.coords) {
    bool cut = coord.kind == layout::DimKind::Tile ||
               coord.kind == layout::DimKind::Stick;
    if (cut && !problem.dims[static_cast<size_t>(coord.dim)].reduction) {
      return malformed(problem,
                       fmt::format("row dim {} is not whole in A", coord.dim));
    }
  }
  return {};
}

Status verifyMemory(const KernelProblem &problem, const KernelPlan &plan,
                    const target::Target &target) {
  int64_t needed = lxBytes(problem, plan);
  if (needed > problem.lxBudgetBytes) {
    return makeError(
        ErrorCode::WorkingSetTooLarge, kernelSubject(problem),
        "the working set does not fit the scratchpad",
        {fmt::format("needs {} bytes per core, {} available (excess {})",
                     needed, problem.lxBudgetBytes,
                     needed - problem.lxBudgetBytes)});
  }
  return verifySpans(problem, plan.slices, target);
}

/// Sums over cores: of contractions, over one dim whose cores are neighbours.
Status verifySplitReduction(const KernelProblem &problem,
                            const KernelPlan &plan, size_t d) {
  const KernelDim &dim = problem.dims[d];
  if (problem.kind != KernelKind::Contract || hasUnitTile(problem, d)) {
    return illegal(problem,
                   fmt::format("dim \"{}\" has {} slices, but is reduced, and "
                               "only a contraction adds up over cores",
                               dim.name, plan.slices[d]));
  }
  if (splitReduction(problem, plan) != static_cast<int32_t>(d)) {
    return illegal(problem, fmt::format("dim \"{}\" is the second reduced dim "
                                        "with more than one slice",
                                        dim.name));
  }
  if (plan.coreOrder.back() != static_cast<int32_t>(d)) {
    return illegal(problem, fmt::format("dim \"{}\" is reduced over cores, but "
                                        "is not the last in core order",
                                        dim.name));
  }
  return {};
}

Status verifyDim(const KernelProblem &problem, const KernelPlan &plan,
                 size_t d) {
  const KernelDim &dim = problem.dims[d];
  int64_t slices = plan.slices[d];
  int64_t tile = plan.tiles[d];
  int64_t granules = ceilDiv(dim.extent, dim.granule);
  if (slices < 1 || slices > granules) {
    return illegal(problem,
                   fmt::format("dim \"{}\" has {} slices, but 1 to {} granules "
                               "of {} elements",
                               dim.name, slices, granules, dim.granule));
  }
  if (slices > 1 && dim.reduction) {
    if (Status status = verifySplitReduction(problem, plan, d); !status) {
      return status;
    }
  } else if (slices > 1 && !dim.splittable) {
    return illegal(problem, fmt::format("dim \"{}\" has {} slices, but is not "
                                        "splittable",
                                        dim.name, slices));
  }
  int64_t slice = maxSliceSize(dim, slices);
  if (tile < 1 || tile > slice) {
    return illegal(problem, fmt::format("dim \"{}\" has a tile of {}, but "
                                        "slices of {}",
                                        dim.name, tile, slice));
  }
  if (hasUnitTile(problem, d)) {
    if (tile != 1) {
      return illegal(problem, fmt::format("dim \"{}\", a window, has a tile of "
                                          "{}, but needs 1",
                                          dim.name, tile));
    }
    return {};
  }
  if (isSerial(problem, d)) {
    const bool fills =
        dim.granule == 1 && (tile == slice || isWholeTile(dim, slice, tile));
    if (tile != 1 && !fills) {
      return illegal(problem,
                     fmt::format("dim \"{}\", a batch or column group, has a "
                                 "tile of {}, but needs 1 or what fills its "
                                 "slices of {}",
                                 dim.name, tile, slice));
    }
    return {};
  }
  if (tile != slice && tile % dim.granule != 0) {
    return illegal(problem,
                   fmt::format("dim \"{}\" has a tile of {}, neither its slice "
                               "of {} nor a multiple of {}",
                               dim.name, tile, slice, dim.granule));
  }
  if (tile != slice && !dim.tileable) {
    return illegal(problem,
                   fmt::format("dim \"{}\" has a tile of {}, but must be "
                               "whole: {}",
                               dim.name, tile, slice));
  }
  return {};
}

bool isPermutation(const std::vector<int32_t> &order, size_t size) {
  std::vector<int32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int32_t>(i)) {
      return false;
    }
  }
  return sorted.size() == size;
}

Status verifyOrders(const KernelProblem &problem, const KernelPlan &plan) {
  size_t numDims = problem.dims.size();
  if (!isPermutation(plan.loopOrder, numDims) ||
      !isPermutation(plan.coreOrder, numDims)) {
    return illegal(problem,
                   fmt::format("loop order and core order must name each of "
                               "{} dims once",
                               numDims));
  }
  bool reduced = false;
  for (int32_t d : plan.loopOrder) {
    const KernelDim &dim = problem.dims[static_cast<size_t>(d)];
    if (reduced && !dim.reduction) {
      return illegal(problem, fmt::format("dim \"{}\" is looped inside a "
                                          "reduced dim",
                                          dim.name));
    }
    reduced = reduced || dim.reduction;
  }
  return {};
}

} // namespace

std::string kernelSubject(const KernelProblem &problem) {
  return fmt::format("kernel \"{}\"", problem.name);
}

/// Whether the dim is the window of a coordinate.
static bool isWindow(const KernelProblem &problem, size_t dim) {
  return std::any_of(problem.operands.begin(), problem.operands.end(),
                     [dim](const KernelOperand &operand) {
                       return std::any_of(operand.coords.begin(),
                                          operand.coords.end(),
                                          [dim](const OperandCoord &coord) {
                                            return coord.windowDim ==
                                                   static_cast<int32_t>(dim);
                                          });
                     });
}

bool hasUnitTile(const KernelProblem &problem, size_t dim) {
  return isWindow(problem, dim);
}

bool isWholeTile(const KernelDim &dim, int64_t slice, int64_t tile) {
  return dim.extent % slice == 0 && slice % tile == 0;
}

bool isSerial(const KernelProblem &problem, size_t dim) {
  return problem.kind == KernelKind::Contract && !problem.dims[dim].reduction &&
         static_cast<int32_t>(dim) != problem.stickDim &&
         problem.operands[1].dependsOn(static_cast<int32_t>(dim));
}

int64_t spanBytes(const KernelProblem &problem, const KernelOperand &operand,
                  std::span<const int64_t> slices) {
  int64_t stride = kStickBytes;
  int64_t span = kStickBytes;
  for (size_t i = operand.coords.size() - 1; i-- > 0;) {
    const OperandCoord &coord = operand.coords[i];
    if (coord.dim < 0) {
      continue;
    }
    size_t d = static_cast<size_t>(coord.dim);
    int64_t whole = problem.dims[d].extent;
    int64_t slice = maxSliceSize(problem.dims[d], slices[d]);
    if (coord.kind == layout::DimKind::Tile) {
      whole = ceilDiv(whole, coord.factor);
      slice = ceilDiv(slice, coord.factor);
    }
    whole = std::max(whole, coord.extent);
    // Indices reach every row of the table.
    bool isIndexed = problem.kind == KernelKind::Gather && d == 0 &&
                     &operand == problem.operands.data();
    int64_t reach =
        mulSaturating((isIndexed ? whole : slice) - 1, coord.stride);
    if (coord.windowDim >= 0) {
      int64_t taps = problem.dims[static_cast<size_t>(coord.windowDim)].extent;
      reach = addSaturating(reach, mulSaturating(taps - 1, coord.windowStride));
    }
    span = addSaturating(span, mulSaturating(reach, stride));
    stride = mulSaturating(stride, whole);
  }
  return span;
}

Status verifySpans(const KernelProblem &problem,
                   std::span<const int64_t> slices,
                   const target::Target &target) {
  for (const KernelOperand &operand : problem.operands) {
    int64_t span = operand.resident ? 0 : spanBytes(problem, operand, slices);
    if (span > target.maxSpanBytes) {
      return makeError(
          ErrorCode::SpanTooLarge, kernelSubject(problem),
          fmt::format("operand \"{}\" spans too much memory for one core",
                      operand.name),
          {fmt::format("spans {} bytes per core, {} allowed (excess {})", span,
                       target.maxSpanBytes, span - target.maxSpanBytes)});
    }
  }
  return {};
}

Status verifyProblem(const KernelProblem &problem) {
  if (problem.dims.size() > kMaxKernelDims) {
    return malformed(problem, fmt::format("{} dims, at most {} are planned",
                                          problem.dims.size(), kMaxKernelDims));
  }
  for (const KernelDim &dim : problem.dims) {
    if (dim.extent < 1 || dim.extent > kMaxExtent || dim.granule < 1 ||
        dim.granule > kMaxExtent) {
      return malformed(problem, fmt::format("dim \"{}\" has extent {} and "
                                            "granule {}",
                                            dim.name, dim.extent, dim.granule));
    }
  }
  if (problem.stickDim < -1 ||
      problem.stickDim >= static_cast<int32_t>(problem.dims.size())) {
    return malformed(problem,
                     fmt::format("stick dim {} of {} dims", problem.stickDim,
                                 problem.dims.size()));
  }
  bool hasOutput = false;
  for (const KernelOperand &operand : problem.operands) {
    hasOutput = hasOutput || operand.output;
    if (Status status = verifyOperand(problem, operand); !status) {
      return status;
    }
  }
  if (!hasOutput) {
    return malformed(problem, "a kernel without an output");
  }
  if (problem.kind == KernelKind::Restickify &&
      (problem.operands.size() != 2 || problem.operands[0].output)) {
    return malformed(problem, "a Restickify has one input and one output");
  }
  if (problem.kind == KernelKind::Gather &&
      (problem.operands.size() != 3 || problem.operands[0].output ||
       problem.operands[1].output ||
       problem.operands[1].type != ElementType::I32 ||
       problem.dims.front().tileable)) {
    return malformed(problem, "a Gather has a table, an i32 index and an "
                              "output, and does not tile dim 0");
  }
  return problem.kind == KernelKind::Contract ? verifyContract(problem)
                                              : Status{};
}

Status verifyChoices(const KernelProblem &problem, const KernelPlan &plan,
                     const target::Target &target) {
  size_t numDims = problem.dims.size();
  if (plan.slices.size() != numDims || plan.tiles.size() != numDims) {
    return illegal(problem,
                   fmt::format("{} slices and {} tiles for {} dims",
                               plan.slices.size(), plan.tiles.size(), numDims));
  }
  if (plan.buffers < 1 || plan.buffers > 16) {
    return illegal(problem, fmt::format("{} slots per operand, but 1 to 16",
                                        plan.buffers));
  }
  if (Status status = verifyOrders(problem, plan); !status) {
    return status;
  }
  int64_t cores = 1;
  for (size_t d = 0; d < numDims; ++d) {
    if (Status status = verifyDim(problem, plan, d); !status) {
      return status;
    }
    cores = mulSaturating(cores, plan.slices[d]);
  }
  int64_t available = std::min(
      target.numCores, problem.forced.maxCores.value_or(target.numCores));
  if (cores > available) {
    return illegal(problem, fmt::format("the slices need {} cores, {} are "
                                        "available",
                                        cores, available));
  }
  for (size_t d = 0; d < numDims; ++d) {
    int64_t count = trips(problem, plan, static_cast<int32_t>(d));
    if (count > target.maxLoopTrips) {
      return makeError(
          ErrorCode::TooManyTrips, kernelSubject(problem),
          fmt::format("the loop over dim \"{}\" is too long",
                      problem.dims[d].name),
          {fmt::format("{} trips of {} elements, {} allowed", count,
                       plan.tiles[d], target.maxLoopTrips)});
    }
  }
  return {};
}

Status verifyPlan(const KernelProblem &problem, const KernelPlan &plan,
                  const target::Target &target) {
  if (Status status = verifyProblem(problem); !status) {
    return status;
  }
  if (Status status = verifyChoices(problem, plan, target); !status) {
    return status;
  }
  return verifyMemory(problem, plan, target);
}

} // namespace spyre::cost
