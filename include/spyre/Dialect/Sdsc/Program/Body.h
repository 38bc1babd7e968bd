// SPDX-License-Identifier: Apache-2.0
//
// Scalar bodies: MLIR ops of arith, math and sdsc to the device program's body
// ops, and back. One table pairs an op name with an opcode, for both ways.

#ifndef SPYRE_DIALECT_SDSC_PROGRAM_BODY_H
#define SPYRE_DIALECT_SDSC_PROGRAM_BODY_H

#include "spyre/LaunchPlan/DeviceProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>

namespace spyre::sdsc {

/// Builds a launch::Body from scalar ops. Floats of any width are f32 values
/// (a store rounds), integers of any width but one are i32 values, i1 is bool.
/// Rules beyond the table of ops:
/// - extf, and truncf whose result is only yielded, are identities; any other
///   truncf rounds (RoundTo);
/// - integer extensions and index casts are identities; a constant that does
///   not fit i32 is an error; unsigned operations are errors;
/// - unordered comparisons are the negation of the ordered opposite.
class BodyBuilder {
public:
  /// The body op for an op of the level that the table does not know (a
  /// position, a scalar); nothing if it has none.
  using Fallback =
      std::function<std::optional<launch::BodyOp>(mlir::Operation *)>;

  explicit BodyBuilder(launch::Body &body, Fallback fallback = {})
      : body(body), fallback(std::move(fallback)) {}

  /// Declares the next input. All inputs come before the first op.
  void addInput(mlir::Value value);
  /// The value is the one of number `number`.
  void bind(mlir::Value value, int32_t number) { numbers[value] = number; }
  /// The number of a value that is bound; an error at `user` otherwise.
  llvm::FailureOr<int32_t> lookup(mlir::Value value, mlir::Operation *user);
  /// Appends an op and returns the number of its value.
  int32_t append(launch::BodyOp op);
  int32_t append(launch::BodyOpcode opcode,
                 llvm::ArrayRef<int32_t> operands = {}, int64_t immediate = 0);

  /// Converts one op (not the terminator); reports E0690 if it has no
  /// counterpart.
  llvm::LogicalResult convert(mlir::Operation *op);
  /// Converts all ops of a block but its terminator.
  llvm::LogicalResult convertBlock(mlir::Block &block);
  /// The values become the body's results.
  llvm::LogicalResult finish(mlir::ValueRange results, mlir::Operation *user);

private:
  llvm::LogicalResult convertCompare(mlir::Operation *op,
                                     llvm::ArrayRef<int32_t> operands);
  llvm::LogicalResult convertCast(mlir::Operation *op, int32_t operand);
  llvm::LogicalResult convertConstant(mlir::Operation *op);
  llvm::LogicalResult unsupported(mlir::Operation *op,
                                  const llvm::Twine &reason);

  launch::Body &body;
  Fallback fallback;
  llvm::DenseMap<mlir::Value, int32_t> numbers;
};

/// Makes the op of a body op whose operands are `operands` (as many as the
/// opcode takes). Not for ScalarValue and Index, which name symbols.
mlir::Value createBodyOp(mlir::OpBuilder &builder, mlir::Location loc,
                         const launch::BodyOp &op, mlir::ValueRange operands);

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_PROGRAM_BODY_H
