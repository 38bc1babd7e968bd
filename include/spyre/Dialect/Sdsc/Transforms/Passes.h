// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H
#define SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace spyre::sdsc {

#define GEN_PASS_DECL
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES_H
