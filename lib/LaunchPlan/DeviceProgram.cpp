// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of the device program's parts. Every name stands in one
// table per enumeration, which the text form, the JSON dump and the messages
// share; a table's length is checked against the enumeration.

#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/LaunchPlan/Names.h"

#include <limits>

namespace spyre::launch {

std::string_view toString(Unit unit) { return nameOf(unit); }

std::string_view toString(BodyOpcode opcode) { return nameOf(opcode); }

std::optional<BodyOpcode> parseBodyOpcode(std::string_view name) {
  return parseName<BodyOpcode>(name);
}

OpWork workOf(BodyOpcode opcode) {
  switch (opcode) {
  case BodyOpcode::Recip:
  case BodyOpcode::Sqrt:
  case BodyOpcode::Rsqrt:
  case BodyOpcode::Exp:
  case BodyOpcode::Log:
  case BodyOpcode::Erf:
  case BodyOpcode::Tanh:
  case BodyOpcode::Sigmoid:
  case BodyOpcode::Sin:
  case BodyOpcode::Cos:
  case BodyOpcode::Div:
  case BodyOpcode::Pow:
  case BodyOpcode::IDiv:
  case BodyOpcode::IRem:
    return OpWork::Transcendental;
  case BodyOpcode::ConstF32:
  case BodyOpcode::ConstI32:
  case BodyOpcode::ConstBool:
  case BodyOpcode::ScalarValue:
    return OpWork::Free;
  default:
    return OpWork::Simple;
  }
}

int numOperands(BodyOpcode opcode) {
  switch (opcode) {
  case BodyOpcode::ConstF32:
  case BodyOpcode::ConstI32:
  case BodyOpcode::ConstBool:
  case BodyOpcode::ScalarValue:
  case BodyOpcode::Index:
    return 0;
  case BodyOpcode::Neg:
  case BodyOpcode::Abs:
  case BodyOpcode::Sign:
  case BodyOpcode::Floor:
  case BodyOpcode::Ceil:
  case BodyOpcode::Round:
  case BodyOpcode::Recip:
  case BodyOpcode::Sqrt:
  case BodyOpcode::Rsqrt:
  case BodyOpcode::Exp:
  case BodyOpcode::Log:
  case BodyOpcode::Erf:
  case BodyOpcode::Tanh:
  case BodyOpcode::Sigmoid:
  case BodyOpcode::Sin:
  case BodyOpcode::Cos:
  case BodyOpcode::IsNan:
  case BodyOpcode::IsInf:
  case BodyOpcode::Not:
  case BodyOpcode::F32ToI32:
  case BodyOpcode::I32ToF32:
  case BodyOpcode::BoolToF32:
  case BodyOpcode::BoolToI32:
  case BodyOpcode::F32ToBool:
  case BodyOpcode::I32ToBool:
  case BodyOpcode::RoundTo:
    return 1;
  case BodyOpcode::Fma:
  case BodyOpcode::Select:
    return 3;
  default:
    return 2;
  }
}

std::string_view toString(CommandKind kind) { return nameOf(kind); }

std::string_view toString(Combine combine) { return nameOf(combine); }

namespace {

/// a * b clamped to int64's maximum; negative factors count as 0, so that
/// hostile extents give a size that no segment can hold, never a wrong one.
int64_t saturatingProduct(int64_t a, int64_t b) {
  if (a <= 0 || b <= 0) {
    return 0;
  }
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return std::numeric_limits<int64_t>::max();
  }
  return product;
}

} // namespace

int64_t numSticks(const Buffer &buffer) {
  int64_t sticks = 1;
  for (size_t dim = 0; dim + 1 < buffer.shape.size(); ++dim) {
    sticks = saturatingProduct(sticks, buffer.shape[dim]);
  }
  return sticks;
}

int64_t slotBytes(const Buffer &buffer) {
  return saturatingProduct(numSticks(buffer), kStickBytes);
}

int64_t sizeBytes(const Buffer &buffer) {
  int64_t slots = buffer.queue ? buffer.queue->slots : 1;
  return saturatingProduct(slotBytes(buffer), slots);
}

} // namespace spyre::launch
