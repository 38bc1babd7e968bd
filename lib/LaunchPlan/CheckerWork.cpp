// SPDX-License-Identifier: Apache-2.0
//
// How commands open their buffers (queue slots, epochs, receivers, private
// access) and how moves carry defined lanes. Compute commands stand in
// CheckerCompute.cpp.

#include "CheckerWork.h"

#include "CheckerWalk.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

/// Not a core: the stick of a slot has not been written yet.
constexpr uint8_t kNoWriter = 0xff;

} // namespace

bool Worker::fail(ErrorCode code, std::string message) {
  context.errors.addAt(code, place, std::move(message));
  return false;
}

bool Worker::failAccess(uint32_t buffer, const AccessFailure &failure) {
  return fail(failure.code, fmt::format("stick {} of {}: {}", failure.stick,
                                        quoted(program->buffers[buffer].name),
                                        failure.message));
}

void Worker::beginProgram() {
  program = &context.plan.programs[state.program];
  facts = &context.facts[state.program];
  size_t wanted =
      program->buffers.size() * static_cast<size_t>(program->numCores);
  accesses.assign(wanted, Access());
}

void Worker::beginPhase(size_t phase) {
  const std::vector<uint32_t> &residents = program->phases[phase].residents;
  for (uint32_t index : facts->live[phase]) {
    const Buffer &buffer = program->buffers[index];
    if (buffer.space != Space::LX || buffer.queue ||
        std::find(residents.begin(), residents.end(), index) !=
            residents.end()) {
      continue;
    }
    for (int32_t core = 0; core < program->numCores; ++core) {
      uint64_t *first = memory.lxDefined(core) + buffer.offset / kStickBytes;
      std::fill(first, first + facts->buffers[index].slotSticks, 0);
    }
  }
  // A resident is read anew in each phase that reads it.
  for (uint32_t index : residents) {
    for (int32_t core = 0; core < program->numCores; ++core) {
      uint64_t *first =
          memory.lxRead(core) + program->buffers[index].offset / kStickBytes;
      std::fill(first, first + facts->buffers[index].slotSticks, 0);
    }
  }
}

bool Worker::isRead(uint32_t index, int32_t core, int64_t slot) {
  int64_t sticks = facts->buffers[index].slotSticks;
  int64_t first = program->buffers[index].offset / kStickBytes + slot * sticks;
  const uint64_t *defined = memory.lxDefined(core) + first;
  const uint64_t *read = memory.lxRead(core) + first;
  for (int64_t stick = 0; stick < sticks; ++stick) {
    uint64_t unread = defined[stick] & ~read[stick];
    if (unread != 0) {
      return fail(ErrorCode::CheckUnread,
                  fmt::format("stick {} of {} of core {} is written from byte "
                              "{} on and not read",
                              stick, quoted(program->buffers[index].name), core,
                              2 * std::countr_zero(unread)));
    }
  }
  return true;
}

bool Worker::isSlotRead(uint32_t index, int32_t core, int64_t slot) {
  int64_t sticks = facts->buffers[index].slotSticks;
  int64_t first = program->buffers[index].offset / kStickBytes + slot * sticks;
  const uint64_t *read = memory.lxRead(core) + first;
  bool isUsed = std::any_of(read, read + sticks,
                            [](uint64_t lanes) { return lanes != 0; });
  return !isUsed || isRead(index, core, slot);
}

bool Worker::areSlotsRead(uint32_t index, int32_t core) {
  const QueueState &queue =
      state.queues[static_cast<size_t>(state.queueOf[index])];
  for (int64_t slot = 0; slot < queue.slots; ++slot) {
    bool isFilled =
        queue.epochs[static_cast<size_t>(core * queue.slots + slot)] >= 0;
    if (isFilled && !isSlotRead(index, core, slot)) {
      return false;
    }
  }
  return true;
}

Worker::Access &Worker::accessOf(uint32_t buffer, int32_t core) {
  return accesses[static_cast<size_t>(buffer) *
                      static_cast<size_t>(program->numCores) +
                  static_cast<size_t>(core)];
}

bool Worker::mustBeRead(uint32_t buffer, int32_t core, bool goesOn) {
  const Access &access = accessOf(buffer, core);
  return access.serial == state.serial && (access.read || !goesOn);
}

