// SPDX-License-Identifier: Apache-2.0
//
// Printing of commands and boxes. A box reads as one expression per device
// dim, in which d0, d1, ... stand for the positions of the command's dims.

#include "TextPrinter.h"

#include "spyre/LaunchPlan/Names.h"
#include "spyre/LaunchPlan/Serialize.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::text {

namespace {

/// "add lane0 accumulate " with everything at its default omitted, except that
/// `always` keeps the combine.
std::string outputText(const MapOutput &output, bool always) {
  std::string text;
  if (always || output.combine != Combine::Store) {
    text += fmt::format("{} ", nameOf(output.combine));
  }
  if (output.lanes != MapOutput::Lanes::Keep) {
    text += fmt::format("{} ", nameOf(output.lanes));
  }
  return text + (output.accumulate ? "accumulate " : "");
}

/// The entries of `outputs` are printed at the boxes that they belong to.
bool hasOutputBoxes(const Command &command) {
  return command.kind == CommandKind::Map && !command.outputs.empty() &&
         command.outputs.size() <= command.boxes.size();
}

} // namespace

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

bool Printer::isSugared(const Box &box, const Command &command) const {
  size_t rank = box.offsets.size();
  if (box.buffer >= program.buffers.size() ||
      program.buffers[box.buffer].shape.size() != rank ||
      box.dims.size() != command.dims.size()) {
    return false;
  }
  auto inRange = [&](int64_t dim) {
    return dim >= -1 && dim < static_cast<int64_t>(rank);
  };
  return inRange(box.tileDim) && inRange(box.rowDim) &&
         std::all_of(box.dims.begin(), box.dims.end(), [&](const DimMap &map) {
           return inRange(map.deviceDim) &&
                  (map.deviceDim >= 0 || map.step == 1);
         });
}

std::string Printer::offset(const Box &box, size_t dim, bool sugared) const {
  Affine steps;
  std::string moving;
  int32_t wanted = static_cast<int32_t>(dim);
  for (size_t index = 0; sugared && index < box.dims.size(); ++index) {
    if (box.dims[index].deviceDim == wanted) {
      int64_t step = box.dims[index].step;
      uint64_t magnitude = step < 0 ? 0 - static_cast<uint64_t>(step)
                                    : static_cast<uint64_t>(step);
      moving += step < 0 ? " - " : " + ";
      moving += magnitude == 1 ? "" : fmt::format("{}*", magnitude);
      moving += fmt::format("d{}", index);
    }
  }
  if (sugared && box.tileDim == wanted) {
    moving += " + tile";
  }
  if (sugared && box.rowDim == wanted) {
    moving += " + row";
  }
  if (box.offsets[dim] != Affine{} || moving.empty()) {
    return affine(box.offsets[dim]) + moving;
  }
  // Without a constant the first sign is a prefix.
  return (moving[1] == '-' ? "-" : "") + moving.substr(3);
}

std::string Printer::box(const Box &box, const Command &command) const {
  bool sugared = isSugared(box, command);
  std::string text = box.access == LaneAccess::Splat ? "splat " : "";
  text += (sugared ? "" : "raw ") + buffer(box.buffer) + "[";
  size_t shown = box.offsets.size();
  if (sugared && shown > 0 && offset(box, shown - 1, true) == "0") {
    --shown;
  }
  for (size_t dim = 0; dim < shown; ++dim) {
    text += (dim ? ", " : "") + offset(box, dim, sugared);
  }
  text += "]";
  if (!sugared) {
    text += " maps [";
    for (size_t index = 0; index < box.dims.size(); ++index) {
      text += fmt::format("{}{} {}", index ? ", " : "",
                          box.dims[index].deviceDim, box.dims[index].step);
    }
    text += fmt::format("] tile {} row {}", box.tileDim, box.rowDim);
  }
  return text;
}

