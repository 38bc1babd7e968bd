// SPDX-License-Identifier: Apache-2.0
//
// What interval arithmetic proves of each command instance on its own, without
// any memory state: boxes inside buffers (by evaluating them), outputs that hit
// a stick once, outputs apart from inputs, spans per core, and the footprint.
// Costs O(1) per instance and box, whatever the extents.

#include "CheckerEvaluate.h"
#include "CheckerInternal.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace spyre::launch::checker {
namespace {

struct Hull {
  int64_t lo = INT64_MAX;
  int64_t hi = INT64_MIN;
  void include(int64_t from, int64_t to) {
    lo = std::min(lo, from);
    hi = std::max(hi, to);
  }
};

/// Regions in the order of the declared footprints.
using Hulls = std::map<std::pair<RegionKind, uint32_t>, Hull>;

std::vector<Footprint> footprintsOf(const Hulls &hulls) {
  std::vector<Footprint> footprints;
  for (const auto &[region, hull] : hulls) {
    footprints.push_back({region.first, region.second, hull.lo, hull.hi});
  }
  return footprints;
}

/// Does the walk hit every stick at most once? True if the steps, ascending,
/// each exceed the reach of all smaller ones together.
bool isInjective(const BoxWalk &walk, size_t numDims) {
  std::array<std::pair<int64_t, int64_t>, kMaxCommandDims + 2> moves;
  size_t count = 0;
  for (size_t dim = 0; dim < numDims; ++dim) {
    if (walk.extents[dim] > 1) {
      moves[count++] = {std::abs(walk.steps[dim]), walk.extents[dim]};
    }
  }
  if (walk.tiles > 1) {
    moves[count++] = {walk.tileStep, walk.tiles};
  }
  if (walk.rows > 1) {
    moves[count++] = {walk.rowStep, walk.rows};
  }
  std::sort(moves.begin(), moves.begin() + static_cast<ptrdiff_t>(count));
  int64_t reach = 0;
  for (size_t i = 0; i < count; ++i) {
    if (moves[i].first <= reach) {
      return false;
    }
    reach += moves[i].first * (moves[i].second - 1);
  }
  return true;
}

bool areDisjoint(const BoxWalk &a, const BoxWalk &b, size_t outerDims) {
  for (size_t dim = 0; dim < outerDims; ++dim) {
    if (a.high[dim] < b.low[dim] || b.high[dim] < a.low[dim]) {
      return true;
    }
  }
  return false;
}

class IntervalChecker {
public:
  IntervalChecker(Context &context, size_t index)
      : context(context), index(index), program(context.plan.programs[index]),
        facts(context.facts[index]), spans(program.buffers.size()),
        instance(std::make_unique<Instance>()) {}

  void check() {
    std::vector<std::array<bool, kNumUnits>> failed(program.phases.size());
    for (int32_t core = 0; core < program.numCores; ++core) {
      std::fill(spans.begin(), spans.end(), Hull());
      for (size_t phase = 0; phase < program.phases.size(); ++phase) {
        for (size_t unit = 0; unit < kNumUnits; ++unit) {
          // One report per list: the other cores run the same commands.
          if (!failed[phase][unit]) {
            failed[phase][unit] =
                !checkList(phase, static_cast<Unit>(unit), core);
          }
          if (context.errors.full() ||
              context.commandInstances > context.budgets.maxCommandInstances) {
            return;
          }
        }
      }
      checkSpans(core);
    }
    facts.footprints.reads = footprintsOf(reads);
    facts.footprints.writes = footprintsOf(writes);
  }

private:
  bool checkList(size_t phase, Unit unit, int32_t core) {
    Cursor cursor(context, index, phase, unit, core);
    while (cursor.advance(*instance)) {
      if (instance->active && !checkInstance(cursor)) {
        return false;
      }
    }
    return !cursor.failed();
  }

  bool checkInstance(const Cursor &cursor) {
    const Command &command = *instance->command;
    size_t numOutputs =
        command.kind == CommandKind::Map ? command.outputs.size() : 1;
    size_t firstOutput = instance->numBoxes - numOutputs;
    for (size_t box = 0; box < instance->numBoxes; ++box) {
      bool isOutput = box >= firstOutput;
      if (isOutput && (!checkOutput(cursor, box, firstOutput))) {
        return false;
      }
      record(instance->boxes[box], isOutput);
    }
    return true;
  }

