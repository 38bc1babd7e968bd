// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements: transpose, parts, joins, repetition.

#include "Registry.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace spyre {

namespace {

LogicalResult decodeTranspose(DecodeContext &c) {
  Shape perm(c.rank(0));
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (std::optional<Shape> given = c.intsAttr("perm")) {
    Shape sorted(*given);
    llvm::sort(sorted);
    Shape all(perm.rbegin(), perm.rend());
    if (sorted != all) {
      return c.badAttribute("\"perm\" is no permutation of " +
                            Twine(c.rank(0)) + " dims");
    }
    perm = *given;
  }
  return c.set(0, c.g.transpose(c.in(0), perm));
}

LogicalResult decodeExpand(DecodeContext &c) {
  FailureOr<Shape> requested = c.integers(1, "shape");
  if (failed(requested)) {
    return failure();
  }
  std::optional<Shape> shape = broadcastShapes({c.shape(0), *requested});
  if (!shape ||
      llvm::any_of(*shape, [](int64_t extent) { return extent < 0; })) {
    return c.mismatch("shape " + toText(c.shape(0)) + " does not expand to " +
                      toText(*requested));
  }
  return c.set(0, c.g.broadcast(c.in(0), *shape));
}

LogicalResult decodeTile(DecodeContext &c) {
  FailureOr<Shape> repeats = c.integers(1, "repeats");
  if (failed(repeats)) {
    return failure();
  }
  ShapeRef in = c.shape(0);
  if (repeats->size() != in.size() || llvm::any_of(*repeats, [](int64_t count) {
        return count < 0 || count > kMaxCount;
      })) {
    return c.mismatch("repeats " + toText(*repeats) + " do not fit " +
                      toText(in));
  }
  // Each dim becomes (repeats, extent), where the first is broadcast.
  Shape paired;
  Shape repeated;
  Shape result;
  for (auto [extent, count] : llvm::zip(in, *repeats)) {
    if (count != 1) {
      paired.push_back(1);
      repeated.push_back(count);
    }
    paired.push_back(extent);
    repeated.push_back(extent);
    result.push_back(extent * count);
  }
  Value value = c.g.broadcast(c.g.reshape(c.in(0), paired), repeated);
  return c.set(0, c.g.reshape(value, result));
}

LogicalResult decodeConcat(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 1), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  for (size_t i = 0; i < c.numInputs(); ++i) {
    if (!c.has(i) || failed(c.sameElements({0, i}))) {
      return c.mismatch("input " + Twine(i) + " is missing");
    }
    Shape shape(c.shape(i));
    if (c.rank(i) == c.rank(0)) {
      shape[*axis] = c.shape(0)[*axis];
    }
    if (shape != Shape(c.shape(0))) {
      return c.mismatch("shapes " + toText(c.shape(0)) + " and " +
                        toText(c.shape(i)) + " differ outside of axis " +
                        Twine(*axis));
    }
  }
  return c.set(0, c.g.concat(c.inputs(), *axis));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Sizes of the parts: given, or as equal as possible with a shorter last one.
FailureOr<Shape> splitSizes(DecodeContext &c, int64_t extent) {
  if (std::optional<Shape> sizes = c.intsAttr("split")) {
    return *sizes;
  }
  if (c.has(1)) {
    return c.integers(1, "split");
  }
  const auto count =
      c.intAttr("num_outputs", static_cast<int64_t>(c.numOutputs()));
  if (count < 1 || count > kMaxCount) {
    return c.badAttribute("a split into " + Twine(count) + " parts");
  }
  const int64_t part = (extent + count - 1) / count;
  Shape sizes;
  for (int64_t i = 0; i < count; ++i) {
    sizes.push_back(std::clamp<int64_t>(extent - i * part, 0, part));
  }
  return sizes;
}

LogicalResult decodeSplit(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 0), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  const int64_t extent = c.shape(0)[*axis];
  FailureOr<Shape> sizes = splitSizes(c, extent);
  if (failed(sizes)) {
    return failure();
  }
  const int64_t total =
      std::accumulate(sizes->begin(), sizes->end(), int64_t{0});
  const bool negative = llvm::any_of(
      *sizes, [&](int64_t size) { return size < 0 || size > extent; });
  if (negative || total != extent || sizes->size() != c.numOutputs()) {
    return c.mismatch("parts of " + toText(*sizes) + " do not make up " +
                      Twine(extent) + " in " + Twine(c.numOutputs()) +
                      " outputs");
  }
  int64_t begin = 0;
  for (auto [index, size] : llvm::enumerate(*sizes)) {
    (void)c.set(index, c.g.slice(c.in(0), *axis, begin, size));
    begin += size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// What Slice asks for, one entry for each of its axes.
struct SliceSpec {
  Shape starts;
  Shape ends;
  Shape axes;
  Shape steps;
};

FailureOr<SliceSpec> sliceSpec(DecodeContext &c) {
  SliceSpec spec;
  std::optional<Shape> starts = c.intsAttr("starts");
  std::optional<Shape> ends = c.intsAttr("ends");
  std::optional<Shape> axes = c.intsAttr("axes");
  std::optional<Shape> steps;
  const auto read = [&](size_t index, StringRef name,
                        std::optional<Shape> &into) {
    if (into || !c.has(index)) {
      return success();
    }
    FailureOr<Shape> values = c.integers(index, name);
    if (succeeded(values)) {
      into = *values;
    }
    return LogicalResult(values);
  };
  if (failed(read(1, "starts", starts)) || failed(read(2, "ends", ends)) ||
      failed(read(3, "axes", axes)) || failed(read(4, "steps", steps))) {
    return failure();
  }
  if (!starts || !ends) {
    return c.mismatch("starts or ends are missing");
  }
  if (!axes) {
    axes = Shape(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) {
    steps = Shape(starts->size(), 1);
  }
  FailureOr<Shape> normal = c.axes(*axes, c.rank(0));
  if (failed(normal)) {
    return failure();
  }
  const size_t count = normal->size();
  if (starts->size() != count || ends->size() != count ||
      steps->size() != count) {
    return c.mismatch("starts, ends, axes and steps have different lengths");
  }
  return SliceSpec{*starts, *ends, *normal, *steps};
}

LogicalResult decodeSlice(DecodeContext &c) {
  FailureOr<SliceSpec> spec = sliceSpec(c);
  if (failed(spec)) {
    return failure();
  }
  Shape offsets(c.rank(0), 0);
  Shape sizes(c.shape(0));
  Shape strides(c.rank(0), 1);
  for (auto [start, end, axis, step] :
       llvm::zip(spec->starts, spec->ends, spec->axes, spec->steps)) {
    const int64_t extent = c.shape(0)[axis];
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
      return c.mismatch("a step of " + Twine(step));
    }
    // As Python's slices: negative positions count from the end; then both
    // are clamped to what the direction can reach.
    const auto position = [&](int64_t value, int64_t low, int64_t high) {
      return std::clamp(value < 0 ? value + extent : value, low, high);
    };
    const bool forward = step > 0;
    const int64_t first =
        forward ? position(start, 0, extent) : position(start, -1, extent - 1);
    const int64_t last =
        forward ? position(end, 0, extent) : position(end, -1, extent - 1);
    const int64_t distance = forward ? last - first : first - last;
    const int64_t stride = forward ? step : -step;
    offsets[axis] = first;
    sizes[axis] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    strides[axis] = sizes[axis] == 1 ? 1 : step;
    if (strides[axis] < 0 && sizes[axis] > 1 && !c.constantInput(0)) {
      return c.unsupported("a negative step on data");
    }
    // A step beyond the only element would leave the tensor.
    offsets[axis] = sizes[axis] == 0 ? 0 : offsets[axis];
  }
  return c.set(0, c.g.slice(c.in(0), offsets, sizes, strides));
}

} // namespace

void addMovementDecoders(DecoderRegistry &r) {
  const DecoderTraits one = {.anyElement = true};
  const DecoderTraits two = {.numRequired = 2, .anyElement = true};
  r.add("Transpose", 1, decodeTranspose, one);
  r.add("Expand", 8, decodeExpand, two);
  r.add("Tile", 6, decodeTile, two);
  r.add("Concat", 4, decodeConcat, one);
  r.add("Split", 2, decodeSplit, one);
  r.add("Slice", 1, decodeSlice,
        {.anyElement = true,
         .condition = "negative steps only on what is known when compiling"});
}

} // namespace spyre
