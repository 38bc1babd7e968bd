// SPDX-License-Identifier: Apache-2.0
//
// Credits and deliveries: see Queues.h.

#include "Queues.h"

#include <bit>
#include <fmt/format.h>

namespace spyre::sim {

Queues::Queues(const launch::Program &owner, const PhaseInfo &phase)
    : program(owner), states(owner.buffers.size()) {
  auto cores = static_cast<size_t>(program.numCores);
  for (uint32_t index : phase.buffers) {
    const launch::Buffer &buffer = program.buffers[index];
    if (!buffer.queue) {
      continue;
    }
    State &state = states[index];
    state.slots = buffer.queue->slots;
    state.fill.resize(cores);
    state.receivers.assign(cores, 0);
    state.delivered.assign(cores, 0);
    state.left.assign(buffer.queue->consumers.size(),
                      std::vector<int64_t>(cores, 0));
    state.claimed.assign(buffer.queue->consumers.size() + 1,
                         std::vector<int64_t>(cores, 0));
    for (size_t core = 0; core < cores; ++core) {
      state.fill[core] =
          buffer.queue->fillTable
              ? static_cast<uint64_t>(
                    program.tables[*buffer.queue->fillTable].values[core])
              : uint64_t{1} << core;
      for (uint64_t rest = state.fill[core]; rest != 0; rest &= rest - 1) {
        state.receivers[static_cast<size_t>(std::countr_zero(rest))] |=
            uint64_t{1} << core;
      }
    }
  }
}

int64_t Queues::position(const QueueUse &use, int32_t core) const {
  const State &state = states[use.buffer];
  auto at = static_cast<size_t>(core);
  return use.side < 0 ? state.delivered[at]
                      : state.left[static_cast<size_t>(use.side)][at];
}

int64_t Queues::claimed(const QueueUse &use, int32_t core) const {
  return states[use.buffer]
      .claimed[static_cast<size_t>(use.side + 1)][static_cast<size_t>(core)];
}

void Queues::claim(const QueueUse &use, int32_t core) {
  ++states[use.buffer]
        .claimed[static_cast<size_t>(use.side + 1)][static_cast<size_t>(core)];
}

uint64_t Queues::fillMask(uint32_t buffer, int32_t core) const {
  return states[buffer].fill[static_cast<size_t>(core)];
}

bool Queues::isReady(const QueueUse &use, int32_t core) const {
  const State &state = states[use.buffer];
  int64_t slot = claimed(use, core);
  if (use.side >= 0) {
    for (uint64_t rest = fillMask(use.buffer, core); rest != 0;
         rest &= rest - 1) {
      if (state.delivered[static_cast<size_t>(std::countr_zero(rest))] <=
          slot) {
        return false;
      }
    }
    return true;
  }
  for (uint64_t rest = state.receivers[static_cast<size_t>(core)]; rest != 0;
       rest &= rest - 1) {
    auto receiver = static_cast<size_t>(std::countr_zero(rest));
    for (const std::vector<int64_t> &consumer : state.left) {
      if (consumer[receiver] <= slot - state.slots) {
        return false;
      }
    }
  }
  return true;
}

void Queues::advance(const QueueUse &use, int32_t core) {
  State &state = states[use.buffer];
  auto at = static_cast<size_t>(core);
  if (use.side < 0) {
    ++state.delivered[at];
  } else {
    ++state.left[static_cast<size_t>(use.side)][at];
  }
}

std::pair<launch::Unit, int32_t> Queues::blockerOf(const QueueUse &use,
                                                   int32_t core) const {
  const State &state = states[use.buffer];
  const launch::Queue &queue = *program.buffers[use.buffer].queue;
  const int64_t slot = claimed(use, core);
  if (use.side >= 0) {
    for (uint64_t rest = fillMask(use.buffer, core); rest != 0;
         rest &= rest - 1) {
      const int32_t producer = std::countr_zero(rest);
      if (state.delivered[static_cast<size_t>(producer)] <= slot) {
        return {queue.producer, producer};
      }
    }
  }
  for (uint64_t rest = state.receivers[static_cast<size_t>(core)]; rest != 0;
       rest &= rest - 1) {
    const int32_t receiver = std::countr_zero(rest);
    for (size_t consumer = 0; consumer < state.left.size(); ++consumer) {
      if (state.left[consumer][static_cast<size_t>(receiver)] <=
          slot - state.slots) {
        return {queue.consumers[consumer], receiver};
      }
    }
  }
  return {queue.producer, core};
}

std::string Queues::waitText(const QueueUse &use, int32_t core) const {
  const launch::Buffer &buffer = program.buffers[use.buffer];
  int64_t slot = claimed(use, core);
  if (use.side >= 0) {
    return fmt::format(
        "for slot {} of \"{}\" from unit {} of cores {:#x}", slot, buffer.name,
        launch::toString(buffer.queue->producer), fillMask(use.buffer, core));
  }
  return fmt::format("for cores {:#x} to leave slot {} of \"{}\"",
                     states[use.buffer].receivers[static_cast<size_t>(core)],
                     slot - states[use.buffer].slots, buffer.name);
}

void Queues::requireBalanced(const Place &place) const {
  for (size_t index = 0; index < states.size(); ++index) {
    const State &state = states[index];
    for (size_t core = 0; core < state.fill.size(); ++core) {
      for (uint64_t rest = state.fill[core]; rest != 0; rest &= rest - 1) {
        auto producer = static_cast<size_t>(std::countr_zero(rest));
        for (size_t consumer = 0; consumer < state.left.size(); ++consumer) {
          if (state.left[consumer][core] == state.delivered[producer]) {
            continue;
          }
          const launch::Buffer &buffer = program.buffers[index];
          trap(ErrorCode::SimQueueUnbalanced, place,
               fmt::format("queue \"{}\" is not empty at the end of its phase",
                           buffer.name),
               {fmt::format("core {} delivered {} slots to core {}, whose unit "
                            "{} left {}",
                            producer, state.delivered[producer], core,
                            launch::toString(buffer.queue->consumers[consumer]),
                            state.left[consumer][core])});
        }
      }
    }
  }
}

} // namespace spyre::sim
