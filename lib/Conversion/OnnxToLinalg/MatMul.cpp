// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices. They accumulate in f32; what follows in the same
// operator (alpha, beta, C) is applied before the one rounding.

#include "MatMul.h"

#include "Registry.h"

using namespace mlir;

namespace spyre {

/// Iteration: batch dims of the result, m, n, k; a batch dim of extent 1 is
/// read at 0.
FailureOr<Value> buildMatMul(DecodeContext &c, Value lhs, Value rhs) {
  const Shape left(shapeOf(lhs));
  const Shape right(shapeOf(rhs));
  if (left.empty() || right.empty()) {
    return c.mismatch("an operand is a scalar");
  }
  const bool dropM = left.size() == 1;
  const bool dropN = right.size() == 1;
  ShapeRef leftBatch = ShapeRef(left).drop_back(dropM ? 1 : 2);
  ShapeRef rightBatch = ShapeRef(right).drop_back(dropN ? 1 : 2);
  const int64_t depth = left.back();
  if (right[dropN ? 0 : right.size() - 2] != depth) {
    return c.mismatch("shapes " + toText(left) + " and " + toText(right) +
                      " do not multiply");
  }
  std::optional<Shape> batch = broadcastShapes({leftBatch, rightBatch});
  if (!batch) {
    return c.mismatch("batch dims of " + toText(left) + " and " +
                      toText(right) + " do not broadcast");
  }
  Shape out(*batch);
  const auto numBatch = static_cast<int64_t>(batch->size());
  int64_t numDims = numBatch;
  const int64_t m = dropM ? -1 : numDims++;
  const int64_t n = dropN ? -1 : numDims++;
  const int64_t k = numDims++;
  const auto mapOf = [&](ShapeRef operandBatch,
                         std::initializer_list<int64_t> dims) {
    AffineMap batchMap = c.g.broadcastMap(operandBatch, *batch);
    SmallVector<AffineExpr> exprs(batchMap.getResults());
    for (int64_t dim : dims) {
      if (dim >= 0) {
        exprs.push_back(c.g.b.getAffineDimExpr(static_cast<unsigned>(dim)));
      }
    }
    return AffineMap::get(static_cast<unsigned>(numDims), 0, exprs,
                          c.g.b.getContext());
  };
  SmallVector<int64_t> outDims = llvm::to_vector(llvm::seq<int64_t>(0, k));
  if (!dropM) {
    out.push_back(left[left.size() - 2]);
  }
  if (!dropN) {
    out.push_back(right.back());
  }
  return c.g.contract(lhs, rhs, mapOf(leftBatch, {m, k}),
                      mapOf(rightBatch, {k, n}), c.g.dimsMap(numDims, outDims),
                      out);
}

namespace {

LogicalResult decodeMatMul(DecodeContext &c) {
  if (failed(c.sameElements({0, 1}))) {
    return failure();
  }
  FailureOr<Value> product = buildMatMul(c, c.in(0), c.in(1));
  return failed(product) ? failure()
                         : c.set(0, c.g.cast(*product, c.element(0)));
}

/// alpha * A' * B' + beta * C.
LogicalResult decodeGemm(DecodeContext &c) {
  if (c.rank(0) != 2 || c.rank(1) != 2 || failed(c.sameElements({0, 1, 2}))) {
    return c.mismatch("operands of shapes " + toText(c.shape(0)) + " and " +
                      toText(c.shape(1)) + " are no matrices");
  }
  const bool transA = c.intAttr("transA", 0) != 0;
  const bool transB = c.intAttr("transB", 0) != 0;
  const double alpha = c.floatAttr("alpha", 1);
  const double beta = c.floatAttr("beta", 1);
  ShapeRef a = c.shape(0);
  ShapeRef b = c.shape(1);
  if (a[transA ? 0 : 1] != b[transB ? 1 : 0]) {
    return c.mismatch("shapes " + toText(a) + " and " + toText(b) +
                      " do not multiply");
  }
  const Shape out = {a[transA ? 1 : 0], b[transB ? 0 : 1]};
  // Iteration: m, n, k.
  AffineMap aMap = c.g.dimsMap(3, transA ? ShapeRef{2, 0} : ShapeRef{0, 2});
  AffineMap bMap = c.g.dimsMap(3, transB ? ShapeRef{1, 2} : ShapeRef{2, 1});
  Value product =
      c.g.contract(c.in(0), c.in(1), aMap, bMap, c.g.dimsMap(3, {0, 1}), out);
  SmallVector<Value> operands = {product};
  if (c.has(2) && beta != 0) {
    std::optional<Shape> shape = broadcastShapes({out, c.shape(2)});
    if (shape != out) {
      return c.mismatch("C of shape " + toText(c.shape(2)) +
                        " does not broadcast to " + toText(out));
    }
    operands.push_back(c.in(2));
  }
  const auto scaled = [](Scalars &s, Value value, double factor) {
    return factor == 1 ? value : s.mul(value, s.like(value, factor));
  };
  return c.set(
      0, c.g.map(operands, out, c.element(0), [&](Scalars &s, ValueRange v) {
        Value result = scaled(s, v[0], alpha);
        return v.size() == 2 ? s.add(result, scaled(s, v[1], beta)) : result;
      }));
}

} // namespace

void addMatMulDecoders(DecoderRegistry &r) {
  r.add("MatMul", 1, decodeMatMul, {.numRequired = 2});
  r.add("Gemm", 7, decodeGemm, {.numRequired = 2});
}

} // namespace spyre
