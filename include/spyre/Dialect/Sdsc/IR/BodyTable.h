// SPDX-License-Identifier: Apache-2.0
//
// The pairs of MLIR op and body opcode that mean the same on the same operands.
// What needs more than that stands in BodyExport.cpp and BodyImport.cpp.

#ifndef SPYRE_DIALECT_SDSC_IR_BODYTABLE_H
#define SPYRE_DIALECT_SDSC_IR_BODYTABLE_H

#include "spyre/LaunchPlan/DeviceProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <span>

namespace spyre::sdsc {

/// What the operands of a body op are.
enum class BodyDomain { Float, Int, IntOrBool, Any };

struct BodyPair {
  llvm::StringLiteral name;
  launch::BodyOpcode opcode;
  BodyDomain operands;
};
std::span<const BodyPair> bodyPairs();

struct FloatPredicatePair {
  mlir::arith::CmpFPredicate predicate;
  launch::BodyOpcode opcode;
  /// The opcode's result is to be negated.
  bool negated;
};
std::span<const FloatPredicatePair> floatPredicatePairs();

struct IntPredicatePair {
  mlir::arith::CmpIPredicate predicate;
  launch::BodyOpcode opcode;
};
std::span<const IntPredicatePair> intPredicatePairs();

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_IR_BODYTABLE_H
