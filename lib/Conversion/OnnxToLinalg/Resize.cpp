// SPDX-License-Identifier: Apache-2.0
//
// Resize and Upsample. Each axis is resized on its own: nearest reads at known
// indices; linear and cubic are a product with a constant matrix that holds the
// weights of each result position.

#include "Registry.h"

#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

/// How one axis is resized.
struct Axis {
  int64_t in = 0;
  int64_t out = 0;
  double scale = 1;
};

struct ResizeSpec {
  std::string mode;
  std::string coordinates;
  std::string nearest;
  double cubic = -0.75;
  bool excludeOutside = false;
  bool antialias = false;
};

/// The position in the input of a position in the result.
double sourcePosition(const ResizeSpec &spec, const Axis &axis, int64_t x) {
  const auto at = static_cast<double>(x);
  const auto in = static_cast<double>(axis.in);
  const double out = axis.scale * in;
  if (spec.coordinates == "align_corners") {
    return out == 1 ? 0 : at * (in - 1) / (out - 1);
  }
  if (spec.coordinates == "asymmetric") {
    return at / axis.scale;
  }
  if (spec.coordinates == "pytorch_half_pixel" && axis.out == 1) {
    return -0.5;
  }
  const double half = (at + 0.5) / axis.scale - 0.5;
  if (spec.coordinates == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(axis.out) / out;
    return in / 2 * (1 - adjustment) + half;
  }
  return half;
}

int64_t nearestIndex(const ResizeSpec &spec, const Axis &axis, double x) {
  double rounded = std::floor(x);
  if (spec.nearest == "round_prefer_floor") {
    rounded = std::ceil(x - 0.5);
  } else if (spec.nearest == "round_prefer_ceil") {
    rounded = std::floor(x + 0.5);
  } else if (spec.nearest == "ceil") {
    rounded = std::ceil(x);
  }
  return static_cast<int64_t>(
      std::clamp(rounded, 0.0, static_cast<double>(axis.in - 1)));
}

double cubicWeight(double distance, double a) {
  const double d = std::fabs(distance);
  if (d <= 1) {
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  }
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// The weights of the neighbours of a position that lies `ratio` behind the
/// left one; the first is at `first` relative to that.
struct Weights {
  int64_t first = 0;
  SmallVector<double> values;
};

Weights weightsOf(const ResizeSpec &spec, double ratio, double scale) {
  const bool linear = spec.mode == "linear";
  const double shrink = spec.antialias ? std::min(scale, 1.0) : 1.0;
  Weights weights;
  weights.first =
      static_cast<int64_t>(std::floor((linear ? -1 : -2) / shrink)) + 1;
  const int64_t count = 2 - 2 * weights.first;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double distance =
        (static_cast<double>(weights.first + i) - ratio) * shrink;
    weights.values.push_back(linear ? std::max(1 - std::fabs(distance), 0.0)
                                    : cubicWeight(distance, spec.cubic));
    sum += weights.values.back();
  }
  for (double &value : weights.values) {
    value = spec.antialias ? value / sum : value;
  }
  return weights;
}

/// [out, in]: row x holds the weights of result position x.
std::vector<Number> weightMatrix(const ResizeSpec &spec, const Axis &axis) {
  std::vector<Number> matrix(static_cast<size_t>(axis.out * axis.in));
  for (int64_t x = 0; x < axis.out; ++x) {
    const double position = sourcePosition(spec, axis, x);
    // The left neighbour; a position on an element counts as right of it.
    const double left = std::ceil(position) - 1;
    Weights weights = weightsOf(spec, position - left, axis.scale);
    double kept = 0;
    for (auto [i, value] : llvm::enumerate(weights.values)) {
      const auto at =
          static_cast<int64_t>(left) + weights.first + static_cast<int64_t>(i);
      const bool outside = at < 0 || at >= axis.in;
      if (outside && spec.excludeOutside) {
        continue;
      }
      kept += value;
      matrix[x * axis.in + std::clamp<int64_t>(at, 0, axis.in - 1)].real +=
          value;
    }
    for (int64_t i = 0; spec.excludeOutside && i < axis.in; ++i) {
      matrix[x * axis.in + i].real /= kept;
    }
  }
  return matrix;
}

