// SPDX-License-Identifier: Apache-2.0
//
// Opening operands, and the checks on each stick: epochs of queue slots,
// declared footprint, undefined lanes, races.

#include "Executor.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spyre::sim {

void Footprint::add(const rt::Access &access) {
  int64_t low = 0;
  int64_t high = 0;
  if (!__builtin_add_overflow(access.base.offset, access.lo, &low) &&
      !__builtin_add_overflow(access.base.offset, access.hi, &high) &&
      low < high) {
    ranges[access.base.region].emplace_back(low, high);
  }
}

void Footprint::finish() {
  for (auto &[region, list] : ranges) {
    std::sort(list.begin(), list.end());
    size_t kept = 0;
    for (size_t i = 1; i < list.size(); ++i) {
      if (list[i].first <= list[kept].second) {
        list[kept].second = std::max(list[kept].second, list[i].second);
      } else {
        list[++kept] = list[i];
      }
    }
    list.resize(std::min(list.size(), kept + 1));
  }
}

bool Footprint::covers(uint32_t region, int64_t low, int64_t high) const {
  auto found = ranges.find(region);
  if (found == ranges.end()) {
    return false;
  }
  const auto &list = found->second;
  auto after = std::upper_bound(
      list.begin(), list.end(), low,
      [](int64_t value, const auto &range) { return value < range.first; });
  return after != list.begin() && std::prev(after)->second >= high;
}

Executor::Executor(const launch::Program &executed, const ProgramInfo &derived,
                   const Evaluator &expressions,
                   const rt::ComputeLaunch &computeLaunch, DeviceMemory &ddr,
                   LocalMemory &lx)
    : program(executed), info(derived), evaluator(expressions),
      launch(computeLaunch), deviceMemory(ddr), localMemory(lx) {
  for (const rt::Access &access : launch.reads) {
    readable.add(access);
  }
  for (const rt::Access &access : launch.writes) {
    readable.add(access);
    writable.add(access);
  }
  readable.finish();
  writable.finish();
}

void Executor::checkAddresses() {
  Place place{&program};
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const launch::Buffer &buffer = program.buffers[i];
    if (buffer.space != launch::Space::DDR) {
      continue;
    }
    if (i >= launch.bufferAddresses.size()) {
      trap(ErrorCode::SimBufferOutsideMemory, place,
           fmt::format("the launch gives no address for buffer \"{}\"",
                       buffer.name));
    }
    rt::Address address = launch.bufferAddresses[i];
    DeviceMemory::Region *region = deviceMemory.find(address.region);
    int64_t size = region ? region->size : 0;
    if (address.offset % kStickBytes != 0) {
      trap(ErrorCode::SimMisaligned, place,
           fmt::format("buffer \"{}\" lies at offset {} of region {}",
                       buffer.name, address.offset, address.region));
    }
    if (!region || address.offset < 0 || info.buffers[i].bytes > size ||
        address.offset > size - info.buffers[i].bytes) {
      trap(ErrorCode::SimBufferOutsideMemory, place,
           fmt::format("buffer \"{}\" lies outside its region", buffer.name),
           {fmt::format("offset {}, {} bytes, region {} has {}", address.offset,
                        info.buffers[i].bytes, address.region, size)});
    }
  }
}

/// DDR buffers of the phase that share bytes: private ones are tracked stick
/// by stick, a queue shares with nobody.
void Executor::checkDdrOverlap(const Place &place) {
  tracked = phaseInfo->raceTracked;
  auto rangeOf = [&](uint32_t buffer) {
    int64_t start = launch.bufferAddresses[buffer].offset;
    return std::pair(start, start + info.buffers[buffer].bytes);
  };
  std::vector<uint32_t> ddr;
  for (uint32_t buffer : phaseInfo->buffers) {
    if (program.buffers[buffer].space == launch::Space::DDR) {
      ddr.push_back(buffer);
    }
  }
  std::sort(ddr.begin(), ddr.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(launch.bufferAddresses[a].region, rangeOf(a), a) <
           std::tuple(launch.bufferAddresses[b].region, rangeOf(b), b);
  });
  for (size_t i = 0; i < ddr.size(); ++i) {
    for (size_t j = i + 1; j < ddr.size(); ++j) {
      if (launch.bufferAddresses[ddr[i]].region !=
              launch.bufferAddresses[ddr[j]].region ||
          rangeOf(ddr[j]).first >= rangeOf(ddr[i]).second) {
        break;
      }
      const launch::Buffer &a = program.buffers[ddr[i]];
      const launch::Buffer &b = program.buffers[ddr[j]];
      if (a.queue || b.queue) {
        trap(ErrorCode::SimBufferOverlap, place,
             fmt::format("queue \"{}\" shares device bytes with \"{}\"",
                         a.queue ? a.name : b.name, a.queue ? b.name : a.name));
      }
      if (phaseInfo->raceTracked[ddr[i]] || phaseInfo->raceTracked[ddr[j]]) {
        tracked[ddr[i]] = true;
        tracked[ddr[j]] = true;
      }
    }
  }
}

