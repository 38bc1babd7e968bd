// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics as users read them. Private to the driver.

#ifndef SPYRE_LIB_DRIVER_DIAGNOSTICS_H
#define SPYRE_LIB_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace spyre {

/// Prints one diagnostic:
///
///   error: E0401 [plan] node "fc1":
///     the working set does not fit the scratchpad
///     note: ...
///     help: ...
void printDiagnostic(llvm::raw_ostream &out, mlir::Diagnostic &diagnostic);

} // namespace spyre

#endif // SPYRE_LIB_DRIVER_DIAGNOSTICS_H
