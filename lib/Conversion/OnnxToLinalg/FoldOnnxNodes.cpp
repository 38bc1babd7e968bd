// SPDX-License-Identifier: Apache-2.0
//
// Folding on the onnx level: the nodes are converted for a trial, and what the
// trial says of their values is kept. The rules of folding are thus those of
// decoding, whatever the operator.

#include "spyre/Conversion/Passes.h"

#include "Converter.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_FOLDONNXNODESPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

/// What the weights and constants of a model are, and what folding makes.
bool isConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() ||
         value.getDefiningOp<stick::WeightOp>();
}

class NodeFolder {
public:
  NodeFolder(func::FuncOp func, const EvaluationBudget &budget)
      : func(func), trial(func, budget) {}

  void run() {
    Block &entry = func.getBody().front();
    SmallVector<Operation *> given = llvm::map_to_vector(
        entry.without_terminator(), [](Operation &op) { return &op; });
    if (failed(trial.convertAll())) {
      return;
    }
    for (BlockArgument argument : entry.getArguments()) {
      original.try_emplace(argument, argument);
    }
    for (Operation *op : given) {
      for (Value result : op->getResults()) {
        fold(result);
      }
    }
    // Only what was understood may be rewritten or dropped further on.
    for (Operation *op : given) {
      if (auto node = dyn_cast<onnx::NodeOp>(op)) {
        setDecoded(node);
      }
    }
    eraseTrial(entry, given);
    eraseDead(given);
  }

private:
  /// Replaces the value by the constant, or the earlier value, that it equals;
  /// otherwise gives it the type that was found.
  void fold(Value value) {
    Value converted = trial.convertedOf(value);
    if (!converted) {
      return;
    }
    if (!value.getDefiningOp<onnx::NodeOp>()) {
      original.try_emplace(converted, value);
      return;
    }
    auto [entry, isNew] = original.try_emplace(converted, value);
    if (isNew && isConstant(converted)) {
      entry->second = converted;
    }
    if (entry->second != value) {
      replace(value, entry->second);
    } else if (mayRetype(value)) {
      retype(value, converted.getType());
    }
  }

  /// Marks a node all of whose values have the type that was found.
  void setDecoded(onnx::NodeOp node) {
    const bool isDecoded = llvm::all_of(node.getResults(), [&](Value result) {
      Value converted = trial.convertedOf(result);
      return isa<NoneType>(result.getType()) ||
             (converted && converted.getType() == result.getType());
    });
    if (isDecoded) {
      node->setAttr(onnx::kDecodedAttr, UnitAttr::get(node.getContext()));
    }
  }

  /// The function's type is what the model states, not what is found.
  static bool mayRetype(Value value) {
    return llvm::none_of(value.getUsers(), [](Operation *user) {
      return isa<func::ReturnOp>(user);
    });
  }

  static void replace(Value value, Value other) {
    const bool isSameType = value.getType() == other.getType();
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      if (isSameType || !isa<func::ReturnOp>(use.getOwner())) {
        use.set(other);
        retypeCapture(use);
      }
    }
  }

  static void retype(Value value, Type type) {
    value.setType(type);
    for (OpOperand &use : value.getUses()) {
      retypeCapture(use);
    }
  }

  /// The arguments of a node's graphs have the types of what they capture.
  static void retypeCapture(OpOperand &use) {
    auto node = dyn_cast<onnx::NodeOp>(use.getOwner());
    if (!node || use.getOperandNumber() < node.getInputs().size()) {
      return;
    }
    size_t fromEnd = node->getNumOperands() - use.getOperandNumber();
    for (Region &graph : node.getSubgraphs()) {
      auto arguments = graph.getArguments();
      retype(arguments[arguments.size() - fromEnd], use.get().getType());
    }
  }

  /// Of what the trial made only the constants that are used now stay.
  static void eraseTrial(Block &entry, ArrayRef<Operation *> given) {
    llvm::SmallPtrSet<Operation *, 32> kept(given.begin(), given.end());
    SmallVector<Operation *> made;
    for (Operation &op : entry.without_terminator()) {
      if (!kept.contains(&op)) {
        made.push_back(&op);
      }
    }
    for (Operation *op : llvm::reverse(made)) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }

  /// A node that nobody can convert stays, so that it is reported.
  void eraseDead(ArrayRef<Operation *> given) {
    for (Operation *op : llvm::reverse(given)) {
      auto node = dyn_cast<onnx::NodeOp>(op);
      if (isOpTriviallyDead(op) && (!node || wasConverted(node))) {
        op->erase();
      }
    }
  }

  bool wasConverted(onnx::NodeOp node) const {
    return llvm::any_of(node.getResults(), [&](Value result) {
      return static_cast<bool>(trial.convertedOf(result));
    });
  }

  func::FuncOp func;
  Converter trial;
  /// The first value of the onnx level that became a value.
  DenseMap<Value, Value> original;
};

class FoldOnnxNodes : public impl::FoldOnnxNodesPassBase<FoldOnnxNodes> {
  using FoldOnnxNodesPassBase::FoldOnnxNodesPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isDeclaration()) {
      NodeFolder(func, {maxEvaluatedBytes, maxEvaluatedPoints}).run();
    }
  }
};

} // namespace
} // namespace spyre
