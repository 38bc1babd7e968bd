// SPDX-License-Identifier: Apache-2.0
//
// Durations: see Timing.h.

#include "Timing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spyre::sim {
namespace {

/// The weight block of the systolic array, in elements of K and N.
constexpr int64_t kBlock = 64;
/// Core, ring and DRAM cycles (1.1, 1.3, 0.8 GHz) are 104, 88, 143 of these.
constexpr double kCommonGHz = 114.4;
constexpr double kPicosecondsPerNs = 1000.0;
/// Longest duration of a command in ticks, so that times never overflow.
constexpr double kMaxTicks = 1e15;

int64_t ceilDivide(int64_t value, int64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

bool isWhole(double value) {
  return std::abs(value - std::round(value)) < 1e-6;
}

/// Sticks that a box touches once each in a pass over the command.
int64_t sticksOf(const ResolvedCommand &command, const ResolvedBox &box) {
  return command.positions * box.tiles * box.rows;
}

} // namespace

TimeBase::TimeBase(const target::Target &target) {
  bool isCommon = isWhole(kCommonGHz / target.coreClockGHz) &&
                  isWhole(kCommonGHz / target.ringClockGHz);
  ticksPerNs = isCommon ? kCommonGHz : kPicosecondsPerNs;
  coreCycle =
      std::max<int64_t>(1, std::llround(ticksPerNs / target.coreClockGHz));
  ringCycle =
      std::max<int64_t>(1, std::llround(ticksPerNs / target.ringClockGHz));
}

int64_t TimeBase::transfer(double bytes, double gigabytesPerSecond) const {
  double ticks = std::ceil(bytes * ticksPerNs / gigabytesPerSecond);
  return static_cast<int64_t>(std::min(ticks, kMaxTicks));
}

TimingModel::TimingModel(const target::Target &machine)
    : target(machine), base(machine),
      clockwise(static_cast<size_t>(machine.numCores)),
      counterClockwise(static_cast<size_t>(machine.numCores)) {}

void TimingModel::reset() {
  ddr.reset();
  nodeReads.reset();
  nodeWrites.reset();
  for (Server &link : clockwise) {
    link.reset();
  }
  for (Server &link : counterClockwise) {
    link.reset();
  }
}

int64_t TimingModel::portCycles(int64_t bytes) const {
  return ceilDivide(bytes, target.lxPortBytesPerCycle);
}

int64_t TimingModel::finishRing(int64_t bytes, uint64_t mask, int32_t core,
                                int64_t now, Work &work) {
  // Copies leave at passing nodes: per direction one payload to the farthest
  // receiver. Receivers take the shorter way, ties go clockwise.
  int64_t cores = target.numCores;
  int64_t hops[2] = {0, 0};
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    int64_t ahead = (std::countr_zero(rest) - core + cores) % cores;
    int direction = ahead <= cores - ahead ? 0 : 1;
    int64_t distance = direction == 0 ? ahead : cores - ahead;
    hops[direction] = std::max(hops[direction], distance);
    work.ringBytes += ahead == 0 ? 0 : bytes;
  }
  double rate =
      static_cast<double>(target.ringBytesPerCycle) * target.ringClockGHz;
  int64_t ticks = base.transfer(static_cast<double>(bytes), rate);
  // A core that sends to itself only passes its LX port.
  int64_t end = now + portCycles(2 * bytes) * base.coreCycle;
  for (int direction = 0; direction < 2; ++direction) {
    if (hops[direction] == 0) {
      continue;
    }
    std::vector<Server> &links = direction == 0 ? clockwise : counterClockwise;
    int64_t step = direction == 0 ? 1 : cores - 1;
    int64_t start = now;
    for (int64_t hop = 0; hop < hops[direction]; ++hop) {
      auto link = static_cast<size_t>((core + hop * step) % cores);
      start = std::max(start, links[link].freeAt);
    }
    for (int64_t hop = 0; hop < hops[direction]; ++hop) {
      auto link = static_cast<size_t>((core + hop * step) % cores);
      links[link].freeAt = start + ticks;
    }
    int64_t latency = hops[direction] * target.ringHopCycles * base.ringCycle;
    end = std::max(end, start + ticks + latency);
  }
  return end;
}

