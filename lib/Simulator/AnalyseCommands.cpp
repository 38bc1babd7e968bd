// SPDX-License-Identifier: Apache-2.0
//
// Structure of the command lists: loop nesting, operands, ranks, types, units
// and spaces, queue uses. See ProgramInfo.h.

#include "Analyser.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::sim {

using launch::Affine;
using launch::Box;
using launch::Buffer;
using launch::BufferKind;
using launch::Command;
using launch::CommandKind;
using launch::Extent;
using launch::Program;
using launch::Space;
using launch::TableRef;
using launch::TermKind;
using launch::Unit;

void Analyser::checkTableRef(const TableRef &ref, int64_t depth) {
  require(isMember(ref.table, static_cast<int64_t>(program.tables.size())),
          "a table reference names no table");
  bool needsLoop = program.tables[ref.table].innerSize != 1;
  require(needsLoop ? isMember(ref.loopDepth, depth) : ref.loopDepth == -1,
          "a table's second index does not name an enclosing loop");
}

void Analyser::checkAffine(const Affine &affine, int64_t depth) {
  for (const launch::Term &term : affine.terms) {
    switch (term.kind) {
    case TermKind::Loop:
      require(isMember(term.index, depth), "a term names no enclosing loop");
      break;
    case TermKind::Table:
      require(term.index >= 0, "a term names no table");
      checkTableRef({static_cast<uint32_t>(term.index), term.loopDepth}, depth);
      break;
    case TermKind::Scalar:
      require(
          isMember(term.index, static_cast<int64_t>(program.scalars.size())),
          "a term names no scalar");
      break;
    default:
      malformed("a term has an unknown kind");
    }
  }
}

void Analyser::checkExtent(const Extent &extent, int64_t depth) {
  require(!extent.bounds.empty(), "an extent has no bound");
  for (const Affine &bound : extent.bounds) {
    checkAffine(bound, depth);
  }
}

void Analyser::checkBox(const Command &command, size_t index,
                        size_t firstOutput, int64_t depth) {
  const Box &box = command.boxes[index];
  require(isMember(box.buffer, static_cast<int64_t>(program.buffers.size())),
          "a box names no buffer");
  const Buffer &buffer = program.buffers[box.buffer];
  int64_t outerDims = static_cast<int64_t>(buffer.shape.size()) - 1;
  auto isOuterDimOrNone = [outerDims](int64_t dim) {
    return dim == -1 || isMember(dim, outerDims);
  };
  require(box.offsets.size() == buffer.shape.size(),
          "a box does not have one offset per device dim");
  require(box.dims.size() == command.dims.size(),
          "a box does not map every command dim");
  for (const Affine &offset : box.offsets) {
    checkAffine(offset, depth);
  }
  for (const launch::DimMap &dim : box.dims) {
    require(isOuterDimOrNone(dim.deviceDim), "a box maps to no device dim");
  }
  require(isOuterDimOrNone(box.tileDim) && isOuterDimOrNone(box.rowDim),
          "a box has a tile or row dim that the buffer lacks");
  bool mayBeSplat = command.kind == CommandKind::Map && index < firstOutput;
  require(box.access == launch::LaneAccess::Stickwise ||
              (box.access == launch::LaneAccess::Splat && mayBeSplat),
          "only an input of a map may be a splat");
}

void Analyser::checkIndexed(const Command &command, int64_t depth) {
  const launch::IndexedAccess &indexed = *command.indexed;
  require(command.kind == CommandKind::Move, "only a move may be indexed");
  const Box &box = command.boxes[place.unit == int(Unit::Store) ? 1 : 0];
  const Buffer &buffer = program.buffers[box.buffer];
  require(buffer.space == Space::DDR, "an indexed box is not in DDR");
  require(isMember(indexed.deviceDim,
                   static_cast<int64_t>(buffer.shape.size()) - 1),
          "an indexed access names no device dim");
  require(isMember(indexed.indexBuffer,
                   static_cast<int64_t>(program.buffers.size())),
          "an indexed access names no index buffer");
  const Buffer &indices = program.buffers[indexed.indexBuffer];
  require(indices.space == Space::LX && indices.type == ElementType::I32,
          "an index buffer is not i32 in LX");
  require(indexed.pageSize >= 0, "a page size is negative");
  checkAffine(indexed.first, depth);
  checkExtent(indexed.count, depth);
}

void Analyser::checkKind(const Command &command) {
  auto unit = static_cast<Unit>(place.unit);
  bool allowed = true;
  switch (command.kind) {
  case CommandKind::Move:
    allowed = unit <= Unit::Ring;
    break;
  case CommandKind::Reduce:
    allowed = unit == Unit::Ring;
    break;
  case CommandKind::Matmul:
    allowed = unit == Unit::PT;
    break;
  case CommandKind::Map:
  case CommandKind::Transpose:
  case CommandKind::Shift:
    allowed = unit == Unit::SFU;
    break;
  case CommandKind::Loop:
  case CommandKind::End:
  case CommandKind::Next:
    break;
  default:
    malformed("a command has an unknown kind");
  }
  if (!allowed) {
    trap(ErrorCode::SimWrongUnit, place,
         fmt::format("unit {} cannot execute {}", launch::toString(unit),
                     launch::toString(command.kind)));
  }
}

