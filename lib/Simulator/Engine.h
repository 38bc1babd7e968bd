// SPDX-License-Identifier: Apache-2.0
//
// The event loop. Each unit of each core is a process that interprets its
// command list; it starts a command when the command's queues are ready, takes
// the time that the timing model says, and at the end applies the data effects
// and queue actions. Events are ordered by (time, unit, core, sequence), so
// that a run is the same on every host.

#ifndef SPYRE_LIB_SIMULATOR_ENGINE_H
#define SPYRE_LIB_SIMULATOR_ENGINE_H

#include "Executor.h"
#include "Timing.h"

#include "spyre/Simulator/Simulator.h"

#include <queue>

namespace spyre::sim {

class Engine {
public:
  /// `executor` is null for timing only.
  Engine(const launch::Program &program, const ProgramInfo &info,
         const Evaluator &evaluator, Executor *executor,
         const target::Target &target, const SimulatorOptions &options);

  /// Runs all phases; `epoch` advances by one a phase.
  rt::ComputeStats run(uint32_t &epoch);

private:
  enum class State : uint8_t { Ready, Waiting, Running, InReduce, Done };

  struct Frame {
    int32_t command = 0;
    int64_t trip = 0;
  };

  struct Process {
    launch::Unit unit = launch::Unit::Load;
    int32_t core = 0;
    State state = State::Ready;
    int32_t next = 0;
    int32_t depth = 0;
    std::array<Frame, kMaxLoopDepth> frames;
    std::array<int64_t, kMaxLoopDepth> loops = {};
    ResolvedCommand command;
    QueueUse waitsFor;
    /// -1 = not stalled.
    int64_t stalledSince = -1;
    int64_t startedAt = 0;
  };

  struct Event {
    int64_t time = 0;
    int32_t unit = 0;
    int32_t core = 0;
    int64_t sequence = 0;
    /// True: the command ends; false: look at the queues again.
    bool ends = false;
    bool operator>(const Event &other) const {
      return std::tie(time, unit, core, sequence) >
             std::tie(other.time, other.unit, other.core, other.sequence);
    }
  };

  Process &processOf(int32_t unit, int32_t core) {
    return processes[static_cast<size_t>(unit * program.numCores + core)];
  }
  const std::vector<launch::Command> &listOf(const Process &process) const {
    return program.phases[static_cast<size_t>(phase)]
        .units[static_cast<size_t>(process.unit)];
  }
  Place placeOf(const Process &process) const;
  void push(const Process &process, int64_t time, bool ends);
  void countEvent(const Place &place);
  void countPositions(const Place &place, const ResolvedCommand &command);

  int64_t runPhase(int64_t start);
  void interpret(Process &process, int64_t now);
  void enterLoop(Process &process, const Place &place);
  void start(Process &process, int64_t now);
  void joinReduce(Process &process, int64_t now);
  void end(Process &process, int64_t now);
  void endReduce(Process &owner, int64_t now);
  void leave(Process &process, int64_t now);
  void requireAllDone();
  rt::UnitStats &statsOf(const Process &process);

  const launch::Program &program;
  const ProgramInfo &info;
  const Evaluator &evaluator;
  Executor *executor;
  const target::Target &target;
  const SimulatorOptions &options;
  TimingModel timing;
  rt::ComputeStats stats;
  int32_t phase = 0;
  std::optional<Queues> queues;
  std::vector<Process> processes;
  std::vector<std::vector<size_t>> waiters;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  int64_t sequence = 0;
  int64_t numEvents = 0;
  int64_t numPositions = 0;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_ENGINE_H
