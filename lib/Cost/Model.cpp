// SPDX-License-Identifier: Apache-2.0
//
// Predicted time of a kernel plan. Four resources work side by side: the units
// of the most loaded core, the device memory, the ring, and what no overlap can
// hide. Mechanisms (passes, lanes, links) come from the target's machine
// values; rates of the memory come from its reference fits.

#include "Model.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace spyre::cost {
namespace {

/// Longest contiguous run that still gains from being longer, in bytes
/// (published model of restickify requests: clamp(run, 128, 4096)).
constexpr double kLongRunBytes = 4096;
/// Cores to which one read goes; data for more is read again (published formula
/// of matmuls: the memory's time times max(m, n) / 8).
constexpr double kMulticastCores = 8;
/// To load a block of weights into the matrix unit, and to drain its sums.
constexpr double kBlockCycles = 64;

double roundUpTo(double value, double multiple) {
  return std::ceil(value / multiple) * multiple;
}

int64_t coordExtent(const OperandCoord &coord, int64_t dimExtent) {
  return coord.kind == layout::DimKind::Tile ? ceilDiv(dimExtent, coord.factor)
                                             : dimExtent;
}

int64_t toBytes(double bytes) {
  return static_cast<int64_t>(std::min(bytes, 9e18));
}

} // namespace

CostModel::CostModel(const KernelProblem &problem, const target::Target &target)
    : problem(problem), target(target), numDims(problem.dims.size()) {
  for (size_t d = 0; d < numDims; ++d) {
    extents[d] = problem.dims[d].extent;
  }
  for (const KernelOperand &operand : problem.operands) {
    uint32_t mask = 0;
    for (const OperandCoord &coord : operand.coords) {
      mask |= coord.dim >= 0 ? uint32_t(1) << coord.dim : 0;
      mask |= coord.windowDim >= 0 ? uint32_t(1) << coord.windowDim : 0;
    }
    depends.push_back(mask);
  }
}

double CostModel::sticks(const KernelOperand &operand,
                         const PerDim &extent) const {
  double count = 1;
  for (size_t i = 0; i + 1 < operand.coords.size(); ++i) {
    const OperandCoord &coord = operand.coords[i];
    if (coord.dim >= 0) {
      count *= static_cast<double>(
          coordExtent(coord, extent[static_cast<size_t>(coord.dim)]));
    }
  }
  return count;
}

/// How often an operand is staged again because of loops outside its level on
/// which it does not depend.
double CostModel::refetchTrips(const KernelOperand &operand, const Shape &shape,
                               std::span<const int32_t> loopOrder) const {
  uint32_t mask =
      depends[static_cast<size_t>(&operand - problem.operands.data())];
  double pending = 1;
  double refetch = 1;
  for (int32_t dim : loopOrder) {
    if (mask >> dim & 1) {
      // Loops of one trip stage nothing anew.
      if (shape.trips[static_cast<size_t>(dim)] > 1) {
        refetch = pending;
      }
    } else {
      pending *= static_cast<double>(shape.trips[static_cast<size_t>(dim)]);
    }
  }
  return refetch;
}

/// Short contiguous runs waste the memory: from the published rate of scattered
/// sticks at 128 bytes to the sustained rate at long runs.
double CostModel::scatterFactor(const KernelOperand &operand,
                                const Shape &shape) const {
  double run = kStickBytes;
  for (size_t i = operand.coords.size() - 1; i-- > 0;) {
    const OperandCoord &coord = operand.coords[i];
    if (coord.dim < 0) {
      continue;
    }
    size_t d = static_cast<size_t>(coord.dim);
    int64_t tile = coordExtent(coord, shape.tile[d]);
    run *= static_cast<double>(tile);
    if (tile < coordExtent(coord, extents[d]) || run >= kLongRunBytes) {
      break;
    }
  }
  double worst =
      target.reference.sustainedDdrGBps / target.reference.scatteredGBps;
  double stick = static_cast<double>(kStickBytes);
  double shortness =
      (stick / std::min(run, kLongRunBytes) - stick / kLongRunBytes) /
      (1 - stick / kLongRunBytes);
  return 1 + std::max(0.0, worst - 1) * shortness;
}

