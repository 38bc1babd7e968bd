// SPDX-License-Identifier: Apache-2.0
//
// The event loop: see Engine.h.

#include "Engine.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

using launch::Command;
using launch::CommandKind;

/// Eleven hours of simulated time; sums of bytes and products stay far below
/// 64 bits up to it.
constexpr int64_t kMaxTime = int64_t{1} << 52;
/// Units named in a deadlock report.
constexpr size_t kReportedWaits = 12;

} // namespace

Engine::Engine(const launch::Program &executed, const ProgramInfo &derived,
               const Evaluator &expressions, Executor *effects,
               const target::Target &machine, const SimulatorOptions &limits)
    : program(executed), info(derived), evaluator(expressions),
      executor(effects), target(machine), options(limits), timing(machine) {}

Place Engine::placeOf(const Process &process) const {
  const std::vector<Command> &list = listOf(process);
  auto next = static_cast<size_t>(process.next);
  return {&program, phase, static_cast<int32_t>(process.unit), process.core,
          next < list.size() ? &list[next] : nullptr};
}

rt::UnitStats &Engine::statsOf(const Process &process) {
  return stats.cores[static_cast<size_t>(process.core)]
      .units[static_cast<size_t>(process.unit)];
}

void Engine::push(const Process &process, int64_t time, bool ends) {
  if (time > kMaxTime) {
    trap(ErrorCode::SimBudget, placeOf(process),
         fmt::format("the run takes more than {} ticks", kMaxTime));
  }
  events.push({time, static_cast<int32_t>(process.unit), process.core,
               sequence++, ends});
}

void Engine::countEvent(const Place &place) {
  if (++numEvents > options.maxEvents) {
    trap(ErrorCode::SimBudget, place,
         fmt::format("the run takes more than {} commands and iterations",
                     options.maxEvents));
  }
}

void Engine::countPositions(const Place &place,
                            const ResolvedCommand &command) {
  if (command.idle || !executor) {
    return;
  }
  numPositions += command.positions * command.inner * (command.stick / 32 + 1) *
                  std::popcount(command.coreMask);
  if (numPositions > options.maxPositions) {
    trap(ErrorCode::SimBudget, place,
         fmt::format("the run visits more than {} positions",
                     options.maxPositions));
  }
}

void Engine::enterLoop(Process &process, const Place &place) {
  const CommandInfo &commandInfo =
      info.phases[static_cast<size_t>(phase)].units[static_cast<size_t>(
          process.unit)][static_cast<size_t>(process.next)];
  int64_t trip = evaluator.extent(place, place.command->trip, process.loops);
  if (trip > target.maxLoopTrips) {
    trap(ErrorCode::SimLoopBound, place,
         fmt::format("a loop runs {} times, the device counts to {}", trip,
                     target.maxLoopTrips));
  }
  if (trip == 0) {
    process.next = commandInfo.match + 1;
    return;
  }
  auto depth = static_cast<size_t>(process.depth++);
  process.frames[depth] = {process.next, trip};
  process.loops[depth] = 0;
  ++process.next;
}

/// Executes control up to the next command that takes time, and starts it.
void Engine::interpret(Process &process, int64_t now) {
  const std::vector<Command> &list = listOf(process);
  while (process.next < static_cast<int32_t>(list.size())) {
    Place place = placeOf(process);
    countEvent(place);
    CommandKind kind = place.command->kind;
    if (kind == CommandKind::Loop) {
      enterLoop(process, place);
    } else if (kind == CommandKind::End) {
      auto depth = static_cast<size_t>(process.depth - 1);
      if (++process.loops[depth] < process.frames[depth].trip) {
        process.next = process.frames[depth].command + 1;
      } else {
        --process.depth;
        ++process.next;
      }
    } else {
      start(process, now);
      return;
    }
  }
  process.state = State::Done;
}

