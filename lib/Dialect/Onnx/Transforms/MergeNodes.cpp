// SPDX-License-Identifier: Apache-2.0
//
// Nodes that only rename elements, one after the other, become one. Only nodes
// that decoding understood are looked at: what a model states of others need
// not be true.

#include "spyre/Dialect/Onnx/Transforms/Passes.h"

#include "spyre/Dialect/Onnx/IR/Onnx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace spyre::onnx {
#define GEN_PASS_DEF_MERGENODESPASS
#include "spyre/Dialect/Onnx/Transforms/Passes.h.inc"

namespace {

/// Whether the type of the value is the right one.
bool isKnown(Value value) {
  auto node = value.getDefiningOp<NodeOp>();
  return !node || node->hasAttr(kDecodedAttr);
}

/// Whether the node is this operator, with one result, and it and its first
/// input have the right types.
bool isOperator(NodeOp node, StringRef name) {
  return node && node.getDomain().empty() && node.getOpType() == name &&
         node.getNumResults() == 1 && isKnown(node.getResult(0)) &&
         !node.getInputs().empty() && isKnown(node.getInputs().front());
}

/// The node of an operator that defines the first input, or null.
NodeOp producerOf(NodeOp node) {
  return node.getInputs().empty()
             ? NodeOp()
             : node.getInputs().front().getDefiningOp<NodeOp>();
}

/// The static type of a value that is known.
RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The permutation of a Transpose that was decoded.
SmallVector<int64_t> permutationOf(NodeOp node) {
  if (auto given =
          dyn_cast_or_null<DenseI64ArrayAttr>(node.getParameter("perm"))) {
    return llvm::to_vector(given.asArrayRef());
  }
  int64_t rank = typeOf(node.getResult(0)).getRank();
  return llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
}

/// Whether the order of the dims longer than 1 stays.
bool movesOnlyUnits(NodeOp transpose) {
  RankedTensorType type = typeOf(transpose.getInputs().front());
  int64_t last = -1;
  for (int64_t dim : permutationOf(transpose)) {
    if (type.getDimSize(dim) == 1) {
      continue;
    }
    if (dim < last) {
      return false;
    }
    last = dim;
  }
  return true;
}

/// Whether the node keeps its elements in row-major order.
bool isReshape(NodeOp node) {
  return isOperator(node, "Reshape") || isOperator(node, "Unsqueeze") ||
         isOperator(node, "Squeeze") || isOperator(node, "Flatten") ||
         (isOperator(node, "Transpose") && movesOnlyUnits(node));
}

/// The first opset whose Reshape takes the shape as an input.
constexpr uint64_t kReshapeVersion = 5;

/// A node of the default domain with the result of another.
Value createNode(PatternRewriter &rewriter, NodeOp like, StringRef opType,
                 ValueRange inputs, ArrayRef<NamedAttribute> parameters) {
  auto node = NodeOp::create(
      rewriter, like.getLoc(), like.getResultTypes(),
      rewriter.getStringAttr(opType), like.getDomainAttr(),
      rewriter.getI64IntegerAttr(static_cast<int64_t>(
          std::max<uint64_t>(like.getVersion(), kReshapeVersion))),
      inputs, rewriter.getDictionaryAttr(parameters), ArrayAttr(), ValueRange(),
      0);
  node->setAttr(kDecodedAttr, rewriter.getUnitAttr());
  return node.getResult(0);
}

/// A reshape of a reshape is one.
struct MergeReshapes : OpRewritePattern<NodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NodeOp node,
                                PatternRewriter &rewriter) const override {
    NodeOp producer = producerOf(node);
    if (!isReshape(node) || !isReshape(producer)) {
      return failure();
    }
    Value source = producer.getInputs().front();
    if (source.getType() == node.getResult(0).getType()) {
      rewriter.replaceOp(node, source);
      return success();
    }
    ArrayRef<int64_t> shape = typeOf(node.getResult(0)).getShape();
    if (llvm::is_contained(shape, 0)) {
      return failure(); // A 0 would copy an extent of the source.
    }
    Value extents = arith::ConstantOp::create(rewriter, node.getLoc(),
                                              rewriter.getI64TensorAttr(shape));
    rewriter.replaceOp(
        node, createNode(rewriter, node, "Reshape", {source, extents}, {}));
    return success();
  }
};