void Analyser::checkSpaces(const Command &command) {
  auto unit = static_cast<Unit>(place.unit);
  for (size_t i = 0; i < command.boxes.size(); ++i) {
    bool isDdr =
        command.kind == CommandKind::Move &&
        ((unit == Unit::Load && i == 0) || (unit == Unit::Store && i == 1));
    const Buffer &buffer = program.buffers[command.boxes[i].buffer];
    if (buffer.space != (isDdr ? Space::DDR : Space::LX)) {
      trap(ErrorCode::SimWrongUnit, place,
           fmt::format("operand {} (buffer \"{}\") of {} on unit {} must be in "
                       "{}",
                       i, buffer.name, launch::toString(command.kind),
                       launch::toString(unit), isDdr ? "DDR" : "LX"));
    }
  }
}

void Analyser::checkMatmul(const Command &command) {
  int64_t dims = static_cast<int64_t>(command.dims.size());
  require(isMember(command.numRowDims, dims + 1) &&
              dims - command.numRowDims <= 2,
          "a matmul has at most two outer K dims");
  const Buffer &a = program.buffers[command.boxes[0].buffer];
  const Buffer &b = program.buffers[command.boxes[1].buffer];
  const Buffer &acc = program.buffers[command.boxes[2].buffer];
  ValueType type = valueType(a.type);
  require(type != ValueType::Bool && valueType(b.type) == type,
          "the operands of a matmul are neither both float nor both integer");
  require(acc.type ==
              (type == ValueType::F32 ? ElementType::F32 : ElementType::I32),
          "the accumulator of a matmul is not f32 (i32 for integers)");
  for (int64_t dim = command.numRowDims; dim < dims; ++dim) {
    require(command.boxes[2].dims[static_cast<size_t>(dim)].deviceDim == -1,
            "the accumulator of a matmul moves along an outer K dim");
  }
}

void Analyser::checkTypes(const Command &command) {
  ElementType type = program.buffers[command.boxes[0].buffer].type;
  for (const Box &box : command.boxes) {
    require(program.buffers[box.buffer].type == type,
            "the operands of a command differ in element type");
  }
  if (command.kind == CommandKind::Transpose ||
      command.kind == CommandKind::Shift) {
    if (bitWidth(type) < 16) {
      trap(ErrorCode::SimUnsupportedType, place,
           fmt::format("{} of {}", launch::toString(command.kind),
                       toString(type)));
    }
  }
  if (command.kind == CommandKind::Reduce) {
    require(type == ElementType::F32, "a ring reduction is not f32");
    require(command.combine == launch::Combine::Add ||
                command.combine == launch::Combine::Min ||
                command.combine == launch::Combine::Max,
            "a ring reduction combines by add, min or max");
    require(command.cores.has_value(), "a ring reduction has no core set");
  }
}

void Analyser::checkMap(const Command &command, int64_t depth,
                        CommandInfo &info) {
  const launch::Body &body = program.bodies[command.body];
  std::vector<ValueType> inputs;
  for (size_t i = 0; i < body.numInputs; ++i) {
    inputs.push_back(valueType(program.buffers[command.boxes[i].buffer].type));
  }
  info.types = inferTypes(place, body, inputs);
  for (const launch::BodyOp &op : body.ops) {
    if (op.opcode == launch::BodyOpcode::Index) {
      checkAffine(op.index, depth);
      require(op.dimCoefficients.size() <= command.dims.size(),
              "an index op has more coefficients than the command has dims");
    }
    if (op.opcode == launch::BodyOpcode::ScalarValue) {
      require(
          isMember(op.immediate, static_cast<int64_t>(program.scalars.size())),
          "a body op names no scalar");
    }
    if (op.opcode == launch::BodyOpcode::RoundTo) {
      require(isMember(op.immediate, kNumElementTypes) &&
                  isFloat(static_cast<ElementType>(op.immediate)) &&
                  bitWidth(static_cast<ElementType>(op.immediate)) >= 16,
              "a rounding op names no 16- or 32-bit float type");
    }
  }
  for (size_t i = 0; i < command.outputs.size(); ++i) {
    const launch::MapOutput &output = command.outputs[i];
    ElementType type =
        program.buffers[command.boxes[body.numInputs + i].buffer].type;
    require(info.types[static_cast<size_t>(body.results[i])] == valueType(type),
            "a result of a body does not have the type of its buffer");
    require(output.combine <= launch::Combine::Or &&
                output.lanes <= launch::MapOutput::Lanes::SplatAll,
            "an output has an unknown combination");
    bool combines = output.combine != launch::Combine::Store;
    require(!combines || type == ElementType::F32 || type == ElementType::I32,
            "an accumulator is neither f32 nor i32");
    require(combines || (!output.accumulate &&
                         output.lanes == launch::MapOutput::Lanes::Keep),
            "an output that stores cannot combine lanes or accumulate");
    require((output.combine != launch::Combine::And &&
             output.combine != launch::Combine::Or) ||
                type == ElementType::I32,
            "and, or combine i32 only");
  }
}

