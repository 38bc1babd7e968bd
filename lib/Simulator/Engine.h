// SPDX-License-Identifier: Apache-2.0
//
// The event loop. Each unit of each core is a process that interprets its
// command list; it starts a command when the command's queues are ready, hands
// its demand to the machine, takes the next command when the machine releases
// it, and applies data effects and queue actions, in list order, when they
// show. So a unit covers the latency of a command by the next ones. Events are
// ordered by (time, unit, core, sequence), so that a run is the same on every
// host.

#ifndef SPYRE_LIB_SIMULATOR_ENGINE_H
#define SPYRE_LIB_SIMULATOR_ENGINE_H

#include "Effects.h"
#include "Machine.h"

#include "spyre/Simulator/Simulator.h"

#include <queue>

namespace spyre::sim {

class Engine {
public:
  /// `effects` is null for timing only; `addresses` are the physical addresses
  /// of the device memory buffers.
  Engine(const launch::Program &program, const ProgramInfo &info,
         const Evaluator &evaluator, Effects *effects,
         const target::Target &target, const SimulatorOptions &options,
         std::span<const int64_t> addresses);

  /// Runs all phases; `epoch` advances by one a phase.
  rt::ComputeStats run(uint32_t &epoch);

private:
  enum class State : uint8_t {
    Ready,
    /// For a queue.
    Waiting,
    /// For its own commands to complete.
    Draining,
    /// The unit is busy.
    Running,
    InReduce,
    Done,
  };

  struct Frame {
    int32_t command = 0;
    int64_t trip = 0;
  };

  /// A command from its start to its completion.
  struct Open {
    ResolvedCommand command;
    int64_t startedAt = 0;
  };
  /// Commands that a unit may have begun and not completed.
  static constexpr size_t kMaxOpen = 8;

  struct Process {
    launch::Unit unit = launch::Unit::Load;
    int32_t core = 0;
    State state = State::Ready;
    int32_t next = 0;
    int32_t depth = 0;
    std::array<Frame, kMaxLoopDepth> frames;
    std::array<int64_t, kMaxLoopDepth> loops = {};
    /// In list order, a ring from `oldest`.
    std::array<Open, kMaxOpen> open;
    size_t oldest = 0;
    size_t numOpen = 0;
    int64_t lastCompletion = 0;
    /// -1 = not stalled.
    int64_t stalledSince = -1;
    rt::WaitCause stallCause = rt::WaitCause::OwnCommands;
    /// If the cause is a queue.
    QueueUse waitsFor;
    Open &newest() { return open[(oldest + numOpen - 1) % kMaxOpen]; }
  };

  /// Bytes of device memory.
  struct Moved {
    int64_t readBytes = 0;
    int64_t writeBytes = 0;
  };

  enum class EventKind : uint8_t {
    /// The oldest open command shows its effects.
    Complete,
    /// Look at the queues again.
    Look,
  };

  struct Event {
    int64_t time = 0;
    int32_t unit = 0;
    int32_t core = 0;
    int64_t sequence = 0;
    EventKind kind = EventKind::Look;
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
  const CommandInfo &infoOf(const Process &process) const {
    return info.phases[static_cast<size_t>(phase)].units[static_cast<size_t>(
        process.unit)][static_cast<size_t>(process.next)];
  }
  int32_t indexOf(const Process &process) const {
    return static_cast<int32_t>(&process - processes.data());
  }
  Place placeOf(const Process &process) const;
  Place placeOf(const Process &process, const ResolvedCommand &command) const;
  void push(const Process &process, int64_t time, EventKind kind);
  void countEvent(const Place &place);
  void countPositions(const Place &place, const ResolvedCommand &command);
  void countBytes(const ResolvedCommand &command, const Work &work);

  void runPhases(uint32_t &epoch);
  int64_t runPhase(int64_t start);
  void countBuffers();
  void handle(const Event &event);
  void interpret(Process &process, int64_t now);
  void enterLoop(Process &process, const Place &place);
  void start(Process &process, int64_t now);
  bool isReady(Process &process, int64_t now);
  void beginStall(Process &process, int64_t now, rt::WaitCause cause);
  void endStall(Process &process, int64_t now);
  void joinReduce(Process &process, int64_t now);
  void release(Process &process, int64_t now, const Release &what);
  void complete(Process &process, int64_t now);
  void completeReduce(Process &owner, int64_t now);
  void wake(uint32_t buffer, int64_t now);
  void leave(Process &process, const Open &open, int64_t now);
  void trace(const Process &process, const Open &open, int64_t now);
  void requireAllDone();
  const Process *blockerOf(const Process &process);
  std::string waitText(const Process &process) const;
  void collectNumerics();
  rt::UnitStats &statsOf(const Process &process);

  const launch::Program &program;
  const ProgramInfo &info;
  const Evaluator &evaluator;
  Effects *effects;
  const target::Target &target;
  const SimulatorOptions &options;
  DemandModel demands;
  std::unique_ptr<Machine> machine;
  rt::ComputeStats stats;
  int32_t phase = 0;
  std::optional<Queues> queues;
  std::vector<Process> processes;
  std::vector<std::vector<size_t>> waiters;
  /// By buffer, in the present phase.
  std::vector<Moved> moved;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<Release> released;
  int64_t sequence = 0;
  int64_t numEvents = 0;
  int64_t numPositions = 0;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_ENGINE_H