void Executor::beginPhase(int32_t phase, const Queues &phaseQueues,
                          uint32_t phaseEpoch) {
  const PhaseInfo *before = phaseInfo;
  phaseInfo = &info.phases[static_cast<size_t>(phase)];
  queues = &phaseQueues;
  epoch = phaseEpoch;
  const std::vector<uint32_t> &residents =
      program.phases[static_cast<size_t>(phase)].residents;
  for (uint32_t buffer : before ? before->buffers : std::vector<uint32_t>{}) {
    bool survives = std::find(residents.begin(), residents.end(), buffer) !=
                    residents.end();
    if (program.buffers[buffer].space == launch::Space::LX && !survives) {
      localMemory.undefine(program.buffers[buffer].offset,
                           info.buffers[buffer].bytes);
    }
  }
  slotEpochs.assign(program.buffers.size(), {});
  for (uint32_t buffer : phaseInfo->buffers) {
    if (program.buffers[buffer].queue &&
        program.buffers[buffer].space == launch::Space::LX) {
      slotEpochs[buffer].assign(
          static_cast<size_t>(program.numCores * info.buffers[buffer].slots),
          0);
    }
  }
  checkDdrOverlap({&program, phase});
}

int32_t Executor::sideOf(const Place &place,
                         const launch::Buffer &buffer) const {
  return *queueSide(*buffer.queue, static_cast<launch::Unit>(place.unit));
}

void Executor::bind(Effect &effect) const {
  const auto slotOf = [&](uint32_t index) {
    const launch::Buffer &buffer = program.buffers[index];
    return buffer.queue
               ? queues->position({index, sideOf(effect.place, buffer)},
                                  effect.place.core)
               : 0;
  };
  for (ResolvedBox &box : effect.command.boxes) {
    box.slotNumber = slotOf(box.buffer);
  }
  if (effect.command.command->indexed) {
    effect.command.indexSlotNumber =
        slotOf(effect.command.command->indexed->indexBuffer);
  }
}

uint64_t receiversOf(const Effect &effect) {
  return effect.place.unit == static_cast<int32_t>(launch::Unit::Store)
             ? uint64_t{1} << effect.place.core
             : effect.command.coreMask;
}

bool Executor::isLocal(const Effect &effect) const {
  const bool isForOthers = receiversOf(effect) != uint64_t{1}
                                                      << effect.place.core;
  const auto isAlone = [&](uint32_t index, bool isIndexed) {
    const launch::Buffer &buffer = program.buffers[index];
    if (buffer.space == launch::Space::LX) {
      return !isForOthers;
    }
    return !buffer.queue && !(tracked[index] && (isForOthers || isIndexed));
  };
  const ResolvedCommand &command = effect.command;
  if (command.command->indexed &&
      !isAlone(command.command->indexed->indexBuffer, true)) {
    return false;
  }
  const bool isMove = command.command->kind == launch::CommandKind::Move;
  for (size_t i = 0; i < command.boxes.size(); ++i) {
    const ResolvedBox &box = command.boxes[i];
    // The target of a move lies in the receivers' scratchpads, if in any.
    const bool isTarget =
        isMove && i == 1 &&
        program.buffers[box.buffer].space == launch::Space::LX;
    if (!isTarget && !isAlone(box.buffer, box.indexStride != 0)) {
      return false;
    }
  }
  return true;
}

void Executor::prepare(const Effect &effect) {
  const auto &[place, command] = effect;
  if (command.command->kind == launch::CommandKind::Move) {
    prepareMove(place, command);
  }
  const size_t numOutputs = command.command->kind == launch::CommandKind::Map
                                ? command.command->outputs.size()
                                : 1;
  for (size_t i = 0; i < command.boxes.size(); ++i) {
    const ResolvedBox &box = command.boxes[i];
    const launch::Buffer &buffer = program.buffers[box.buffer];
    if (buffer.space == launch::Space::LX || buffer.queue ||
        !tracked[box.buffer] || box.indexStride != 0) {
      continue;
    }
    const bool isWrite = i + numOutputs >= command.boxes.size();
    const Operand operand =
        openBuffer(place, box.buffer, 0, place.core, isWrite);
    forEachStick(latticeOf(command, box), [&](int64_t stick) {
      isWrite ? writeTag(place, operand, stick)
              : readTag(place, operand, stick);
    });
  }
}

