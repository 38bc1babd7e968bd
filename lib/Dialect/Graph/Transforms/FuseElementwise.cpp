// SPDX-License-Identifier: Apache-2.0
//
// Upstream's elementwise fusion, steered by one question: does the fused op
// still read every element once and stay recognisable? Pure data movement
// always folds, since it becomes an indexing map. An op with forced choices
// stays a kernel of its own: it takes in others and keeps its choices.

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

constexpr StringLiteral kForce = "sdsc.force";

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
  if (!producer || !consumer || producer->hasAttr(kForce)) {
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

/// Upstream's fusion for an op with forced choices. It replaces the op, so that
/// KeepForcedChoices sees it; upstream's own pattern erases it.
struct FuseIntoForced : OpRewritePattern<linalg::GenericOp> {
  FuseIntoForced(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasAttr(kForce)) {
      return rewriter.notifyMatchFailure(op, "nothing is forced");
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!linalg::areElementwiseOpsFusable(&operand) || !mayFuse(&operand)) {
        continue;
      }
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, &operand);
      if (failed(fused)) {
        return rewriter.notifyMatchFailure(op, "upstream does not fuse it");
      }
      rewriter.replaceOp(
          op, llvm::map_to_vector(op.getResults(), [&](Value result) {
            return fused->replacements.lookup(result);
          }));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand to fuse");
  }
};

/// Upstream's patterns drop the attributes of the op that they replace.
struct KeepForcedChoices : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    Attribute force = op->getAttr(kForce);
    auto other = force && !values.empty()
                     ? values.front().getDefiningOp<linalg::GenericOp>()
                     : linalg::GenericOp();
    if (other && !other->hasAttr(kForce)) {
      other->setAttr(kForce, force);
    }
  }
};

class FuseElementwise : public impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    patterns.add<DropIntermediateRounding, FuseIntoForced>(context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    // Folding a generic's operands may not terminate on a conflict of patterns;
    // that would be a defect of ours, and the greedy driver reports it.
    KeepForcedChoices listener;
    if (failed(applyPatternsGreedily(
            getOperation(), std::move(patterns),
            GreedyRewriteConfig().setListener(&listener)))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre::graph