/// Ring positions from the first to the last core of a group that shares an
/// operand.
double CostModel::groupSpan(const KernelOperand &operand, const Shape &shape,
                            std::span<const int32_t> coreOrder) const {
  uint32_t mask =
      depends[static_cast<size_t>(&operand - problem.operands.data())];
  double stride = 1;
  double span = 1;
  for (size_t i = coreOrder.size(); i-- > 0;) {
    int32_t dim = coreOrder[i];
    double slices = static_cast<double>(shape.slices[static_cast<size_t>(dim)]);
    if (!(mask >> dim & 1)) {
      span += (slices - 1) * stride;
    }
    stride *= slices;
  }
  return span;
}

CostModel::Traffic
CostModel::traffic(const KernelOperand &operand, const Shape &shape,
                   std::span<const int32_t> loopOrder) const {
  uint32_t mask =
      depends[static_cast<size_t>(&operand - problem.operands.data())];
  Traffic result;
  for (size_t d = 0; d < numDims; ++d) {
    if (!(mask >> d & 1)) {
      result.group *= static_cast<double>(shape.slices[d]);
    }
  }
  double refetch = shape.bound ? 1 : refetchTrips(operand, shape, loopOrder);
  double stick = static_cast<double>(kStickBytes);
  result.totalBytes = sticks(operand, extents) * stick * refetch;
  result.arrivingBytes = sticks(operand, shape.slice) * stick * refetch;
  result.ownBytes = result.arrivingBytes / result.group;
  result.tileBytes = sticks(operand, shape.tile) * stick;
  result.scatter = scatterFactor(operand, shape);
  return result;
}

double CostModel::sfuCycles(const Shape &shape) const {
  int64_t widest = 16;
  double lxBytesMoved = 0;
  for (const KernelOperand &operand : problem.operands) {
    widest = std::max<int64_t>(widest, bitWidth(operand.type));
    lxBytesMoved +=
        sticks(operand, shape.slice) * static_cast<double>(kStickBytes);
  }
  double corelets = static_cast<double>(target.coreletsPerCore);
  double narrow = static_cast<double>(target.sfuFp16Lanes) * corelets;
  double wide = static_cast<double>(target.sfuFp32Lanes) * corelets;
  // A vector holds one stick: a splat fills it as well as 64 elements do.
  double body = 1;
  double result = 1;
  for (size_t d = 0; d < numDims; ++d) {
    double slice = static_cast<double>(shape.slice[d]);
    if (static_cast<int32_t>(d) == problem.stickDim) {
      slice = roundUpTo(slice, widest > 16 ? 32 : 64);
    }
    body *= slice;
    result *= problem.dims[d].reduction ? 1 : slice;
  }
  if (problem.stickDim < 0) {
    body *= widest > 16 ? 32 : 64;
  }
  double port = static_cast<double>(target.lxPortBytesPerCycle);
  switch (problem.kind) {
  case KernelKind::Contract:
    return result * problem.epilogue.simpleOps(target) / wide;
  case KernelKind::Reduce:
    return std::max(body * problem.body.simpleOps(target) /
                        (widest > 16 ? wide : narrow),
                    lxBytesMoved / port) +
           result * problem.epilogue.simpleOps(target) / wide;
  case KernelKind::Map:
  case KernelKind::Gather:
  case KernelKind::Restickify:
    break;
  }
  return std::max(body * problem.body.simpleOps(target) /
                      (widest > 16 ? wide : narrow),
                  lxBytesMoved / port);
}

