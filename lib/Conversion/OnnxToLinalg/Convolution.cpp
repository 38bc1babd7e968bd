// SPDX-License-Identifier: Apache-2.0
//
// Convolution of any number of spatial dims, as one contraction whose input map
// has the sliding windows; groups are a dim of their own.

#include "Convolution.h"
#include "Registry.h"

using namespace mlir;

namespace spyre {

/// Iteration: n, (g,) o, out..., c, kernel...
Value contractWindows(GraphBuilder &g, const WindowContraction &problem,
                      const Windows &w) {
  const bool grouped = problem.groups > 1;
  ShapeRef in = shapeOf(problem.input);
  ShapeRef weights = shapeOf(problem.weights);
  const int64_t outputDim = grouped ? 2 : 1;
  const int64_t first = outputDim + 1;
  const auto spatial = static_cast<int64_t>(w.rank());
  const int64_t channelDim = first + spatial;
  const int64_t numDims = channelDim + 1 + spatial;
  const auto dim = [&](int64_t position) {
    return g.b.getAffineDimExpr(static_cast<unsigned>(position));
  };
  SmallVector<AffineExpr> inExprs = {dim(0)};
  SmallVector<AffineExpr> weightExprs;
  Shape outDims = {0};
  Shape outShape = {in[0]};
  if (grouped) {
    inExprs.push_back(dim(1));
    weightExprs.push_back(dim(1));
    outDims.push_back(1);
    outShape.push_back(problem.groups);
  }
  inExprs.push_back(dim(channelDim));
  llvm::append_range(inExprs, windowExprs(g, w, first, channelDim + 1));
  weightExprs.push_back(dim(outputDim));
  weightExprs.push_back(dim(channelDim));
  outDims.push_back(outputDim);
  outShape.push_back(weights[grouped ? 1 : 0]);
  for (int64_t i = 0; i < spatial; ++i) {
    weightExprs.push_back(dim(channelDim + 1 + i));
    outDims.push_back(first + i);
    outShape.push_back(w.out[i]);
  }
  const auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(static_cast<unsigned>(numDims), 0, exprs,
                          g.b.getContext());
  };
  return g.contract(problem.input, problem.weights, mapOf(inExprs),
                    mapOf(weightExprs), g.dimsMap(numDims, outDims), outShape);
}

Value addBias(DecodeContext &c, Value sum, size_t biasIndex) {
  SmallVector<Value> operands = {sum};
  if (c.has(biasIndex)) {
    Shape shape(shapeOf(sum).size() - 1, 1);
    shape[0] = c.shape(biasIndex)[0];
    operands.push_back(c.g.reshape(c.in(biasIndex), shape));
  }
  return c.g.map(operands, shapeOf(sum), c.element(0),
                 [](Scalars &s, ValueRange v) {
                   return v.size() == 2 ? s.add(v[0], v[1]) : v[0];
                 });
}

LogicalResult checkBias(DecodeContext &c, int64_t channels) {
  if (c.has(2) && c.shape(2) != ShapeRef(channels)) {
    return c.mismatch("a bias of shape " + toText(c.shape(2)) + " for " +
                      Twine(channels) + " channels");
  }
  return success();
}

namespace {

LogicalResult decodeConv(DecodeContext &c) {
  ShapeRef in = c.shape(0);
  ShapeRef weights = c.shape(1);
  const int64_t groups = c.intAttr("group", 1);
  if (in.size() < 3 || weights.size() != in.size() || groups < 1 ||
      in[1] != weights[1] * groups || weights[0] % groups != 0 ||
      failed(c.sameElements({0, 1, 2}))) {
    return c.mismatch("input " + toText(in) + " and weights " +
                      toText(weights) + " with " + Twine(groups) + " groups");
  }
  FailureOr<Windows> w = readWindows(c, weights.drop_front(2));
  if (failed(w) || failed(checkBias(c, weights[0]))) {
    return failure();
  }
  WindowContraction problem;
  problem.groups = groups;
  problem.input = padSpatial(c.g, c.in(0), *w, c.g.b.getZeroAttr(c.element(0)));
  problem.weights = c.in(1);
  Shape out = {in[0], weights[0]};
  llvm::append_range(out, w->out);
  if (groups > 1) {
    Shape grouped(shapeOf(problem.input));
    grouped[1] = weights[1];
    grouped.insert(grouped.begin() + 1, groups);
    problem.input = c.g.reshape(problem.input, grouped);
    Shape split(weights);
    split[0] /= groups;
    split.insert(split.begin(), groups);
    problem.weights = c.g.reshape(problem.weights, split);
  }
  Value sum = c.g.reshape(contractWindows(c.g, problem, *w), out);
  return c.set(0, addBias(c, sum, 2));
}

} // namespace

void addConvolutionDecoders(DecoderRegistry &r) {
  r.add("Conv", 1, decodeConv, {.numRequired = 2});
}

} // namespace spyre
