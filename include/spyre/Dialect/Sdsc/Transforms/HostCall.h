// SPDX-License-Identifier: Apache-2.0
//
// Host work on buffers as a call on tensors with layouts.

#ifndef SPYRE_DIALECT_SDSC_TRANSFORMS_HOSTCALL_H
#define SPYRE_DIALECT_SDSC_TRANSFORMS_HOSTCALL_H

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

namespace spyre::sdsc {

/// The graph's tensor that a buffer of a function holds; null if nothing says.
mlir::RankedTensorType tensorOf(mlir::Value buffer);

/// The call, with layouts but no places. Reports what does not fit the function
/// and buffers whose tensors are not known.
llvm::FailureOr<launch::HostCall> readHostCall(HostOp op);

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_TRANSFORMS_HOSTCALL_H
