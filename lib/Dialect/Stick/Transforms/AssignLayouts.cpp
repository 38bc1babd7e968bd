// SPDX-License-Identifier: Apache-2.0
//
// Applies the layout decision: types the arguments and results, copies a value
// once for each other layout that a reader needs, and makes free values
// (weights, constants, fills) directly in each layout asked of them.

#include "spyre/Analysis/StickAssignment.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using spyre::layout::StickLayout;

namespace spyre::stick {

#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "spyre/Dialect/Stick/Transforms/Passes.h.inc"

namespace {

class Rewriter {
public:
  Rewriter(func::FuncOp function, const StickAssignment &assignment)
      : function(function), assignment(assignment),
        builder(function.getContext()) {}

  void run() {
    collectFreeOps();
    for (const auto &[value, layout] : assignment.layouts) {
      Value typed = value;
      typed.setType(
          withLayout(cast<RankedTensorType>(value.getType()), layout));
    }
    // In program order: a copy made for one op serves the ones after it.
    auto op = assignment.ops.begin();
    auto view = assignment.views.begin();
    for (Operation &next :
         llvm::make_early_inc_range(function.getBody().front())) {
      if (op != assignment.ops.end() && op->op == &next) {
        rewrite(*op++);
      } else if (view != assignment.views.end() && view->op == &next) {
        rewrite(*view++);
      } else if (isa<HostOp, func::ReturnOp>(next)) {
        layOutFreeOperands(&next);
      }
    }
    Block &body = function.getBody().front();
    function.setFunctionType(builder.getFunctionType(
        body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    eraseFreeOps();
  }

private:
  void collectFreeOps();
  void rewrite(const OpAssignment &op);
  void rewrite(const ViewAssignment &view);
  /// What takes every layout gets the default one of what has none.
  void layOutFreeOperands(Operation *op);
  void eraseFreeOps();
  /// The value in that layout, made once, before the builder's position.
  Value inLayout(Value value, const StickLayout &layout, Location loc);
  Value cloneFree(Value value, RankedTensorType type);

  func::FuncOp function;
  const StickAssignment &assignment;
  OpBuilder builder;
  /// Free ops of the input, in program order.
  llvm::SmallVector<Operation *> freeOps;
  llvm::DenseMap<std::pair<Value, Type>, Value> versions;
};

void Rewriter::collectFreeOps() {
  for (Operation &op : function.getBody().front()) {
    if (op.getNumResults() == 1 && hasFreeLayout(op.getResult(0)) &&
        isa<RankedTensorType>(op.getResult(0).getType())) {
      freeOps.push_back(&op);
    }
  }
}

Value Rewriter::cloneFree(Value value, RankedTensorType type) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Value init =
        tensor::EmptyOp::create(builder, op->getLoc(), type, ValueRange());
    return linalg::FillOp::create(builder, op->getLoc(), fill.getInputs()[0],
                                  init)
        .getResult(0);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(builder, op->getLoc(),
                                     elements.reshape(type));
  }
  Operation *clone = builder.clone(*op);
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

Value Rewriter::inLayout(Value value, const StickLayout &layout, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  const RankedTensorType wanted = withLayout(type, layout);
  if (type == wanted) {
    return value;
  }
  Value &version = versions[{value, wanted}];
  if (!version) {
    version = hasFreeLayout(value)
                  ? cloneFree(value, wanted)
                  : RestickifyOp::create(builder, loc, wanted, value);
  }
  return version;
}

void Rewriter::rewrite(const OpAssignment &op) {
  linalg::GenericOp generic = op.op;
  builder.setInsertionPoint(generic);
  for (auto [number, operand] :
       llvm::enumerate(generic.getDpsInputOperands())) {
    operand->set(inLayout(operand->get(), op.inputs[number], generic.getLoc()));
  }
  for (auto [number, init] : llvm::enumerate(generic.getDpsInitsMutable())) {
    if (op.classification.opClass == OpClass::Map) {
      // Its content is not read, so any tensor of the type does.
      const Type type = generic.getResultTypes()[number];
      init.set(tensor::EmptyOp::create(builder, generic.getLoc(), type,
                                       ValueRange()));
    } else {
      init.set(inLayout(init.get(), op.results[number], generic.getLoc()));
    }
  }
}

void Rewriter::rewrite(const ViewAssignment &view) {
  builder.setInsertionPoint(view.op);
  for (auto [operand, layout] :
       llvm::zip(view.op->getOpOperands(), view.inputs)) {
    operand.set(inLayout(operand.get(), layout, view.op->getLoc()));
  }
}

void Rewriter::layOutFreeOperands(Operation *op) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && hasFreeLayout(operand.get()) && !getLayout(type)) {
      operand.set(inLayout(operand.get(), defaultLayoutOf(type), op->getLoc()));
    }
  }
}

void Rewriter::eraseFreeOps() {
  for (Operation *op : llvm::reverse(freeOps)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
}

struct AssignLayoutsPass : impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  void runOnOperation() override {
    if (getOperation().isExternal()) {
      return;
    }
    FailureOr<StickAssignment> assignment = assignSticks(getOperation());
    if (failed(assignment)) {
      signalPassFailure();
      return;
    }
    Rewriter(getOperation(), *assignment).run();
  }
};

} // namespace

} // namespace spyre::stick
