// SPDX-License-Identifier: Apache-2.0
//
// Batches of effects on host threads: see Effects.h.

#include "Effects.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace spyre::sim {
namespace {

/// Tasks of a batch: about a millisecond of work. Opening a slot is next to
/// none, but it takes memory, too.
constexpr int64_t kMaxEffects = 128;
constexpr int64_t kMaxTasks = 8192;

int64_t threadsOf(int64_t asked, int64_t numCores) {
  const auto host = static_cast<int64_t>(std::thread::hardware_concurrency());
  return std::clamp<int64_t>(asked > 0 ? asked : host, 1, numCores);
}

} // namespace

Effects::Effects(Executor &doer, const launch::Program &executed,
                 int64_t numThreads)
    : executor(doer), program(executed) {
  const int64_t count = threadsOf(numThreads, program.numCores);
  divide(static_cast<size_t>(count));
  try {
    for (size_t thread = 0; count > 1 && thread < numDone.size(); ++thread) {
      threads.emplace_back([this, thread] { serve(thread); });
    }
  } catch (const std::exception &) {
    // The host has no more threads, or memory for them: then there are none.
    stop();
    divide(1);
  }
}

Effects::~Effects() { stop(); }

/// Sets up for so many threads.
void Effects::divide(size_t count) {
  numDone = std::vector<std::atomic<int64_t>>(count);
  numHandedOver = 0;
  stops = false;
  workspaces.assign(count + 1, Workspace(program.sources.size()));
  for (Batch &batch : batches) {
    batch.tasks.resize(count);
    batch.failures.resize(count);
  }
}

void Effects::stop() {
  stops = true;
  ++numHandedOver;
  numHandedOver.notify_all();
  threads.clear();
}

Effect &Effects::append(const Place &place, const ResolvedCommand &command) {
  Batch &batch = batchOf(numHandedOver);
  if (batch.numEffects == std::ssize(batch.effects)) {
    batch.effects.emplace_back();
  }
  Effect &effect = batch.effects[static_cast<size_t>(batch.numEffects++)];
  effect.place = place;
  effect.command = command;
  executor.bind(effect);
  return effect;
}

/// Each thread gets its part of the receivers.
void Effects::put(uint64_t receivers, Task task) {
  Batch &batch = batchOf(numHandedOver);
  const size_t count = numDone.size();
  std::array<uint64_t, 64> parts = {};
  for (uint64_t rest = receivers; rest != 0; rest &= rest - 1) {
    const auto core = static_cast<size_t>(std::countr_zero(rest));
    parts[core % count] |= uint64_t{1} << core;
  }
  for (size_t thread = 0; thread < count; ++thread) {
    if (parts[thread] != 0) {
      task.receivers = parts[thread];
      batch.tasks[thread].push_back(task);
      ++batch.numTasks;
    }
  }
  if (batch.numEffects >= kMaxEffects || batch.numTasks >= kMaxTasks) {
    handOver();
    // The next takes the place of an old one.
    requireDone(numHandedOver + 1 - static_cast<int64_t>(kBatches));
  }
}

void Effects::execute(const Place &place, const ResolvedCommand &command) {
  if (command.idle) {
    return;
  }
  Batch &batch = batchOf(numHandedOver);
  const int64_t index = batch.numEffects;
  Effect &effect = append(place, command);
  executor.prepare(effect);
  if (!executor.isLocal(effect)) {
    std::swap(effect, alone);
    --batch.numEffects;
    finish();
    for (uint64_t rest = receiversOf(alone); rest != 0; rest &= rest - 1) {
      executor.execute(workspaces.back(), alone, std::countr_zero(rest));
    }
    return;
  }
  put(receiversOf(effect), {index, 0, 0, 0});
}

void Effects::reduce(std::span<const Place> places,
                     std::span<const ResolvedCommand *const> members) {
  finish();
  std::vector<Effect> effects;
  for (size_t i = 0; i < members.size(); ++i) {
    executor.bind(effects.emplace_back(Effect{places[i], *members[i]}));
  }
  executor.reduce(effects);
}

