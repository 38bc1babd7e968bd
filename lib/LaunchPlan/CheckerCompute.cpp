// SPDX-License-Identifier: Apache-2.0
//
// What the computing commands read and define: every lane that a matmul or map
// uses must be defined; transpose, shift and reduce carry undefined lanes.

#include "CheckerWork.h"

#include "CheckerWalk.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spyre::launch::checker {

uint64_t Worker::tileMask(const BoxWalk &walk, int64_t elements,
                          int64_t tile) const {
  ElementType type = program->buffers[walk.buffer].type;
  if (walk.splat) {
    return maskOfLane(type, walk.lane);
  }
  int64_t lanes = facts->buffers[walk.buffer].elementsPerStick;
  return maskOfLanes(type, elements - tile * lanes);
}

/// Calls function(view, first stick, count, step, mask of the tile) for all
/// runs of an operand on the issuing core; stops when it returns false.
template <typename Function>
static bool forEachTileRun(const BoxWalk &walk, size_t numDims,
                           Function function) {
  for (int64_t tile = 0; tile < walk.tiles; ++tile) {
    for (int64_t line = 0; line < walk.rows; ++line) {
      int64_t base = walk.base + tile * walk.tileStep + line * walk.rowStep;
      bool going = forEachRun<1>(
          walk.extents, numDims, {&walk.steps}, {base},
          [&](const Bases<1> &bases, int64_t count, const Bases<1> &steps) {
            return function(tile, bases[0], count, steps[0]);
          });
      if (!going) {
        return false;
      }
    }
  }
  return true;
}

bool Worker::require(const BoxWalk &walk, int64_t elements, size_t numDims,
                     std::string_view what) {
  LxView view;
  if (!openLx(walk.buffer, place.core, false, view)) {
    return false;
  }
  return forEachTileRun(
      walk, numDims,
      [&](int64_t tile, int64_t first, int64_t count, int64_t step) {
        uint64_t need = tileMask(walk, elements, tile);
        for (int64_t i = 0; i < count; ++i) {
          uint64_t missing = need & ~view.defined[first + i * step];
          if (missing != 0) {
            return fail(
                ErrorCode::CheckUndefinedRead,
                fmt::format("{} reads stick {} of {} from byte {} on, which "
                            "nothing has written",
                            what, first + i * step,
                            quoted(program->buffers[walk.buffer].name),
                            2 * std::countr_zero(missing)));
          }
          view.read[first + i * step] |= need;
        }
        return true;
      });
}

template <typename Function>
bool Worker::update(const BoxWalk &walk, int64_t elements, size_t numDims,
                    Function function) {
  LxView view;
  if (!openLx(walk.buffer, place.core, true, view)) {
    return false;
  }
  return forEachTileRun(
      walk, numDims,
      [&](int64_t tile, int64_t first, int64_t count, int64_t step) {
        uint64_t mask = tileMask(walk, elements, tile);
        for (int64_t i = 0; i < count; ++i) {
          int64_t stick = first + i * step;
          view.defined[stick] = function(view.defined[stick], mask);
          view.read[stick] &= ~mask;
        }
        return true;
      });
}

bool Worker::matmul(const Instance &instance) {
  const BoxWalk &accumulator = instance.boxes[2];
  if (!require(instance.boxes[0], instance.inner, instance.numDims,
               "matmul operand A") ||
      !require(instance.boxes[1], instance.stick, instance.numDims,
               "matmul operand B")) {
    return false;
  }
  if (!instance.isFirst &&
      !require(accumulator, instance.stick, instance.numDims,
               "the accumulation of matmul")) {
    return false;
  }
  // Lanes beyond N are undefined after a matmul.
  return update(accumulator, instance.stick, instance.numDims,
                [](uint64_t, uint64_t mask) { return mask; });
}

bool Worker::map(const Instance &instance) {
  const Command &command = *instance.command;
  size_t numInputs = instance.numBoxes - command.outputs.size();
  for (size_t box = 0; box < numInputs; ++box) {
    if (!require(instance.boxes[box], instance.stick, instance.numDims,
                 fmt::format("input {} of map", box))) {
      return false;
    }
  }
  for (size_t i = 0; i < command.outputs.size(); ++i) {
    if (!mapOutput(instance, numInputs + i, command.outputs[i])) {
      return false;
    }
  }
  return true;
}

bool Worker::mapOutput(const Instance &instance, size_t box,
                       const MapOutput &output) {
  const BoxWalk &walk = instance.boxes[box];
  int64_t elements = instance.stick;
  if (output.lanes == MapOutput::Lanes::Lane0) {
    elements = 1;
  } else if (output.lanes == MapOutput::Lanes::SplatAll) {
    elements = facts->buffers[walk.buffer].elementsPerStick;
  }
  if (output.accumulate && !instance.isFirst &&
      !require(walk, elements, instance.numDims, "the accumulation of map")) {
    return false;
  }
  if (!update(walk, elements, instance.numDims,
              [](uint64_t old, uint64_t mask) { return old | mask; })) {
    return false;
  }
  return output.lanes != MapOutput::Lanes::SplatAll ||
         markCopies(walk, instance.numDims);
}

bool Worker::markCopies(const BoxWalk &walk, size_t numDims) {
  LxView view;
  uint64_t lane = maskOfLane(program->buffers[walk.buffer].type, 0);
  return openLx(walk.buffer, place.core, true, view) &&
         forEachTileRun(
             walk, numDims,
             [&](int64_t, int64_t first, int64_t count, int64_t step) {
               for (int64_t i = 0; i < count; ++i) {
                 view.read[first + i * step] |= ~lane;
               }
               return true;
             });
}

