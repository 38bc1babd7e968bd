// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H
#define SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H

#include "spyre/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace spyre::sdsc {

#define GEN_PASS_DECL
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

/// What `sdsc-verify-planned` checks; reports what violates it.
llvm::LogicalResult verifyPlanned(mlir::func::FuncOp func,
                                  const target::Target &target);

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H