void Effects::deliver(const QueueUse &use, int32_t core) {
  if (use.side >= 0 || program.buffers[use.buffer].space != launch::Space::LX) {
    return;
  }
  uint64_t receivers = 0;
  for (int32_t receiver = 0; receiver < program.numCores; ++receiver) {
    if (queues->fillMask(use.buffer, receiver) >> core & 1) {
      receivers |= uint64_t{1} << receiver;
    }
  }
  put(receivers, {-1, 0, use.buffer, queues->position(use, core)});
}

void Effects::beginPhase(int32_t phase, const Queues &phaseQueues,
                         uint32_t epoch) {
  finish();
  queues = &phaseQueues;
  executor.beginPhase(phase, phaseQueues, epoch);
}

/// A command for its receivers; false if it traps, which is kept.
bool Effects::runTask(size_t thread, Batch &batch, const Task &task) {
  for (uint64_t rest = task.receivers; rest != 0; rest &= rest - 1) {
    const int32_t receiver = std::countr_zero(rest);
    try {
      executor.execute(workspaces[thread],
                       batch.effects[static_cast<size_t>(task.effect)],
                       receiver);
    } catch (...) {
      batch.failures[thread] = {task.effect, receiver,
                                std::current_exception()};
      return false;
    }
  }
  return true;
}

/// A thread's tasks of a batch, up to the first trap.
void Effects::run(size_t thread, int64_t number) {
  Batch &batch = batchOf(number);
  if (trapped < number) {
    return;
  }
  for (const Task &task : batch.tasks[thread]) {
    if (task.effect < 0) {
      executor.openSlots(task.buffer, task.slotNumber, task.receivers);
    } else if (!runTask(thread, batch, task)) {
      int64_t first = trapped;
      while (number < first && !trapped.compare_exchange_weak(first, number)) {
      }
      return;
    }
  }
}

/// What a thread does: batch by batch.
void Effects::serve(size_t thread) {
  for (int64_t number = 0;; ++number) {
    numHandedOver.wait(number);
    if (stops) {
      return;
    }
    run(thread, number);
    numDone[thread] = number + 1;
    numDone[thread].notify_one();
  }
}

/// Gives the batch that was filled to the threads.
void Effects::handOver() {
  const int64_t number = numHandedOver;
  if (threads.empty()) {
    run(0, number);
    numDone[0] = number + 1;
  }
  ++numHandedOver;
  numHandedOver.notify_all();
}

/// Waits for the batches before `number`, and traps if one of them has: the
/// first effect that trapped, for its first receiver.
void Effects::requireDone(int64_t number) {
  for (std::atomic<int64_t> &done : numDone) {
    for (int64_t now = done; now < number; now = done) {
      done.wait(now);
    }
  }
  for (; numChecked < number; ++numChecked) {
    Batch &batch = batchOf(numChecked);
    std::optional<Failure> first;
    for (const std::optional<Failure> &failure : batch.failures) {
      if (failure && (!first || std::tie(failure->effect, failure->receiver) <
                                    std::tie(first->effect, first->receiver))) {
        first = failure;
      }
    }
    if (first) {
      std::rethrow_exception(first->trap);
    }
    for (std::vector<Task> &tasks : batch.tasks) {
      tasks.clear();
    }
    batch.numEffects = batch.numTasks = 0;
  }
}

void Effects::finish() {
  if (batchOf(numHandedOver).numTasks > 0) {
    handOver();
  }
  requireDone(numHandedOver);
}

std::vector<StoreCounts> Effects::storeCounts() const {
  std::vector<StoreCounts> sum(program.sources.size() + 1);
  for (const Workspace &workspace : workspaces) {
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += workspace.sourceCounts[i];
    }
  }
  return sum;
}

} // namespace spyre::sim
