// SPDX-License-Identifier: Apache-2.0
//
// The launch dialect: attributes and operations.

#ifndef SPYRE_DIALECT_LAUNCH_IR_LAUNCHOPS_H
#define SPYRE_DIALECT_LAUNCH_IR_LAUNCHOPS_H

#include "spyre/Dialect/Support/PlanEnum.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

#include "spyre/Dialect/Launch/IR/LaunchDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Launch/IR/LaunchAttrs.h.inc"

namespace spyre::launch {

/// A step's attributes under the names of launch::Step. What it works on is a
/// symbol or a number, as the kind says.
struct StepView {
  StepKind kind = StepKind::Compute;
  mlir::FlatSymbolRefAttr symbol;
  uint32_t index = 0;
  mlir::StringAttr name;
  StepRole role = StepRole::Device;
  int32_t card = 0;
  /// Null: not declared.
  mlir::ArrayAttr reads;
  mlir::ArrayAttr writes;
};

/// Checks a step against its plan's arguments, segments and programs.
llvm::LogicalResult verifyStep(mlir::Operation *op,
                               mlir::SymbolTableCollection &symbols);

/// Bytes of the device image of a tensor type with a stick layout; an error
/// if it has none or exceeds 64 bits.
Expected<int64_t> deviceBytes(mlir::RankedTensorType type);

} // namespace spyre::launch

#include "spyre/Dialect/Launch/IR/LaunchInterfaces.h.inc"

#define GET_OP_CLASSES
#include "spyre/Dialect/Launch/IR/LaunchOps.h.inc"

#endif // SPYRE_DIALECT_LAUNCH_IR_LAUNCHOPS_H
