// SPDX-License-Identifier: Apache-2.0
//
// The onnx dialect: its classes.

#ifndef SPYRE_DIALECT_ONNX_IR_ONNX_H
#define SPYRE_DIALECT_ONNX_IR_ONNX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "spyre/Dialect/Onnx/IR/OnnxDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "spyre/Dialect/Onnx/IR/OnnxTypes.h.inc"

#define GET_OP_CLASSES
#include "spyre/Dialect/Onnx/IR/OnnxOps.h.inc"

namespace spyre::onnx {

/// On a node whose operands are known and whose results have the types that
/// decoding gives them: what else the model states of types need not be true.
/// Set by `fold-onnx-nodes`, removed by `onnx-merge-nodes`.
inline constexpr llvm::StringLiteral kDecodedAttr = "onnx.decoded";

/// On the function of a model: the dims that are 0 because they were given so,
/// in words. Set by the importer, removed by `convert-onnx-to-linalg`.
inline constexpr llvm::StringLiteral kZeroDimsAttr = "onnx.zero_dims";

/// Whether an attribute is a form of an ONNX attribute: i64, f32, string,
/// array<i64>, array<f32>, strings, dense elements, a type.
bool isParameter(mlir::Attribute attr);

} // namespace spyre::onnx

#endif // SPYRE_DIALECT_ONNX_IR_ONNX_H
