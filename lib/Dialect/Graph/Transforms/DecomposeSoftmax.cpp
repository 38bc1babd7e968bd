// SPDX-License-Identifier: Apache-2.0
//
// linalg.softmax becomes two reductions with f32 statistics and two elementwise
// ops. The statistics stay f32 tensors, so that nothing rounds them.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// What the four generics of one softmax share.
struct SoftmaxBuilder {
  RewriterBase &rewriter;
  Location loc;
  RankedTensorType type;
  int64_t dimension;

  RankedTensorType statisticsType() const {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dimension);
    return RankedTensorType::get(shape, rewriter.getF32Type());
  }

  AffineMap fullMap() const {
    return rewriter.getMultiDimIdentityMap(type.getRank());
  }

  AffineMap statisticsMap() const {
    SmallVector<AffineExpr> results(fullMap().getResults());
    results.erase(results.begin() + dimension);
    return AffineMap::get(type.getRank(), 0, results, rewriter.getContext());
  }

  Value extend(OpBuilder &b, Value value) const {
    if (value.getType().isF32()) {
      return value;
    }
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  }

  Value round(OpBuilder &b, Value value) const {
    if (type.getElementType().isF32()) {
      return value;
    }
    return arith::TruncFOp::create(b, loc, type.getElementType(), value);
  }

  /// Combines `input` along the dimension, starting at `neutral`.
  template <typename CombinerOp> Value reduce(Value input, float neutral) {
    RankedTensorType resultType = statisticsType();
    Value empty = tensor::EmptyOp::create(rewriter, loc, resultType.getShape(),
                                          resultType.getElementType());
    Value start = arith::ConstantOp::create(rewriter, loc,
                                            rewriter.getF32FloatAttr(neutral));
    Value init = linalg::FillOp::create(rewriter, loc, start, empty).result();
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    iterators[dimension] = utils::IteratorType::reduction;
    auto op = linalg::GenericOp::create(
        rewriter, loc, resultType, input, init,
        ArrayRef<AffineMap>{fullMap(), statisticsMap()}, iterators,
        [&](OpBuilder &b, Location, ValueRange args) {
          Value combined =
              CombinerOp::create(b, loc, args[1], extend(b, args[0]));
          linalg::YieldOp::create(b, loc, combined);
        });
    return op.getResult(0);
  }

  /// Elementwise on `input` and its statistics, rounded to the storage type.
  Value map(Value input, Value statistics,
            function_ref<Value(OpBuilder &, Value, Value)> body) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto op = linalg::GenericOp::create(
        rewriter, loc, type, ValueRange{input, statistics}, empty,
        ArrayRef<AffineMap>{fullMap(), statisticsMap(), fullMap()}, iterators,
        [&](OpBuilder &b, Location, ValueRange args) {
          Value result = body(b, extend(b, args[0]), args[1]);
          linalg::YieldOp::create(b, loc, round(b, result));
        });
    return op.getResult(0);
  }
};

void decompose(RewriterBase &rewriter, linalg::SoftmaxOp op) {
  rewriter.setInsertionPoint(op);
  SoftmaxBuilder builder{rewriter, op.getLoc(),
                         cast<RankedTensorType>(op.getInput().getType()),
                         static_cast<int64_t>(op.getDimension())};
  Value maximum = builder.reduce<arith::MaximumFOp>(
      op.getInput(), -std::numeric_limits<float>::infinity());
  Value exponentials = builder.map(
      op.getInput(), maximum, [&](OpBuilder &b, Value x, Value statistic) {
        Value shifted = arith::SubFOp::create(b, builder.loc, x, statistic);
        return math::ExpOp::create(b, builder.loc, shifted).getResult();
      });
  Value sum = builder.reduce<arith::AddFOp>(exponentials, 0.0f);
  Value result = builder.map(
      exponentials, sum, [&](OpBuilder &b, Value x, Value statistic) {
        return arith::DivFOp::create(b, builder.loc, x, statistic).getResult();
      });
  rewriter.replaceOp(op, result);
}

class DecomposeSoftmax
    : public impl::DecomposeSoftmaxPassBase<DecomposeSoftmax> {
  void runOnOperation() override {
    SmallVector<linalg::SoftmaxOp> ops;
    getOperation().walk([&](linalg::SoftmaxOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::SoftmaxOp op : ops) {
      // Static float tensors only; the phase's verifier reports what remains.
      auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
      if (type && type.hasStaticShape() &&
          isa<FloatType>(type.getElementType())) {
        decompose(rewriter, op);
      }
    }
  }
};

} // namespace
} // namespace spyre::graph
