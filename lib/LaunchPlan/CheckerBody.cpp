// SPDX-License-Identifier: Apache-2.0
//
// The types of a map's body: SSA over f32, i32 and bool, where every value is
// defined before its use and every cast is explicit.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

constexpr size_t kMaxBodyOps = 4096;

enum class ValueType : uint8_t { F32, I32, Bool };

std::string_view nameOf(ValueType type) {
  switch (type) {
  case ValueType::F32:
    return "f32";
  case ValueType::I32:
    return "i32";
  case ValueType::Bool:
    return "bool";
  }
  return "";
}

/// The type that an element is read as, or must have to be stored.
ValueType valueTypeOf(ElementType type) {
  if (type == ElementType::Bool) {
    return ValueType::Bool;
  }
  return isFloat(type) ? ValueType::F32 : ValueType::I32;
}

class BodyChecker {
public:
  BodyChecker(Context &context, const Program &program, const Command &command,
              const Place &place, int32_t depth)
      : context(context), program(program), command(command), place(place),
        depth(depth), body(program.bodies[command.body]) {}

  void check() {
    if (body.ops.size() > kMaxBodyOps) {
      refuse(ErrorCode::CheckCount,
             fmt::format("has {} operations, at most {} are possible",
                         body.ops.size(), kMaxBodyOps));
      return;
    }
    for (uint32_t i = 0; i < body.numInputs; ++i) {
      values.push_back(valueTypeOf(typeOfBox(i)));
    }
    for (const BodyOp &op : body.ops) {
      std::optional<ValueType> result = typeOfOp(op);
      if (!result) {
        return;
      }
      values.push_back(*result);
    }
    for (size_t i = 0; i < body.results.size(); ++i) {
      checkResult(i);
    }
  }

private:
  ElementType typeOfBox(size_t box) const {
    return program.buffers[command.boxes[box].buffer].type;
  }

  std::nullopt_t refuse(ErrorCode code, std::string message) {
    context.errors.addAt(
        code, place,
        fmt::format("body {}: {}", quoted(body.name), std::move(message)));
    return std::nullopt;
  }

  void checkResult(size_t result) {
    int32_t value = body.results[result];
    if (value < 0 || static_cast<size_t>(value) >= values.size()) {
      refuse(ErrorCode::CheckBody,
             fmt::format("result {} is value {}, there are {}", result, value,
                         values.size()));
      return;
    }
    ElementType stored = typeOfBox(body.numInputs + result);
    if (valueTypeOf(stored) != values[static_cast<size_t>(value)]) {
      refuse(ErrorCode::CheckBody,
             fmt::format("result {} is {} and cannot be stored as {}", result,
                         nameOf(values[static_cast<size_t>(value)]),
                         toString(stored)));
    }
  }

  std::optional<ValueType> operand(const BodyOp &op, size_t index) {
    int32_t value = op.operands[index];
    if (value < 0 || static_cast<size_t>(value) >= values.size()) {
      return refuse(ErrorCode::CheckBody,
                    fmt::format("{} uses value {} where {} are defined",
                                toString(op.opcode), value, values.size()));
    }
    return values[static_cast<size_t>(value)];
  }

  /// All operands have type `wanted`; the result is `result`.
  std::optional<ValueType> all(const BodyOp &op, ValueType wanted,
                               ValueType result) {
    for (int i = 0; i < numOperands(op.opcode); ++i) {
      std::optional<ValueType> type = operand(op, static_cast<size_t>(i));
      if (!type) {
        return std::nullopt;
      }
      if (*type != wanted) {
        return refuse(ErrorCode::CheckBody,
                      fmt::format("operand {} of {} is {}, must be {}", i,
                                  toString(op.opcode), nameOf(*type),
                                  nameOf(wanted)));
      }
    }
    return result;
  }

  std::optional<ValueType> logical(const BodyOp &op) {
    std::optional<ValueType> type = operand(op, 0);
    if (!type) {
      return std::nullopt;
    }
    if (*type == ValueType::F32) {
      return refuse(
          ErrorCode::CheckBody,
          fmt::format("{} takes bool or i32, not f32", toString(op.opcode)));
    }
    return all(op, *type, *type);
  }

