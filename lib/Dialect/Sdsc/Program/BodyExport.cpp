// SPDX-License-Identifier: Apache-2.0
//
// From scalar MLIR ops to body ops.

#include "spyre/Dialect/Sdsc/IR/BodyTable.h"

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace spyre::sdsc {

using launch::BodyOpcode;

static bool isBool(Type type) { return type.isInteger(1); }

void BodyBuilder::addInput(Value value) {
  bind(value, static_cast<int32_t>(body.numInputs++));
}

FailureOr<int32_t> BodyBuilder::lookup(Value value, Operation *user) {
  auto found = numbers.find(value);
  if (found == numbers.end()) {
    return unsupported(user, "a value from outside of the body is used");
  }
  return found->second;
}

int32_t BodyBuilder::append(launch::BodyOp op) {
  body.ops.push_back(std::move(op));
  return static_cast<int32_t>(body.numInputs + body.ops.size() - 1);
}

int32_t BodyBuilder::append(BodyOpcode opcode, ArrayRef<int32_t> operands,
                            int64_t immediate) {
  launch::BodyOp op;
  op.opcode = opcode;
  llvm::copy(operands, op.operands.begin());
  op.immediate = immediate;
  return append(std::move(op));
}

LogicalResult BodyBuilder::unsupported(Operation *op, const Twine &reason) {
  return emitCoded(op, ErrorCode::UnsupportedBodyOp,
                   "'" + Twine(op->getName().getStringRef()) +
                       "' cannot run in a body on the device: " + reason);
}

/// Whether an operand type is of the domain of an opcode.
static bool fits(BodyDomain domain, Type type) {
  switch (domain) {
  case BodyDomain::Float:
    return isa<FloatType>(type);
  case BodyDomain::Int:
    return type.isIntOrIndex() && !isBool(type);
  case BodyDomain::IntOrBool:
    return type.isIntOrIndex();
  case BodyDomain::Any:
    return true;
  }
  return false;
}

/// The numeric value of an integer constant, if i32 holds it.
static std::optional<int64_t> asInt32(const APInt &value) {
  if (!value.isSignedIntN(32)) {
    return std::nullopt;
  }
  return value.getSExtValue();
}

LogicalResult BodyBuilder::convertConstant(Operation *op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat single = number.getValue();
    bool losesInfo = false;
    single.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    int64_t bits = static_cast<int64_t>(single.bitcastToAPInt().getZExtValue());
    bind(op->getResult(0), append(BodyOpcode::ConstF32, {}, bits));
    return success();
  }
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer) {
    return unsupported(op, "only scalar constants are possible");
  }
  if (isBool(integer.getType())) {
    int64_t bit = integer.getValue().getZExtValue();
    bind(op->getResult(0), append(BodyOpcode::ConstBool, {}, bit));
    return success();
  }
  std::optional<int64_t> number = asInt32(integer.getValue());
  if (!number) {
    return unsupported(op, "the constant does not fit 32 bits");
  }
  bind(op->getResult(0), append(BodyOpcode::ConstI32, {}, *number));
  return success();
}

LogicalResult BodyBuilder::convertCompare(Operation *op,
                                          ArrayRef<int32_t> operands) {
  Value result = op->getResult(0);
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    for (const FloatPredicatePair &pair : floatPredicatePairs()) {
      if (pair.predicate == compare.getPredicate()) {
        int32_t number = append(pair.opcode, operands);
        bind(result, pair.negated ? append(BodyOpcode::Not, number) : number);
        return success();
      }
    }
    return unsupported(op, "this predicate has no counterpart");
  }
  auto compare = cast<arith::CmpIOp>(op);
  bool equality = compare.getPredicate() == arith::CmpIPredicate::eq ||
                  compare.getPredicate() == arith::CmpIPredicate::ne;
  if (isBool(compare.getLhs().getType())) {
    if (!equality) {
      return unsupported(op, "booleans are compared for equality only");
    }
    int32_t differs = append(BodyOpcode::Xor, operands);
    bool eq = compare.getPredicate() == arith::CmpIPredicate::eq;
    bind(result, eq ? append(BodyOpcode::Not, differs) : differs);
    return success();
  }
  for (const IntPredicatePair &pair : intPredicatePairs()) {
    if (pair.predicate == compare.getPredicate()) {
      bind(result, append(pair.opcode, operands));
      return success();
    }
  }
  return unsupported(op, "integers are compared as signed");
}

