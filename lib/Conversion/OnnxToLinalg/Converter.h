// SPDX-License-Identifier: Apache-2.0
//
// Converts the nodes of a function in program order. Every value that a node
// reads has its final, static type by then, so that decoding is shape
// inference. Of a node that cannot be converted the results have the types that
// the model states, or unknown ones; the walk goes on, so that all such nodes
// are reported.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVERTER_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVERTER_H

#include "Registry.h"
#include "Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace spyre {

class Converter {
public:
  Converter(mlir::func::FuncOp func, const EvaluationBudget &budget)
      : func(func), builder(func.getContext()), budget(budget) {}

  /// Converts all nodes, or reports why not, and erases them.
  mlir::LogicalResult run();
  /// Converts what can be converted without a report and without erasing or
  /// replacing a node. Fails if the function is not a model of static shapes.
  mlir::LogicalResult convertAll();
  /// What a value has become; null if that is unknown or nothing.
  mlir::Value convertedOf(mlir::Value value) const {
    const Converted converted = lookup(value);
    return converted.state == Converted::State::Known ? converted.value
                                                      : mlir::Value();
  }

private:
  /// What a value of the onnx level has become.
  struct Converted {
    enum class State {
      Known,
      Absent,
      /// A result of a node that is not converted, of the type that the model
      /// states.
      Stated,
      Unknown
    };
    State state = State::Unknown;
    /// State::Known and State::Stated.
    mlir::Value value;
  };

  Converted lookup(mlir::Value value) const;
  void bind(mlir::Value value, Converted converted) {
    values[value] = converted;
  }
  void bindUnconverted(onnx::NodeOp node);

  void convertBlock(mlir::Block &block);
  void convertOp(mlir::Operation *op);
  void convertNode(onnx::NodeOp node);
  mlir::LogicalResult decode(DecodeContext &context);
  std::optional<Refusal> checkOperand(size_t index, mlir::Value operand,
                                      bool anyElement);

  // Control flow (ControlFlow.cpp).
  void convertControlFlow(onnx::NodeOp node, ControlFlow kind);
  std::optional<Refusal> convertIf(onnx::NodeOp node);
  std::optional<Refusal> convertLoop(onnx::NodeOp node);
  std::optional<Refusal> runLoop(onnx::NodeOp node, mlir::Block &body,
                                 int64_t tripCount);
  /// Converts the block with its last arguments bound to the captures and
  /// gives the operands of its yield.
  llvm::SmallVector<Converted> inlineBlock(onnx::NodeOp node,
                                           mlir::Block &block,
                                           llvm::ArrayRef<Converted> inputs);

  void convertReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult checkWorkIsLeft();
  void checkDeclared(mlir::func::ReturnOp op, size_t index, mlir::Value value);
  void cleanUp();

  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  EvaluationBudget budget;
  llvm::DenseMap<mlir::Value, Converted> values;
  llvm::SmallVector<mlir::Operation *> converted;
  RefusalReport report;
  bool failedOnce = false;
};

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVERTER_H