  std::optional<ValueType> select(const BodyOp &op) {
    std::optional<ValueType> condition = operand(op, 0);
    std::optional<ValueType> first = operand(op, 1);
    std::optional<ValueType> second = operand(op, 2);
    if (!condition || !first || !second) {
      return std::nullopt;
    }
    if (*condition != ValueType::Bool || *first != *second) {
      return refuse(ErrorCode::CheckBody,
                    "select takes a bool and two values of one type");
    }
    return first;
  }

  std::optional<ValueType> indexValue(const BodyOp &op) {
    if (op.dimCoefficients.size() > command.dims.size()) {
      return refuse(ErrorCode::CheckCount,
                    fmt::format("index has {} dim coefficients, the command "
                                "{} dims",
                                op.dimCoefficients.size(),
                                command.dims.size()));
    }
    if (!checkAffine(context, program, op.index, depth, place)) {
      return std::nullopt;
    }
    return ValueType::I32;
  }

  std::optional<ValueType> leaf(const BodyOp &op) {
    switch (op.opcode) {
    case BodyOpcode::ConstF32:
      return ValueType::F32;
    case BodyOpcode::ConstI32:
      return ValueType::I32;
    case BodyOpcode::ConstBool:
      return ValueType::Bool;
    case BodyOpcode::ScalarValue:
      if (op.immediate < 0 ||
          static_cast<size_t>(op.immediate) >= program.scalars.size()) {
        return refuse(ErrorCode::CheckIndex,
                      fmt::format("reads scalar {}, the program has {}",
                                  op.immediate, program.scalars.size()));
      }
      return ValueType::I32;
    default:
      return indexValue(op);
    }
  }

  std::optional<ValueType> typeOfOp(const BodyOp &op) {
    using enum BodyOpcode;
    if (static_cast<size_t>(op.opcode) >= enumNames<BodyOpcode>.size()) {
      return refuse(ErrorCode::CheckEnum, "unknown operation");
    }
    if (op.opcode <= Pow) {
      return all(op, ValueType::F32, ValueType::F32);
    }
    if ((op.opcode >= CmpEq && op.opcode <= CmpGe) || op.opcode == IsNan ||
        op.opcode == IsInf) {
      return all(op, ValueType::F32, ValueType::Bool);
    }
    if (op.opcode == Select) {
      return select(op);
    }
    if (op.opcode >= And && op.opcode <= Not) {
      return logical(op);
    }
    if (op.opcode >= IShl && op.opcode <= IMax) {
      return all(op, ValueType::I32, ValueType::I32);
    }
    if (op.opcode >= ICmpEq && op.opcode <= ICmpGe) {
      return all(op, ValueType::I32, ValueType::Bool);
    }
    switch (op.opcode) {
    case F32ToI32:
      return all(op, ValueType::F32, ValueType::I32);
    case I32ToF32:
      return all(op, ValueType::I32, ValueType::F32);
    case BoolToF32:
      return all(op, ValueType::Bool, ValueType::F32);
    case BoolToI32:
      return all(op, ValueType::Bool, ValueType::I32);
    case F32ToBool:
      return all(op, ValueType::F32, ValueType::Bool);
    case I32ToBool:
      return all(op, ValueType::I32, ValueType::Bool);
    case RoundTo:
      if (op.immediate < 0 || op.immediate >= kNumElementTypes ||
          !isFloat(static_cast<ElementType>(op.immediate))) {
        return refuse(
            ErrorCode::CheckBody,
            fmt::format("rounds to type {}, which is no float", op.immediate));
      }
      return all(op, ValueType::F32, ValueType::F32);
    default:
      return leaf(op);
    }
  }

  Context &context;
  const Program &program;
  const Command &command;
  const Place &place;
  int32_t depth;
  const Body &body;
  std::vector<ValueType> values;
};

} // namespace

void checkMapBody(Context &context, const Program &program,
                  const Command &command, const Place &place, int32_t depth) {
  BodyChecker(context, program, command, place, depth).check();
}

} // namespace spyre::launch::checker