std::string Printer::boxes(const Command &command) const {
  size_t count = command.boxes.size();
  bool withOutputs = hasOutputBoxes(command);
  size_t arrow = count;
  if (withOutputs) {
    arrow = count - command.outputs.size();
  } else if (command.kind != CommandKind::Map && count >= 2) {
    arrow = count - 1;
  }
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    if (index == arrow) {
      text += " -> ";
    } else {
      text += index ? ", " : " ";
    }
    if (withOutputs && index >= arrow) {
      text += outputText(command.outputs[index - arrow], false);
    }
    text += box(command.boxes[index], command);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// What precedes the boxes.
std::string Printer::head(const Command &command) const {
  std::string text;
  if (command.combine != Combine::Store) {
    text += fmt::format(" {}", nameOf(command.combine));
  }
  // A loop's dims must not read as the index of the table of its trip count.
  bool separatesDims =
      command.kind == CommandKind::Loop && !command.dims.empty();
  if (command.kind == CommandKind::Map || command.body != 0 || separatesDims) {
    text += " " + body(command.body);
  }
  if (!command.dims.empty()) {
    text += " " + extents(command.dims);
  }
  if (command.kind != CommandKind::Loop && !command.trip.bounds.empty()) {
    text += " trip " + extent(command.trip);
  }
  if (command.numRowDims != 0) {
    text += fmt::format(" rows {}", command.numRowDims);
  }
  if (!command.stick.bounds.empty()) {
    text += " stick " + extent(command.stick);
  }
  if (!command.inner.bounds.empty()) {
    text += " inner " + extent(command.inner);
  }
  if (command.shiftLanes != 0) {
    text += fmt::format(" by {}", command.shiftLanes);
  }
  return text;
}

/// What follows the boxes.
std::string Printer::tail(const Command &command) const {
  std::string text;
  if (!command.first.empty()) {
    text += " first(";
    for (size_t index = 0; index < command.first.size(); ++index) {
      int32_t depth = command.first[index];
      text += index ? ", " : "";
      text += isNamedLoop(depth) ? fmt::format("i{}", depth)
                                 : fmt::format("{}", depth);
    }
    text += ")";
  }
  if (command.cores) {
    text += " to " + tableRef(*command.cores);
  }
  if (command.indexed) {
    const IndexedAccess &indexed = *command.indexed;
    text += fmt::format(" indexed {} by {} from {} count {}", indexed.deviceDim,
                        buffer(indexed.indexBuffer), affine(indexed.first),
                        extent(indexed.count));
    if (indexed.pageSize != 0) {
      text += fmt::format(" paged {}", indexed.pageSize);
    }
  }
  if (command.predicate) {
    text += " if " + tableRef(*command.predicate);
  }
  if (!command.outputs.empty() && !hasOutputBoxes(command)) {
    text += " outputs [";
    for (size_t index = 0; index < command.outputs.size(); ++index) {
      text += (index ? ", " : "") + outputText(command.outputs[index], true);
    }
    text += "]";
  }
  if (!command.next.empty()) {
    text += " next " + buffers(command.next);
  }
  if (command.source != 0) {
    text += fmt::format(" source {}", command.source);
  }
  return text;
}

void Printer::printCommands(const std::vector<Command> &commands) {
  int depth = 0;
  for (const Command &command : commands) {
    depth -= command.kind == CommandKind::End ? 1 : 0;
    // A list that was not read from an artifact may nest without bound.
    int indent = 4 + 2 * std::clamp(depth, 0, kMaxLoopNesting);
    std::string rest = head(command) + boxes(command) + tail(command);
    out += fmt::format("{:{}}", "", indent);
    switch (command.kind) {
    case CommandKind::Loop:
      out += fmt::format("loop {}{} {{\n", extent(command.trip), rest);
      ++depth;
      break;
    case CommandKind::End:
      out += rest.empty() ? "}\n" : fmt::format("}} end{}\n", rest);
      break;
    case CommandKind::Next:
      // `next` alone would continue the command before it.
      out += fmt::format("only{}\n", rest);
      break;
    default:
      out += fmt::format("{}{}\n", nameOf(command.kind), rest);
    }
  }
}

} // namespace spyre::launch::text
