// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES_H
#define SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace spyre::onnx {

#define GEN_PASS_DECL
#include "spyre/Dialect/Onnx/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spyre/Dialect/Onnx/Transforms/Passes.h.inc"

} // namespace spyre::onnx

#endif // SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES_H
