// SPDX-License-Identifier: Apache-2.0
//
// The abstract run of the plan: the steps in list order, and the phases of each
// program one after the other.

#include "CheckerEvaluate.h"
#include "CheckerInternal.h"
#include "CheckerMemory.h"
#include "CheckerWork.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

class Runner {
public:
  explicit Runner(Context &context)
      : context(context), memory(context), worker(context, memory, state) {}

  void run() {
    if (!memory.initialise()) {
      return;
    }
    for (const Step &step : context.plan.steps) {
      if (step.kind == StepKind::H2D) {
        memory.defineArgument(step.index);
      } else if (step.kind == StepKind::D2H) {
        checkComplete(step.index);
      } else if (step.kind == StepKind::Compute) {
        runProgram(step.index);
      }
      if (!context.errors.empty()) {
        return;
      }
    }
    for (uint32_t index = 0; index < context.plan.arguments.size(); ++index) {
      if (context.plan.arguments[index].role == ArgumentRole::Output) {
        checkComplete(index);
      }
    }
  }

private:
  void checkComplete(uint32_t index) {
    const Argument &argument = context.plan.arguments[index];
    if (argument.role == ArgumentRole::InOut) {
      return;
    }
    std::optional<int64_t> stick = memory.firstIncomplete(index);
    if (stick) {
      context.errors.add(
          ErrorCode::CheckOutputIncomplete, subjectOfArgument(argument),
          fmt::format("valid lanes of stick {} of {} are not written", *stick,
                      context.argumentBytes[index] / kStickBytes));
    }
  }

  void runProgram(uint32_t index) {
    const Program &program = context.plan.programs[index];
    if (program.buffers.size() > UINT32_MAX - nextTag) {
      context.errors.add(ErrorCode::CheckBudget, subjectOfProgram(program),
                         "the plan's steps use too many buffers");
      return;
    }
    state.program = index;
    // Tag 0 is "never written".
    state.firstTag = nextTag;
    nextTag += static_cast<uint32_t>(program.buffers.size());
    state.queueOf.assign(program.buffers.size(), -1);
    worker.beginProgram();
    for (size_t phase = 0; phase < program.phases.size(); ++phase) {
      ++state.serial;
      makeQueues(phase);
      worker.beginPhase(phase);
      if (!runPhase(context, worker, state, phase)) {
        return;
      }
      for (const QueueState &queue : state.queues) {
        state.queueOf[queue.buffer] = -1;
      }
    }
  }

  void makeQueues(size_t phase) {
    const Program &program = context.plan.programs[state.program];
    size_t cores = static_cast<size_t>(program.numCores);
    state.queues.clear();
    for (uint32_t index : context.facts[state.program].live[phase]) {
      const Buffer &buffer = program.buffers[index];
      if (!buffer.queue) {
        continue;
      }
      state.queueOf[index] = static_cast<int32_t>(state.queues.size());
      QueueState queue;
      queue.buffer = index;
      queue.slots = buffer.queue->slots;
      queue.producer = buffer.queue->producer;
      queue.consumers = buffer.queue->consumers;
      queue.fill.assign(cores, 0);
      queue.receivers.assign(cores, 0);
      queue.counts.assign(cores * kNumUnits, 0);
      for (size_t core = 0; core < cores; ++core) {
        queue.fill[core] =
            buffer.queue->fillTable
                ? static_cast<uint64_t>(
                      program.tables[*buffer.queue->fillTable].values[core])
                : uint64_t{1} << core;
        for (size_t filler = 0; filler < cores; ++filler) {
          queue.receivers[filler] |= (queue.fill[core] >> filler & 1) << core;
        }
      }
      if (buffer.space == Space::LX) {
        queue.epochs.assign(cores * static_cast<size_t>(queue.slots), -1);
      }
      state.queues.push_back(std::move(queue));
    }
  }

  Context &context;
  Memory memory;
  PhaseState state;
  Worker worker;
  uint32_t nextTag = 1;
};

} // namespace

void checkExecution(Context &context) {
  context.commandInstances = 0;
  Runner(context).run();
}

} // namespace spyre::launch::checker
