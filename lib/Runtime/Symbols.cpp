// SPDX-License-Identifier: Apache-2.0
//
// Resolving the plan's symbols. The right number in the wrong order would give
// silent wrong results, so that every buffer and scalar must be patched
// exactly once and by the argument that it names.

#include "LoadParts.h"

#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::LaunchPlan;
using launch::SymbolKind;

namespace {

tl::unexpected<Error> mismatch(const LaunchPlan &plan, std::string message) {
  return makeError(ErrorCode::SymbolMismatch,
                   fmt::format("model \"{}\"", plan.modelName),
                   std::move(message));
}

/// The argument that a symbol's target names, if the target exists and is one
/// that a launch patches.
std::optional<uint32_t> argumentOfTarget(const launch::Program &program,
                                         SymbolKind kind, size_t target) {
  if (kind == SymbolKind::Value) {
    return target < program.scalars.size()
               ? std::optional(program.scalars[target].argument)
               : std::nullopt;
  }
  if (target >= program.buffers.size() ||
      program.buffers[target].binding != launch::Binding::Argument) {
    return std::nullopt;
  }
  return program.buffers[target].bindingIndex;
}

/// Every target of a program that a launch patches must have one symbol.
Status checkCoverage(const LaunchPlan &plan, const launch::Program &program,
                     std::span<const Model::Patch> patches) {
  for (SymbolKind kind : {SymbolKind::Address, SymbolKind::Value}) {
    const size_t count = kind == SymbolKind::Address ? program.buffers.size()
                                                     : program.scalars.size();
    std::vector<int> uses(count, 0);
    for (const Model::Patch &patch : patches) {
      if (patch.kind == kind) {
        ++uses[patch.target];
      }
    }
    for (size_t target = 0; target < count; ++target) {
      const bool isPatched =
          argumentOfTarget(program, kind, target).has_value();
      if (uses[target] != (isPatched ? 1 : 0)) {
        return mismatch(
            plan, fmt::format("program \"{}\": {} {} has {} symbols, needs {}",
                              program.name,
                              kind == SymbolKind::Address ? "buffer" : "scalar",
                              target, uses[target], isPatched ? 1 : 0));
      }
    }
  }
  return {};
}

} // namespace

Expected<std::vector<std::vector<Model::Patch>>>
rt::resolveSymbols(const LaunchPlan &plan) {
  std::vector<std::vector<Model::Patch>> patches(plan.programs.size());
  for (size_t i = 0; i < plan.symbols.size(); ++i) {
    const launch::Symbol &symbol = plan.symbols[i];
    if (symbol.program >= plan.programs.size() ||
        symbol.argument >= plan.arguments.size()) {
      return mismatch(plan,
                      fmt::format("symbol {} names program {} of {} and "
                                  "argument {} of {}",
                                  i, symbol.program, plan.programs.size(),
                                  symbol.argument, plan.arguments.size()));
    }
    const launch::Program &program = plan.programs[symbol.program];
    const std::optional<uint32_t> argument =
        argumentOfTarget(program, symbol.kind, symbol.target);
    if (!argument || *argument != symbol.argument) {
      return mismatch(
          plan,
          fmt::format("symbol {} patches argument {} into target {} of program "
                      "\"{}\", which expects {}",
                      i, symbol.argument, symbol.target, program.name,
                      argument ? fmt::format("argument {}", *argument)
                               : "no argument"));
    }
    patches[symbol.program].push_back(
        {symbol.kind, symbol.argument, symbol.target});
  }
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    if (Status status = checkCoverage(plan, plan.programs[i], patches[i]);
        !status) {
      return tl::unexpected(status.error());
    }
  }
  return patches;
}
