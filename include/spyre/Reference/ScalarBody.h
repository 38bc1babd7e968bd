// SPDX-License-Identifier: Apache-2.0
//
// The body of a linalg.generic, compiled to a list of instructions over
// numbered values, and the numbers that it computes with.

#ifndef SPYRE_REFERENCE_SCALARBODY_H
#define SPYRE_REFERENCE_SCALARBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace spyre {

/// A scalar: `real` of a float type, `integer` (sign-extended, or 0 and 1 for
/// i1, or zero-extended for unsigned) of an integer type.
struct Number {
  double real = 0;
  int64_t integer = 0;
};

/// The number as the type holds it.
Number roundTo(Number number, mlir::Type type);

/// What becomes of a float after each operation: it is rounded to the type that
/// the body states, or stays f64.
enum class Rounding { AsTyped, None };

class ScalarBody {
public:
  /// Nothing if the body has an op that is not known.
  static std::optional<ScalarBody> compile(mlir::Block &block,
                                           Rounding rounding);

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

  Rounding rounding = Rounding::AsTyped;
  std::vector<Number> initial;
  std::vector<Instruction> instructions;
  llvm::DenseMap<mlir::Value, size_t> numbers;
  size_t resultIndex = 0;
};

} // namespace spyre

#endif // SPYRE_REFERENCE_SCALARBODY_H
