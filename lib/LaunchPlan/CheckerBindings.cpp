// SPDX-License-Identifier: Apache-2.0
//
// Buffers against what they are bound to: an argument's or weight's buffer has
// exactly its bytes, element type and valid lanes (its shape may be any view
// of the same sticks), and every argument-bound buffer and scalar is patched
// by exactly one symbol.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace spyre::launch::checker {
namespace {

/// Where every lane is valid the position of the tiles does not matter; with
/// one tile, nor does its dim.
ValidPattern normalForm(const ValidPattern &valid, int64_t elementsPerStick) {
  if (valid.elements >= valid.tiles * elementsPerStick) {
    return {1, 1, elementsPerStick};
  }
  if (valid.tiles == 1) {
    return {1, 1, valid.elements};
  }
  return valid;
}

} // namespace

bool isSameValid(const ValidPattern &a, const ValidPattern &b,
                 ElementType type) {
  const int64_t lanes = spyre::elementsPerStick(type);
  return normalForm(a, lanes) == normalForm(b, lanes);
}

namespace {

class BindingChecker {
public:
  BindingChecker(Context &context, size_t program)
      : context(context), program(context.plan.programs[program]),
        facts(context.facts[program]) {}

  void check() {
    for (uint32_t index = 0; index < program.buffers.size(); ++index) {
      const Buffer &buffer = program.buffers[index];
      if (buffer.binding == Binding::Argument) {
        checkArgumentBuffer(index);
      } else if (buffer.role == BufferRole::Weight) {
        checkWeightBuffer(index);
      } else if (buffer.binding == Binding::Segment) {
        checkScratchBuffer(index);
      } else if (buffer.role != BufferRole::Scratch) {
        refuse(ErrorCode::CheckBinding, index,
               "lies in LX and must be scratch");
      }
    }
  }

private:
  void refuse(ErrorCode code, uint32_t buffer, std::string message) {
    context.errors.add(code,
                       fmt::format("buffer {} of program {}",
                                   quoted(program.buffers[buffer].name),
                                   quoted(program.name)),
                       std::move(message));
  }

  void checkImage(uint32_t index, ElementType type, int64_t bytes,
                  const ValidPattern &valid, const std::string &owner) {
    const Buffer &buffer = program.buffers[index];
    if (buffer.type != type) {
      refuse(ErrorCode::CheckBinding, index,
             fmt::format("holds {}, {} holds {}", toString(buffer.type), owner,
                         toString(type)));
    } else if (facts.buffers[index].totalBytes != bytes) {
      refuse(ErrorCode::CheckBytes, index,
             fmt::format("has {} bytes, the layout of {} has {}",
                         facts.buffers[index].totalBytes, owner, bytes));
    } else if (bytes != 0 &&
               !isSameValid(facts.valid[index], valid, buffer.type)) {
      refuse(ErrorCode::CheckValidLanes, index,
             fmt::format("declares {} valid elements over {} tiles with {} "
                         "sticks between, the layout of {} has {} over {} "
                         "with {}",
                         facts.valid[index].elements, facts.valid[index].tiles,
                         facts.valid[index].inner, owner, valid.elements,
                         valid.tiles, valid.inner));
    }
  }

  void checkArgumentBuffer(uint32_t index) {
    const Buffer &buffer = program.buffers[index];
    const Argument &argument = context.plan.arguments[buffer.bindingIndex];
    bool roleFits = false;
    switch (argument.role) {
    case ArgumentRole::Input:
      roleFits = buffer.role == BufferRole::Input;
      break;
    case ArgumentRole::Output:
      roleFits =
          buffer.role == BufferRole::Output || buffer.role == BufferRole::InOut;
      break;
    case ArgumentRole::InOut:
      roleFits = buffer.role == BufferRole::Input ||
                 buffer.role == BufferRole::Output ||
                 buffer.role == BufferRole::InOut;
      break;
    }
    if (!roleFits) {
      refuse(
          ErrorCode::CheckBinding, index,
          fmt::format("has the role {}, {} has another",
                      enumNames<BufferRole>[static_cast<size_t>(buffer.role)],
                      subjectOfArgument(argument)));
    }
    if (buffer.offset != 0) {
      refuse(ErrorCode::CheckBinding, index,
             fmt::format("starts {} bytes into {}; it must cover it from 0",
                         buffer.offset, subjectOfArgument(argument)));
    }
    checkImage(index, argument.deviceType,
               context.argumentBytes[buffer.bindingIndex],
               context.argumentValid[buffer.bindingIndex],
               subjectOfArgument(argument));
  }

