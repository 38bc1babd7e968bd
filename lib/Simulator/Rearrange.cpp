// SPDX-License-Identifier: Apache-2.0
//
// Transpose and shift: elements change lanes, and their shadow with them.

#include "Executor.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace spyre::sim {
namespace {

/// Element rows x lanes to lanes x rows, one element at a time but per source
/// stick, so that the source's shadow word is read once.
template <typename Element>
void transposeStick(const Element *from, uint64_t fromDefined, ElementType type,
                    int64_t lanes, const MemoryView &to, int64_t firstStick,
                    int64_t rowStride, int64_t lane) {
  uint64_t bit = laneBit(type, lane);
  for (int64_t j = 0; j < lanes; ++j) {
    int64_t stick = firstStick + j * rowStride;
    to.stick<Element>(stick)[lane] = from[j];
    bool isDefined = (fromDefined & laneBit(type, j)) != 0;
    uint64_t &word = to.defined[stick];
    word = isDefined ? word | bit : word & ~bit;
  }
}

} // namespace

void Executor::transpose(const Place &place, const ResolvedCommand &command) {
  const ResolvedBox &from = command.boxes[0];
  const ResolvedBox &to = command.boxes[1];
  requireOutputsDistinct(place, command, 1);
  if (from.buffer == to.buffer) {
    requireDisjoint(place, latticeOf(command, to), latticeOf(command, from),
                    program.buffers[to.buffer].name);
  }
  Operand source = open(place, from, place.core, false);
  Operand target = open(place, to, place.core, true);
  ElementType type = from.type;
  int64_t lanes = elementsPerStick(type);
  PositionWalker walker(command);
  do {
    for (int64_t i = 0; i < command.inner; ++i) {
      for (int64_t tile = 0; tile < from.tiles; ++tile) {
        int64_t stick =
            walker.stick(0) + i * from.rowStride + tile * from.tileStride;
        requireDefined(place, source, stick, 0);
        int64_t count = std::min(lanes, command.stick - tile * lanes);
        int64_t first = walker.stick(1) + tile * lanes * to.rowStride +
                        i / lanes * to.tileStride;
        uint64_t defined = source.view.defined[stick];
        if (bitWidth(type) == 16) {
          transposeStick(source.view.stick<uint16_t>(stick), defined, type,
                         count, target.view, first, to.rowStride, i % lanes);
        } else {
          transposeStick(source.view.stick<uint32_t>(stick), defined, type,
                         count, target.view, first, to.rowStride, i % lanes);
        }
        for (int64_t j = 0; target.view.tags && j < count; ++j) {
          writeTag(place, target, first + j * to.rowStride);
        }
      }
    }
  } while (walker.next());
}

void Executor::shift(const Place &place, const ResolvedCommand &command) {
  const ResolvedBox &to = command.boxes[2];
  requireOutputsDistinct(place, command, 2);
  for (size_t i = 0; i < 2; ++i) {
    const ResolvedBox &from = command.boxes[i];
    if (from.buffer == to.buffer && !sameSticks(command, from, to)) {
      requireDisjoint(place, latticeOf(command, to), latticeOf(command, from),
                      program.buffers[to.buffer].name);
    }
  }
  int64_t lanes = elementsPerStick(to.type);
  int64_t distance = command.command->shiftLanes;
  if (distance < 0 || distance > lanes) {
    trap(ErrorCode::SimOutOfBounds, place,
         "a shift by " + std::to_string(distance) + " lanes, allowed 0 to " +
             std::to_string(lanes));
  }
  Operand low = open(place, command.boxes[0], place.core, false);
  Operand high = open(place, command.boxes[1], place.core, false);
  Operand target = open(place, to, place.core, true);
  auto width = static_cast<size_t>(bitWidth(to.type) / 8);
  auto bytes = static_cast<size_t>(command.stick) * width;
  uint64_t written = laneMask(to.type, command.stick);
  int64_t wordShift = distance * static_cast<int64_t>(width) / 2;
  PositionWalker walker(command);
  do {
    requireDefined(place, low, walker.stick(0), 0);
    requireDefined(place, high, walker.stick(1), 0);
    std::byte both[2 * kStickBytes];
    std::memcpy(both, low.view.stick<std::byte>(walker.stick(0)), kStickBytes);
    std::memcpy(both + kStickBytes, high.view.stick<std::byte>(walker.stick(1)),
                kStickBytes);
    uint64_t lowBits = low.view.defined[walker.stick(0)];
    uint64_t highBits = high.view.defined[walker.stick(1)];
    uint64_t bits = wordShift == 64 ? highBits
                    : wordShift == 0
                        ? lowBits
                        : lowBits >> wordShift | highBits << (64 - wordShift);
    int64_t stick = walker.stick(2);
    std::memcpy(target.view.stick<std::byte>(stick),
                both + static_cast<size_t>(distance) * width, bytes);
    uint64_t &word = target.view.defined[stick];
    word = (word & ~written) | (bits & written);
    if (target.view.tags) {
      writeTag(place, target, stick);
    }
  } while (walker.next());
}

} // namespace spyre::sim
