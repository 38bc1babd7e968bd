// SPDX-License-Identifier: Apache-2.0
//
// The operands that each kind of command takes: how many, in which space, of
// which type, and which of them may move along which dims.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

class OperandChecker {
public:
  OperandChecker(Context &context, const Program &program,
                 const ProgramFacts &facts, const Command &command,
                 const Place &place, int32_t depth)
      : context(context), program(program), facts(facts), command(command),
        place(place), depth(depth) {}

  void check() {
    switch (command.kind) {
    case CommandKind::Move:
      checkMove();
      break;
    case CommandKind::Reduce:
      checkReduce();
      break;
    case CommandKind::Matmul:
      checkMatmul();
      break;
    case CommandKind::Map:
      checkMap();
      break;
    case CommandKind::Transpose:
    case CommandKind::Shift:
      checkRearrange();
      break;
    default:
      expectBoxes(0);
      break;
    }
  }

private:
  void refuse(ErrorCode code, std::string message) {
    context.errors.addAt(code, place, std::move(message));
  }

  const Buffer &bufferOf(size_t box) const {
    return program.buffers[command.boxes[box].buffer];
  }

  bool expectBoxes(size_t count) {
    if (command.boxes.size() != count) {
      refuse(ErrorCode::CheckCount,
             fmt::format("{} has {} operands, needs {}", toString(command.kind),
                         command.boxes.size(), count));
      return false;
    }
    return true;
  }

