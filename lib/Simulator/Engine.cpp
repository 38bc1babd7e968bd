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

} // namespace

Engine::Engine(const launch::Program &executed, const ProgramInfo &derived,
               const Evaluator &expressions, Effects *dataEffects,
               const target::Target &description,
               const SimulatorOptions &limits,
               std::span<const int64_t> addresses)
    : program(executed), info(derived), evaluator(expressions),
      effects(dataEffects), target(description), options(limits),
      demands(executed, description, addresses),
      machine(limits.fidelity == Fidelity::Stick
                  ? makeStickMachine(description)
                  : makeFlowMachine(description)) {}

Place Engine::placeOf(const Process &process) const {
  const std::vector<Command> &list = listOf(process);
  auto next = static_cast<size_t>(process.next);
  return {&program, phase, static_cast<int32_t>(process.unit), process.core,
          next < list.size() ? &list[next] : nullptr};
}

Place Engine::placeOf(const Process &process,
                      const ResolvedCommand &command) const {
  return {&program, phase, static_cast<int32_t>(process.unit), process.core,
          command.command};
}

void Engine::push(const Process &process, int64_t time, EventKind kind) {
  if (time > kMaxTime) {
    trap(ErrorCode::SimBudget, placeOf(process),
         fmt::format("the run takes more than {} ticks", kMaxTime));
  }
  events.push({time, static_cast<int32_t>(process.unit), process.core,
               sequence++, kind});
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
  if (command.idle || !effects) {
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
  const CommandInfo &commandInfo = infoOf(process);
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

/// False if a queue of the next command is not ready; the process then waits.
bool Engine::isReady(Process &process, int64_t now) {
  for (const QueueUse &use : infoOf(process).waits) {
    if (queues->isReady(use, process.core)) {
      continue;
    }
    beginStall(process, now,
               use.side >= 0 ? rt::WaitCause::QueueEmpty
                             : rt::WaitCause::QueueFull);
    process.state = State::Waiting;
    process.waitsFor = use;
    waiters[use.buffer].push_back(static_cast<size_t>(indexOf(process)));
    return false;
  }
  endStall(process, now);
  return true;
}

void Engine::start(Process &process, int64_t now) {
  const bool isReduce = placeOf(process).command->kind == CommandKind::Reduce;
  // The cores of a reduction meet with nothing else on their way.
  if (process.numOpen >= (isReduce ? 1 : kMaxOpen)) {
    beginStall(process, now, rt::WaitCause::OwnCommands);
    process.state = State::Draining;
    return;
  }
  if (!isReady(process, now)) {
    return;
  }
  Place place = placeOf(process);
  const CommandInfo &commandInfo = infoOf(process);
  ++process.numOpen;
  Open &open = process.newest();
  evaluator.resolve(place, commandInfo,
                    {process.loops.data(), static_cast<size_t>(process.depth)},
                    open.command);
  countPositions(place, open.command);
  open.startedAt = now;
  for (const QueueUse &use : commandInfo.nexts) {
    queues->claim(use, process.core);
  }
  ++process.next;
  if (isReduce && !open.command.idle) {
    joinReduce(process, now);
    return;
  }
  Work work;
  process.state = State::Running;
  machine->begin(indexOf(process),
                 demands.of(open.command, process.unit, process.core, work),
                 now);
  countBytes(open.command, work);
}

/// A ring reduction runs when all cores of its set have come to it.
void Engine::joinReduce(Process &process, int64_t now) {
  const ResolvedCommand &command = process.newest().command;
  Place place = placeOf(process, command);
  uint64_t mask = command.coreMask;
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
    const ResolvedCommand &other = member.newest().command;
    bool isEqual = other.coreMask == mask && other.numDims == command.numDims &&
                   other.extents == command.extents &&
                   other.command->combine == command.command->combine;
    if (!isEqual) {
      trap(ErrorCode::SimReduceMismatch, place,
           fmt::format("cores {} and {} disagree about a reduction",
                       process.core, member.core),
           {fmt::format("core sets {:#x} and {:#x}, {} and {} sticks", mask,
                        other.coreMask, command.positions, other.positions)});
    }
  }
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    Process &member = processOf(static_cast<int32_t>(launch::Unit::Ring),
                                std::countr_zero(rest));
    const int64_t waited = now - member.newest().startedAt;
    rt::UnitStats &unit = statsOf(member);
    unit.stallTicks += waited;
    unit.waitTicks[static_cast<size_t>(rt::WaitCause::Peers)] += waited;
    member.newest().startedAt = now;
  }
  Process &owner = processOf(static_cast<int32_t>(launch::Unit::Ring),
                             63 - std::countl_zero(mask));
  Work work;
  machine->begin(indexOf(owner), demands.ofReduce(command, mask, work), now);
  countBytes(command, work);
}

/// The unit is free for its next command.
void Engine::release(Process &process, int64_t now, const Release &what) {
  Open &open = process.newest();
  process.lastCompletion =
      std::max({process.lastCompletion, now, what.completeTicks});
  push(process, process.lastCompletion, EventKind::Complete);
  if (process.state == State::InReduce) {
    return;
  }
  // Queue actions alone are no work.
  if (!open.command.idle) {
    rt::UnitStats &unit = statsOf(process);
    unit.busyTicks += now - open.startedAt;
    for (size_t i = 0; i < rt::kNumWaitCauses; ++i) {
      unit.waitTicks[i] += what.lostTicks[i];
    }
    trace(process, open, now);
  }
  process.state = State::Ready;
  interpret(process, now);
}

