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
        runProgram(step);
      } else if (step.kind == StepKind::HostWork) {
        runHostCall(step);
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

  std::optional<uint32_t> beginStep(const Step &step) {
    std::optional<uint32_t> firstTag = memory.beginStep(step);
    if (!firstTag) {
      context.errors.add(ErrorCode::CheckBudget, "",
                         "the plan's steps use too many buffers");
    }
    return firstTag;
  }

  void runHostCall(const Step &step) {
    const HostFacts &facts = context.hostFacts[step.index];
    for (const auto *list : {&facts.operands, &facts.results}) {
      for (const PlacedTensor &tensor : *list) {
        std::string message;
        if (!context.spendVisits(tensor.image.bytes / kStickBytes, message)) {
          context.errors.add(ErrorCode::CheckBudget,
                             fmt::format("host work {}", quoted(step.name)),
                             std::move(message));
          return;
        }
      }
    }
    for (size_t i = 0; i < facts.operands.size(); ++i) {
      std::optional<AccessFailure> failure =
          memory.readTensor(facts.operands[i]);
      if (failure) {
        context.errors.add(failure->code,
                           fmt::format("host work {}", quoted(step.name)),
                           fmt::format("operand {}, stick {}: {}", i,
                                       failure->stick, failure->message));
        return;
      }
    }
    std::optional<uint32_t> tag = beginStep(step);
    for (size_t i = 0; tag && i < facts.results.size(); ++i) {
      memory.writeTensor(facts.results[i], *tag + static_cast<uint32_t>(i));
    }
  }

  void runProgram(const Step &step) {
    const Program &program = context.plan.programs[step.index];
    std::optional<uint32_t> firstTag = beginStep(step);
    if (!firstTag) {
      return;
    }
    state.program = step.index;
    state.firstTag = *firstTag;
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
};

} // namespace

void checkExecution(Context &context) {
  context.commandInstances = 0;
  Runner(context).run();
}

} // namespace spyre::launch::checker
