// SPDX-License-Identifier: Apache-2.0
//
// Convolution of any number of spatial dims, as one contraction whose input map
// has the sliding windows; groups are a dim of their own.

#include "Registry.h"
#include "Windows.h"

using namespace mlir;

namespace spyre {

namespace {

/// Input [N, G, C, spatial], weights [G, O, C, kernel], result [N, G, O, out].
/// Dims of one extent are left out where there is one group.
struct Contraction {
  Value input;
  Value weights;
  int64_t groups = 1;
};

/// Iteration: n, (g,) o, out..., c, kernel...
Value contractWindows(GraphBuilder &g, const Contraction &problem,
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

/// sum (+ bias of each channel), rounded to the element type.
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
  Contraction problem;
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

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// What the padding of a transposed convolution cuts off its full result.
struct Crop {
  Shape begin;
  Shape out;
};

FailureOr<Crop> readCrop(DecodeContext &c, const Shape &kernel,
                         const Shape &strides, const Shape &dilations) {
  const size_t rank = kernel.size();
  ShapeRef in = c.shape(0).drop_front(2);
  const Shape extra = c.intsAttr("output_padding").value_or(Shape(rank, 0));
  const Shape pads = c.intsAttr("pads").value_or(Shape(2 * rank, 0));
  const std::optional<Shape> wanted = c.intsAttr("output_shape");
  const std::string autoPad = c.stringAttr("auto_pad", "NOTSET");
  if (extra.size() != rank || pads.size() != 2 * rank ||
      (wanted && wanted->size() != rank)) {
    return c.badAttribute("an attribute has not one value for each dim");
  }
  Crop crop;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t full = (in[i] - 1) * strides[i] + extra[i] +
                         (kernel[i] - 1) * dilations[i] + 1;
    int64_t total = pads[i] + pads[rank + i];
    int64_t begin = pads[i];
    const bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
    if (wanted || same) {
      total = full - (wanted ? (*wanted)[i] : in[i] * strides[i]);
      const int64_t smaller = std::max<int64_t>(total, 0) / 2;
      begin = autoPad == "SAME_UPPER" ? smaller : total - smaller;
    }
    crop.begin.push_back(begin);
    crop.out.push_back(full - total);
    if (begin < 0 || full - total < 0) {
      return c.unsupported("a result larger than its windows reach");
    }
  }
  return crop;
}

/// The input with stride - 1 zeros between its elements, padded by the reach of
/// the kernel, convolved with the mirrored kernel. The kernel is mirrored by
/// reading it backwards, which slices of one element do.
Value mirrored(GraphBuilder &g, Value weights) {
  for (int64_t dim = 2; dim < static_cast<int64_t>(shapeOf(weights).size());
       ++dim) {
    const int64_t extent = shapeOf(weights)[dim];
    SmallVector<Value> parts;
    for (int64_t i = extent; i-- > 0;) {
      parts.push_back(g.slice(weights, dim, i, 1));
    }
    weights = g.concat(parts, dim);
  }
  return weights;
}

/// [N, C, spatial] with zeros between the elements of each spatial dim: a unit
/// dim behind each is padded to the stride, then both are merged.
Value spread(GraphBuilder &g, Value input, const Shape &strides) {
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 1) {
      continue;
    }
    const auto dim = static_cast<int64_t>(i) + 2;
    Value wide = g.unsqueeze(input, dim + 1);
    Shape shape(shapeOf(wide));
    shape[dim + 1] = strides[i];
    wide = g.insert(wide, g.filled(shape, g.b.getZeroAttr(elementOf(input))),
                    Shape(shape.size(), 0));
    shape.erase(shape.begin() + dim + 1);
    const int64_t extent = shape[dim];
    shape[dim] *= strides[i];
    input =
        g.slice(g.reshape(wide, shape), dim, 0, (extent - 1) * strides[i] + 1);
  }
  return input;
}

LogicalResult decodeConvTranspose(DecodeContext &c) {
  ShapeRef in = c.shape(0);
  ShapeRef weights = c.shape(1);
  const int64_t groups = c.intAttr("group", 1);
  if (in.size() < 3 || weights.size() != in.size() || groups < 1 ||
      in[1] != weights[0] || in[1] % groups != 0 || numElements(in) == 0 ||
      failed(c.sameElements({0, 1, 2}))) {
    return c.mismatch("input " + toText(in) + " and weights " +
                      toText(weights) + " with " + Twine(groups) + " groups");
  }
  const Shape kernel(weights.drop_front(2));
  const size_t rank = kernel.size();
  const Shape strides = c.intsAttr("strides").value_or(Shape(rank, 1));
  const Shape dilations = c.intsAttr("dilations").value_or(Shape(rank, 1));
  if (strides.size() != rank || dilations.size() != rank) {
    return c.badAttribute("strides or dilations have not " + Twine(rank) +
                          " values");
  }
  FailureOr<Crop> crop = readCrop(c, kernel, strides, dilations);
  const int64_t channels = weights[1] * groups;
  if (failed(crop) || failed(checkBias(c, channels))) {
    return failure();
  }
  Windows w;
  w.kernel = kernel;
  w.strides = Shape(rank, 1);
  w.dilations = dilations;
  w.out = crop->out;
  Value input = spread(c.g, c.in(0), strides);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t reach = (kernel[i] - 1) * dilations[i];
    const int64_t extent = shapeOf(input)[i + 2];
    const int64_t begin = reach - crop->begin[i];
    const int64_t end = crop->out[i] + reach - extent - begin;
    if (begin < 0) {
      input =
          c.g.slice(input, static_cast<int64_t>(i) + 2, -begin, extent + begin);
    }
    w.begin.push_back(std::max<int64_t>(begin, 0));
    const int64_t left = shapeOf(input)[i + 2];
    if (end < 0) {
      input = c.g.slice(input, static_cast<int64_t>(i) + 2, 0, left + end);
    }
    w.end.push_back(std::max<int64_t>(end, 0));
  }
  input = padSpatial(c.g, input, w, c.g.b.getZeroAttr(c.element(0)));
  // Weights [C, O/G, kernel] become [G, O/G, C/G, kernel].
  Shape split(weights);
  split[0] /= groups;
  split.insert(split.begin(), groups);
  Shape permutation;
  for (size_t i = 0; i < split.size(); ++i) {
    permutation.push_back(static_cast<int64_t>(i));
  }
  std::swap(permutation[1], permutation[2]);
  Contraction problem;
  problem.groups = groups;
  problem.weights =
      c.g.transpose(c.g.reshape(mirrored(c.g, c.in(1)), split), permutation);
  problem.input = input;
  Shape grouped(shapeOf(input));
  if (groups > 1) {
    grouped[1] /= groups;
    grouped.insert(grouped.begin() + 1, groups);
    problem.input = c.g.reshape(input, grouped);
  } else {
    problem.weights = c.g.squeeze(problem.weights, 0);
  }
  Shape out = {in[0], channels};
  llvm::append_range(out, w.out);
  Value sum = c.g.reshape(contractWindows(c.g, problem, w), out);
  return c.set(0, addBias(c, sum, 2));
}

} // namespace

void addConvolutionDecoders(DecoderRegistry &r) {
  r.add("Conv", 1, decodeConv, {.numRequired = 2});
  r.add("ConvTranspose", 1, decodeConvTranspose, {.numRequired = 2});
}

} // namespace spyre
