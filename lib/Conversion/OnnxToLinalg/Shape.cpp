// SPDX-License-Identifier: Apache-2.0
//
// Operators that give a tensor another shape and leave its elements in order.

#include "Registry.h"

using namespace mlir;

namespace spyre {

namespace {

/// Replaces 0 (a copy of the input's extent) and -1 (what remains).
FailureOr<Shape> resolveShape(DecodeContext &c, ShapeRef requested,
                              bool allowZero) {
  ShapeRef from = c.shape(0);
  Shape shape(requested);
  std::optional<size_t> open;
  int64_t known = 1;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent == 0 && !allowZero) {
      if (dim >= from.size()) {
        return c.mismatch("dim " + Twine(dim) +
                          " copies an extent of the "
                          "input, which has rank " +
                          Twine(from.size()));
      }
      extent = from[dim];
    }
    if (extent == -1 && !open) {
      open = dim;
      continue;
    }
    if (extent < 0) {
      return c.mismatch("the shape has the extent " + Twine(extent));
    }
    if (__builtin_mul_overflow(known, extent, &known)) {
      return c.mismatch("the shape has more than 2^63 elements");
    }
  }
  const int64_t total = numElements(from);
  if (open) {
    if (known == 0 || total % known != 0) {
      return c.mismatch(Twine(total) + " elements do not fit a shape with " +
                        Twine(known) + " elements and an open dim");
    }
    shape[*open] = total / known;
    known = total;
  }
  if (known != total) {
    return c.mismatch("shape " + toText(from) + " with " + Twine(total) +
                      " elements becomes " + toText(shape) + " with " +
                      Twine(known));
  }
  return shape;
}

LogicalResult decodeReshape(DecodeContext &c) {
  FailureOr<Shape> requested = c.integers(1, "shape");
  if (failed(requested)) {
    return failure();
  }
  FailureOr<Shape> shape =
      resolveShape(c, *requested, c.intAttr("allowzero", 0) != 0);
  return failed(shape) ? failure() : c.set(0, c.g.reshape(c.in(0), *shape));
}

LogicalResult decodeFlatten(DecodeContext &c) {
  const int64_t rank = c.rank(0);
  int64_t axis = c.intAttr("axis", 1);
  if (axis < -rank || axis > rank) {
    return c.badAttribute("axis " + Twine(axis) +
                          " is outside of a tensor of "
                          "rank " +
                          Twine(rank));
  }
  axis = axis < 0 ? axis + rank : axis;
  ShapeRef shape = c.shape(0);
  return c.set(0, c.g.reshape(c.in(0), {numElements(shape.take_front(axis)),
                                        numElements(shape.drop_front(axis))}));
}

LogicalResult decodeSqueeze(DecodeContext &c) {
  FailureOr<std::optional<Shape>> axes = c.axesInput(1, c.rank(0));
  if (failed(axes)) {
    return failure();
  }
  Shape dims;
  for (auto [dim, extent] : llvm::enumerate(c.shape(0))) {
    const auto index = static_cast<int64_t>(dim);
    if (!*axes && extent == 1) {
      dims.push_back(index);
    }
    if (*axes && llvm::is_contained(**axes, index)) {
      if (extent != 1) {
        return c.mismatch("dim " + Twine(index) + " of " + toText(c.shape(0)) +
                          " is not 1");
      }
      dims.push_back(index);
    }
  }
  return c.set(0, c.g.squeeze(c.in(0), dims));
}

LogicalResult decodeUnsqueeze(DecodeContext &c) {
  std::optional<Shape> given = c.intsAttr("axes");
  if (!given) {
    FailureOr<Shape> values = c.integers(1, "axes");
    if (failed(values)) {
      return failure();
    }
    given = *values;
  }
  FailureOr<Shape> axes =
      c.axes(*given, c.rank(0) + static_cast<int64_t>(given->size()));
  return failed(axes) ? failure() : c.set(0, c.g.unsqueeze(c.in(0), *axes));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult decodeDepthToSpace(DecodeContext &c) {
  ShapeRef in = c.shape(0);
  const int64_t block = c.intAttr("blocksize", 0);
  if (in.size() != 4 || block < 1 || block > in[1] ||
      in[1] % (block * block) != 0) {
    return c.mismatch("blocks of " + Twine(block) + " do not fit " +
                      toText(in));
  }
  const std::string mode = c.stringAttr("mode", "DCR");
  const int64_t depth = in[1] / (block * block);
  Value result;
  if (mode == "DCR") {
    result = c.g.reshape(c.in(0), {in[0], block, block, depth, in[2], in[3]});
    result = c.g.transpose(result, {0, 3, 4, 1, 5, 2});
  } else if (mode == "CRD") {
    result = c.g.reshape(c.in(0), {in[0], depth, block, block, in[2], in[3]});
    result = c.g.transpose(result, {0, 1, 4, 2, 5, 3});
  } else {
    return c.badAttribute("attribute \"mode\" is \"" + mode + "\"");
  }
  return c.set(
      0, c.g.reshape(result, {in[0], depth, in[2] * block, in[3] * block}));
}

LogicalResult decodeSpaceToDepth(DecodeContext &c) {
  ShapeRef in = c.shape(0);
  const int64_t block = c.intAttr("blocksize", 0);
  if (in.size() != 4 || block < 1 || block > in[2] || in[2] % block != 0 ||
      in[3] % block != 0) {
    return c.mismatch("blocks of " + Twine(block) + " do not fit " +
                      toText(in));
  }
  const int64_t height = in[2] / block;
  const int64_t width = in[3] / block;
  Value result =
      c.g.reshape(c.in(0), {in[0], in[1], height, block, width, block});
  result = c.g.transpose(result, {0, 3, 5, 1, 2, 4});
  return c.set(
      0, c.g.reshape(result, {in[0], in[1] * block * block, height, width}));
}

} // namespace

void addShapeDecoders(DecoderRegistry &r) {
  const DecoderTraits one = {.anyElement = true};
  const DecoderTraits two = {.numRequired = 2, .anyElement = true};
  r.add("Reshape", 5, decodeReshape, two);
  r.add("Flatten", 1, decodeFlatten, one);
  r.add("Squeeze", 1, decodeSqueeze, one);
  r.add("Unsqueeze", 1, decodeUnsqueeze, one);
  r.add("Unsqueeze", 13, decodeUnsqueeze, two);
  r.add("DepthToSpace", 1, decodeDepthToSpace, one);
  r.add("SpaceToDepth", 1, decodeSpaceToDepth, one);
}

} // namespace spyre
