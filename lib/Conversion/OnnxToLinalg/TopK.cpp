// SPDX-License-Identifier: Apache-2.0
//
// TopK by selection: the extreme value that is left, k times. Every round is a
// pass over the input, so that many are work for the host.

#include "Registry.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include <limits>

using namespace mlir;

namespace spyre {
namespace {

/// Rounds of selection that run on the device.
constexpr int64_t kMaxRounds = 64;

struct TopK {
  int64_t k = 0;
  int64_t axis = 0;
  bool largest = true;
};

FailureOr<TopK> readTopK(DecodeContext &c) {
  TopK top;
  if (c.version() < 10) {
    top.k = c.intAttr("k", 0);
  } else {
    FailureOr<Shape> k = c.integers(1, "K");
    if (failed(k)) {
      return failure();
    }
    if (k->size() != 1) {
      return c.mismatch("K has " + Twine(k->size()) + " elements");
    }
    top.k = k->front();
  }
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -1), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  top.axis = *axis;
  top.largest = c.intAttr("largest", 1) != 0;
  const int64_t extent = c.shape(0)[top.axis];
  if (top.k < 1 || top.k > extent) {
    return c.mismatch("the " + Twine(top.k) + " first of " + Twine(extent) +
                      " elements are asked for");
  }
  return top;
}

LogicalResult callHost(DecodeContext &c, const TopK &top) {
  Shape shape(c.shape(0));
  shape[top.axis] = top.k;
  Builder &b = c.g.b;
  NamedAttribute parameters[] = {
      b.getNamedAttr("axis", b.getI64IntegerAttr(top.axis)),
      b.getNamedAttr("k", b.getI64IntegerAttr(top.k)),
      b.getNamedAttr("largest", b.getI64IntegerAttr(top.largest ? 1 : 0))};
  Type types[] = {RankedTensorType::get(shape, c.element(0)),
                  RankedTensorType::get(shape, b.getI64Type())};
  auto host = stick::HostOp::create(
      c.g.b, c.g.loc, types, b.getStringAttr("topk"),
      b.getDictionaryAttr(parameters), c.in(0),
      b.getStringAttr("TopK of " + Twine(top.k) + " elements: more than " +
                      Twine(kMaxRounds) + " rounds of selection"));
  return success(succeeded(c.set(0, host.getResult(0))) &&
                 succeeded(c.set(1, host.getResult(1))));
}

/// What a round takes, with an extent of 1 in the place of the axis.
struct Pick {
  Value value;
  Value position;
};

/// The extreme of what is not taken, at its least position. NaN is greater than
/// every number, as on the host; reductions leave it out, and candidates come
/// in two ranks, `extent` apart: NaN before the numbers if the largest are
/// wanted, else behind them.
Pick pick(GraphBuilder &g, const TopK &top, Value left, Value taken) {
  const Shape shape(shapeOf(left));
  const auto extent = static_cast<double>(shape[top.axis]);
  const bool hasNan = isFloatType(elementOf(left));
  Type index = g.b.getI64Type();
  Value extreme = g.unsqueeze(
      g.reduce(left, top.axis,
               top.largest ? Reduction::Maximum : Reduction::Minimum,
               [&](Scalars &s, ValueRange v) {
                 return hasNan ? s.select(s.isNan(v[0]),
                                          s.extreme(v[0].getType(),
                                                    /*greatest=*/!top.largest),
                                          v[0])
                               : v[0];
               }),
      top.axis);
  Value candidates = g.mapIndexed(
      {left, extreme, taken}, shape, index, [&](Scalars &s, ValueRange v) {
        Value first = s.index(top.axis);
        Value none = s.constant(2 * extent, index);
        Value isExtreme = s.compare(Scalars::Order::Equal, v[0], v[1]);
        Value candidate = s.select(isExtreme, first, none);
        if (hasNan) {
          Value second = s.add(first, s.like(first, extent));
          candidate = s.select(isExtreme, top.largest ? second : first, none);
          candidate =
              s.select(s.isNan(v[0]), top.largest ? first : second, candidate);
        }
        return s.select(v[2], none, candidate);
      });
  Value position =
      g.unsqueeze(g.reduce(candidates, top.axis, Reduction::Minimum), top.axis);
  if (!hasNan) {
    return {extreme, position};
  }
  const auto isSecond = [&](Scalars &s, Value candidate) {
    return s.compare(Scalars::Order::GreaterOrEqual, candidate,
                     s.like(candidate, extent));
  };
  Value value = g.map(
      {extreme, position}, elementOf(extreme), [&](Scalars &s, ValueRange v) {
        Value nan = s.like(v[0], std::numeric_limits<double>::quiet_NaN());
        return s.select(isSecond(s, v[1]), top.largest ? v[0] : nan,
                        top.largest ? nan : v[0]);
      });
  position = g.map(position, index, [&](Scalars &s, ValueRange v) {
    return s.select(isSecond(s, v[0]), s.sub(v[0], s.like(v[0], extent)), v[0]);
  });
  return {value, position};
}

/// Of equal elements the one with the least position comes first.
LogicalResult decodeTopK(DecodeContext &c) {
  FailureOr<TopK> top = readTopK(c);
  if (failed(top)) {
    return failure();
  }
  const Shape shape(c.shape(0));
  const int64_t axis = top->axis;
  Type element = c.element(0);
  Type boolean = c.g.b.getI1Type();
  if (numElements(shape) == 0) {
    Shape none(shape);
    none[axis] = top->k;
    (void)c.set(1, c.g.nothing(none, c.g.b.getI64Type()));
    return c.set(0, c.g.nothing(none, element));
  }
  if (top->k > kMaxRounds) {
    return callHost(c, *top);
  }
  Value left = c.in(0);
  Value taken = c.g.splat(shape, boolean, 0);
  SmallVector<Value> values;
  SmallVector<Value> positions;
  for (int64_t round = 0; round < top->k; ++round) {
    const Pick next = pick(c.g, *top, left, taken);
    values.push_back(c.g.cast(next.value, element));
    positions.push_back(next.position);
    taken = c.g.mapIndexed(
        {taken, next.position}, shape, boolean, [&](Scalars &s, ValueRange v) {
          return s.bitOr(v[0],
                         s.compare(Scalars::Order::Equal, s.index(axis), v[1]));
        });
    // What is taken is no extreme any more.
    left = c.g.map({left, taken}, element, [&](Scalars &s, ValueRange v) {
      return s.select(v[1], s.extreme(v[0].getType(), !top->largest), v[0]);
    });
  }
  if (failed(c.set(0, c.g.concat(values, axis)))) {
    return failure();
  }
  return c.set(1, c.g.concat(positions, axis));
}

} // namespace

void addTopKDecoders(DecoderRegistry &r) {
  r.add(
      "TopK", 1, decodeTopK,
      {.condition = "k above " + std::to_string(kMaxRounds) + " is host work"});
}

} // namespace spyre