void Engine::completeReduce(Process &owner, int64_t now) {
  std::vector<Place> places;
  std::vector<const ResolvedCommand *> commands;
  std::vector<Process *> members;
  uint64_t mask = owner.newest().command.coreMask;
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    Process &member = processOf(static_cast<int32_t>(launch::Unit::Ring),
                                std::countr_zero(rest));
    places.push_back(placeOf(member, member.newest().command));
    commands.push_back(&member.newest().command);
    members.push_back(&member);
  }
  if (effects) {
    effects->reduce(places, commands);
  }
  // All leave before any goes on: the next command of one may be another
  // reduction with the same cores.
  for (Process *member : members) {
    member->state = State::Ready;
    member->lastCompletion = now;
    statsOf(*member).busyTicks += now - member->newest().startedAt;
    trace(*member, member->newest(), now);
    leave(*member, member->newest(), now);
  }
  for (Process *member : members) {
    interpret(*member, now);
  }
}

/// The oldest open command shows its effects.
void Engine::complete(Process &process, int64_t now) {
  if (process.state == State::InReduce) {
    completeReduce(process, now);
    return;
  }
  const Open &open = process.open[process.oldest];
  if (effects) {
    effects->execute(placeOf(process, open.command), open.command);
  }
  leave(process, open, now);
  if (process.state == State::Draining) {
    process.state = State::Ready;
    interpret(process, now);
  }
}

/// Those that wait for a buffer and are ready look again.
void Engine::wake(uint32_t buffer, int64_t now) {
  std::erase_if(waiters[buffer], [&](size_t index) {
    const Process &waiter = processes[index];
    const bool ready = queues->isReady(waiter.waitsFor, waiter.core);
    if (ready) {
      push(waiter, now, EventKind::Look);
    }
    return ready;
  });
}

/// Queue actions of a completed command.
void Engine::leave(Process &process, const Open &open, int64_t now) {
  ++statsOf(process).commands;
  for (const QueueUse &use : open.command.info->nexts) {
    if (effects) {
      effects->deliver(use, process.core);
    }
    queues->advance(use, process.core);
    wake(use.buffer, now);
  }
  process.oldest = (process.oldest + 1) % kMaxOpen;
  --process.numOpen;
}

void Engine::handle(const Event &event) {
  Process &process = processOf(event.unit, event.core);
  countEvent(placeOf(process));
  if (event.kind == EventKind::Complete) {
    complete(process, event.time);
  } else if (process.state == State::Ready) {
    interpret(process, event.time);
  } else if (process.state == State::Waiting) {
    start(process, event.time);
  }
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
      process.lastCompletion = start;
      push(process, start, EventKind::Look);
    }
  }
  int64_t now = start;
  while (true) {
    // What happens at one time is settled before the machine goes on.
    if (!events.empty() && events.top().time == now) {
      Event event = events.top();
      events.pop();
      handle(event);
      continue;
    }
    const int64_t machineTime = machine->nextTime();
    if (events.empty() && machineTime == kNever) {
      break;
    }
    now =
        events.empty() ? machineTime : std::min(machineTime, events.top().time);
    if (machineTime == now) {
      released.clear();
      machine->advance(now, released);
      for (const Release &what : released) {
        release(processes[static_cast<size_t>(what.process)], now, what);
      }
    }
  }
  requireAllDone();
  queues->requireBalanced({&program, phase});
  return now;
}

void Engine::runPhases(uint32_t &epoch) {
  int64_t now = 0;
  for (phase = 0; phase < static_cast<int32_t>(program.phases.size());
       ++phase) {
    queues.emplace(program, info.phases[static_cast<size_t>(phase)]);
    stats.phases.emplace_back().name =
        program.phases[static_cast<size_t>(phase)].name;
    ++epoch;
    if (effects) {
      effects->beginPhase(phase, *queues, epoch);
    }
    int64_t finished = runPhase(now);
    if (effects) {
      effects->finish();
    }
    stats.phases.back().ticks = finished - now;
    countBuffers();
    now = finished;
  }
  stats.ticks = now;
}

rt::ComputeStats Engine::run(uint32_t &epoch) {
  stats.cores.assign(
      static_cast<size_t>(program.numCores),
      {std::vector<rt::UnitStats>(static_cast<size_t>(launch::kNumUnits))});
  moved.assign(program.buffers.size(), {});
  for (const launch::Buffer &buffer : program.buffers) {
    stats.buffers.push_back({buffer.name, buffer.role, 0, 0, 0, 0});
  }
  try {
    runPhases(epoch);
  } catch (...) {
    // What came before it may trap, too, and no thread may go on without us.
    if (effects) {
      effects->finish();
    }
    throw;
  }
  stats.parts = machine->parts();
  if (effects) {
    collectNumerics();
  }
  return std::move(stats);
}

} // namespace spyre::sim
