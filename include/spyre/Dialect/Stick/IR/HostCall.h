// SPDX-License-Identifier: Apache-2.0
//
// A call of a host function in IR as plain data, for the ops of three levels
// that hold one: stick.host, sdsc.host, launch.host_work.

#ifndef SPYRE_DIALECT_STICK_IR_HOSTCALL_H
#define SPYRE_DIALECT_STICK_IR_HOSTCALL_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace spyre::stick {

/// The call with shapes, device types and (where the types have one) layouts,
/// but no places; an error if it does not fit the function.
Expected<launch::HostCall> readHostCall(llvm::StringRef function,
                                        mlir::DictionaryAttr parameters,
                                        llvm::StringRef reason,
                                        llvm::ArrayRef<mlir::Type> operands,
                                        llvm::ArrayRef<mlir::Type> results);

} // namespace spyre::stick

#endif // SPYRE_DIALECT_STICK_IR_HOSTCALL_H
