// SPDX-License-Identifier: Apache-2.0
//
// From body ops to scalar MLIR ops, such that BodyExport.cpp gives the same
// body ops again.

#include "spyre/Dialect/Sdsc/IR/BodyTable.h"

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Sdsc/Program/Body.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace spyre::sdsc {

using launch::BodyOpcode;

/// The type of the result of an opcode of the table.
static Type resultType(BodyOpcode opcode, OpBuilder &builder,
                       ValueRange operands) {
  switch (opcode) {
  case BodyOpcode::IsNan:
  case BodyOpcode::IsInf:
    return builder.getI1Type();
  case BodyOpcode::F32ToI32:
    return builder.getI32Type();
  case BodyOpcode::I32ToF32:
    return builder.getF32Type();
  case BodyOpcode::Select:
    return operands[1].getType();
  default:
    return operands[0].getType();
  }
}

static Value createConstant(OpBuilder &builder, Location loc,
                            const launch::BodyOp &op) {
  TypedAttr value;
  if (op.opcode == BodyOpcode::ConstF32) {
    APFloat number(APFloat::IEEEsingle(),
                   APInt(32, static_cast<uint32_t>(op.immediate)));
    value = builder.getFloatAttr(builder.getF32Type(), number);
  } else if (op.opcode == BodyOpcode::ConstI32) {
    value = builder.getI32IntegerAttr(static_cast<int32_t>(op.immediate));
  } else {
    value = builder.getBoolAttr(op.immediate != 0);
  }
  return arith::ConstantOp::create(builder, loc, value);
}

/// Comparisons, or null for another opcode.
static Value createCompare(OpBuilder &builder, Location loc, BodyOpcode opcode,
                           ValueRange operands) {
  for (const FloatPredicatePair &pair : floatPredicatePairs()) {
    if (pair.opcode == opcode) {
      return arith::CmpFOp::create(builder, loc, pair.predicate, operands[0],
                                   operands[1]);
    }
  }
  for (const IntPredicatePair &pair : intPredicatePairs()) {
    if (pair.opcode == opcode) {
      return arith::CmpIOp::create(builder, loc, pair.predicate, operands[0],
                                   operands[1]);
    }
  }
  return {};
}

Value createBodyOp(OpBuilder &builder, Location loc, const launch::BodyOp &op,
                   ValueRange operands) {
  for (const BodyPair &pair : bodyPairs()) {
    if (pair.opcode == op.opcode) {
      OperationState state(loc, pair.name, operands,
                           resultType(op.opcode, builder, operands));
      return builder.create(state)->getResult(0);
    }
  }
  if (Value compare = createCompare(builder, loc, op.opcode, operands)) {
    return compare;
  }
  switch (op.opcode) {
  case BodyOpcode::ConstF32:
  case BodyOpcode::ConstI32:
  case BodyOpcode::ConstBool:
    return createConstant(builder, loc, op);
  case BodyOpcode::BoolToF32:
    return arith::UIToFPOp::create(builder, loc, builder.getF32Type(),
                                   operands[0]);
  case BodyOpcode::BoolToI32:
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  operands[0]);
  case BodyOpcode::RoundTo:
    return RoundToOp::create(
        builder, loc, builder.getF32Type(), operands[0],
        ElementTypeAttr::get(builder.getContext(),
                             static_cast<ElementType>(op.immediate)));
  default:
    break;
  }
  bool toBool =
      op.opcode == BodyOpcode::F32ToBool || op.opcode == BodyOpcode::I32ToBool;
  Type type = toBool ? builder.getI1Type() : operands[0].getType();
  return ApplyOp::create(builder, loc, type,
                         OpcodeAttr::get(builder.getContext(), op.opcode),
                         operands[0]);
}

} // namespace spyre::sdsc