void Worker::transposeBlock(const Instance &instance, const LxView &source,
                            const LxView &target, int64_t sourceTile,
                            int64_t targetTile) {
  const BoxWalk &read = instance.boxes[0];
  const BoxWalk &write = instance.boxes[1];
  ElementType type = program->buffers[read.buffer].type;
  int64_t lanes = facts->buffers[read.buffer].elementsPerStick;
  int64_t firstRow = targetTile * lanes;
  int64_t rows = std::min(lanes, instance.inner - firstRow);
  int64_t firstLane = sourceTile * lanes;
  int64_t width = std::min(lanes, instance.stick - firstLane);
  uint64_t all = maskOfLanes(type, width);
  uint64_t common = all;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t stick = (firstRow + i) * read.rowStep;
    common &= source.defined[stick];
    source.read[stick] |= all;
  }
  for (int64_t lane = 0; lane < width; ++lane) {
    uint64_t bits = maskOfLanes(type, rows);
    if (common != all) {
      // Element i of the row is defined if row i has this lane.
      uint64_t want = maskOfLane(type, lane);
      for (int64_t i = 0; i < rows; ++i) {
        if ((source.defined[(firstRow + i) * read.rowStep] & want) != want) {
          bits &= ~maskOfLane(type, i);
        }
      }
    }
    target.write((firstLane + lane) * write.rowStep, bits);
  }
}

bool Worker::transpose(const Instance &instance) {
  const BoxWalk &read = instance.boxes[0];
  const BoxWalk &write = instance.boxes[1];
  LxView source;
  LxView target;
  if (!openLx(read.buffer, place.core, false, source) ||
      !openLx(write.buffer, place.core, true, target)) {
    return false;
  }
  return forEachRun<2>(
      instance.extents, instance.numDims, {&read.steps, &write.steps},
      {read.base, write.base},
      [&](const Bases<2> &bases, int64_t count, const Bases<2> &steps) {
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t s = 0; s < read.tiles; ++s) {
            for (int64_t t = 0; t < write.tiles; ++t) {
              transposeBlock(
                  instance,
                  source.from(bases[0] + i * steps[0] + s * read.tileStep),
                  target.from(bases[1] + i * steps[1] + t * write.tileStep), s,
                  t);
            }
          }
        }
        return true;
      });
}

bool Worker::shift(const Instance &instance) {
  std::array<LxView, 3> views;
  for (size_t box = 0; box < views.size(); ++box) {
    if (!openLx(instance.boxes[box].buffer, place.core, box == 2, views[box])) {
      return false;
    }
  }
  ElementType type = program->buffers[instance.boxes[0].buffer].type;
  // The structure stage has the shift in whole mask bits (16 bits each).
  constexpr int64_t kMaskBits = 64;
  int64_t shiftBits = instance.command->shiftLanes * bitWidth(type) / 16;
  uint64_t written = maskOfLanes(type, instance.stick);
  return forEachRun<3>(
      instance.extents, instance.numDims,
      {&instance.boxes[0].steps, &instance.boxes[1].steps,
       &instance.boxes[2].steps},
      {instance.boxes[0].base, instance.boxes[1].base, instance.boxes[2].base},
      [&](const Bases<3> &bases, int64_t count, const Bases<3> &steps) {
        for (int64_t i = 0; i < count; ++i) {
          uint64_t lo = views[0].take(bases[0] + i * steps[0]);
          uint64_t hi = views[1].take(bases[1] + i * steps[1]);
          uint64_t joined = lo;
          if (shiftBits == kMaskBits) {
            joined = hi;
          } else if (shiftBits > 0) {
            joined = lo >> shiftBits | hi << (kMaskBits - shiftBits);
          }
          int64_t target = bases[2] + i * steps[2];
          views[2].write(target, (views[2].defined[target] & ~written) |
                                     (joined & written));
        }
        return true;
      });
}

bool Worker::reduceRead(const Instance &instance, const Place &where,
                        std::vector<uint64_t> &common) {
  place = where;
  LxView view;
  const BoxWalk &walk = instance.boxes[0];
  if (!spendVisits(instance) || !openLx(walk.buffer, place.core, false, view)) {
    return false;
  }
  // The members agree on the extents, and so on the order of the positions.
  size_t position = 0;
  return forEachRun<1>(
      instance.extents, instance.numDims, {&walk.steps}, {walk.base},
      [&](const Bases<1> &bases, int64_t count, const Bases<1> &steps) {
        for (int64_t i = 0; i < count; ++i, ++position) {
          if (position == common.size()) {
            common.push_back(~uint64_t{0});
          }
          common[position] &= view.take(bases[0] + i * steps[0]);
        }
        return true;
      });
}

bool Worker::reduceWrite(const Instance &instance, const Place &where,
                         const std::vector<uint64_t> &common) {
  place = where;
  LxView view;
  const BoxWalk &walk = instance.boxes[1];
  if (!openLx(walk.buffer, place.core, true, view)) {
    return false;
  }
  size_t position = 0;
  return forEachRun<1>(
      instance.extents, instance.numDims, {&walk.steps}, {walk.base},
      [&](const Bases<1> &bases, int64_t count, const Bases<1> &steps) {
        for (int64_t i = 0; i < count; ++i, ++position) {
          view.write(bases[0] + i * steps[0], common[position]);
        }
        return true;
      });
}

} // namespace spyre::launch::checker
