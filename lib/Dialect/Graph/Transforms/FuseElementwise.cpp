// SPDX-License-Identifier: Apache-2.0
//
// Upstream's elementwise fusion, steered by one question: does the fused op
// still read every element once and stay recognisable? Pure data movement
// always folds, since it becomes an indexing map.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Yields an input unchanged: transpose, broadcast, copy.
bool onlyMovesData(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      yield.getNumOperands() != 1) {
    return false;
  }
  auto arg = dyn_cast<BlockArgument>(yield.getOperand(0));
  return arg && arg.getOwner() == op.getBody() &&
         arg.getArgNumber() < op.getNumDpsInputs();
}

bool mayFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer) {
    return false;
  }
  if (onlyMovesData(producer)) {
    return true;
  }
  // The statistics of a reduction come from a generic with reduction dims;
  // upstream does not fuse those as producers.
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return operand->get().hasOneUse() && map.isPermutation() &&
         !linalg::isaContractionOpInterface(
             cast<linalg::LinalgOp>(consumer.getOperation()));
}

/// extf(truncf(x)) with x of the wide type: the value is not rounded between
/// two steps of one body.
struct DropIntermediateRounding : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto truncate = op.getIn().getDefiningOp<arith::TruncFOp>();
    if (!truncate || truncate.getIn().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "not the inverse of a truncf");
    }
    rewriter.replaceOp(op, truncate.getIn());
    return success();
  }
};

class FuseElementwise : public impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    patterns.add<DropIntermediateRounding>(context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    // Folding a generic's operands may not terminate on a conflict of patterns;
    // that would be a defect of ours, and the greedy driver reports it.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre::graph
