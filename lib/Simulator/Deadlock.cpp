// SPDX-License-Identifier: Apache-2.0
//
// What the engine says of units that wait for ever: it follows who waits for
// whom until it comes round, or to a unit that is done.

#include "Engine.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

/// Units named in a report.
constexpr size_t kReportedWaits = 12;

} // namespace

/// One unit that a waiting process waits for; null if what it waits for will
/// never come because its unit is done.
const Engine::Process *Engine::blockerOf(const Process &process) {
  const Process *blocker = nullptr;
  if (process.state == State::InReduce) {
    const uint64_t mask = process.open[process.oldest].command.coreMask;
    for (uint64_t rest = mask; rest != 0 && !blocker; rest &= rest - 1) {
      const Process &member = processOf(
          static_cast<int32_t>(launch::Unit::Ring), std::countr_zero(rest));
      blocker = member.state == State::InReduce ? nullptr : &member;
    }
  } else {
    const auto [unit, core] = queues->blockerOf(process.waitsFor, process.core);
    blocker = &processOf(static_cast<int32_t>(unit), core);
  }
  return blocker && blocker->state != State::Done ? blocker : nullptr;
}

std::string Engine::waitText(const Process &process) const {
  const std::string what =
      process.state == State::InReduce
          ? fmt::format("for all of cores {:#x} to join a reduction",
                        process.open[process.oldest].command.coreMask)
          : queues->waitText(process.waitsFor, process.core);
  return fmt::format("core {} {} waits {}", process.core,
                     launch::toString(process.unit), what);
}

/// Traps if units are left waiting: with the cycle of those that wait for each
/// other, or the chain that ends at a unit that is done.
void Engine::requireAllDone() {
  size_t numWaiting = 0;
  const Process *first = nullptr;
  for (const Process &process : processes) {
    if (process.state != State::Done) {
      first = first ? first : &process;
      ++numWaiting;
    }
  }
  if (!first) {
    return;
  }
  std::vector<const Process *> chain;
  const Process *next = first;
  while (next && std::find(chain.begin(), chain.end(), next) == chain.end()) {
    chain.push_back(next);
    next = blockerOf(*next);
  }
  // What leads to a cycle is no part of it.
  chain.erase(chain.begin(), next ? std::find(chain.begin(), chain.end(), next)
                                  : chain.begin());
  std::vector<std::string> waits;
  for (size_t i = 0; i < std::min(chain.size(), kReportedWaits); ++i) {
    waits.push_back(waitText(*chain[i]));
  }
  if (chain.size() > kReportedWaits) {
    waits.push_back(fmt::format("and {} more", chain.size() - kReportedWaits));
  }
  waits.push_back(next ? "and so round: a cycle"
                       : "the unit that the last one waits for is done");
  trap(ErrorCode::SimDeadlock, placeOf(*chain.front()),
       fmt::format("{} units wait for ever", numWaiting), std::move(waits));
}

} // namespace spyre::sim