/// The matrix unit streams eight rows per pass against a block of weights that
/// it has loaded before. Sticks are whole in K and N.
double CostModel::ptCycles(const Shape &shape) const {
  const KernelOperand &a = problem.operands[0];
  const KernelOperand &b = problem.operands[1];
  double pass = static_cast<double>(target.ptRowsPerPass);
  double rows = 1;
  double rowTrips = 1;
  double tileRows = 1;
  double columns = 1;
  double depth = 1;
  double batch = 1;
  for (size_t d = 0; d < numDims; ++d) {
    double slice = static_cast<double>(shape.slice[d]);
    if (static_cast<int32_t>(d) == problem.stickDim) {
      columns = roundUpTo(slice, static_cast<double>(elementsPerStick(b.type)));
    } else if (problem.dims[d].reduction) {
      bool inStick = static_cast<int32_t>(d) == a.coords.back().dim;
      depth *=
          inStick
              ? roundUpTo(slice, static_cast<double>(elementsPerStick(a.type)))
              : slice;
    } else if (depends[1] >> d & 1) {
      batch *= slice;
    } else {
      rows *= slice;
      tileRows *= static_cast<double>(shape.tile[d]);
      rowTrips *= static_cast<double>(shape.trips[d]);
    }
  }
  // Unavoidable are the rows themselves and one pass; a tiling pads each tile.
  double paddedRows = shape.bound
                          ? std::max(rows, pass)
                          : roundUpTo(tileRows, pass) * (rows / tileRows);
  double factor = 1;
  switch (bitWidth(a.type)) {
  case 32:
    factor = target.ptFp32Factor;
    break;
  case 8:
    factor = isFloat(a.type) ? target.ptFp8Factor : target.ptInt8Factor;
    break;
  case 4:
    factor = target.ptInt4Factor;
    break;
  default:
    break;
  }
  // Blocks of weights come over the scratchpad's port while rows stream against
  // the ones before; each step loads a first block and drains its last sums.
  double stream = batch * paddedRows * depth * columns /
                  (static_cast<double>(target.ptFp16MacsPerCycle) * factor);
  double load = batch * depth * columns * rowTrips *
                static_cast<double>(bitWidth(b.type)) / 8 /
                static_cast<double>(target.lxPortBytesPerCycle);
  return std::max(stream, load) + shape.steps * 2 * kBlockCycles;
}

double CostModel::computeNs(const Shape &shape) const {
  double cycles = sfuCycles(shape);
  if (problem.kind == KernelKind::Contract) {
    // One accumulator: the epilogue holds up the next product.
    cycles += ptCycles(shape);
  }
  // Each step reads its first and writes its last stick without overlap.
  cycles += shape.steps * 2 * static_cast<double>(target.lxLatencyCycles);
  return cycles / target.coreClockGHz;
}

/// All groups of cores add up over the one partial-sum ring.
double CostModel::partialSumNs(const Shape &shape) const {
  bool isSplit = false;
  for (size_t d = 0; d < numDims; ++d) {
    isSplit = isSplit || (problem.dims[d].reduction && shape.slices[d] > 1);
  }
  if (!isSplit) {
    return 0;
  }
  return sticks(accumulatorOperand(problem), extents) *
         static_cast<double>(kStickBytes) /
         (static_cast<double>(target.partialSumBytesPerCycle) *
          target.coreClockGHz);
}

/// Sustained rate for the load at hand. Few or unevenly loaded cores cannot
/// draw all of it: the published fractions by core count are read at the
/// number of fully loaded cores that the load is worth.
double CostModel::ddrRate(double totalBytes, double ownBytes) const {
  const target::ReferenceFits &fit = target.reference;
  const std::array<double, 6> counts = {1, 2, 4, 8, 16, 32};
  const std::array<double, 6> fractions = {
      fit.rateFraction1Core,  fit.rateFraction2Cores,  fit.rateFraction4Cores,
      fit.rateFraction8Cores, fit.rateFraction16Cores, fit.rateFraction32Cores};
  double cores = ownBytes > 0 ? std::max(1.0, totalBytes / ownBytes) : 1;
  for (size_t i = 1; i < counts.size(); ++i) {
    if (cores <= counts[i]) {
      double part = (cores - counts[i - 1]) / (counts[i] - counts[i - 1]);
      return fit.sustainedDdrGBps *
             (fractions[i - 1] + part * (fractions[i] - fractions[i - 1]));
    }
  }
  return fit.sustainedDdrGBps * fractions.back();
}

