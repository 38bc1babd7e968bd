// SPDX-License-Identifier: Apache-2.0
//
// Moves and ring reductions. Both work on whole sticks and carry the shadow, so
// that undefined lanes stay undefined (a lane of a ring reduction is defined if
// it is so on every core). Runs that are contiguous on both sides are copied at
// once.

#include "Executor.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

/// Innermost dims that are contiguous in both boxes: how many sticks they
/// hold, and how many dims remain outside.
struct Run {
  int64_t sticks = 1;
  int32_t outerDims = 0;
};

Run contiguousRun(const ResolvedCommand &command) {
  Run run{1, command.numDims};
  while (run.outerDims > 0) {
    auto dim = static_cast<size_t>(run.outerDims - 1);
    bool isContiguous = true;
    for (const ResolvedBox &box : command.boxes) {
      isContiguous = isContiguous && box.strides[dim] == run.sticks &&
                     box.indexSteps[dim] == 0;
    }
    if (command.extents[dim] != 1 && !isContiguous) {
      break;
    }
    if (command.extents[dim] == 1 && command.boxes[0].indexSteps[dim] == 0 &&
        command.boxes[1].indexSteps[dim] == 0) {
      --run.outerDims;
      continue;
    }
    if (!isContiguous) {
      break;
    }
    run.sticks *= command.extents[dim];
    --run.outerDims;
  }
  return run;
}

} // namespace

void Executor::copyRun(const Place &place, const Operand &from, int64_t source,
                       const Operand &to, int64_t destination, int64_t sticks) {
  std::memmove(to.view.stick<std::byte>(destination),
               from.view.stick<std::byte>(source),
               static_cast<size_t>(sticks * kStickBytes));
  std::memmove(to.view.defined + destination, from.view.defined + source,
               static_cast<size_t>(sticks) * sizeof(uint64_t));
  for (int64_t i = 0; from.view.tags && i < sticks; ++i) {
    readTag(place, from, source + i);
    // A DDR queue's slot holds only what was written for this slot number.
    const StickTag &tag = from.view.tags[source + i];
    bool isStale =
        from.isQueue && (tag.writer >> 8 != epoch ||
                         tag.other != static_cast<uint32_t>(from.slotNumber));
    if (isStale) {
      to.view.defined[destination + i] = 0;
    }
  }
  for (int64_t i = 0; to.view.tags && i < sticks; ++i) {
    writeTag(place, to, destination + i);
  }
}

int64_t Executor::indexedStick(const Place &place,
                               const ResolvedCommand &command,
                               const ResolvedBox &box, const Operand &indices,
                               std::span<const int64_t> position) {
  const launch::IndexedAccess &indexed = *command.command->indexed;
  int64_t at = box.indexStart;
  for (size_t dim = 0; dim < static_cast<size_t>(command.numDims); ++dim) {
    at += box.indexSteps[dim] * position[dim];
  }
  int64_t element = 0;
  if (at < 0 || at >= command.indexCount ||
      __builtin_add_overflow(command.indexFirst, at, &element) || element < 0) {
    trap(ErrorCode::SimOutOfBounds, place,
         fmt::format("an indexed move asks for index {} of {}", at,
                     command.indexCount));
  }
  int64_t entry = indexed.pageSize > 0 ? element / indexed.pageSize : element;
  int64_t lanes = elementsPerStick(ElementType::I32);
  if (entry / lanes >= info.buffers[indexed.indexBuffer].slotSticks) {
    trap(ErrorCode::SimOutOfBounds, place,
         fmt::format("index {} lies outside index buffer \"{}\"", entry,
                     indices.buffer->name));
  }
  requireDefined(place, indices, entry / lanes,
                 laneBit(ElementType::I32, entry % lanes));
  int64_t value = indices.view.stick<int32_t>(entry / lanes)[entry % lanes];
  int64_t coordinate = value;
  if (indexed.pageSize > 0 &&
      (__builtin_mul_overflow(value, indexed.pageSize, &coordinate) ||
       __builtin_add_overflow(coordinate, element % indexed.pageSize,
                              &coordinate))) {
    coordinate = -1;
  }
  if (value < 0 || coordinate < 0 || coordinate >= box.indexExtent) {
    trap(ErrorCode::SimIndexOutOfRange, place,
         fmt::format("index value {} of \"{}\" is out of range", value,
                     indices.buffer->name),
         {fmt::format("entry {}{}, the indexed dim of \"{}\" has {}", entry,
                      indexed.pageSize > 0
                          ? fmt::format(", pages of {}", indexed.pageSize)
                          : "",
                      program.buffers[box.buffer].name, box.indexExtent)});
  }
  return coordinate * box.indexStride;
}