  bool checkOutput(const Cursor &cursor, size_t box, size_t firstOutput) {
    const Command &command = *instance->command;
    const BoxWalk &output = instance->boxes[box];
    bool combines =
        command.kind == CommandKind::Map &&
        command.outputs[box - firstOutput].combine != Combine::Store;
    size_t mustMove = instance->numDims;
    if (command.kind == CommandKind::Matmul) {
      mustMove = static_cast<size_t>(command.numRowDims);
    } else if (combines) {
      mustMove = 0;
    }
    bool once = isInjective(output, instance->numDims);
    for (size_t dim = 0; dim < mustMove; ++dim) {
      once = once && (output.extents[dim] == instance->extents[dim]);
    }
    if (!once) {
      context.errors.addAt(ErrorCode::CheckWrittenTwice, cursor.place(),
                           fmt::format("{} writes a stick of {} more than once",
                                       toString(command.kind), nameOf(output)));
      return false;
    }
    for (size_t other = 0; other < instance->numBoxes; ++other) {
      bool isEarlier = other < firstOutput || other < box;
      if (!isEarlier || instance->boxes[other].buffer != output.buffer) {
        continue;
      }
      bool mayEqual = other < firstOutput && !combines &&
                      (command.kind == CommandKind::Map ||
                       command.kind == CommandKind::Shift);
      if ((mayEqual &&
           sameWalk(output, instance->boxes[other], instance->numDims)) ||
          areDisjoint(output, instance->boxes[other],
                      facts.buffers[output.buffer].strides.size())) {
        continue;
      }
      context.errors.addAt(
          ErrorCode::CheckOperandOverlap, cursor.place(),
          fmt::format("operands {} and {} of {} overlap in {} without being "
                      "equal",
                      other, box, toString(command.kind), nameOf(output)));
      return false;
    }
    return true;
  }

  void record(const BoxWalk &walk, bool isOutput) {
    const Buffer &buffer = program.buffers[walk.buffer];
    if (buffer.space != Space::DDR) {
      return;
    }
    // Which slot of a queue is used depends on the counts: all of them.
    int64_t slots = buffer.queue ? buffer.queue->slots : 1;
    int64_t lo = buffer.offset + walk.lo * kStickBytes;
    int64_t hi =
        buffer.offset +
        ((slots - 1) * facts.buffers[walk.buffer].slotSticks + walk.hi + 1) *
            kStickBytes;
    spans[walk.buffer].include(lo, hi);
    RegionKind kind = buffer.binding == Binding::Argument ? RegionKind::Argument
                                                          : RegionKind::Segment;
    (isOutput ? writes : reads)[{kind, buffer.bindingIndex}].include(lo, hi);
  }

  void checkSpans(int32_t core) {
    for (uint32_t buffer = 0; buffer < spans.size(); ++buffer) {
      const Hull &span = spans[buffer];
      if (span.hi > span.lo &&
          span.hi - span.lo > context.target.maxSpanBytes) {
        context.errors.add(
            ErrorCode::CheckSpan, subjectOfProgram(program),
            fmt::format("core {} reaches over {} bytes of {}, at most {} are "
                        "possible",
                        core, span.hi - span.lo,
                        quoted(program.buffers[buffer].name),
                        context.target.maxSpanBytes));
        return;
      }
    }
  }

  std::string nameOf(const BoxWalk &walk) const {
    return quoted(program.buffers[walk.buffer].name);
  }

  Context &context;
  size_t index;
  const Program &program;
  ProgramFacts &facts;
  std::vector<Hull> spans;
  Hulls reads;
  Hulls writes;
  std::unique_ptr<Instance> instance;
};

} // namespace

void checkIntervals(Context &context, size_t program) {
  // The budget is per pass over the commands: a program that runs in several
  // steps is proved here once.
  context.commandInstances = 0;
  IntervalChecker(context, program).check();
}

} // namespace spyre::launch::checker