bool Worker::checkRead(size_t phase) {
  const std::vector<Phase> &phases = program->phases;
  for (uint32_t index : facts->live[phase]) {
    if (program->buffers[index].space != Space::LX) {
      continue;
    }
    bool isQueue = state.queueOf[index] >= 0;
    bool goesOn = phase + 1 < phases.size() &&
                  std::ranges::find(phases[phase + 1].residents, index) !=
                      phases[phase + 1].residents.end();
    for (int32_t core = 0; core < program->numCores; ++core) {
      place = Place{program, phase, Unit::Load, 0, core};
      if (isQueue
              ? !areSlotsRead(index, core)
              : mustBeRead(index, core, goesOn) && !isRead(index, core, 0)) {
        return false;
      }
    }
  }
  return true;
}

bool Worker::clearSlot(QueueState &queue, int32_t core, int64_t slotNumber) {
  int64_t slot = slotNumber % queue.slots;
  int64_t &epoch = queue.epochs[static_cast<size_t>(core * queue.slots + slot)];
  if (epoch >= slotNumber) {
    return true;
  }
  if (epoch >= 0 && !isSlotRead(queue.buffer, core, slot)) {
    return false;
  }
  epoch = slotNumber;
  int64_t sticks = facts->buffers[queue.buffer].slotSticks;
  int64_t first =
      program->buffers[queue.buffer].offset / kStickBytes + slot * sticks;
  uint64_t *defined = memory.lxDefined(core) + first;
  std::fill(defined, defined + sticks, 0);
  uint64_t *read = memory.lxRead(core) + first;
  std::fill(read, read + sticks, 0);
  if (std::popcount(queue.fill[static_cast<size_t>(core)]) > 1) {
    uint8_t *writer = memory.lxWriter(core) + first;
    std::fill(writer, writer + sticks, kNoWriter);
  }
  return true;
}

bool Worker::beginSlots(QueueState &queue, const Place &where) {
  place = where;
  if (program->buffers[queue.buffer].space != Space::LX) {
    return true;
  }
  int64_t slotNumber = queue.count(place.core, queue.producer);
  uint64_t receivers = queue.receivers[static_cast<size_t>(place.core)];
  for (; receivers != 0; receivers &= receivers - 1) {
    if (!clearSlot(queue, std::countr_zero(receivers), slotNumber)) {
      return false;
    }
  }
  return true;
}

bool Worker::notePrivate(uint32_t buffer, int32_t owner, bool write) {
  Access &access = accessOf(buffer, owner);
  uint16_t unit = static_cast<uint16_t>(place.core * kNumUnits +
                                        static_cast<int>(place.unit));
  if (access.serial != state.serial) {
    access = Access{.serial = state.serial, .unit = unit};
  }
  access.shared = access.shared || access.unit != unit;
  access.written = access.written || write;
  access.read = access.read || !write;
  if (access.shared && access.written) {
    return fail(
        ErrorCode::CheckPrivateShared,
        fmt::format("private buffer {} of core {} is also used by {} of core "
                    "{} in this phase, and one of them writes",
                    quoted(program->buffers[buffer].name), owner,
                    toString(static_cast<Unit>(access.unit % kNumUnits)),
                    access.unit / kNumUnits));
  }
  return true;
}

bool Worker::openLx(uint32_t index, int32_t owner, bool write, LxView &view) {
  const Buffer &buffer = program->buffers[index];
  int64_t first = buffer.offset / kStickBytes;
  view.writer = nullptr;
  if (state.queueOf[index] < 0) {
    view.defined = memory.lxDefined(owner) + first;
    view.read = memory.lxRead(owner) + first;
    return notePrivate(index, owner, write);
  }
  QueueState &queue = state.queues[static_cast<size_t>(state.queueOf[index])];
  int64_t slotNumber = queue.count(place.core, place.unit);
  if (queue.producer == place.unit) {
    uint64_t receivers = queue.receivers[static_cast<size_t>(place.core)];
    if ((receivers >> owner & 1) == 0) {
      return fail(ErrorCode::CheckReceiver,
                  fmt::format("core {} does not receive {} from core {}", owner,
                              quoted(buffer.name), place.core));
    }
    if (!clearSlot(queue, owner, slotNumber)) {
      return false;
    }
  }
  first += slotNumber % queue.slots * facts->buffers[index].slotSticks;
  view.defined = memory.lxDefined(owner) + first;
  view.read = memory.lxRead(owner) + first;
  if (std::popcount(queue.fill[static_cast<size_t>(owner)]) > 1) {
    view.writer = memory.lxWriter(owner) + first;
  }
  return true;
}