void Executor::openSlot(uint32_t buffer, int32_t core, int64_t slotNumber) {
  if (program.buffers[buffer].space != launch::Space::LX) {
    return;
  }
  int64_t slots = info.buffers[buffer].slots;
  int64_t slot = slotNumber % slots;
  int64_t &holds = slotEpochs[buffer][static_cast<size_t>(core * slots + slot)];
  if (holds == slotNumber + 1) {
    return;
  }
  holds = slotNumber + 1;
  int64_t bytes = info.buffers[buffer].slotSticks * kStickBytes;
  localMemory.undefine(core, program.buffers[buffer].offset + slot * bytes,
                       bytes);
}

void Executor::openSlots(uint32_t buffer, int64_t slotNumber, uint64_t cores) {
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    openSlot(buffer, std::countr_zero(rest), slotNumber);
  }
}

Operand Executor::openBuffer(const Place &place, uint32_t index,
                             int64_t slotNumber, int32_t core, bool isWrite) {
  const launch::Buffer &buffer = program.buffers[index];
  Operand operand;
  operand.buffer = &buffer;
  operand.isQueue = buffer.queue.has_value();
  int64_t slotOffset = 0;
  if (operand.isQueue) {
    const int32_t side = sideOf(place, buffer);
    operand.slotNumber = slotNumber;
    if (isWrite && side >= 0) {
      trap(ErrorCode::SimQueueOrder, place,
           fmt::format("unit {} writes queue \"{}\", which it only consumes",
                       launch::toString(static_cast<launch::Unit>(place.unit)),
                       buffer.name));
    }
    bool isDdr = buffer.space == launch::Space::DDR;
    if (isWrite && !isDdr &&
        !(queues->fillMask(index, core) >> place.core & 1)) {
      trap(ErrorCode::SimQueueUndeclared, place,
           fmt::format("core {} writes queue \"{}\" of core {}, whose fill set "
                       "{:#x} does not name it",
                       place.core, buffer.name, core,
                       queues->fillMask(index, core)));
    }
    if (side < 0) {
      openSlot(index, core, operand.slotNumber);
    }
    slotOffset = operand.slotNumber % info.buffers[index].slots *
                 info.buffers[index].slotSticks * kStickBytes;
  }
  if (buffer.space == launch::Space::LX) {
    operand.view = localMemory.at(core, buffer.offset + slotOffset);
  } else {
    rt::Address address = launch.bufferAddresses[index];
    operand.region = address.region;
    operand.regionOffset = address.offset + slotOffset;
    operand.view = deviceMemory.find(address.region)->at(operand.regionOffset);
  }
  bool usesTags =
      operand.isQueue ? buffer.space == launch::Space::DDR : tracked[index];
  if (!usesTags) {
    operand.view.tags = nullptr;
  }
  return operand;
}

Operand Executor::open(const Place &place, const ResolvedBox &box, int32_t core,
                       bool isWrite) {
  Operand operand =
      openBuffer(place, box.buffer, box.slotNumber, core, isWrite);
  if (operand.buffer->space == launch::Space::DDR) {
    const Footprint &allowed = isWrite ? writable : readable;
    const bool isIndexed = box.indexStride != 0;
    if (!operand.isQueue && !isIndexed) {
      // Done by prepare, in the order of all cores' effects.
      operand.view.tags = nullptr;
    }
    operand.checkFootprint =
        isIndexed ||
        !allowed.covers(
            operand.region, operand.regionOffset + box.hullLow * kStickBytes,
            operand.regionOffset + (box.hullHigh + 1) * kStickBytes);
  }
  return operand;
}

void Executor::checkDdrRange(const Place &place, Operand &operand, int64_t low,
                             int64_t high, bool isWrite) {
  const Footprint &allowed = isWrite ? writable : readable;
  int64_t start = operand.regionOffset + low * kStickBytes;
  int64_t end = operand.regionOffset + high * kStickBytes;
  if (!allowed.covers(operand.region, start, end)) {
    trap(ErrorCode::SimFootprint, place,
         fmt::format("buffer \"{}\" is {} outside the declared footprint",
                     operand.buffer->name, isWrite ? "written" : "read"),
         {fmt::format("bytes [{}, {}) of region {}", start, end,
                      operand.region)});
  }
}

