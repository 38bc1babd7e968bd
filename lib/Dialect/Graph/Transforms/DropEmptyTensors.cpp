// SPDX-License-Identifier: Apache-2.0
//
// Tensors without elements (a cache of past length 0) take no part: nothing
// that the device runs has a dim of extent 0.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_DROPEMPTYTENSORSPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0;
}

class DropEmptyTensors
    : public impl::DropEmptyTensorsPassBase<DropEmptyTensors> {
  void runOnOperation() override {
    if (getOperation().isExternal()) {
      return;
    }
    IRRewriter rewriter(&getContext());
    for (Operation &op :
         llvm::make_early_inc_range(getOperation().getBody().front())) {
      rewriter.setInsertionPoint(&op);
      drop(rewriter, &op);
    }
  }

  static void drop(IRRewriter &rewriter, Operation *op) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (isEmpty(insert.getSource())) {
        rewriter.replaceOp(insert, insert.getDest());
      }
      return;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool readsEmpty =
        linalgOp && llvm::any_of(linalgOp.getDpsInputs(), isEmpty);
    if (readsEmpty) {
      // No iteration: the results are the initial values.
      rewriter.replaceOp(op, linalgOp.getDpsInits());
      return;
    }
    if (op->getNumResults() == 0 || isa<tensor::EmptyOp>(op) ||
        !llvm::all_of(op->getResults(), isEmpty)) {
      return;
    }
    SmallVector<Value> empty;
    for (Type result : op->getResultTypes()) {
      auto type = cast<RankedTensorType>(result);
      empty.push_back(tensor::EmptyOp::create(
          rewriter, op->getLoc(), type.getShape(), type.getElementType()));
    }
    rewriter.replaceOp(op, empty);
  }
};

} // namespace
} // namespace spyre::graph
