// SPDX-License-Identifier: Apache-2.0
//
// Device programs as structs and as ops: one op per struct, so that each way
// keeps everything. export(import(p)) == p for a program in normal form:
//
// - bodies and sources stand in the order of their first use, each once;
// - the End of a loop has the loop's source, and neither has queue actions;
// - fields that a command's kind does not use have their defaults;
// - the node names of a source are distinct.

#ifndef SPYRE_DIALECT_SDSC_PROGRAM_PROGRAM_H
#define SPYRE_DIALECT_SDSC_PROGRAM_PROGRAM_H

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/LaunchPlan/DeviceProgram.h"

namespace spyre::sdsc {

/// Makes the op of a well-formed program (indices in range, loops closed,
/// buffers that the op's verifier accepts).
ProgramOp importProgram(mlir::OpBuilder &builder, mlir::Location loc,
                        const launch::Program &program);

/// Makes the structs of a verified op. Fails, with a diagnostic, if a body
/// holds an op that the device does not have.
llvm::FailureOr<launch::Program> exportProgram(ProgramOp op);

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_PROGRAM_PROGRAM_H