  void checkWeightBuffer(uint32_t index) {
    const Buffer &buffer = program.buffers[index];
    if (buffer.binding != Binding::Segment) {
      refuse(ErrorCode::CheckBinding, index,
             "is a weight and must lie in a segment");
      return;
    }
    const std::vector<Weight> &weights = context.plan.weights;
    std::optional<uint32_t> found;
    for (uint32_t candidate : candidates(buffer)) {
      if (weights[candidate].sizeBytes == facts.buffers[index].totalBytes) {
        found = candidate;
      }
    }
    if (!found) {
      refuse(ErrorCode::CheckBinding, index,
             fmt::format("no weight of {} bytes lies at byte {} of segment {}",
                         facts.buffers[index].totalBytes, buffer.offset,
                         buffer.bindingIndex));
      return;
    }
    const Weight &weight = weights[*found];
    checkImage(index, weight.deviceType, weight.sizeBytes,
               context.weightValid[*found],
               fmt::format("weight {}", quoted(weight.name)));
  }

  /// Weights at the buffer's address.
  const std::vector<uint32_t> &candidates(const Buffer &buffer) {
    static const std::vector<uint32_t> none;
    if (byAddress.empty()) {
      for (uint32_t i = 0; i < context.plan.weights.size(); ++i) {
        const Weight &weight = context.plan.weights[i];
        byAddress[{weight.segment, weight.offset}].push_back(i);
      }
    }
    auto found = byAddress.find({buffer.bindingIndex, buffer.offset});
    return found == byAddress.end() ? none : found->second;
  }

  void checkScratchBuffer(uint32_t index) {
    const Buffer &buffer = program.buffers[index];
    SegmentKind kind = context.plan.segments[buffer.bindingIndex].kind;
    if (buffer.role != BufferRole::Scratch || kind != SegmentKind::Scratch) {
      refuse(ErrorCode::CheckBinding, index,
             fmt::format("lies in segment {} of kind {}: only scratch buffers "
                         "lie in scratch segments",
                         buffer.bindingIndex, toString(kind)));
    }
  }

  Context &context;
  const Program &program;
  const ProgramFacts &facts;
  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> byAddress;
};

/// Symbols are sorted by (program, kind, target) and name every argument-bound
/// buffer and every scalar once.
void checkSymbols(Context &context) {
  std::vector<Symbol> wanted;
  for (uint32_t index = 0; index < context.plan.programs.size(); ++index) {
    const Program &program = context.plan.programs[index];
    for (uint32_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
      if (program.buffers[buffer].binding == Binding::Argument) {
        wanted.push_back({SymbolKind::Address,
                          program.buffers[buffer].bindingIndex, index, buffer});
      }
    }
    for (uint32_t scalar = 0; scalar < program.scalars.size(); ++scalar) {
      wanted.push_back(
          {SymbolKind::Value, program.scalars[scalar].argument, index, scalar});
    }
  }
  const std::vector<Symbol> &symbols = context.plan.symbols;
  if (symbols.size() != wanted.size()) {
    context.errors.add(
        ErrorCode::CheckSymbols, "",
        fmt::format("the plan has {} symbols, its buffers and scalars need {}",
                    symbols.size(), wanted.size()));
    return;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!(symbols[i] == wanted[i])) {
      context.errors.add(
          ErrorCode::CheckSymbols, fmt::format("symbol {}", i),
          fmt::format("patches argument {} into program {}, target {}; here "
                      "argument {} into program {}, {} {} is due",
                      symbols[i].argument, symbols[i].program,
                      symbols[i].target, wanted[i].argument, wanted[i].program,
                      wanted[i].kind == SymbolKind::Address ? "buffer"
                                                            : "scalar",
                      wanted[i].target));
      return;
    }
  }
}

} // namespace

void checkBindings(Context &context) {
  for (size_t program = 0; program < context.plan.programs.size(); ++program) {
    BindingChecker(context, program).check();
  }
  checkSymbols(context);
}

} // namespace spyre::launch::checker
