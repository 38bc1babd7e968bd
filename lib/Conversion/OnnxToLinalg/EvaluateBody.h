// SPDX-License-Identifier: Apache-2.0
//
// The body of a generic, compiled to a list of instructions over numbered
// values.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATEBODY_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATEBODY_H

#include "Evaluate.h"

#include "llvm/ADT/DenseMap.h"

namespace spyre {

/// The number as the type holds it.
Number roundTo(Number number, mlir::Type type);

class EvaluatedBody {
public:
  /// Nothing if the body has an op that is not known.
  static std::optional<EvaluatedBody> compile(mlir::Block &block);

  /// Runs the body on the block arguments, which stand at the front of
  /// `values`, at a position of the iteration. False: division by zero.
  bool run(std::vector<Number> &values, llvm::ArrayRef<int64_t> position) const;

  size_t numValues() const { return initial.size(); }
  /// The value that the terminator yields.
  size_t result() const { return resultIndex; }
  /// Values with the constants of the body filled in.
  const std::vector<Number> &initialValues() const { return initial; }

private:
  using Function = bool (*)(const Number *operands, Number &result);
  struct Instruction {
    Function function = nullptr;
    size_t operands[3] = {0, 0, 0};
    size_t result = 0;
    /// linalg.index: the iteration dim.
    int64_t dim = -1;
    mlir::Type type;
  };

  bool add(mlir::Operation *op);
  static Function functionOf(mlir::Operation *op);

  std::vector<Number> initial;
  std::vector<Instruction> instructions;
  llvm::DenseMap<mlir::Value, size_t> numbers;
  size_t resultIndex = 0;
};

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_EVALUATEBODY_H