bool Worker::openDdr(uint32_t index, bool write, DdrAccess &access) {
  const Buffer &buffer = program->buffers[index];
  bool isArgument = buffer.binding == Binding::Argument;
  access.type = buffer.type;
  access.valid = facts->valid[index];
  access.region = isArgument ? memory.argument(buffer.bindingIndex)
                             : memory.segment(buffer.bindingIndex);
  access.baseStick = buffer.offset / kStickBytes;
  access.phase = state.serial;
  access.core = place.core;
  access.checkOwner = !isArgument;
  access.firstTag = state.firstTag;
  access.tag = state.firstTag + facts->sameSticks[index];
  access.writeOnce = buffer.role == BufferRole::Output;
  if (state.queueOf[index] < 0) {
    return true;
  }
  const QueueState &queue =
      state.queues[static_cast<size_t>(state.queueOf[index])];
  int64_t slotNumber = queue.count(place.core, place.unit);
  access.isQueue = true;
  access.slotNumber = static_cast<uint32_t>(slotNumber);
  access.fill = queue.fill[static_cast<size_t>(place.core)];
  access.baseStick +=
      slotNumber % queue.slots * facts->buffers[index].slotSticks;
  if (write && queue.receivers[static_cast<size_t>(place.core)] == 0) {
    return fail(ErrorCode::CheckReceiver,
                fmt::format("no core receives {} from core {}",
                            quoted(buffer.name), place.core));
  }
  return true;
}

bool Worker::spendVisits(const Instance &instance) {
  const int64_t most = context.budgets.maxStickVisits + 1;
  for (size_t box = 0; box < instance.numBoxes; ++box) {
    int64_t visits = numVisits(instance.boxes[box], instance.numDims);
    if (instance.command->kind == CommandKind::Move) {
      // Source and destination advance together; every core gets a copy.
      visits = 1;
      for (size_t dim = 0; dim < instance.numDims; ++dim) {
        visits = std::min(
            checkedProduct(visits, instance.extents[dim]).value_or(most), most);
      }
      int64_t copies = box == 1 ? std::popcount(instance.cores) : 1;
      visits = checkedProduct(visits, copies).value_or(most);
    }
    std::string message;
    if (!context.spendVisits(visits, message)) {
      return fail(ErrorCode::CheckBudget, std::move(message));
    }
  }
  return true;
}

bool Worker::perform(const Instance &instance, const Place &where) {
  place = where;
  if (!spendVisits(instance)) {
    return false;
  }
  switch (instance.command->kind) {
  case CommandKind::Move:
    return move(instance);
  case CommandKind::Matmul:
    return matmul(instance);
  case CommandKind::Map:
    return map(instance);
  case CommandKind::Transpose:
    return transpose(instance);
  case CommandKind::Shift:
    return shift(instance);
  default:
    return true;
  }
}

bool Worker::scatter(const LxView &target, int64_t first, int64_t step) {
  int64_t stick = first;
  for (uint64_t bits : row) {
    target.write(stick, bits);
    stick += step;
  }
  if (!target.writer) {
    return true;
  }
  stick = first;
  uint8_t self = static_cast<uint8_t>(place.core);
  for (size_t i = 0; i < row.size(); ++i, stick += step) {
    uint8_t &writer = target.writer[stick];
    if (writer != kNoWriter && writer != self) {
      return fail(ErrorCode::CheckSlotRace,
                  fmt::format("core {} writes stick {} of the same slot",
                              writer, stick));
    }
    writer = self;
  }
  return true;
}

