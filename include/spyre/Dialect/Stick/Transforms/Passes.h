// SPDX-License-Identifier: Apache-2.0
//
// Passes of the layout phase (declared in dialects/Stick/Transforms/Passes.td).

#ifndef SPYRE_DIALECT_STICK_TRANSFORMS_PASSES_H
#define SPYRE_DIALECT_STICK_TRANSFORMS_PASSES_H

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace spyre::stick {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "spyre/Dialect/Stick/Transforms/Passes.h.inc"

/// What `stick-verify-laid-out` checks; reports all that violates it.
llvm::LogicalResult verifyLaidOut(mlir::func::FuncOp func);

} // namespace spyre::stick

#endif // SPYRE_DIALECT_STICK_TRANSFORMS_PASSES_H
