// SPDX-License-Identifier: Apache-2.0
//
// Structure of command lists: loops are well nested, and expressions use only
// variables and tables that exist where they stand. Also finds which buffers
// are live in which phase.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <fmt/format.h>

namespace spyre::launch::checker {

bool checkAffine(Context &context, const Program &program, const Affine &affine,
                 int32_t depth, const Place &place) {
  auto refuse = [&](ErrorCode code, std::string message) {
    context.errors.addAt(code, place, std::move(message));
    return false;
  };
  auto isSmall = [](int64_t value) {
    return value <= kMaxMagnitude && value >= -kMaxMagnitude;
  };
  if (affine.terms.size() > kMaxTerms) {
    return refuse(ErrorCode::CheckCount,
                  fmt::format("an expression has {} terms, at most {} are "
                              "possible",
                              affine.terms.size(), kMaxTerms));
  }
  if (!isSmall(affine.constant)) {
    return refuse(
        ErrorCode::CheckValue,
        fmt::format("constant {} exceeds {}", affine.constant, kMaxMagnitude));
  }
  for (const Term &term : affine.terms) {
    if (!isSmall(term.coefficient)) {
      return refuse(ErrorCode::CheckValue,
                    fmt::format("coefficient {} exceeds {}", term.coefficient,
                                kMaxMagnitude));
    }
    if (static_cast<size_t>(term.kind) >= enumNames<TermKind>.size()) {
      return refuse(ErrorCode::CheckEnum, "unknown kind of term");
    }
    if (term.kind == TermKind::Scalar) {
      return refuse(ErrorCode::CheckNotProved,
                    "a launch-time scalar in an address is not proved yet");
    }
    if (term.kind == TermKind::Loop) {
      if (term.index < 0 || term.index >= depth) {
        return refuse(ErrorCode::CheckLoopNesting,
                      fmt::format("uses the variable of loop {} at depth {}",
                                  term.index, depth));
      }
      continue;
    }
    if (term.index < 0 ||
        static_cast<size_t>(term.index) >= program.tables.size()) {
      return refuse(ErrorCode::CheckIndex,
                    fmt::format("uses table {}, the program has {}", term.index,
                                program.tables.size()));
    }
    bool indexed =
        program.tables[static_cast<size_t>(term.index)].innerSize != 1;
    if (indexed != (term.loopDepth >= 0) || term.loopDepth < -1 ||
        term.loopDepth >= depth) {
      return refuse(ErrorCode::CheckLoopNesting,
                    fmt::format("indexes table {} by loop {} at depth {}",
                                term.index, term.loopDepth, depth));
    }
  }
  return true;
}

namespace {

/// Matches Loop and End, and checks every command of one list.
void checkList(Context &context, const Program &program, ProgramFacts &facts,
               Place place, std::vector<uint32_t> &match,
               std::vector<bool> &used) {
  const std::vector<Command> &list =
      program.phases[place.phase].units[static_cast<size_t>(place.unit)];
  match.assign(list.size(), 0);
  std::vector<uint32_t> open;
  for (size_t index = 0; index < list.size(); ++index) {
    const Command &command = list[index];
    place.command = index;
    if (static_cast<size_t>(command.kind) >= enumNames<CommandKind>.size()) {
      context.errors.addAt(ErrorCode::CheckEnum, place, "unknown command");
      return;
    }
    int32_t depth = static_cast<int32_t>(open.size());
    if (command.kind == CommandKind::End) {
      if (open.empty()) {
        context.errors.addAt(ErrorCode::CheckLoopNesting, place,
                             "an end without a loop");
        return;
      }
      match[index] = open.back();
      match[open.back()] = static_cast<uint32_t>(index);
      open.pop_back();
      continue;
    }
    if (command.kind == CommandKind::Loop) {
      if (command.trip.bounds.empty() || open.size() >= kMaxLoopDepth) {
        context.errors.addAt(ErrorCode::CheckLoopNesting, place,
                             fmt::format("a loop without a trip count, or "
                                         "nested deeper than {}",
                                         kMaxLoopDepth));
        return;
      }
      for (const Affine &bound : command.trip.bounds) {
        checkAffine(context, program, bound, depth, place);
      }
      open.push_back(static_cast<uint32_t>(index));
      continue;
    }
    if (!program.sources.empty() && command.source >= program.sources.size()) {
      context.errors.addAt(ErrorCode::CheckIndex, place,
                           fmt::format("names source {}, the program has {}",
                                       command.source, program.sources.size()));
    }
    checkCommand(context, program, facts, command, place, depth);
    for (const Box &box : command.boxes) {
      if (box.buffer < used.size()) {
        used[box.buffer] = true;
      }
    }
    for (uint32_t buffer : command.next) {
      if (buffer < used.size()) {
        used[buffer] = true;
      }
    }
    if (place.unit == Unit::Store && command.boxes.size() == 2 &&
        command.boxes[1].buffer < facts.stored.size()) {
      facts.stored[command.boxes[1].buffer] = true;
    }
  }
  if (!open.empty()) {
    place.command = open.back();
    context.errors.addAt(ErrorCode::CheckLoopNesting, place,
                         "a loop without an end");
  }
}

} // namespace

void checkCommands(Context &context, const Program &program,
                   ProgramFacts &facts) {
  facts.match.resize(program.phases.size());
  facts.live.resize(program.phases.size());
  constexpr size_t kMostPhaseBuffers = 400'000'000;
  if (!program.buffers.empty() &&
      program.phases.size() > kMostPhaseBuffers / program.buffers.size()) {
    context.errors.add(ErrorCode::CheckBudget, subjectOfProgram(program),
                       fmt::format("{} phases times {} buffers exceed the "
                                   "budget of {}",
                                   program.phases.size(),
                                   program.buffers.size(), kMostPhaseBuffers));
    return;
  }
  // One flag per buffer, cleared after each phase.
  std::vector<bool> used(program.buffers.size(), false);
  for (size_t phase = 0; phase < program.phases.size(); ++phase) {
    for (int unit = 0; unit < kNumUnits; ++unit) {
      Place place{&program, phase, static_cast<Unit>(unit)};
      checkList(context, program, facts, place,
                facts.match[phase][static_cast<size_t>(unit)], used);
      if (context.errors.full()) {
        return;
      }
    }
    for (uint32_t buffer : program.phases[phase].residents) {
      used[buffer] = true;
    }
    for (uint32_t buffer = 0; buffer < used.size(); ++buffer) {
      if (used[buffer]) {
        facts.live[phase].push_back(buffer);
        used[buffer] = false;
      }
    }
  }
}

} // namespace spyre::launch::checker