  void expectSpace(size_t box, Space space) {
    if (bufferOf(box).space != space) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("operand {} ({}) of {} on {} must be in {}", box,
                         quoted(bufferOf(box).name), toString(command.kind),
                         toString(place.unit),
                         space == Space::LX ? "LX" : "DDR"));
    }
  }

  void expectStickwise(size_t box) {
    const Affine &lane = command.boxes[box].offsets.back();
    if (command.boxes[box].access != LaneAccess::Stickwise ||
        lane.constant != 0 || !lane.terms.empty()) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("operand {} ({}) must be stickwise from lane 0", box,
                         quoted(bufferOf(box).name)));
    }
  }

  void expectEqualTypes(size_t a, size_t b) {
    if (bufferOf(a).type != bufferOf(b).type) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("operands {} and {} must have one type, not {} and "
                         "{}",
                         quoted(bufferOf(a).name), quoted(bufferOf(b).name),
                         toString(bufferOf(a).type),
                         toString(bufferOf(b).type)));
    }
  }

  void expectWritable(size_t box) {
    BufferRole role = bufferOf(box).role;
    if (role == BufferRole::Input || role == BufferRole::Weight) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("writes {}, which is an input or a weight",
                         quoted(bufferOf(box).name)));
    }
  }

  void checkMove() {
    if (!expectBoxes(2)) {
      return;
    }
    expectSpace(0, place.unit == Unit::Load ? Space::DDR : Space::LX);
    expectSpace(1, place.unit == Unit::Store ? Space::DDR : Space::LX);
    expectEqualTypes(0, 1);
    expectStickwise(0);
    expectStickwise(1);
    expectWritable(1);
    if (command.cores && place.unit == Unit::Store) {
      refuse(ErrorCode::CheckOperands, "store cannot send to other cores");
    }
  }

  void checkReduce() {
    if (!expectBoxes(2)) {
      return;
    }
    for (size_t box = 0; box < 2; ++box) {
      expectSpace(box, Space::LX);
      expectStickwise(box);
      if (bufferOf(box).type != ElementType::F32) {
        refuse(ErrorCode::CheckOperands, "reduce combines f32 only");
      }
    }
    if (!command.cores || command.predicate ||
        (command.combine != Combine::Add && command.combine != Combine::Min &&
         command.combine != Combine::Max)) {
      refuse(ErrorCode::CheckOperands,
             "reduce needs a core set, no predicate, and add, min or max");
    }
  }

  void checkMatmul() {
    if (!expectBoxes(3)) {
      return;
    }
    for (size_t box = 0; box < 3; ++box) {
      expectSpace(box, Space::LX);
      expectStickwise(box);
    }
    expectEqualTypes(0, 1);
    ElementType type = bufferOf(0).type;
    ElementType wanted = isFloat(type) ? ElementType::F32 : ElementType::I32;
    if (bufferOf(2).type != wanted || type == ElementType::Bool) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("a matmul of {} accumulates in {}, not {}",
                         toString(type), toString(wanted),
                         toString(bufferOf(2).type)));
    }
    int64_t numDims = static_cast<int64_t>(command.dims.size());
    if (command.numRowDims < 0 || command.numRowDims > numDims ||
        numDims - command.numRowDims > 2) {
      refuse(ErrorCode::CheckCount,
             fmt::format("{} of {} dims are rows; at most 2 others can be K",
                         command.numRowDims, numDims));
      return;
    }
    for (int64_t dim = 0; dim < numDims; ++dim) {
      const Box &still = command.boxes[dim < command.numRowDims ? 1 : 2];
      if (still.dims[static_cast<size_t>(dim)].deviceDim != -1) {
        refuse(ErrorCode::CheckOperands,
               "B must not move along rows, the accumulator not along K");
      }
    }
  }

  void checkMap() {
    if (command.body >= program.bodies.size()) {
      refuse(ErrorCode::CheckIndex,
             fmt::format("uses body {}, the program has {}", command.body,
                         program.bodies.size()));
      return;
    }
    const Body &body = program.bodies[command.body];
    if (command.outputs.empty() ||
        command.outputs.size() != body.results.size() ||
        command.boxes.size() != command.outputs.size() + body.numInputs) {
      refuse(ErrorCode::CheckCount,
             fmt::format("has {} boxes and {} outputs for a body of {} inputs "
                         "and {} results",
                         command.boxes.size(), command.outputs.size(),
                         body.numInputs, body.results.size()));
      return;
    }
    for (size_t box = 0; box < command.boxes.size(); ++box) {
      expectSpace(box, Space::LX);
      if (command.boxes[box].access == LaneAccess::Stickwise) {
        expectStickwise(box);
      }
    }
    for (size_t i = 0; i < command.outputs.size(); ++i) {
      checkMapOutput(body.numInputs + i, command.outputs[i]);
    }
    checkMapBody(context, program, command, place, depth);
  }

  void checkMapOutput(size_t box, const MapOutput &output) {
    expectStickwise(box);
    if (static_cast<size_t>(output.combine) >= enumNames<Combine>.size() ||
        static_cast<size_t>(output.lanes) >=
            enumNames<MapOutput::Lanes>.size()) {
      refuse(ErrorCode::CheckEnum, "unknown combine or lanes of an output");
      return;
    }
    bool stores = output.combine == Combine::Store;
    if (stores &&
        (output.accumulate || output.lanes != MapOutput::Lanes::Keep)) {
      refuse(ErrorCode::CheckOperands,
             "an output that stores cannot combine lanes or accumulate");
    }
    if (output.lanes != MapOutput::Lanes::Keep &&
        command.boxes[box].tileDim != -1) {
      refuse(ErrorCode::CheckOperands,
             "an output of combined lanes has one stick and no tile dim");
    }
    ElementType type = bufferOf(box).type;
    bool logical =
        output.combine == Combine::And || output.combine == Combine::Or;
    bool accumulates =
        type == ElementType::I32 ||
        (logical ? type == ElementType::Bool : type == ElementType::F32);
    if (!stores && !accumulates) {
      refuse(ErrorCode::CheckOperands,
             fmt::format("an output that combines ({}) cannot be {}",
                         toString(output.combine), toString(type)));
    }
  }

  void checkRearrange() {
    bool shift = command.kind == CommandKind::Shift;
    if (!expectBoxes(shift ? 3 : 2)) {
      return;
    }
    for (size_t box = 0; box < command.boxes.size(); ++box) {
      expectSpace(box, Space::LX);
      expectStickwise(box);
      expectEqualTypes(0, box);
    }
    int64_t lanes = facts.buffers[command.boxes[0].buffer].elementsPerStick;
    if (bitWidth(bufferOf(0).type) < 16) {
      refuse(ErrorCode::CheckNotProved,
             fmt::format("{} of {} is not proved yet", toString(command.kind),
                         toString(bufferOf(0).type)));
    } else if (shift &&
               (command.shiftLanes < 0 || command.shiftLanes > lanes)) {
      refuse(ErrorCode::CheckValue,
             fmt::format("shifts by {} lanes, a stick has {}",
                         command.shiftLanes, lanes));
    }
  }

  Context &context;
  const Program &program;
  const ProgramFacts &facts;
  const Command &command;
  const Place &place;
  int32_t depth;
};

} // namespace

void checkOperands(Context &context, const Program &program,
                   const ProgramFacts &facts, const Command &command,
                   const Place &place, int32_t depth) {
  OperandChecker(context, program, facts, command, place, depth).check();
}

} // namespace spyre::launch::checker
