// SPDX-License-Identifier: Apache-2.0
//
// Coded diagnostics: every error that a user of the compiler can cause carries
// a stable code, the phase, the node that it is about, and a way out.

#ifndef SPYRE_DIALECT_SUPPORT_DIAGNOSTICS_H
#define SPYRE_DIALECT_SUPPORT_DIAGNOSTICS_H

#include "spyre/Support/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace spyre {

/// Names of the graph's nodes that a location leads to, in order of appearance
/// and without duplicates; empty if it carries no name.
std::vector<std::string> nodeNames(mlir::Location loc);

/// `node "encoder/MatMul"` if the location carries a name, else
/// `op linalg.matmul`.
std::string subjectOf(mlir::Operation *op);

/// Starts `E0201 [normalize] node "x": ` + message at the op. Add numbers with
/// attachNote; the table's help is attached as a note unless `help` is given.
mlir::InFlightDiagnostic emitCoded(mlir::Operation *op, ErrorCode code,
                                   const llvm::Twine &message,
                                   const llvm::Twine &help = "");

/// Reports an Error of an MLIR-free library at the op, its notes and its help
/// as notes.
mlir::InFlightDiagnostic emitCoded(mlir::Operation *op, const Error &error);

/// The same of an Error with a subject, at a location: a fused one for several
/// nodes.
mlir::InFlightDiagnostic
emitCoded(mlir::Location loc, const Error &error,
          mlir::DiagnosticSeverity severity = mlir::DiagnosticSeverity::Error);

} // namespace spyre

#endif // SPYRE_DIALECT_SUPPORT_DIAGNOSTICS_H
