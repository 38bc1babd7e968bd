// SPDX-License-Identifier: Apache-2.0
//
// The abstract run of a phase: every unit of every core as far as its queues
// let it. Since each end of a queue is one unit, the order in which units are
// tried cannot change what they see: one run stands for all of them.

#include "CheckerEvaluate.h"
#include "CheckerInternal.h"
#include "CheckerWork.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <memory>

namespace spyre::launch::checker {
namespace {

/// A queue end that a command needs or moves.
struct QueueUse {
  int32_t queue = 0;
  bool produces = false;
};

/// One unit of one core inside the phase.
struct UnitState {
  UnitState(Context &context, size_t program, size_t phase, Unit unit,
            int32_t core)
      : cursor(context, program, phase, unit, core), unit(unit), core(core) {}

  Cursor cursor;
  Unit unit;
  int32_t core;
  bool done = false;
  /// Evaluated and waiting.
  Instance instance;
  std::vector<QueueUse> waits;
};

class PhaseRunner {
public:
  PhaseRunner(Context &context, Worker &worker, PhaseState &state, size_t phase)
      : context(context), worker(worker), state(state), phase(phase),
        program(context.plan.programs[state.program]) {}

  bool run() {
    makeUnits();
    bool progress = true;
    while (progress) {
      progress = false;
      for (std::unique_ptr<UnitState> &unit : units) {
        progress = runUnit(*unit) || progress;
        if (!context.errors.empty()) {
          return false;
        }
      }
    }
    if (std::any_of(units.begin(), units.end(),
                    [](const auto &unit) { return !unit->done; })) {
      reportDeadlock();
      return false;
    }
    return checkCounts() && worker.checkRead(phase);
  }

private:
  void makeUnits() {
    unitOf.assign(static_cast<size_t>(program.numCores * kNumUnits), nullptr);
    for (int32_t core = 0; core < program.numCores; ++core) {
      for (int unit = 0; unit < kNumUnits; ++unit) {
        if (program.phases[phase].units[static_cast<size_t>(unit)].empty()) {
          continue;
        }
        units.push_back(std::make_unique<UnitState>(
            context, state.program, phase, static_cast<Unit>(unit), core));
        unitOf[static_cast<size_t>(core * kNumUnits + unit)] =
            units.back().get();
        fetch(*units.back());
      }
    }
  }

  QueueState &queueAt(const QueueUse &use) {
    return state.queues[static_cast<size_t>(use.queue)];
  }

  void fetch(UnitState &unit) {
    unit.done = !unit.cursor.advance(unit.instance);
    unit.waits.clear();
    if (unit.done) {
      return;
    }
    auto need = [&](uint32_t buffer) {
      int32_t queue = state.queueOf[buffer];
      bool known =
          std::any_of(unit.waits.begin(), unit.waits.end(),
                      [&](const QueueUse &use) { return use.queue == queue; });
      if (queue >= 0 && !known) {
        unit.waits.push_back(
            {queue,
             state.queues[static_cast<size_t>(queue)].producer == unit.unit});
      }
    };
    for (const Box &box : unit.instance.command->boxes) {
      need(box.buffer);
    }
    for (uint32_t buffer : unit.instance.command->next) {
      need(buffer);
    }
  }

  /// Has every receiver's slot been left, or every filler delivered? If not,
  /// `peer` and `peerUnit` name one that has not.
  bool isReady(const UnitState &unit, const QueueUse &use, int32_t &peer,
               Unit &peerUnit) {
    const QueueState &queue = queueAt(use);
    int64_t slotNumber = queue.count(unit.core, unit.unit);
    size_t core = static_cast<size_t>(unit.core);
    uint64_t peers = use.produces ? queue.receivers[core] : queue.fill[core];
    for (; peers != 0; peers &= peers - 1) {
      peer = std::countr_zero(peers);
      if (!use.produces) {
        peerUnit = queue.producer;
        if (queue.count(peer, peerUnit) <= slotNumber) {
          return false;
        }
        continue;
      }
      for (Unit consumer : queue.consumers) {
        peerUnit = consumer;
        if (queue.count(peer, consumer) <= slotNumber - queue.slots) {
          return false;
        }
      }
    }
    return true;
  }

  bool canRun(const UnitState &unit) {
    int32_t peer = 0;
    Unit peerUnit = Unit::Load;
    return std::all_of(unit.waits.begin(), unit.waits.end(),
                       [&](const QueueUse &use) {
                         return isReady(unit, use, peer, peerUnit);
                       });
  }

  /// Runs the unit until it waits; true if it ran anything.
  bool runUnit(UnitState &unit) {
    bool progress = false;
    while (!unit.done && context.errors.empty() && canRun(unit)) {
      const Instance &instance = unit.instance;
      if (instance.active && instance.command->kind == CommandKind::Reduce) {
        if (!runReduce(unit)) {
          return progress;
        }
        progress = true;
        continue;
      }
      if (instance.active && !worker.perform(instance, unit.cursor.place())) {
        return progress;
      }
      finish(unit);
      progress = true;
    }
    return progress;
  }

