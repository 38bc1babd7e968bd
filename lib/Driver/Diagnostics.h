// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics as users read them. Private to the driver.

#ifndef SPYRE_LIB_DRIVER_DIAGNOSTICS_H
#define SPYRE_LIB_DRIVER_DIAGNOSTICS_H

#include "spyre/Driver/Driver.h"

#include "mlir/IR/Diagnostics.h"

namespace spyre {

/// Takes a diagnostic apart. One without a code is MLIR's: of the parser or of
/// a verifier.
CompileReport::Problem describe(mlir::Diagnostic &diagnostic);

/// Prints a problem:
///
///   error: E0401 [plan] node "fc1":
///     the working set does not fit the scratchpad
///     note: ...
///     help: ...
void print(llvm::raw_ostream &out, const CompileReport::Problem &problem);

} // namespace spyre

#endif // SPYRE_LIB_DRIVER_DIAGNOSTICS_H