void Executor::readTag(const Place &place, const Operand &operand,
                       int64_t stick) const {
  StickTag &tag = operand.view.tags[stick];
  uint32_t self = epoch << 8 | static_cast<uint32_t>(place.core + 1);
  bool isWritten = tag.writer >> 8 == epoch;
  auto writer = static_cast<int32_t>(tag.writer & 0xff) - 1;
  if (operand.isQueue) {
    auto index = static_cast<uint32_t>(operand.buffer - program.buffers.data());
    if (isWritten && !(queues->fillMask(index, place.core) >> writer & 1)) {
      trap(ErrorCode::SimQueueOrder, place,
           fmt::format("core {} reads stick {} of queue \"{}\", which core {} "
                       "wrote without being in its fill set",
                       place.core, stick, operand.buffer->name, writer));
    }
    return;
  }
  // Nothing orders a core's loads after its own stores.
  const bool isDdr = operand.buffer->space == launch::Space::DDR;
  if (isWritten && (isDdr || tag.writer != self)) {
    trap(
        ErrorCode::SimRace, place,
        fmt::format("core {} reads stick {} of \"{}\", which core {} writes in "
                    "the same phase",
                    place.core, stick, operand.buffer->name, writer));
  }
  bool isFirst = tag.other >> 8 != epoch;
  tag.other = isFirst || tag.other == self ? self : epoch << 8 | 0xff;
}

void Executor::writeTag(const Place &place, const Operand &operand,
                        int64_t stick) const {
  StickTag &tag = operand.view.tags[stick];
  uint32_t self = epoch << 8 | static_cast<uint32_t>(place.core + 1);
  bool isOthers = tag.writer >> 8 == epoch && tag.writer != self;
  if (operand.isQueue) {
    // The same slot number written by two cores.
    isOthers =
        isOthers && tag.other == static_cast<uint32_t>(operand.slotNumber);
    tag.other = static_cast<uint32_t>(operand.slotNumber);
  } else {
    bool isRead = tag.other >> 8 == epoch && tag.other != self;
    if (isRead) {
      trap(ErrorCode::SimRace, place,
           fmt::format("core {} writes stick {} of \"{}\", which another core "
                       "reads in the same phase",
                       place.core, stick, operand.buffer->name));
    }
  }
  if (isOthers) {
    trap(ErrorCode::SimRace, place,
         fmt::format("cores {} and {} write stick {} of \"{}\" in one phase",
                     static_cast<int32_t>(tag.writer & 0xff) - 1, place.core,
                     stick, operand.buffer->name));
  }
  tag.writer = self;
}

void Executor::undefinedRead(const Place &place, const Operand &operand,
                             int64_t stick, uint64_t mask) const {
  const launch::Buffer &buffer = *operand.buffer;
  int64_t bit = std::countr_zero(mask & ~operand.view.defined[stick]);
  int64_t lane = bit * 16 / bitWidth(buffer.type);
  std::vector<int64_t> coordinates(buffer.shape.size(), lane);
  int64_t rest = stick;
  for (size_t dim = buffer.shape.size() - 1; dim-- > 0;) {
    coordinates[dim] = rest % buffer.shape[dim];
    rest /= buffer.shape[dim];
  }
  trap(ErrorCode::SimUndefinedRead, place,
       fmt::format("buffer \"{}\" is read where nothing was written",
                   buffer.name),
       {fmt::format("at {} of shape {}, slot {}", listText(coordinates),
                    listText(buffer.shape), operand.slotNumber)});
}

void Executor::requireOutputsDistinct(const Place &place,
                                      const ResolvedCommand &command,
                                      size_t index) {
  const ResolvedBox &box = command.boxes[index];
  // An accumulator stands still along the outer K dims; everything else must
  // move along every dim.
  bool isMatmul = command.command->kind == launch::CommandKind::Matmul;
  int32_t dims = isMatmul ? command.command->numRowDims : command.numDims;
  requireDistinct(place, latticeOf(command, box, dims),
                  program.buffers[box.buffer].name);
}

void Executor::execute(Workspace &workspace, const Effect &effect,
                       int32_t receiver) {
  const auto &[place, command] = effect;
  std::vector<StoreCounts> &counts = workspace.sourceCounts;
  workspace.counts =
      &counts[std::min<size_t>(command.command->source, counts.size() - 1)];
  switch (command.command->kind) {
  case launch::CommandKind::Move:
    return move(place, command, receiver);
  case launch::CommandKind::Matmul:
    return matmul(workspace, place, command);
  case launch::CommandKind::Map:
    return map(workspace, place, command);
  case launch::CommandKind::Transpose:
    return transpose(place, command);
  case launch::CommandKind::Shift:
    return shift(place, command);
  default:
    return;
  }
}

} // namespace spyre::sim