void Executor::prepareMove(const Place &place, const ResolvedCommand &command) {
  const ResolvedBox &source = command.boxes[0];
  const ResolvedBox &target = command.boxes[1];
  if (target.indexStride == 0) {
    requireOutputsDistinct(place, command, 1);
  }
  // Only a core that sends to itself can overwrite what it reads.
  const bool isToSelf = (command.coreMask >> place.core & 1) != 0;
  if (isToSelf && source.buffer == target.buffer &&
      !sameSticks(command, source, target)) {
    requireDisjoint(place, latticeOf(command, target),
                    latticeOf(command, source),
                    program.buffers[target.buffer].name);
  }
}

void Executor::move(const Place &place, const ResolvedCommand &command,
                    int32_t receiver) {
  const ResolvedBox &sourceBox = command.boxes[0];
  const ResolvedBox &targetBox = command.boxes[1];
  const bool isIndexedTarget = targetBox.indexStride != 0;
  const bool isIndexed = command.command->indexed.has_value();
  Operand source = open(place, sourceBox, place.core, false);
  Operand indices;
  if (isIndexed) {
    indices = openBuffer(place, command.command->indexed->indexBuffer,
                         command.indexSlotNumber, place.core, false);
  }
  Run run = contiguousRun(command);
  Operand target = open(place, targetBox, receiver, true);
  PositionWalker walker(command, command.boxes, 0, run.outerDims);
  do {
    int64_t from = walker.stick(0);
    int64_t to = walker.stick(1);
    if (isIndexed) {
      int64_t offset =
          indexedStick(place, command, isIndexedTarget ? targetBox : sourceBox,
                       indices, walker.position());
      (isIndexedTarget ? to : from) += offset;
    }
    if (source.checkFootprint) {
      checkDdrRange(place, source, from, from + run.sticks, false);
    }
    if (target.checkFootprint) {
      checkDdrRange(place, target, to, to + run.sticks, true);
    }
    copyRun(place, source, from, target, to, run.sticks);
  } while (walker.next());
}

void Executor::reduce(std::span<const Effect> members) {
  const Place &owner = members.back().place;
  const ResolvedCommand &last = members.back().command;
  requireOutputsDistinct(owner, last, 1);
  if (last.boxes[0].buffer == last.boxes[1].buffer &&
      !sameSticks(last, last.boxes[0], last.boxes[1])) {
    requireDisjoint(owner, latticeOf(last, last.boxes[1]),
                    latticeOf(last, last.boxes[0]),
                    program.buffers[last.boxes[1].buffer].name);
  }
  std::vector<Operand> sources;
  std::vector<PositionWalker> walkers;
  for (const Effect &member : members) {
    sources.push_back(
        open(member.place, member.command.boxes[0], member.place.core, false));
    walkers.emplace_back(member.command);
  }
  Operand target = open(owner, last.boxes[1], owner.core, true);
  constexpr int64_t kLanes = kStickBytes / 4;
  bool more = true;
  while (more) {
    float sum[kLanes];
    uint64_t defined = ~uint64_t{0};
    for (size_t i = 0; i < members.size(); ++i) {
      int64_t stick = walkers[i].stick(0);
      requireDefined(members[i].place, sources[i], stick, 0);
      defined &= sources[i].view.defined[stick];
      const float *values = sources[i].view.stick<float>(stick);
      if (i == 0) {
        std::memcpy(sum, values, sizeof(sum));
      } else {
        elementKernels().combine(last.command->combine, true, values, sum,
                                 kLanes);
      }
    }
    int64_t stick = walkers.back().stick(1);
    std::memcpy(target.view.stick<float>(stick), sum, sizeof(sum));
    target.view.defined[stick] = defined;
    if (target.view.tags) {
      writeTag(owner, target, stick);
    }
    for (PositionWalker &walker : walkers) {
      more = walker.next();
    }
  }
}

} // namespace spyre::sim
