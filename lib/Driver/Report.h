// SPDX-License-Identifier: Apache-2.0
//
// Reads what the phases decided off the IR. Private to the driver.

#ifndef SPYRE_LIB_DRIVER_REPORT_H
#define SPYRE_LIB_DRIVER_REPORT_H

#include "spyre/Driver/Driver.h"

#include "mlir/IR/BuiltinOps.h"

namespace spyre {

/// After the phases normalize and plan: what the host does.
void describeHostWork(mlir::ModuleOp module, CompileReport &report);

/// After the phase layout: run-time changes of layout.
void countRestickifies(mlir::ModuleOp module, CompileReport &report);

/// After the phase plan: kernels, placements, predicted time and traffic.
mlir::LogicalResult describePlan(mlir::ModuleOp module,
                                 const std::string &target,
                                 CompileReport &report);

} // namespace spyre

#endif // SPYRE_LIB_DRIVER_REPORT_H