/// Whether all that a value is used for is to be stored.
static bool isOnlyYielded(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

LogicalResult BodyBuilder::convertCast(Operation *op, int32_t operand) {
  Value result = op->getResult(0);
  Type from = op->getOperand(0).getType();
  Type to = result.getType();
  if (isa<arith::ExtFOp>(op) ||
      (isa<arith::TruncFOp>(op) && isOnlyYielded(result))) {
    bind(result, operand);
    return success();
  }
  if (isa<arith::TruncFOp>(op)) {
    std::optional<ElementType> storage = toElementType(to);
    if (!storage) {
      return unsupported(op, "the device does not store the type");
    }
    bind(result,
         append(BodyOpcode::RoundTo, operand, static_cast<int64_t>(*storage)));
    return success();
  }
  if (isBool(from)) {
    if (isa<arith::UIToFPOp>(op)) {
      bind(result, append(BodyOpcode::BoolToF32, operand));
      return success();
    }
    if (isa<arith::ExtUIOp>(op)) {
      bind(result, append(BodyOpcode::BoolToI32, operand));
      return success();
    }
    return unsupported(op, "a boolean is extended without a sign");
  }
  if (isa<arith::TruncIOp>(op) && isBool(to)) {
    int32_t one = append(BodyOpcode::ConstI32, {}, 1);
    int32_t low = append(BodyOpcode::And, {operand, one});
    bind(result, append(BodyOpcode::I32ToBool, low));
    return success();
  }
  bool identity = isa<arith::ExtSIOp, arith::IndexCastOp>(op) ||
                  (isa<arith::TruncIOp>(op) && to.isInteger(32));
  if (!identity) {
    return unsupported(op, "the cast has no counterpart");
  }
  bind(result, operand);
  return success();
}

LogicalResult BodyBuilder::convert(Operation *op) {
  if (isa<arith::ConstantOp>(op)) {
    return convertConstant(op);
  }
  SmallVector<int32_t, 3> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<int32_t> number = lookup(operand, op);
    if (failed(number)) {
      return failure();
    }
    operands.push_back(*number);
  }
  StringRef name = op->getName().getStringRef();
  for (const BodyPair &pair : bodyPairs()) {
    if (pair.name == name && fits(pair.operands, op->getOperand(0).getType())) {
      bind(op->getResult(0), append(pair.opcode, operands));
      return success();
    }
  }
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::CmpFOp, arith::CmpIOp>(
          [&](auto) { return convertCompare(op, operands); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::IndexCastOp, arith::UIToFPOp>(
          [&](auto) { return convertCast(op, operands[0]); })
      .Case([&](math::AbsIOp) {
        int32_t zero = append(BodyOpcode::ConstI32, {}, 0);
        int32_t negated = append(BodyOpcode::ISub, {zero, operands[0]});
        bind(op->getResult(0),
             append(BodyOpcode::IMax, {operands[0], negated}));
        return success();
      })
      .Case([&](ApplyOp apply) {
        bind(apply.getResult(), append(apply.getOpcode(), operands));
        return success();
      })
      .Case([&](RoundToOp round) {
        bind(round.getResult(),
             append(BodyOpcode::RoundTo, operands,
                    static_cast<int64_t>(round.getStorage())));
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        std::optional<launch::BodyOp> found =
            fallback ? fallback(op) : std::nullopt;
        if (!found) {
          return unsupported(op, "it has no counterpart");
        }
        bind(op->getResult(0), append(std::move(*found)));
        return success();
      });
}

LogicalResult BodyBuilder::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed(convert(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult BodyBuilder::finish(ValueRange results, Operation *user) {
  for (Value result : results) {
    FailureOr<int32_t> number = lookup(result, user);
    if (failed(number)) {
      return failure();
    }
    body.results.push_back(*number);
  }
  return success();
}

} // namespace spyre::sdsc
