// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_FLATTENGATHERSPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// [0 ... count-1] joined, the other dims alone.
SmallVector<ReassociationIndices> joinFirst(int64_t count, int64_t rank) {
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim >= count) {
      groups.emplace_back();
    }
    groups.back().push_back(dim);
  }
  return groups;
}

class FlattenGathers : public impl::FlattenGathersPassBase<FlattenGathers> {
  /// One dim of static tensors by indices of several dims, or of none.
  static bool isToFlatten(tensor::GatherOp op) {
    int64_t indexRank = op.getIndicesType().getRank();
    return op.getGatherDims().size() == 1 && indexRank != 2 &&
           op.getIndicesType().hasStaticShape() &&
           op.getIndicesType().getShape().back() == 1 &&
           op.getResultType().getRank() ==
               indexRank - 1 + op.getSourceType().getRank() - 1;
  }

  static void flatten(tensor::GatherOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    int64_t indexDims = op.getIndicesType().getRank() - 1;
    RankedTensorType type = op.getResultType();
    int64_t count = op.getIndicesType().getNumElements();
    Value list;
    if (indexDims == 0) {
      SmallVector<ReassociationIndices> groups = {{0, 1}};
      list = tensor::ExpandShapeOp::create(builder, loc,
                                           op.getIndicesType().clone({1, 1}),
                                           op.getIndices(), groups);
    } else {
      list = tensor::CollapseShapeOp::create(
          builder, loc, op.getIndices(), joinFirst(indexDims, indexDims + 1));
    }
    SmallVector<int64_t> shape = {count};
    llvm::append_range(shape, type.getShape().drop_front(indexDims));
    Value rows = tensor::GatherOp::create(builder, loc, type.clone(shape),
                                          op.getSource(), list,
                                          op.getGatherDims(), op.getUnique());
    auto rank = static_cast<int64_t>(shape.size());
    if (indexDims == 0) {
      SmallVector<ReassociationIndices> groups;
      if (rank > 1) {
        groups = joinFirst(2, rank);
      }
      rows = tensor::CollapseShapeOp::create(builder, loc, type, rows, groups);
    } else {
      rows = tensor::ExpandShapeOp::create(
          builder, loc, type, rows, joinFirst(indexDims, type.getRank()));
    }
    op.replaceAllUsesWith(rows);
    op.erase();
  }

  void runOnOperation() override {
    SmallVector<tensor::GatherOp> gathers;
    getOperation().walk([&](tensor::GatherOp op) {
      if (isToFlatten(op)) {
        gathers.push_back(op);
      }
    });
    llvm::for_each(gathers, flatten);
  }
};

} // namespace
} // namespace spyre::graph
