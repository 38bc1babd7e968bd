// SPDX-License-Identifier: Apache-2.0
//
// Operations of the sdsc dialect.

#ifndef SPYRE_DIALECT_SDSC_IR_SDSCOPS_H
#define SPYRE_DIALECT_SDSC_IR_SDSCOPS_H

#include "spyre/Cost/KernelPlan.h"
#include "spyre/Dialect/Sdsc/IR/SdscAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace spyre::sdsc {

/// Limits of the program's format (those of a machine stand in its target).
inline constexpr int64_t kMaxTableInnerSize = 256;
inline constexpr size_t kMaxCommandDims = 7;

/// The attributes of a command under the names of launch::Command; what a kind
/// of command does not have is null or empty.
struct CommandView {
  launch::CommandKind kind = launch::CommandKind::Next;
  ExtentAttr trip;
  mlir::ArrayAttr dims;
  int32_t numRowDims = 0;
  ExtentAttr stick;
  ExtentAttr inner;
  llvm::SmallVector<BoxAttr, 4> boxes;
  llvm::ArrayRef<int32_t> first;
  TableUseAttr cores;
  TableUseAttr predicate;
  IndexedAttr indexed;
  launch::Combine combine = launch::Combine::Store;
  mlir::ArrayAttr outputs;
  int64_t shiftLanes = 0;
  mlir::ArrayAttr next;
  mlir::StringAttr kernel;
};

/// What a body computes with an element type in: f32, i32 or i1.
mlir::Type bodyType(ElementType type, mlir::MLIRContext *context);

/// The device element type that an MLIR type stands for, and back.
std::optional<ElementType> toElementType(mlir::Type type);
mlir::Type toMlirType(ElementType type, mlir::MLIRContext *context);

/// Bytes of a buffer of a device shape: whole sticks, whatever they hold.
int64_t deviceBytes(llvm::ArrayRef<int64_t> shape);

/// Number of loops around an op, inside its unit.
int64_t loopDepth(mlir::Operation *op);

/// Checks a command against its unit, its loops and the program's symbols.
llvm::LogicalResult verifyCommand(mlir::Operation *op,
                                  mlir::SymbolTableCollection &symbols);

} // namespace spyre::sdsc

#include "spyre/Dialect/Sdsc/IR/SdscInterfaces.h.inc"

#define GET_OP_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscOps.h.inc"

#endif // SPYRE_DIALECT_SDSC_IR_SDSCOPS_H