Value resizeNearest(GraphBuilder &g, Value input, int64_t dim, const Axis &axis,
                    const ResizeSpec &spec) {
  Shape indices;
  bool repeats = axis.out % axis.in == 0;
  const int64_t factor = axis.out / std::max<int64_t>(axis.in, 1);
  for (int64_t x = 0; x < axis.out; ++x) {
    indices.push_back(nearestIndex(spec, axis, sourcePosition(spec, axis, x)));
    repeats &= indices.back() == x / std::max<int64_t>(factor, 1);
  }
  if (!repeats) {
    return g.gather(input, g.integers(indices), dim);
  }
  // Every element a fixed number of times: a broadcast of a new dim.
  Shape wide(shapeOf(input));
  wide.insert(wide.begin() + dim + 1, factor);
  Shape result(shapeOf(input));
  result[dim] = axis.out;
  return g.reshape(g.broadcast(g.unsqueeze(input, dim + 1), wide), result);
}

Value resizeLinear(GraphBuilder &g, Value input, int64_t dim, const Axis &axis,
                   const ResizeSpec &spec) {
  Type element = elementOf(input);
  Value matrix = g.constant(
      writeNumbers(RankedTensorType::get({axis.out, axis.in}, element),
                   weightMatrix(spec, axis)));
  // Iteration: the dims of the result, then the position in the input.
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  Shape inDims;
  Shape outDims;
  for (int64_t i = 0; i < rank; ++i) {
    inDims.push_back(i == dim ? rank : i);
    outDims.push_back(i);
  }
  Shape shape(shapeOf(input));
  shape[dim] = axis.out;
  Value sum = g.contract(input, matrix, g.dimsMap(rank + 1, inDims),
                         g.dimsMap(rank + 1, {dim, rank}),
                         g.dimsMap(rank + 1, outDims), shape);
  return g.cast(sum, element);
}

//===----------------------------------------------------------------------===//
// Attributes and inputs
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<double>> floats(DecodeContext &c, size_t index) {
  DenseElementsAttr attr = c.constantInput(index);
  if (!attr || !isFloatType(attr.getElementType())) {
    return c.unsupported("input " + Twine(index) +
                         " (scales) must be known when compiling");
  }
  SmallVector<double> values;
  for (const Number &number : readNumbers(attr)) {
    values.push_back(number.real);
  }
  return values;
}

/// 0, which is refused, for what is no extent.
int64_t toExtent(double value) {
  return value >= 0 && value <= static_cast<double>(kMaxCount)
             ? static_cast<int64_t>(value)
             : 0;
}

/// The extents of the result and the scale of each axis that `axes` names.
FailureOr<SmallVector<Axis>> resizedAxes(DecodeContext &c, ShapeRef axes,
                                         size_t scalesIndex,
                                         size_t sizesIndex) {
  SmallVector<Axis> result;
  for (int64_t extent : c.shape(0)) {
    result.push_back({extent, extent, 1});
  }
  if (c.has(sizesIndex) && numElements(c.shape(sizesIndex)) > 0) {
    FailureOr<Shape> sizes = c.integers(sizesIndex, "sizes");
    if (failed(sizes) || sizes->size() != axes.size()) {
      return c.mismatch("sizes do not fit the axes");
    }
    const std::string policy =
        c.stringAttr("keep_aspect_ratio_policy", "stretch");
    double common = policy == "not_larger" ? INFINITY : 0;
    for (auto [axis, size] : llvm::zip(axes, *sizes)) {
      const double scale =
          static_cast<double>(size) / static_cast<double>(result[axis].in);
      common = policy == "not_larger" ? std::min(common, scale)
                                      : std::max(common, scale);
    }
    for (auto [axis, size] : llvm::zip(axes, *sizes)) {
      Axis &entry = result[axis];
      const auto in = static_cast<double>(entry.in);
      entry.out =
          policy == "stretch" ? size : toExtent(std::floor(common * in + 0.5));
      entry.scale =
          policy == "stretch" ? static_cast<double>(size) / in : common;
    }
    return result;
  }
  SmallVector<double> scales;
  if (Attribute attr = c.node.getParameter("scales")) {
    auto values = dyn_cast<DenseF32ArrayAttr>(attr);
    if (!values) {
      return c.badAttribute("attribute \"scales\" is not a list of floats");
    }
    scales.assign(values.asArrayRef().begin(), values.asArrayRef().end());
  } else {
    if (!c.has(scalesIndex)) {
      return c.mismatch("neither scales nor sizes are given");
    }
    FailureOr<SmallVector<double>> given = floats(c, scalesIndex);
    if (failed(given)) {
      return failure();
    }
    scales = *given;
  }
  if (scales.size() != axes.size()) {
    return c.mismatch(Twine(scales.size()) + " scales for " +
                      Twine(axes.size()) + " axes");
  }
  for (auto [axis, scale] : llvm::zip(axes, scales)) {
    Axis &entry = result[axis];
    entry.scale = scale;
    entry.out =
        static_cast<int64_t>(std::floor(static_cast<double>(entry.in) * scale));
  }
  return result;
}