void Analyser::checkOperands(const Command &command, int64_t depth) {
  size_t boxes = 2;
  size_t firstOutput = 1;
  switch (command.kind) {
  case CommandKind::Matmul:
  case CommandKind::Shift:
    boxes = 3;
    firstOutput = 2;
    break;
  case CommandKind::Map: {
    require(isMember(command.body, static_cast<int64_t>(program.bodies.size())),
            "a map names no body");
    const launch::Body &body = program.bodies[command.body];
    require(command.outputs.size() == body.results.size(),
            "a map does not describe every result of its body");
    firstOutput = body.numInputs;
    boxes = firstOutput + body.results.size();
    require(boxes <= kMaxBoxes, "a map has more than 16 operands");
    break;
  }
  default:
    break;
  }
  require(command.boxes.size() == boxes, "a command lacks operands");
  require(command.dims.size() <= kMaxCommandDims,
          "a command has more than seven dims");
  for (const Extent &extent : command.dims) {
    checkExtent(extent, depth);
  }
  if (command.kind != CommandKind::Move &&
      command.kind != CommandKind::Reduce) {
    checkExtent(command.stick, depth);
  }
  if (command.kind == CommandKind::Matmul ||
      command.kind == CommandKind::Transpose) {
    checkExtent(command.inner, depth);
  }
  for (size_t i = 0; i < boxes; ++i) {
    checkBox(command, i, firstOutput, depth);
  }
}

void Analyser::addQueues(const Command &command, CommandInfo &info) {
  auto unit = static_cast<Unit>(place.unit);
  auto add = [&](uint32_t index, std::vector<QueueUse> &uses) {
    const Buffer &buffer = program.buffers[index];
    if (!buffer.queue) {
      return false;
    }
    std::optional<int32_t> side = queueSide(*buffer.queue, unit);
    if (!side) {
      trap(ErrorCode::SimQueueUndeclared, place,
           fmt::format("unit {} is neither producer nor consumer of queue "
                       "\"{}\"",
                       launch::toString(unit), buffer.name));
    }
    QueueUse use{index, *side};
    if (std::find(uses.begin(), uses.end(), use) == uses.end()) {
      uses.push_back(use);
    }
    return true;
  };
  for (const Box &box : command.boxes) {
    add(box.buffer, info.waits);
  }
  if (command.indexed) {
    add(command.indexed->indexBuffer, info.waits);
  }
  for (uint32_t buffer : command.next) {
    require(isMember(buffer, static_cast<int64_t>(program.buffers.size())),
            "next names no buffer");
    require(add(buffer, info.nexts), "next names a buffer that is no queue");
    add(buffer, info.waits);
  }
  require(info.nexts.size() == command.next.size(), "next names a queue twice");
}

CommandInfo Analyser::analyseCommand(const Command &command, int64_t depth) {
  CommandInfo info;
  checkKind(command);
  if (command.predicate) {
    checkTableRef(*command.predicate, depth);
  }
  if (command.cores) {
    checkTableRef(*command.cores, depth);
  }
  for (int32_t loop : command.first) {
    require(isMember(loop, depth), "first names no enclosing loop");
  }
  switch (command.kind) {
  case CommandKind::Loop:
    checkExtent(command.trip, depth);
    break;
  case CommandKind::End:
  case CommandKind::Next:
    require(command.boxes.empty(), "a control command has operands");
    break;
  default:
    checkOperands(command, depth);
    checkSpaces(command);
    if (command.kind == CommandKind::Matmul) {
      checkMatmul(command);
    } else if (command.kind == CommandKind::Map) {
      checkMap(command, depth, info);
    } else {
      checkTypes(command);
    }
  }
  if (command.indexed) {
    checkIndexed(command, depth);
  }
  addQueues(command, info);
  bool isControl =
      command.kind == CommandKind::Loop || command.kind == CommandKind::End;
  require(!isControl || info.nexts.empty(), "a loop carries queue actions");
  return info;
}

std::vector<CommandInfo>
Analyser::analyseList(const std::vector<Command> &list) {
  std::vector<CommandInfo> infos;
  std::vector<size_t> open;
  for (size_t i = 0; i < list.size(); ++i) {
    place.command = &list[i];
    infos.push_back(analyseCommand(list[i], static_cast<int64_t>(open.size())));
    if (list[i].kind == CommandKind::Loop) {
      require(open.size() < kMaxLoopDepth, "loops nest too deeply");
      open.push_back(i);
    } else if (list[i].kind == CommandKind::End) {
      require(!open.empty(), "an end closes no loop");
      infos[i].match = static_cast<int32_t>(open.back());
      infos[open.back()].match = static_cast<int32_t>(i);
      open.pop_back();
    }
  }
  require(open.empty(), "a loop has no end");
  place.command = nullptr;
  return infos;
}

} // namespace spyre::sim