void Engine::start(Process &process, int64_t now) {
  const CommandInfo &commandInfo =
      info.phases[static_cast<size_t>(phase)].units[static_cast<size_t>(
          process.unit)][static_cast<size_t>(process.next)];
  for (const QueueUse &use : commandInfo.waits) {
    if (!queues->isReady(use, process.core)) {
      process.state = State::Waiting;
      process.waitsFor = use;
      if (process.stalledSince < 0) {
        process.stalledSince = now;
      }
      waiters[use.buffer].push_back(
          static_cast<size_t>(&process - processes.data()));
      return;
    }
  }
  if (process.stalledSince >= 0) {
    statsOf(process).stallTicks += now - process.stalledSince;
    process.stalledSince = -1;
  }
  Place place = placeOf(process);
  evaluator.resolve(place, commandInfo,
                    {process.loops.data(), static_cast<size_t>(process.depth)},
                    process.command);
  countPositions(place, process.command);
  process.startedAt = now;
  if (place.command->kind == CommandKind::Reduce && !process.command.idle) {
    joinReduce(process, now);
    return;
  }
  Work work;
  process.state = State::Running;
  push(process,
       timing.finish(program, process.command, process.unit, process.core, now,
                     work),
       true);
  stats.ddrReadBytes += work.ddrReadBytes;
  stats.ddrWriteBytes += work.ddrWriteBytes;
  stats.ringBytes += work.ringBytes;
  stats.macs += work.macs;
}

/// A ring reduction runs when all cores of its set have come to it.
void Engine::joinReduce(Process &process, int64_t now) {
  Place place = placeOf(process);
  uint64_t mask = process.command.coreMask;
  if (!(mask >> process.core & 1)) {
    trap(ErrorCode::SimReduceMismatch, place,
         fmt::format("core {} takes part in a reduction over cores {:#x}",
                     process.core, mask));
  }
  process.state = State::InReduce;
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    Process &member = processOf(static_cast<int32_t>(launch::Unit::Ring),
                                std::countr_zero(rest));
    if (member.state != State::InReduce) {
      return;
    }
    bool isEqual = member.command.coreMask == mask &&
                   member.command.numDims == process.command.numDims &&
                   member.command.extents == process.command.extents &&
                   member.command.command->combine == place.command->combine;
    if (!isEqual) {
      trap(ErrorCode::SimReduceMismatch, place,
           fmt::format("cores {} and {} disagree about a reduction",
                       process.core, member.core),
           {fmt::format("core sets {:#x} and {:#x}, {} and {} sticks", mask,
                        member.command.coreMask, process.command.positions,
                        member.command.positions)});
    }
  }
  Process &owner = processOf(static_cast<int32_t>(launch::Unit::Ring),
                             63 - std::countl_zero(mask));
  Work work;
  push(owner, timing.finishReduce(process.command, mask, now, work), true);
  stats.ringBytes += work.ringBytes;
}

void Engine::endReduce(Process &owner, int64_t now) {
  std::vector<Place> places;
  std::vector<const ResolvedCommand *> members;
  uint64_t mask = owner.command.coreMask;
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const Process &member = processOf(static_cast<int32_t>(launch::Unit::Ring),
                                      std::countr_zero(rest));
    places.push_back(placeOf(member));
    members.push_back(&member.command);
  }
  if (executor) {
    executor->reduce(places, members);
  }
  // All leave before any goes on: the next command of one may be another
  // reduction with the same cores.
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    processOf(static_cast<int32_t>(launch::Unit::Ring), std::countr_zero(rest))
        .state = State::Running;
  }
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    leave(processOf(static_cast<int32_t>(launch::Unit::Ring),
                    std::countr_zero(rest)),
          now);
  }
}

void Engine::end(Process &process, int64_t now) {
  if (process.state == State::InReduce) {
    endReduce(process, now);
    return;
  }
  if (executor) {
    executor->execute(placeOf(process), process.command);
  }
  leave(process, now);
}