LogicalResult resize(DecodeContext &c, const ResizeSpec &spec,
                     size_t scalesIndex, size_t sizesIndex) {
  Shape axes = llvm::to_vector(llvm::seq<int64_t>(0, c.rank(0)));
  if (std::optional<Shape> given = c.intsAttr("axes")) {
    FailureOr<Shape> normal = c.axes(*given, c.rank(0));
    if (failed(normal)) {
      return failure();
    }
    axes = *normal;
  }
  if (spec.mode != "nearest" && spec.mode != "linear" && spec.mode != "cubic") {
    return c.badAttribute("attribute \"mode\" is \"" + spec.mode + "\"");
  }
  if (spec.coordinates == "tf_crop_and_resize") {
    return c.unsupported("coordinate_transformation_mode "
                         "\"tf_crop_and_resize\"");
  }
  FailureOr<SmallVector<Axis>> resized =
      resizedAxes(c, axes, scalesIndex, sizesIndex);
  if (failed(resized)) {
    return failure();
  }
  Value value = c.in(0);
  for (auto [dim, axis] : llvm::enumerate(*resized)) {
    if (axis.in < 1 || axis.out < 1 || axis.out > kMaxCount) {
      return c.mismatch("axis " + Twine(dim) + " of extent " + Twine(axis.in) +
                        " becomes " + Twine(axis.out));
    }
    const auto index = static_cast<int64_t>(dim);
    if (axis.in == axis.out && axis.scale == 1) {
      continue;
    }
    value = spec.mode == "nearest"
                ? resizeNearest(c.g, value, index, axis, spec)
                : resizeLinear(c.g, value, index, axis, spec);
  }
  return c.set(0, value);
}

/// Inputs X, roi, scales, sizes, since opset 11.
LogicalResult decodeResize(DecodeContext &c) {
  ResizeSpec spec;
  spec.mode = c.stringAttr("mode", "nearest");
  spec.coordinates =
      c.stringAttr("coordinate_transformation_mode", "half_pixel");
  spec.nearest = c.stringAttr("nearest_mode", "round_prefer_floor");
  spec.cubic = c.floatAttr("cubic_coeff_a", -0.75);
  spec.excludeOutside = c.intAttr("exclude_outside", 0) != 0;
  spec.antialias = c.intAttr("antialias", 0) != 0;
  return resize(c, spec, 2, 3);
}

/// Resize of opset 10, and Upsample: positions are divided by the scale.
LogicalResult decodeUpsample(DecodeContext &c) {
  ResizeSpec spec;
  spec.mode = c.stringAttr("mode", "nearest");
  spec.coordinates = "asymmetric";
  spec.nearest = "floor";
  return resize(c, spec, 1, 2);
}

} // namespace

void addResizeDecoders(DecoderRegistry &r) {
  r.add("Resize", 10, decodeUpsample, {.numRequired = 2});
  r.add("Resize", 11, decodeResize, {.condition = "no `tf_crop_and_resize`"});
  r.add("Upsample", 7, decodeUpsample);
}

} // namespace spyre
