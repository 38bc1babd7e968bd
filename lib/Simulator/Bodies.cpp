// SPDX-License-Identifier: Apache-2.0
//
// Types of map bodies. A body is SSA over f32, i32 and bool with explicit
// casts; the only polymorphic opcodes are the bitwise ones and select.

#include "ProgramInfo.h"

#include <fmt/format.h>

namespace spyre::sim {
namespace {

using launch::BodyOpcode;

const char *nameOf(ValueType type) {
  switch (type) {
  case ValueType::F32:
    return "f32";
  case ValueType::I32:
    return "i32";
  case ValueType::Bool:
    return "bool";
  }
  return "?";
}

struct Signature {
  ValueType operand;
  ValueType result;
};

Signature signatureOf(BodyOpcode opcode) {
  auto inRange = [opcode](BodyOpcode first, BodyOpcode last) {
    return opcode >= first && opcode <= last;
  };
  if (inRange(BodyOpcode::CmpEq, BodyOpcode::CmpGe) ||
      opcode == BodyOpcode::IsNan || opcode == BodyOpcode::IsInf ||
      opcode == BodyOpcode::F32ToBool) {
    return {ValueType::F32, ValueType::Bool};
  }
  if (inRange(BodyOpcode::ICmpEq, BodyOpcode::ICmpGe) ||
      opcode == BodyOpcode::I32ToBool) {
    return {ValueType::I32, ValueType::Bool};
  }
  if (inRange(BodyOpcode::IShl, BodyOpcode::IMax) ||
      opcode == BodyOpcode::ConstI32 || opcode == BodyOpcode::ScalarValue ||
      opcode == BodyOpcode::Index) {
    return {ValueType::I32, ValueType::I32};
  }
  switch (opcode) {
  case BodyOpcode::F32ToI32:
    return {ValueType::F32, ValueType::I32};
  case BodyOpcode::I32ToF32:
    return {ValueType::I32, ValueType::F32};
  case BodyOpcode::BoolToF32:
    return {ValueType::Bool, ValueType::F32};
  case BodyOpcode::BoolToI32:
    return {ValueType::Bool, ValueType::I32};
  case BodyOpcode::ConstBool:
    return {ValueType::Bool, ValueType::Bool};
  default:
    return {ValueType::F32, ValueType::F32};
  }
}

void requireType(const Place &place, const launch::Body &body, size_t op,
                 ValueType actual, ValueType wanted) {
  if (actual != wanted) {
    trap(ErrorCode::SimBadProgram, place,
         fmt::format("op {} ({}) of body \"{}\" takes {}, not {}", op,
                     launch::toString(body.ops[op].opcode), body.name,
                     nameOf(wanted), nameOf(actual)));
  }
}

ValueType resultOf(const Place &place, const launch::Body &body, size_t index,
                   const std::vector<ValueType> &types) {
  const launch::BodyOp &op = body.ops[index];
  auto operand = [&](int i) {
    return types[static_cast<size_t>(op.operands[static_cast<size_t>(i)])];
  };
  switch (op.opcode) {
  case BodyOpcode::Select:
    requireType(place, body, index, operand(0), ValueType::Bool);
    requireType(place, body, index, operand(2), operand(1));
    return operand(1);
  case BodyOpcode::And:
  case BodyOpcode::Or:
  case BodyOpcode::Xor:
  case BodyOpcode::Not:
    if (operand(0) == ValueType::F32) {
      requireType(place, body, index, operand(0), ValueType::I32);
    }
    if (op.opcode != BodyOpcode::Not) {
      requireType(place, body, index, operand(1), operand(0));
    }
    return operand(0);
  default: {
    Signature signature = signatureOf(op.opcode);
    for (int i = 0; i < launch::numOperands(op.opcode); ++i) {
      requireType(place, body, index, operand(i), signature.operand);
    }
    return signature.result;
  }
  }
}

} // namespace

std::vector<ValueType> inferTypes(const Place &place, const launch::Body &body,
                                  std::span<const ValueType> inputs) {
  std::vector<ValueType> types(inputs.begin(), inputs.end());
  for (size_t i = 0; i < body.ops.size(); ++i) {
    types.push_back(resultOf(place, body, i, types));
  }
  return types;
}

} // namespace spyre::sim
