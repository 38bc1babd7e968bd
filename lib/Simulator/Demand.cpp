// SPDX-License-Identifier: Apache-2.0
//
// Demands of commands: see Demand.h.

#include "Demand.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace spyre::sim {
namespace {

/// The weight block of the systolic array, in elements of K and N.
constexpr int64_t kBlock = 64;

int64_t ceilDivide(int64_t value, int64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// Bytes that a box touches in a pass over the command.
int64_t bytesOf(const ResolvedCommand &command, const ResolvedBox &box) {
  return command.positions * box.tiles * box.rows * kStickBytes;
}

} // namespace

DemandModel::DemandModel(const launch::Program &executed,
                         const target::Target &machine,
                         std::span<const int64_t> physicalAddresses)
    : program(executed), target(machine), addresses(physicalAddresses),
      base(machine) {}

AddressPattern DemandModel::patternOf(const ResolvedCommand &command,
                                      const ResolvedBox &box) const {
  struct Dim {
    int64_t stride = 0;
    int64_t extent = 0;
    bool isIndexed = false;
  };
  std::array<Dim, kMaxCommandDims> dims;
  int32_t numDims = 0;
  AddressPattern pattern;
  pattern.base = addresses[box.buffer] + box.first * kStickBytes;
  for (int32_t i = 0; i < command.numDims; ++i) {
    const auto at = static_cast<size_t>(i);
    if (command.extents[at] <= 1) {
      continue;
    }
    // Index values are data: neighbours stand for them, never merged to runs.
    const bool isIndexed = box.indexSteps[at] != 0;
    const int64_t stride =
        isIndexed ? box.indexSteps[at] * box.indexStride : box.strides[at];
    if (stride < 0) {
      pattern.base += stride * (command.extents[at] - 1) * kStickBytes;
    }
    dims[static_cast<size_t>(numDims++)] = {std::abs(stride) * kStickBytes,
                                            command.extents[at], isIndexed};
  }
  std::sort(dims.begin(), dims.begin() + numDims,
            [](const Dim &a, const Dim &b) {
              return std::tie(a.stride, a.extent, a.isIndexed) >
                     std::tie(b.stride, b.extent, b.isIndexed);
            });
  pattern.runBytes = kStickBytes;
  while (numDims > 0) {
    const Dim &inner = dims[static_cast<size_t>(numDims - 1)];
    if (inner.isIndexed || inner.stride != pattern.runBytes) {
      break;
    }
    pattern.runBytes *= inner.extent;
    --numDims;
  }
  pattern.numDims = numDims;
  for (size_t i = 0; i < static_cast<size_t>(numDims); ++i) {
    pattern.extents[i] = dims[i].extent;
    pattern.strideBytes[i] = dims[i].stride;
  }
  return pattern;
}

Demand DemandModel::ofMove(const ResolvedCommand &command, launch::Unit unit,
                           int32_t core, Work &work) const {
  Demand demand;
  demand.core = core;
  demand.bytes = command.positions * kStickBytes;
  demand.cores = command.coreMask;
  const int64_t copies = std::popcount(command.coreMask);
  switch (unit) {
  case launch::Unit::Load:
    demand.path = Path::Read;
    demand.addresses = patternOf(command, command.boxes[0]);
    work.ddrReadBytes += demand.bytes;
    work.ringBytes += std::max<int64_t>(0, copies - 1) * demand.bytes;
    break;
  case launch::Unit::Store:
    demand.path = Path::Write;
    demand.addresses = patternOf(command, command.boxes[1]);
    work.ddrWriteBytes += demand.bytes;
    break;
  default:
    demand.path = Path::Ring;
    work.ringBytes +=
        (copies - static_cast<int64_t>(command.coreMask >> core & 1)) *
        demand.bytes;
    break;
  }
  return demand;
}

Demand DemandModel::ofReduce(const ResolvedCommand &command, uint64_t mask,
                             Work &work) const {
  Demand demand;
  demand.path = Path::PartialSum;
  demand.core = 63 - std::countl_zero(mask);
  demand.cores = mask;
  demand.bytes = command.positions * kStickBytes;
  work.ringBytes += demand.bytes * (std::popcount(mask) - 1);
  const int64_t hops = demand.core - std::countr_zero(mask);
  // An addition for every core that the stream passes.
  demand.latencyTicks = hops * target.ringHopCycles * base.ringCycle +
                        std::popcount(mask) * base.coreCycle;
  return demand;
}

/// Weight-stationary: while the rows of a block stream past the array, a pass
/// of eight rows at a time, the next block of weights is loaded. A column of
/// blocks along K that fits the register file adds up inside the array; its
/// sums then go through the scratchpad.
void DemandModel::addMatmul(const ResolvedCommand &command, Demand &demand,
                            Work &work) const {
  int64_t rows = 1;
  int64_t outerK = 1;
  for (int32_t dim = 0; dim < command.numDims; ++dim) {
    const int64_t extent = command.extents[static_cast<size_t>(dim)];
    (dim < command.command->numRowDims ? rows : outerK) *= extent;
  }
  work.macs += rows * outerK * command.inner * command.stick;
  double factor = 1;
  switch (command.boxes[1].type) {
  case ElementType::F32:
  case ElementType::I32:
    factor = target.ptFp32Factor;
    break;
  case ElementType::I8:
    factor = target.ptInt8Factor;
    break;
  default:
    break;
  }
  const int64_t blocksN = ceilDivide(command.stick, kBlock);
  const int64_t blocksK = outerK * ceilDivide(command.inner, kBlock);
  const int64_t blocks = blocksN * blocksK;
  if (blocks == 0) {
    return;
  }
  const int64_t elementBytes = bitWidth(command.boxes[1].type) / 8;
  const int64_t blockBytes = kBlock * kBlock * elementBytes;
  const int64_t load = ceilDivide(blockBytes, target.lxPortBytesPerCycle);
  const int64_t streamedRows =
      ceilDivide(rows, target.ptRowsPerPass) * target.ptRowsPerPass;
  const auto stream = static_cast<int64_t>(
      std::ceil(static_cast<double>(streamedRows * kBlock * kBlock) /
                (static_cast<double>(target.ptFp16MacsPerCycle) * factor)));
  demand.unitTicks = (load + blocks * std::max(load, stream)) * base.coreCycle;
  demand.latencyTicks = (kBlock + target.lxLatencyCycles) * base.coreCycle;
  demand.onMatrixUnit = true;
  const int64_t columnBlocks =
      std::max<int64_t>(1, target.ptWeightRegisterBytesPerCorelet / blockBytes);
  // Each corelet has a column of blocks; both take the same rows.
  const int64_t rowPasses = ceilDivide(blocksN, target.coreletsPerCore);
  const int64_t sumPasses =
      2 * ceilDivide(blocksK, columnBlocks) - (command.starts ? 1 : 0);
  demand.lxBytes = blocks * blockBytes +
                   rowPasses * blocksK * rows * kBlock * elementBytes +
                   sumPasses * blocksN * rows * kBlock * 4;
}

void DemandModel::addMap(const ResolvedCommand &command, Demand &demand) const {
  double cost = 0;
  for (const launch::BodyOp &op : program.bodies[command.command->body].ops) {
    switch (launch::workOf(op.opcode)) {
    case launch::OpWork::Free:
      break;
    case launch::OpWork::Simple:
      cost += 1;
      break;
    case launch::OpWork::Transcendental:
      cost += target.sfuTranscendentalFactor;
      break;
    }
  }
  for (const launch::MapOutput &output : command.command->outputs) {
    cost += output.combine == launch::Combine::Store ? 0 : 1;
  }
  cost = std::max(cost, 1.0);
  bool isWide = false;
  for (const ResolvedBox &box : command.boxes) {
    isWide = isWide || bitWidth(box.type) > 16;
    demand.lxBytes += bytesOf(command, box);
  }
  const int64_t lanes = (isWide ? target.sfuFp32Lanes : target.sfuFp16Lanes) *
                        target.coreletsPerCore;
  // A partial pass occupies all lanes of the vector.
  const int64_t passes =
      ceilDivide(command.positions * ceilDivide(command.stick, 32) * 32, lanes);
  demand.unitTicks =
      static_cast<int64_t>(std::ceil(static_cast<double>(passes) * cost)) *
      base.coreCycle;
  demand.latencyTicks = target.lxLatencyCycles * base.coreCycle;
}

/// A block fills row by row and empties column by column.
void DemandModel::addTranspose(const ResolvedCommand &command,
                               Demand &demand) const {
  const int64_t lanes = elementsPerStick(command.boxes[0].type);
  const int64_t blocks = command.positions * ceilDivide(command.inner, lanes) *
                         ceilDivide(command.stick, lanes);
  demand.unitTicks = blocks * 2 * lanes * base.coreCycle;
  demand.lxBytes = blocks * 2 * lanes * kStickBytes;
  demand.latencyTicks = target.lxLatencyCycles * base.coreCycle;
}

Demand DemandModel::of(const ResolvedCommand &command, launch::Unit unit,
                       int32_t core, Work &work) const {
  Demand demand;
  demand.core = core;
  if (command.idle) {
    demand.unitTicks = base.coreCycle;
    return demand;
  }
  switch (command.command->kind) {
  case launch::CommandKind::Move:
    return ofMove(command, unit, core, work);
  case launch::CommandKind::Matmul:
    addMatmul(command, demand, work);
    break;
  case launch::CommandKind::Map:
    addMap(command, demand);
    break;
  case launch::CommandKind::Transpose:
    addTranspose(command, demand);
    break;
  case launch::CommandKind::Shift:
    demand.lxBytes = command.positions * 3 * kStickBytes;
    demand.latencyTicks = target.lxLatencyCycles * base.coreCycle;
    break;
  default:
    break;
  }
  const int64_t portTicks =
      ceilDivide(demand.lxBytes, target.lxPortBytesPerCycle) * base.coreCycle;
  demand.unitTicks = std::max({demand.unitTicks, portTicks, base.coreCycle});
  return demand;
}

} // namespace spyre::sim
