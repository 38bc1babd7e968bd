// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolution, as a convolution: the input with stride - 1 zeros
// between its elements, padded by the reach of the kernel, with the kernel
// mirrored.

#include "Convolution.h"
#include "Registry.h"

using namespace mlir;

namespace spyre {

namespace {

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
  const auto small = [](int64_t value) {
    return value >= 0 && value <= kMaxCount;
  };
  if (!llvm::all_of(extra, small) || !llvm::all_of(pads, small) ||
      (wanted && !llvm::all_of(*wanted, small))) {
    return c.badAttribute("a padding or extent is negative or too large");
  }
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

/// The kernel backwards along each spatial dim, by slices of one element.
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

/// Pads the spread input by the reach of the kernel, less what is cropped,
/// which may be more than that; the windows have stride 1.
Value alignWindows(GraphBuilder &g, Value input, Windows &w, const Crop &crop) {
  for (size_t i = 0; i < w.rank(); ++i) {
    const auto dim = static_cast<int64_t>(i) + 2;
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i];
    const int64_t extent = shapeOf(input)[dim];
    const int64_t begin = reach - crop.begin[i];
    const int64_t end = crop.out[i] + reach - extent - begin;
    const int64_t cutFront = std::max<int64_t>(-begin, 0);
    const int64_t cutBack = std::max<int64_t>(-end, 0);
    input = g.slice(input, dim, cutFront, extent - cutFront - cutBack);
    w.begin.push_back(std::max<int64_t>(begin, 0));
    w.end.push_back(std::max<int64_t>(end, 0));
  }
  return padSpatial(g, input, w, g.b.getZeroAttr(elementOf(input)));
}

/// Weights [C, O/G, kernel] and input [N, C, spatial] with a dim of groups:
/// [G, O/G, C/G, kernel] and [N, G, C/G, spatial].
WindowContraction splitGroups(GraphBuilder &g, Value input, Value weights,
                              int64_t groups) {
  Shape split(shapeOf(weights));
  split[0] /= groups;
  split.insert(split.begin(), groups);
  Shape permutation = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(split.size())));
  std::swap(permutation[1], permutation[2]);
  WindowContraction problem;
  problem.groups = groups;
  problem.weights = g.transpose(g.reshape(weights, split), permutation);
  problem.input = input;
  if (groups == 1) {
    problem.weights = g.squeeze(problem.weights, 0);
    return problem;
  }
  Shape grouped(shapeOf(input));
  grouped[1] /= groups;
  grouped.insert(grouped.begin() + 1, groups);
  problem.input = g.reshape(input, grouped);
  return problem;
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
  Windows w;
  w.kernel = Shape(weights.drop_front(2));
  w.strides = Shape(w.rank(), 1);
  w.dilations = c.intsAttr("dilations").value_or(Shape(w.rank(), 1));
  const Shape strides = c.intsAttr("strides").value_or(Shape(w.rank(), 1));
  const auto positive = [](int64_t value) {
    return value > 0 && value <= kMaxCount;
  };
  if (strides.size() != w.rank() || w.dilations.size() != w.rank() ||
      !llvm::all_of(strides, positive) ||
      !llvm::all_of(w.dilations, positive)) {
    return c.badAttribute("strides or dilations have not " + Twine(w.rank()) +
                          " positive values");
  }
  FailureOr<Crop> crop = readCrop(c, w.kernel, strides, w.dilations);
  const int64_t channels = weights[1] * groups;
  if (failed(crop) || failed(checkBias(c, channels))) {
    return failure();
  }
  w.out = crop->out;
  Value input = alignWindows(c.g, spread(c.g, c.in(0), strides), w, *crop);
  WindowContraction problem =
      splitGroups(c.g, input, mirrored(c.g, c.in(1)), groups);
  Shape out = {in[0], channels};
  llvm::append_range(out, w.out);
  Value sum = c.g.reshape(contractWindows(c.g, problem, w), out);
  return c.set(0, addBias(c, sum, 2));
}

} // namespace

void addConvTransposeDecoders(DecoderRegistry &r) {
  r.add("ConvTranspose", 1, decodeConvTranspose,
        {.numRequired = 2,
         .condition = "a result no larger than its windows reach"});
}

} // namespace spyre