bool Worker::moveRows(const Instance &instance, const LxView *source,
                      const DdrAccess *from, const std::vector<LxView> &targets,
                      const DdrAccess *to) {
  const BoxWalk &read = instance.boxes[0];
  const BoxWalk &write = instance.boxes[1];
  AccessFailure failure;
  return forEachRun<2>(
      instance.extents, instance.numDims, {&read.steps, &write.steps},
      {read.base, write.base},
      [&](const Bases<2> &bases, int64_t count, const Bases<2> &steps) {
        // Long runs are cut, so that the row stays small.
        constexpr int64_t kRow = 4096;
        for (int64_t done = 0; done < count; done += kRow) {
          int64_t part = std::min(kRow, count - done);
          int64_t first = bases[0] + done * steps[0];
          int64_t target = bases[1] + done * steps[1];
          row.resize(static_cast<size_t>(part));
          if (from) {
            if (!readRows(*from, read, first, steps[0], part, failure)) {
              return failAccess(read.buffer, failure);
            }
          } else {
            for (int64_t i = 0; i < part; ++i) {
              row[static_cast<size_t>(i)] = source->take(first + i * steps[0]);
            }
          }
          for (const LxView &view : targets) {
            if (!scatter(view, target, steps[1])) {
              return false;
            }
          }
          if (to && !Memory::write(*to, target, steps[1], part, row.data(),
                                   failure)) {
            return failAccess(write.buffer, failure);
          }
        }
        return true;
      });
}

bool Worker::readRows(const DdrAccess &from, const BoxWalk &walk, int64_t first,
                      int64_t step, int64_t count, AccessFailure &failure) {
  // What no program writes has the same valid lanes in every row.
  if (walk.tableRows == 0 || !from.region) {
    return memory.read(from, first, step, count, row.data(), failure);
  }
  std::vector<uint64_t> rows(static_cast<size_t>(walk.tableRows));
  context.stickVisits += walk.tableRows * count;
  for (int64_t i = 0; i < count; ++i) {
    if (!memory.read(from, first + i * step, walk.tableStep, walk.tableRows,
                     rows.data(), failure)) {
      return false;
    }
    row[static_cast<size_t>(i)] = ~uint64_t{0};
    for (uint64_t defined : rows) {
      row[static_cast<size_t>(i)] &= defined;
    }
  }
  return true;
}

bool Worker::requireIndices(const Instance &instance) {
  uint32_t buffer = instance.command->indexed->indexBuffer;
  const BufferFacts &index = facts->buffers[buffer];
  int64_t end = instance.indexFirst + instance.indexCount;
  if (instance.indexFirst < 0 ||
      end > index.slotSticks * index.elementsPerStick) {
    return fail(ErrorCode::CheckBounds,
                fmt::format("uses entries [{}, {}) of {}, which has {}",
                            instance.indexFirst, end,
                            quoted(program->buffers[buffer].name),
                            index.slotSticks * index.elementsPerStick));
  }
  LxView view;
  if (!openLx(buffer, place.core, false, view)) {
    return false;
  }
  for (int64_t entry = instance.indexFirst; entry < end; ++entry) {
    int64_t stick = entry / index.elementsPerStick;
    uint64_t lane =
        maskOfLane(ElementType::I32, entry % index.elementsPerStick);
    if ((view.defined[stick] & lane) == 0) {
      return fail(ErrorCode::CheckUndefinedRead,
                  fmt::format("entry {} of the index {} is not written", entry,
                              quoted(program->buffers[buffer].name)));
    }
    view.read[stick] |= lane;
  }
  return true;
}

bool Worker::move(const Instance &instance) {
  if (instance.command->indexed && !requireIndices(instance)) {
    return false;
  }
  uint32_t sourceBuffer = instance.boxes[0].buffer;
  uint32_t targetBuffer = instance.boxes[1].buffer;
  LxView source;
  DdrAccess from;
  DdrAccess to;
  bool readsDdr = place.unit == Unit::Load;
  bool writesDdr = place.unit == Unit::Store;
  if (readsDdr ? !openDdr(sourceBuffer, false, from)
               : !openLx(sourceBuffer, place.core, false, source)) {
    return false;
  }
  std::vector<LxView> targets;
  if (writesDdr) {
    if (!openDdr(targetBuffer, true, to)) {
      return false;
    }
  } else {
    for (uint64_t cores = instance.cores; cores != 0; cores &= cores - 1) {
      targets.emplace_back();
      if (!openLx(targetBuffer, std::countr_zero(cores), true,
                  targets.back())) {
        return false;
      }
    }
  }
  return moveRows(instance, readsDdr ? nullptr : &source,
                  readsDdr ? &from : nullptr, targets,
                  writesDdr ? &to : nullptr);
}

} // namespace spyre::launch::checker
