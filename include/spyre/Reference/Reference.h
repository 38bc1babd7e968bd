// SPDX-License-Identifier: Apache-2.0
//
// What a graph means: a function at the level after normalize, evaluated op by
// op in f64, without layout, plan or device. It is slow and simple on purpose.

#ifndef SPYRE_REFERENCE_REFERENCE_H
#define SPYRE_REFERENCE_REFERENCE_H

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Reference/ScalarBody.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <memory>
#include <vector>

namespace spyre {

/// Elements in row-major order. Views of other shapes share them.
using Numbers = std::shared_ptr<const std::vector<Number>>;

class ReferenceRun {
public:
  /// Gives the elements of a weight in the order of its result type, or reports
  /// at the op why it cannot.
  using ReadWeight =
      std::function<mlir::FailureOr<std::vector<Number>>(stick::WeightOp)>;

  ReferenceRun(mlir::func::FuncOp func, ReadWeight readWeight)
      : func(func), readWeight(std::move(readWeight)) {}

  /// Evaluates the function on its arguments. Reports an op that is not of the
  /// level, and a division of integers by zero.
  mlir::LogicalResult run(llvm::ArrayRef<std::vector<Number>> arguments);

  /// The elements of a value, once `run` has succeeded.
  const std::vector<Number> &valueOf(mlir::Value value) const {
    return *values.at(value);
  }

private:
  mlir::LogicalResult evaluate(mlir::Operation *op);
  mlir::LogicalResult evaluateGeneric(mlir::linalg::GenericOp op);
  mlir::LogicalResult evaluateHost(stick::HostOp op);
  void evaluateFill(mlir::linalg::FillOp op);
  void evaluateExtract(mlir::tensor::ExtractSliceOp op);
  void evaluateInsert(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult evaluateGather(mlir::tensor::GatherOp op);
  void set(mlir::Value value, std::vector<Number> numbers) {
    values[value] =
        std::make_shared<const std::vector<Number>>(std::move(numbers));
  }

  mlir::func::FuncOp func;
  ReadWeight readWeight;
  llvm::DenseMap<mlir::Value, Numbers> values;
};

} // namespace spyre

#endif // SPYRE_REFERENCE_REFERENCE_H