KernelCost CostModel::cost(const Shape &shape,
                           std::span<const int32_t> loopOrder,
                           std::span<const int32_t> coreOrder,
                           int32_t buffers) const {
  double reads = 0;
  double writes = 0;
  double weighted = 0;
  double own = 0;
  double arriving = 0;
  double leaving = 0;
  double shared = 0;
  double linkBytes = 0;
  double firstLoad = 0;
  double lastStore = 0;
  for (const KernelOperand &operand : problem.operands) {
    if (operand.resident) {
      continue;
    }
    Traffic t = traffic(operand, shape, loopOrder);
    own += t.ownBytes;
    weighted += t.totalBytes * t.scatter *
                (operand.output ? 1 : std::ceil(t.group / kMulticastCores));
    if (operand.output) {
      writes += t.totalBytes;
      leaving += t.ownBytes;
      lastStore += t.tileBytes * shape.cores / t.group;
      continue;
    }
    reads += t.totalBytes;
    arriving += t.arrivingBytes;
    shared += t.totalBytes * (t.group - 1);
    double span = shape.bound ? t.group : groupSpan(operand, shape, coreOrder);
    linkBytes += t.totalBytes * (span - 1);
    firstLoad += operand.epilogue ? 0 : t.tileBytes * shape.cores / t.group;
  }
  const target::ReferenceFits &fit = target.reference;
  double linkGBps =
      static_cast<double>(target.ringBytesPerCycle) * target.ringClockGHz;
  double portGBps = static_cast<double>(target.ringCorePortBytesPerCycle) *
                    target.ringClockGHz;
  KernelCost cost;
  // The matrix units hold the sums until they are through the ring.
  cost.computeNs = computeNs(shape) + partialSumNs(shape);
  cost.ddrNs = weighted / ddrRate(reads + writes, own) +
               fit.mixedPenaltyNsPerByte * std::min(reads, writes);
  // Each step waits once for its first stick.
  cost.ddrNs += weighted > 0 ? shape.steps * target.requestLatencyNs : 0;
  // Two directions of links; a core takes and gives what its port carries.
  cost.ringNs = std::max(
      {arriving / portGBps, leaving / portGBps,
       linkBytes / (2 * static_cast<double>(target.ringNodes) * linkGBps)});
  cost.ddrReadBytes = toBytes(reads);
  cost.ddrWriteBytes = toBytes(writes);
  cost.ringBytes = toBytes(shared);
  double bottleneck = std::max({cost.computeNs, cost.ddrNs, cost.ringNs});
  if (buffers == 1) {
    cost.totalNs = cost.computeNs + cost.ddrNs + cost.ringNs;
    return cost;
  }
  if (!shape.bound) {
    cost.exposedNs = bottleneck == cost.computeNs
                         ? (firstLoad + lastStore) / fit.sustainedDdrGBps
                         : cost.computeNs / shape.steps;
  }
  cost.totalNs = bottleneck + cost.exposedNs;
  return cost;
}

KernelCost CostModel::evaluate(const KernelPlan &plan) const {
  Shape shape;
  for (size_t d = 0; d < numDims; ++d) {
    shape.slices[d] = plan.slices[d];
    shape.slice[d] = maxSliceSize(problem.dims[d], plan.slices[d]);
    shape.tile[d] = plan.tiles[d];
    shape.trips[d] = ceilDiv(shape.slice[d], shape.tile[d]);
    shape.steps *= static_cast<double>(shape.trips[d]);
    shape.cores *= static_cast<double>(shape.slices[d]);
  }
  return cost(shape, plan.loopOrder, plan.coreOrder, plan.buffers);
}

double CostModel::lowerBoundNs(std::span<const int64_t> slices,
                               int32_t buffers) const {
  Shape shape;
  shape.bound = true;
  for (size_t d = 0; d < numDims; ++d) {
    shape.slices[d] = slices[d];
    shape.slice[d] = maxSliceSize(problem.dims[d], slices[d]);
    shape.tile[d] = shape.slice[d];
    shape.trips[d] = 1;
    shape.cores *= static_cast<double>(slices[d]);
  }
  return cost(shape, {}, {}, buffers).totalNs;
}

double CostModel::linkBytes(std::span<const int64_t> slices,
                            std::span<const int32_t> coreOrder) const {
  Shape shape;
  std::copy(slices.begin(), slices.end(), shape.slices.begin());
  double bytes = 0;
  for (const KernelOperand &operand : problem.operands) {
    if (!operand.resident && !operand.output) {
      bytes += sticks(operand, extents) * static_cast<double>(kStickBytes) *
               (groupSpan(operand, shape, coreOrder) - 1);
    }
  }
  return bytes;
}

KernelCost estimate(const KernelProblem &problem, const KernelPlan &plan,
                    const target::Target &target) {
  return CostModel(problem, target).evaluate(plan);
}

} // namespace spyre::cost
