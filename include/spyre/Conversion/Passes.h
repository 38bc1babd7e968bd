// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_CONVERSION_PASSES_H
#define SPYRE_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace spyre {

#define GEN_PASS_DECL
#include "spyre/Dialect/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spyre/Dialect/Conversion/Passes.h.inc"

} // namespace spyre

#endif // SPYRE_CONVERSION_PASSES_H
