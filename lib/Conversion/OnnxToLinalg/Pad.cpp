// SPDX-License-Identifier: Apache-2.0
//
// Pad: negative pads cut off; a constant is a fill that the tensor is written
// over; the other modes join slices of the tensor to it.

#include "Registry.h"

#include <numeric>

using namespace mlir;

namespace spyre {

namespace {

/// Elements in front of and behind each dim of the input; may be negative.
struct Pads {
  Shape front;
  Shape back;
};

FailureOr<Pads> readPads(DecodeContext &c) {
  std::optional<Shape> given = c.intsAttr("pads");
  if (!given) {
    FailureOr<Shape> values = c.integers(1, "pads");
    if (failed(values)) {
      return failure();
    }
    given = *values;
  }
  Shape axes = llvm::to_vector(llvm::seq<int64_t>(0, c.rank(0)));
  if (c.has(3)) {
    FailureOr<Shape> values = c.integers(3, "axes");
    FailureOr<Shape> normal =
        failed(values) ? FailureOr<Shape>() : c.axes(*values, c.rank(0));
    if (failed(normal)) {
      return failure();
    }
    axes = *normal;
  }
  if (given->size() != 2 * axes.size()) {
    return c.mismatch(Twine(given->size()) + " pads for " + Twine(axes.size()) +
                      " axes");
  }
  if (llvm::any_of(*given, [](int64_t pad) {
        return pad < -kMaxCount || pad > kMaxCount;
      })) {
    return c.mismatch("pads of more than " + Twine(kMaxCount));
  }
  Pads pads = {Shape(c.rank(0), 0), Shape(c.rank(0), 0)};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    pads.front[axis] = (*given)[i];
    pads.back[axis] = (*given)[axes.size() + i];
  }
  return pads;
}

/// The input without what negative pads remove, which become 0.
FailureOr<Value> cutOff(DecodeContext &c, Pads &pads) {
  Value result = c.in(0);
  for (int64_t axis = 0; axis < c.rank(0); ++axis) {
    const int64_t front = std::max<int64_t>(-pads.front[axis], 0);
    const int64_t back = std::max<int64_t>(-pads.back[axis], 0);
    const int64_t left = shapeOf(result)[axis] - front - back;
    if (left < 0) {
      return c.mismatch("negative pads remove more than axis " + Twine(axis) +
                        " has");
    }
    result = c.g.slice(result, axis, front, left);
    pads.front[axis] = std::max<int64_t>(pads.front[axis], 0);
    pads.back[axis] = std::max<int64_t>(pads.back[axis], 0);
  }
  return result;
}

/// A tensor of the scalar that pads: an operand, an attribute, or 0.
FailureOr<Value> background(DecodeContext &c, ShapeRef shape) {
  Type element = c.element(0);
  double value = c.floatAttr("value", 0);
  if (c.has(2)) {
    if (numElements(c.shape(2)) != 1 || failed(c.sameElements({0, 2}))) {
      return c.mismatch("a padding value of shape " + toText(c.shape(2)));
    }
    if (!c.constantInput(2)) {
      return c.g.broadcast(c.g.reshape(c.in(2), {}), shape);
    }
    value = *c.scalar(2, "constant_value");
  }
  TypedAttr scalar = isFloatType(element)
                         ? TypedAttr(c.g.b.getFloatAttr(element, value))
                         : TypedAttr(c.g.b.getIntegerAttr(
                               element, static_cast<int64_t>(value)));
  return c.g.filled(shape, scalar);
}

LogicalResult padConstant(DecodeContext &c, Value input, const Pads &pads) {
  Shape shape(shapeOf(input));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] += pads.front[axis] + pads.back[axis];
  }
  if (shape == Shape(shapeOf(input))) {
    return c.set(0, input);
  }
  FailureOr<Value> whole = background(c, shape);
  return failed(whole) ? failure()
                       : c.set(0, c.g.insert(input, *whole, pads.front));
}

/// `count` elements beside the tensor along a dim, in front or behind: slices
/// of it, one by one where the order is reversed.
Value border(GraphBuilder &g, Value input, int64_t dim, int64_t count,
             bool front, StringRef mode) {
  const int64_t extent = shapeOf(input)[dim];
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    // Distance from the tensor's edge, outwards.
    const int64_t distance = front ? count - i : i + 1;
    int64_t at = front ? 0 : extent - 1;
    if (mode == "reflect") {
      at = front ? distance : extent - 1 - distance;
    } else if (mode == "wrap") {
      at = front ? extent - distance : distance - 1;
    }
    parts.push_back(g.slice(input, dim, at, 1));
  }
  return g.concat(parts, dim);
}

LogicalResult padCopies(DecodeContext &c, Value result, const Pads &pads,
                        StringRef mode) {
  for (int64_t axis = 0; axis < c.rank(0); ++axis) {
    const int64_t front = pads.front[axis];
    const int64_t back = pads.back[axis];
    if (front + back == 0) {
      continue;
    }
    const int64_t extent = shapeOf(result)[axis];
    const int64_t reach = mode == "reflect" ? extent - 1 : extent;
    if (mode == "edge" ? extent == 0 : std::max(front, back) > reach) {
      return c.unsupported("mode \"" + mode +
                           "\" with more pads than elements");
    }
    SmallVector<Value> parts = {result};
    if (front > 0) {
      parts.insert(parts.begin(), border(c.g, result, axis, front, true, mode));
    }
    if (back > 0) {
      parts.push_back(border(c.g, result, axis, back, false, mode));
    }
    result = c.g.concat(parts, axis);
  }
  return c.set(0, result);
}

LogicalResult decodePad(DecodeContext &c) {
  FailureOr<Pads> pads = readPads(c);
  if (failed(pads)) {
    return failure();
  }
  FailureOr<Value> input = cutOff(c, *pads);
  if (failed(input)) {
    return failure();
  }
  const std::string mode = c.stringAttr("mode", "constant");
  if (mode == "constant") {
    return padConstant(c, *input, *pads);
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap") {
    return c.badAttribute("attribute \"mode\" is \"" + mode + "\"");
  }
  return padCopies(c, *input, *pads, mode);
}

} // namespace

void addPadDecoders(DecoderRegistry &r) {
  const std::string condition = "`reflect` and `wrap` by no more elements than "
                                "there are";
  r.add("Pad", 2, decodePad, {.condition = condition});
  r.add("Pad", 11, decodePad, {.numRequired = 2, .condition = condition});
}

} // namespace spyre
