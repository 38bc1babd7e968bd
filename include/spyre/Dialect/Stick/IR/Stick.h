// SPDX-License-Identifier: Apache-2.0
//
// The stick dialect: its classes, and how layouts and element types of the
// project map to MLIR types.

#ifndef SPYRE_DIALECT_STICK_IR_STICK_H
#define SPYRE_DIALECT_STICK_IR_STICK_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Layout/StickLayout.h"
#include "spyre/Support/ElementType.h"
#include "spyre/Support/Error.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace spyre::layout {
/// Found by argument-dependent lookup when attributes are uniqued.
llvm::hash_code hash_value(const StickLayout &layout);
} // namespace spyre::layout

#include "spyre/Dialect/Stick/IR/StickDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Stick/IR/StickAttrs.h.inc"

#define GET_OP_CLASSES
#include "spyre/Dialect/Stick/IR/StickOps.h.inc"

namespace spyre::stick {

/// Attribute of a module with the bytes of the weights whose file is "": a
/// dense tensor of i8.
inline constexpr llvm::StringLiteral kConstantBytesAttr =
    "stick.constant_bytes";

/// The device's element type for an MLIR type: f16, bf16, f32, i1 (bool), i4,
/// i8, i32, i64 (narrowed to i32 on the device) and the two fp8 types; nothing
/// for any other type.
std::optional<ElementType> toElementType(mlir::Type type);

/// What a host array or a file of elements of the type holds; nothing for a
/// type that no host tensor has (i4, ui16, fp8).
std::optional<launch::HostType> toHostType(mlir::Type type);

/// The layout of a tensor type or value; null if it has none.
LayoutAttr getLayout(mlir::Type type);
LayoutAttr getLayout(mlir::Value value);

/// The same tensor type with that layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const layout::StickLayout &layout);

} // namespace spyre::stick

#endif // SPYRE_DIALECT_STICK_IR_STICK_H
