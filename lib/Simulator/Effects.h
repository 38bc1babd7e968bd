// SPDX-License-Identifier: Apache-2.0
//
// The data effects of commands, put off so that the host's cores can share
// them while the event loop goes on. Every host thread owns some cores of the
// device and does what happens to their scratchpads, in the order in which it
// happens. Whatever else orders effects (a scratchpad is read for other cores,
// device memory hands values on inside of a phase) is waited for and done at
// once. So neither results nor traps depend on the number of threads: of
// several traps the earliest counts. What comes after it may have happened.

#ifndef SPYRE_LIB_SIMULATOR_EFFECTS_H
#define SPYRE_LIB_SIMULATOR_EFFECTS_H

#include "Executor.h"

#include <atomic>
#include <exception>
#include <limits>
#include <thread>

namespace spyre::sim {

class Effects {
public:
  /// As many threads as the host runs at once if `numThreads` is 0.
  Effects(Executor &executor, const launch::Program &program,
          int64_t numThreads);
  ~Effects();

  void beginPhase(int32_t phase, const Queues &queues, uint32_t epoch);
  void execute(const Place &place, const ResolvedCommand &command);
  /// `members` in ascending order of their cores; the last owns the result.
  void reduce(std::span<const Place> places,
              std::span<const ResolvedCommand *const> members);
  /// The queue of a core is about to be delivered to; a slot that was never
  /// written holds nothing.
  void deliver(const QueueUse &use, int32_t core);
  /// Does all that was put off; traps if that does. No thread works any more
  /// afterwards, trap or not.
  void finish();

  /// What stores met, by source of the program.
  std::vector<StoreCounts> storeCounts() const;

private:
  /// What a thread does next: a command for some receivers, or opening a slot
  /// on them.
  struct Task {
    /// In `Batch::effects`; -1 to open a slot.
    int64_t effect = -1;
    uint64_t receivers = 0;
    uint32_t buffer = 0;
    int64_t slotNumber = 0;
  };
  struct Failure {
    /// In `Batch::effects`.
    int64_t effect = 0;
    int32_t receiver = 0;
    std::exception_ptr trap;
  };
  /// Effects that are handed over together.
  struct Batch {
    /// The first `numEffects` are in use; the others keep their memory.
    std::vector<Effect> effects;
    int64_t numEffects = 0;
    /// By thread.
    std::vector<std::vector<Task>> tasks;
    int64_t numTasks = 0;
    std::vector<std::optional<Failure>> failures;
  };
  /// So many batches at most are filled or not yet done.
  static constexpr size_t kBatches = 8;

  Effect &append(const Place &place, const ResolvedCommand &command);
  void put(uint64_t receivers, Task task);
  Batch &batchOf(int64_t number) {
    return batches[static_cast<size_t>(number) % kBatches];
  }
  void divide(size_t count);
  void stop();
  void handOver();
  void requireDone(int64_t number);
  bool runTask(size_t thread, Batch &batch, const Task &task);
  void serve(size_t thread);
  void run(size_t thread, int64_t number);

  Executor &executor;
  const launch::Program &program;
  const Queues *queues = nullptr;
  /// One a thread, and one for what is done at once.
  std::vector<Workspace> workspaces;
  std::array<Batch, kBatches> batches;
  /// What is done at once.
  Effect alone;
  /// Batches before this number are handed over; it is being filled.
  std::atomic<int64_t> numHandedOver = 0;
  /// Batches whose traps have been looked at.
  int64_t numChecked = 0;
  /// By thread: how many batches it has done.
  std::vector<std::atomic<int64_t>> numDone;
  /// The first batch in which a thread has met a trap.
  std::atomic<int64_t> trapped = kNone;
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::atomic<bool> stops = false;
  /// None if there is one thread: then the event loop does the work.
  std::vector<std::jthread> threads;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_EFFECTS_H