/// A Transpose of a Transpose is one.
struct MergeTransposes : OpRewritePattern<NodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NodeOp node,
                                PatternRewriter &rewriter) const override {
    NodeOp producer = producerOf(node);
    if (!isOperator(node, "Transpose") || !isOperator(producer, "Transpose")) {
      return failure();
    }
    SmallVector<int64_t> inner = permutationOf(producer);
    SmallVector<int64_t> both = llvm::map_to_vector(
        permutationOf(node), [&](int64_t dim) { return inner[dim]; });
    Value source = producer.getInputs().front();
    if (source.getType() == node.getResult(0).getType() &&
        llvm::is_sorted(both)) {
      rewriter.replaceOp(node, source);
      return success();
    }
    NamedAttribute permutation(rewriter.getStringAttr("perm"),
                               rewriter.getDenseI64ArrayAttr(both));
    rewriter.replaceOp(
        node, createNode(rewriter, node, "Transpose", {source}, {permutation}));
    return success();
  }
};

/// A Transpose between a Reshape that joins dims and one that parts them again
/// is a Transpose of the parts: exporters join batch and heads around the
/// Transpose of keys.
struct TransposeParts : OpRewritePattern<NodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NodeOp node,
                                PatternRewriter &rewriter) const override {
    NodeOp transpose = producerOf(node);
    NodeOp join = transpose ? producerOf(transpose) : NodeOp();
    if (!isReshape(node) || !isOperator(transpose, "Transpose") ||
        !isReshape(join)) {
      return failure();
    }
    Value source = join.getInputs().front();
    SmallVector<int64_t> joined = permutationOf(transpose);
    ArrayRef<int64_t> shape = typeOf(source).getShape();
    std::optional<SmallVector<ReassociationIndices>> groups =
        getReassociationIndicesForCollapse(
            shape, typeOf(join.getResult(0)).getShape());
    if (!groups || joined.size() != groups->size()) {
      return failure();
    }
    SmallVector<int64_t> permutation;
    for (int64_t dim : joined) {
      llvm::append_range(permutation, (*groups)[dim]);
    }
    SmallVector<int64_t> result = llvm::map_to_vector(
        permutation, [&](int64_t dim) { return shape[dim]; });
    if (result != typeOf(node.getResult(0)).getShape()) {
      return failure();
    }
    NamedAttribute parameter(rewriter.getStringAttr("perm"),
                             rewriter.getDenseI64ArrayAttr(permutation));
    rewriter.replaceOp(
        node, createNode(rewriter, node, "Transpose", {source}, {parameter}));
    return success();
  }
};

/// A float that is widened and brought back is what it was.
struct DropRoundTrips : OpRewritePattern<NodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NodeOp node,
                                PatternRewriter &rewriter) const override {
    NodeOp producer = producerOf(node);
    if (!isOperator(node, "Cast") || !isOperator(producer, "Cast")) {
      return failure();
    }
    RankedTensorType narrow = typeOf(producer.getInputs().front());
    RankedTensorType wide = typeOf(producer.getResult(0));
    if (node.getResult(0).getType() != narrow) {
      return failure();
    }
    auto from = dyn_cast<FloatType>(narrow.getElementType());
    auto to = dyn_cast<FloatType>(wide.getElementType());
    if (!from || !to || !(to.isF32() || to.isF64()) ||
        from.getWidth() >= to.getWidth()) {
      return failure();
    }
    rewriter.replaceOp(node, producer.getInputs().front());
    return success();
  }
};

class MergeNodes : public impl::MergeNodesPassBase<MergeNodes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<MergeReshapes, MergeTransposes, TransposeParts, DropRoundTrips>(
            &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
    getOperation().walk([](NodeOp node) { node->removeAttr(kDecodedAttr); });
  }
};

} // namespace
} // namespace spyre::onnx