/// Statistics and queue actions of a finished command; then the next one.
void Engine::leave(Process &process, int64_t now) {
  Place place = placeOf(process);
  rt::UnitStats &unit = statsOf(process);
  unit.busyTicks += now - process.startedAt;
  ++unit.commands;
  if (options.trace) {
    const Command &command = *place.command;
    std::string name(launch::toString(command.kind));
    if (command.source < program.sources.size()) {
      name = program.sources[command.source].kernel + " " + name;
    }
    stats.trace.push_back(
        {std::move(name), process.core, process.unit, process.startedAt, now});
  }
  const CommandInfo &commandInfo =
      info.phases[static_cast<size_t>(phase)].units[static_cast<size_t>(
          process.unit)][static_cast<size_t>(process.next)];
  for (const QueueUse &use : commandInfo.nexts) {
    if (executor) {
      executor->deliver(use, process.core);
    }
    queues->advance(use, process.core);
    for (size_t waiter : waiters[use.buffer]) {
      push(processes[waiter], now, false);
    }
    waiters[use.buffer].clear();
  }
  ++process.next;
  process.state = State::Ready;
  interpret(process, now);
}

void Engine::requireAllDone() {
  std::vector<std::string> waits;
  size_t numWaiting = 0;
  const Process *first = nullptr;
  for (const Process &process : processes) {
    if (process.state == State::Done) {
      continue;
    }
    first = first ? first : &process;
    if (++numWaiting > kReportedWaits) {
      continue;
    }
    std::string what =
        process.state == State::InReduce
            ? fmt::format("for all of cores {:#x} to join a reduction",
                          process.command.coreMask)
            : queues->waitText(process.waitsFor, process.core);
    waits.push_back(fmt::format("core {} {} waits {}", process.core,
                                launch::toString(process.unit), what));
  }
  if (!first) {
    return;
  }
  if (numWaiting > kReportedWaits) {
    waits.push_back(fmt::format("and {} more", numWaiting - kReportedWaits));
  }
  trap(ErrorCode::SimDeadlock, placeOf(*first),
       fmt::format("{} units wait for each other", numWaiting),
       std::move(waits));
}

int64_t Engine::runPhase(int64_t start) {
  processes.assign(static_cast<size_t>(launch::kNumUnits * program.numCores),
                   Process{});
  waiters.assign(program.buffers.size(), {});
  for (int32_t unit = 0; unit < launch::kNumUnits; ++unit) {
    for (int32_t core = 0; core < program.numCores; ++core) {
      Process &process = processOf(unit, core);
      process.unit = static_cast<launch::Unit>(unit);
      process.core = core;
      push(process, start, false);
    }
  }
  int64_t now = start;
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    now = event.time;
    Process &process = processOf(event.unit, event.core);
    countEvent(placeOf(process));
    if (event.ends) {
      end(process, now);
    } else if (process.state == State::Ready) {
      interpret(process, now);
    } else if (process.state == State::Waiting) {
      this->start(process, now);
    }
  }
  requireAllDone();
  queues->requireBalanced({&program, phase});
  return now;
}

rt::ComputeStats Engine::run(uint32_t &epoch) {
  stats.cores.assign(
      static_cast<size_t>(program.numCores),
      {std::vector<rt::UnitStats>(static_cast<size_t>(launch::kNumUnits))});
  int64_t now = 0;
  for (phase = 0; phase < static_cast<int32_t>(program.phases.size());
       ++phase) {
    queues.emplace(program, info.phases[static_cast<size_t>(phase)]);
    ++epoch;
    if (executor) {
      executor->beginPhase(phase, *queues, epoch);
    }
    int64_t finished = runPhase(now);
    stats.phaseTicks.push_back(finished - now);
    now = finished;
  }
  stats.ticks = now;
  stats.overflows = executor ? executor->overflows() : 0;
  return std::move(stats);
}

} // namespace spyre::sim
