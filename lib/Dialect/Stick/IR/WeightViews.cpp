// SPDX-License-Identifier: Apache-2.0
//
// Views of weights are weights: the bytes in the file do not move.

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::stick {

namespace {

/// A weight as its file has it: row-major, neither transposed nor laid out.
WeightOp plainWeight(Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  return weight && !weight.getPerm() && !getLayout(value) ? weight : WeightOp();
}

template <typename ReshapeOp>
struct ReshapeOfWeight : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    WeightOp weight = plainWeight(op.getSrc());
    if (!weight) {
      return rewriter.notifyMatchFailure(op, "the source is no plain weight");
    }
    rewriter.replaceOpWithNewOp<WeightOp>(
        op, op.getResultType(), weight.getNameAttr(), weight.getFileAttr(),
        weight.getOffsetAttr(), weight.getLengthAttr(),
        weight.getHostTypeAttr(), DenseI64ArrayAttr());
    return success();
  }
};

/// Rows of the outermost dim are a range of the file.
struct RowsOfWeight : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    WeightOp weight = plainWeight(op.getSource());
    ArrayRef<int64_t> whole = op.getSourceType().getShape();
    if (!weight || whole.empty() || whole[0] == 0 ||
        op.getType().getRank() != op.getSourceType().getRank() ||
        op.getStaticOffset(0) == ShapedType::kDynamic ||
        op.getStaticSizes().drop_front() != whole.drop_front() ||
        !llvm::all_of(op.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; })) {
      return rewriter.notifyMatchFailure(op, "no rows of a plain weight");
    }
    int64_t rowBytes = static_cast<int64_t>(weight.getLength()) / whole[0];
    if (rowBytes * whole[0] != static_cast<int64_t>(weight.getLength())) {
      return rewriter.notifyMatchFailure(op, "rows are no whole bytes");
    }
    rewriter.replaceOpWithNewOp<WeightOp>(
        op, op.getType(), weight.getNameAttr(), weight.getFileAttr(),
        rewriter.getI64IntegerAttr(static_cast<int64_t>(weight.getOffset()) +
                                   op.getStaticOffset(0) * rowBytes),
        rewriter.getI64IntegerAttr(op.getType().getDimSize(0) * rowBytes),
        weight.getHostTypeAttr(), DenseI64ArrayAttr());
    return success();
  }
};

} // namespace

void StickDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<ReshapeOfWeight<tensor::ExpandShapeOp>,
               ReshapeOfWeight<tensor::CollapseShapeOp>, RowsOfWeight>(
      getContext());
}

} // namespace spyre::stick
