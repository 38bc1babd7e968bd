// SPDX-License-Identifier: Apache-2.0
//
// Parsing of phases, commands and boxes. All commands share one grammar, like
// the struct that they fill: kind, body, dims, attributes, boxes, attributes.

#include "TextParser.h"

#include "spyre/LaunchPlan/Serialize.h"

#include <fmt/format.h>

namespace spyre::launch::text {

bool Parser::phase() {
  Phase phase;
  if (peek().kind == TokenKind::Name && peek().sigil == '@' && !peek().isRaw) {
    phase.name = next().text;
  }
  if (acceptKeyword("residents")) {
    do {
      if (!bufferReference(phase.residents.emplace_back())) {
        return false;
      }
    } while (accept(","));
  }
  if (!expect("{")) {
    return false;
  }
  while (!accept("}")) {
    if (!unitList(phase)) {
      return false;
    }
  }
  program.phases.push_back(std::move(phase));
  return true;
}

bool Parser::unitList(Phase &phase) {
  Token token = peek();
  Unit unit = Unit::Load;
  if (!enumName(unit, "a unit or '}'") || !expect("{")) {
    return false;
  }
  std::vector<Command> &list = phase.units[static_cast<size_t>(unit)];
  if (!list.empty()) {
    return fail(token, fmt::format("unit {} stands a second time in the phase",
                                   toString(unit)));
  }
  return commands(list);
}

/// Commands up to the '}' of the unit. Loops are counted, not recursed into.
bool Parser::commands(std::vector<Command> &commands) {
  int depth = 0;
  while (true) {
    if (isPunctuation("}") && depth == 0) {
      next();
      return true;
    }
    Command &command = commands.emplace_back();
    if (accept("}")) {
      --depth;
      command.kind = CommandKind::End;
      if (acceptKeyword("end") && !attributes(command)) {
        return false;
      }
      continue;
    }
    if (!this->command(command)) {
      return false;
    }
    if (command.kind == CommandKind::Loop) {
      if (depth == kMaxLoopNesting) {
        return fail(peek(),
                    fmt::format("loops nest at most {} deep", kMaxLoopNesting));
      }
      ++depth;
      if (!expect("{")) {
        return false;
      }
    }
  }
}

bool Parser::command(Command &command) {
  std::optional<CommandKind> kind;
  if (acceptKeyword("only")) {
    kind = CommandKind::Next;
  } else if (peek().kind == TokenKind::Identifier) {
    kind = parseName<CommandKind>(peek().text);
    if (kind == CommandKind::End || kind == CommandKind::Next) {
      kind.reset();
    }
    if (kind) {
      next();
    }
  }
  if (!kind) {
    return unexpected("a command (loop, move, reduce, matmul, map, transpose, "
                      "shift, only) or '}'");
  }
  command.kind = *kind;
  if (command.kind == CommandKind::Loop && !extent(command.trip)) {
    return false;
  }
  return attributes(command);
}

/// All that may follow a kind, in any order but for the boxes' dims, which
/// come before the boxes.
bool Parser::attributes(Command &command) {
  while (true) {
    const Token &token = peek();
    bool good = true;
    if (token.kind == TokenKind::Name && token.sigil == '@') {
      good = reference('@', bodyNames, "body", command.body);
    } else if (isPunctuation("[") && command.boxes.empty() &&
               command.dims.empty()) {
      good = extents(command.dims);
    } else if ((token.kind == TokenKind::Name && token.sigil == '%') ||
               isIdentifier("splat") || isIdentifier("raw") ||
               isPunctuation("->")) {
      if (!command.boxes.empty()) {
        return unexpected("an attribute: the boxes stand together");
      }
      good = boxes(command);
    } else if (token.kind == TokenKind::Identifier) {
      size_t before = position;
      std::string keyword = token.text;
      good = attribute(command, keyword);
      if (good && position == before) {
        return true;
      }
    } else {
      return true;
    }
    if (!good) {
      return false;
    }
  }
}

/// Parses the attribute of a keyword; consumes nothing if it is none.
bool Parser::attribute(Command &command, const std::string &keyword) {
  if (std::optional<Combine> combine = parseName<Combine>(keyword)) {
    command.combine = *combine;
    next();
    return true;
  }
  if (acceptKeyword("trip")) {
    return extent(command.trip);
  }
  if (acceptKeyword("rows")) {
    return integerAs(command.numRowDims);
  }
  if (acceptKeyword("stick")) {
    return extent(command.stick);
  }
  if (acceptKeyword("inner")) {
    return extent(command.inner);
  }
  if (acceptKeyword("by")) {
    return integer(command.shiftLanes);
  }
  if (acceptKeyword("first")) {
    return expect("(") && list(")", [&] {
             int32_t &depth = command.first.emplace_back();
             return peek().kind == TokenKind::Identifier ? loopDepth(depth)
                                                         : integerAs(depth);
           });
  }
  if (acceptKeyword("to")) {
    return tableRef(command.cores.emplace());
  }
  if (acceptKeyword("if")) {
    return tableRef(command.predicate.emplace());
  }
  if (acceptKeyword("indexed")) {
    return indexed(command);
  }
  if (acceptKeyword("outputs")) {
    return expect("[") &&
           list("]", [&] { return output(command.outputs.emplace_back()); });
  }
  if (acceptKeyword("next")) {
    do {
      if (!bufferReference(command.next.emplace_back())) {
        return false;
      }
    } while (accept(","));
    return true;
  }
  return !acceptKeyword("source") || integerAs(command.source);
}

bool Parser::indexed(Command &command) {
  IndexedAccess &indexed = command.indexed.emplace();
  return integerAs(indexed.deviceDim) && expectKeyword("by") &&
         bufferReference(indexed.indexBuffer) && expectKeyword("from") &&
         affine(indexed.first) && expectKeyword("count") &&
         extent(indexed.count) &&
         (!acceptKeyword("paged") || integer(indexed.pageSize));
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

bool Parser::boxes(Command &command) {
  bool isMap = command.kind == CommandKind::Map;
  bool afterArrow = false;
  bool more = true;
  while (more) {
    if (accept("->")) {
      if (afterArrow) {
        return fail(peek(), "a second '->'");
      }
      afterArrow = true;
    }
    if (afterArrow && isMap && !output(command.outputs.emplace_back())) {
      return false;
    }
    if (!box(command, command.boxes.emplace_back())) {
      return false;
    }
    more = accept(",") || (!afterArrow && isPunctuation("->"));
  }
  return true;
}

/// How an output is written: [combine] [lane0 | splat_all] [accumulate].
bool Parser::output(MapOutput &output) {
  while (peek().kind == TokenKind::Identifier) {
    if (std::optional<Combine> combine = parseName<Combine>(peek().text)) {
      output.combine = *combine;
    } else if (std::optional<MapOutput::Lanes> lanes =
                   parseName<MapOutput::Lanes>(peek().text)) {
      output.lanes = *lanes;
    } else if (isIdentifier("accumulate")) {
      output.accumulate = true;
    } else {
      return true;
    }
    next();
  }
  return true;
}

bool Parser::box(const Command &command, Box &box) {
  if (acceptKeyword("splat")) {
    box.access = LaneAccess::Splat;
  }
  if (acceptKeyword("raw")) {
    return rawBox(box);
  }
  Token token = peek();
  if (!bufferReference(box.buffer)) {
    return false;
  }
  if (box.buffer >= program.buffers.size()) {
    return fail(token,
                fmt::format("buffer {} of {}: only a raw box may be out of "
                            "range",
                            box.buffer, program.buffers.size()),
                ErrorCode::PlanTextName);
  }
  box.dims.resize(command.dims.size());
  std::vector<bool> mapped(command.dims.size());
  bool good =
      expect("[") && list("]", [&] {
        BoxTarget target{box, static_cast<int32_t>(box.offsets.size()), mapped};
        return affine(box.offsets.emplace_back(), &target);
      });
  if (!good) {
    return false;
  }
  // The lane is 0 and may be omitted.
  size_t rank = program.buffers[box.buffer].shape.size();
  if (box.offsets.size() + 1 == rank) {
    box.offsets.emplace_back();
  }
  return box.offsets.size() == rank ||
         fail(token, fmt::format("the box has {} positions, buffer '%{}' has "
                                 "{} dims (the last, the lane, may be omitted)",
                                 box.offsets.size(),
                                 program.buffers[box.buffer].name, rank));
}

/// Every field as a number: boxes that do not fit their buffer or command.
bool Parser::rawBox(Box &box) {
  return bufferReference(box.buffer) && expect("[") &&
         list("]", [&] { return affine(box.offsets.emplace_back()); }) &&
         expectKeyword("maps") && expect("[") &&
         list("]",
              [&] {
                DimMap &map = box.dims.emplace_back();
                return integerAs(map.deviceDim) && integer(map.step);
              }) &&
         expectKeyword("tile") && integerAs(box.tileDim) &&
         expectKeyword("row") && integerAs(box.rowDim);
}

} // namespace spyre::launch::text