  void finish(UnitState &unit) {
    for (uint32_t buffer : unit.instance.command->next) {
      QueueState &queue =
          state.queues[static_cast<size_t>(state.queueOf[buffer])];
      if (queue.producer == unit.unit) {
        // A slot that is delivered without data has none of the old data.
        if (!worker.beginSlots(queue, unit.cursor.place())) {
          return;
        }
      }
      ++queue.counts[static_cast<size_t>(unit.core * kNumUnits) +
                     static_cast<size_t>(unit.unit)];
    }
    fetch(unit);
  }

  /// A reduction runs when all its cores are there: a stricter rule than that
  /// each waits for its predecessor, so that what passes here cannot hang.
  bool runReduce(UnitState &unit) {
    const Instance &own = unit.instance;
    if ((own.cores >> unit.core & 1) == 0) {
      context.errors.addAt(ErrorCode::CheckReduceMismatch, unit.cursor.place(),
                           fmt::format("core {} is not in its core set {:#x}",
                                       unit.core, own.cores));
      return false;
    }
    std::vector<UnitState *> members;
    for (uint64_t cores = own.cores; cores != 0; cores &= cores - 1) {
      UnitState *member = unitOf[static_cast<size_t>(
          std::countr_zero(cores) * kNumUnits + static_cast<int>(Unit::Ring))];
      if (member->done || !member->instance.active ||
          member->instance.command->kind != CommandKind::Reduce ||
          !canRun(*member)) {
        return false;
      }
      if (!agree(own, member->instance)) {
        context.errors.addAt(
            ErrorCode::CheckReduceMismatch, member->cursor.place(),
            fmt::format("core {} stands at another reduction than core {}, or "
                        "has another core set or extent",
                        member->core, unit.core));
        return false;
      }
      members.push_back(member);
    }
    std::vector<uint64_t> common;
    for (UnitState *member : members) {
      if (!worker.reduceRead(member->instance, member->cursor.place(),
                             common)) {
        return false;
      }
    }
    UnitState &last = *members.back();
    if (!worker.reduceWrite(last.instance, last.cursor.place(), common)) {
      return false;
    }
    for (UnitState *member : members) {
      finish(*member);
    }
    return true;
  }

  static bool agree(const Instance &a, const Instance &b) {
    return a.command == b.command && a.cores == b.cores &&
           std::equal(a.extents.begin(),
                      a.extents.begin() + static_cast<ptrdiff_t>(a.numDims),
                      b.extents.begin());
  }

  std::string describeWait(const UnitState &unit) {
    int32_t peer = 0;
    Unit peerUnit = Unit::Load;
    for (const QueueUse &use : unit.waits) {
      if (isReady(unit, use, peer, peerUnit)) {
        continue;
      }
      const QueueState &queue = queueAt(use);
      return fmt::format(
          "core {} {} at command {} waits for slot {} of {}: core {} {} has {} "
          "{} slots",
          unit.core, toString(unit.unit), unit.cursor.position(),
          queue.count(unit.core, unit.unit),
          quoted(program.buffers[queue.buffer].name), peer, toString(peerUnit),
          use.produces ? "left" : "delivered", queue.count(peer, peerUnit));
    }
    return fmt::format("core {} {} at command {} waits for the other cores of "
                       "its reduction",
                       unit.core, toString(unit.unit), unit.cursor.position());
  }

  void reportDeadlock() {
    constexpr size_t kMostNotes = 8;
    std::vector<std::string> notes;
    const UnitState *first = nullptr;
    size_t waiting = 0;
    for (const std::unique_ptr<UnitState> &unit : units) {
      if (unit->done) {
        continue;
      }
      first = first ? first : unit.get();
      if (++waiting <= kMostNotes) {
        notes.push_back(describeWait(*unit));
      }
    }
    context.errors.addAt(ErrorCode::CheckDeadlock, first->cursor.place(),
                         fmt::format("{} units wait for each other", waiting),
                         std::move(notes));
  }

  /// At the end of a phase every consumer has left what its fillers delivered.
  bool checkCounts() {
    for (const QueueState &queue : state.queues) {
      for (int32_t core = 0; core < program.numCores; ++core) {
        uint64_t fillers = queue.fill[static_cast<size_t>(core)];
        for (; fillers != 0; fillers &= fillers - 1) {
          int32_t filler = std::countr_zero(fillers);
          int64_t delivered = queue.count(filler, queue.producer);
          for (Unit consumer : queue.consumers) {
            if (queue.count(core, consumer) == delivered) {
              continue;
            }
            context.errors.add(
                ErrorCode::CheckQueueCounts, subjectOfProgram(program),
                fmt::format(
                    "at the end of phase {} {}, core {} {} has delivered {} "
                    "slots of {}, core {} {} has left {}",
                    phase, quoted(program.phases[phase].name), filler,
                    toString(queue.producer), delivered,
                    quoted(program.buffers[queue.buffer].name), core,
                    toString(consumer), queue.count(core, consumer)));
            return false;
          }
        }
      }
    }
    return true;
  }

  Context &context;
  Worker &worker;
  PhaseState &state;
  size_t phase;
  const Program &program;
  std::vector<std::unique_ptr<UnitState>> units;
  /// By core * kNumUnits + unit; null if the unit has no commands.
  std::vector<UnitState *> unitOf;
};

} // namespace

bool runPhase(Context &context, Worker &worker, PhaseState &state,
              size_t phase) {
  return PhaseRunner(context, worker, state, phase).run();
}

} // namespace spyre::launch::checker