int64_t TimingModel::finishMove(const ResolvedCommand &command,
                                launch::Unit unit, int32_t core, int64_t now,
                                Work &work) {
  int64_t bytes = command.positions * kStickBytes;
  if (unit == launch::Unit::Ring) {
    return finishRing(bytes, command.coreMask, core, now, work);
  }
  double size = static_cast<double>(bytes);
  bool isLoad = unit == launch::Unit::Load;
  (isLoad ? work.ddrReadBytes : work.ddrWriteBytes) += bytes;
  // One core's outstanding requests cover one window per round trip.
  double windowRate = target.reference.windowSticks * kStickBytes /
                      target.reference.windowLatencyNs;
  int64_t end = now + base.transfer(size, windowRate);
  end = std::max(end, ddr.serve(now, base.transfer(size, target.ddrPeakGBps)));
  Server &node = isLoad ? nodeReads : nodeWrites;
  end = std::max(end,
                 node.serve(now, base.transfer(size, target.memoryNodeGBps)));
  // The memory node lies between the last core and core 0; data comes the
  // shorter way and is copied at passing nodes.
  double linkRate =
      static_cast<double>(target.ringBytesPerCycle) * target.ringClockGHz;
  end = std::max(end, now + base.transfer(size, linkRate));
  int64_t farthest = 0;
  for (uint64_t rest = command.coreMask; rest != 0; rest &= rest - 1) {
    int64_t receiver = std::countr_zero(rest);
    farthest = std::max(
        farthest, std::min<int64_t>(receiver + 1, target.numCores - receiver));
  }
  int64_t copies = std::popcount(command.coreMask) - 1;
  work.ringBytes += isLoad && copies > 0 ? copies * bytes : 0;
  return end + farthest * target.ringHopCycles * base.ringCycle;
}

int64_t TimingModel::finishReduce(const ResolvedCommand &command, uint64_t mask,
                                  int64_t now, Work &work) {
  int64_t bytes = command.positions * kStickBytes;
  int64_t hops = std::popcount(mask) - 1;
  work.ringBytes += bytes * hops;
  double rate = static_cast<double>(target.partialSumRings *
                                    target.partialSumBytesPerCycle) *
                target.coreClockGHz;
  int64_t distance = 63 - std::countl_zero(mask) - std::countr_zero(mask);
  return now + base.transfer(static_cast<double>(bytes), rate) +
         distance * target.ringHopCycles * base.ringCycle + base.coreCycle;
}

int64_t TimingModel::matmulCycles(const ResolvedCommand &command,
                                  Work &work) const {
  int64_t rows = 1;
  int64_t outerK = 1;
  for (int32_t dim = 0; dim < command.numDims; ++dim) {
    int64_t extent = command.extents[static_cast<size_t>(dim)];
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
  // Weight-stationary: a block of weights is loaded while the rows of the
  // block before stream past the array, eight rows a pass.
  int64_t blocks = outerK * ceilDivide(command.inner, kBlock) *
                   ceilDivide(command.stick, kBlock);
  int64_t load =
      portCycles(kBlock * kBlock * bitWidth(command.boxes[1].type) / 8);
  int64_t streamedRows =
      ceilDivide(rows, target.ptRowsPerPass) * target.ptRowsPerPass;
  auto macsPerBlock = static_cast<double>(streamedRows * kBlock * kBlock);
  auto stream = static_cast<int64_t>(
      std::ceil(macsPerBlock /
                (static_cast<double>(target.ptFp16MacsPerCycle) * factor)));
  int64_t drain = kBlock + target.lxLatencyCycles;
  return blocks == 0 ? 1 : load + blocks * std::max(load, stream) + drain;
}

int64_t TimingModel::mapCycles(const launch::Program &program,
                               const ResolvedCommand &command) const {
  const launch::Body &body = program.bodies[command.command->body];
  double cost = 0;
  for (const launch::BodyOp &op : body.ops) {
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
  int64_t bytes = 0;
  for (const ResolvedBox &box : command.boxes) {
    isWide = isWide || bitWidth(box.type) > 16;
    bytes += sticksOf(command, box) * kStickBytes;
  }
  int64_t lanes = (isWide ? target.sfuFp32Lanes : target.sfuFp16Lanes) *
                  target.coreletsPerCore;
  // A partial pass occupies all lanes of the vector.
  int64_t passes =
      ceilDivide(command.positions * ceilDivide(command.stick, 32) * 32, lanes);
  auto compute =
      static_cast<int64_t>(std::ceil(static_cast<double>(passes) * cost));
  return std::max(compute, portCycles(bytes)) + target.lxLatencyCycles;
}

int64_t TimingModel::finish(const launch::Program &program,
                            const ResolvedCommand &command, launch::Unit unit,
                            int32_t core, int64_t now, Work &work) {
  if (command.idle) {
    return now + base.coreCycle;
  }
  int64_t cycles = 1;
  switch (command.command->kind) {
  case launch::CommandKind::Move:
    return finishMove(command, unit, core, now, work);
  case launch::CommandKind::Matmul:
    cycles = matmulCycles(command, work);
    break;
  case launch::CommandKind::Map:
    cycles = mapCycles(program, command);
    break;
  case launch::CommandKind::Transpose: {
    // A block fills row by row and empties column by column.
    int64_t lanes = elementsPerStick(command.boxes[0].type);
    int64_t blocks = command.positions * ceilDivide(command.inner, lanes) *
                     ceilDivide(command.stick, lanes);
    cycles = std::max(blocks * 2 * lanes,
                      portCycles(blocks * 2 * lanes * kStickBytes)) +
             target.lxLatencyCycles;
    break;
  }
  case launch::CommandKind::Shift:
    cycles = portCycles(command.positions * 3 * kStickBytes) +
             target.lxLatencyCycles;
    break;
  default:
    break;
  }
  return now + std::max<int64_t>(cycles, 1) * base.coreCycle;
}

} // namespace spyre::sim
