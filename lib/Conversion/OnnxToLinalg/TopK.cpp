// SPDX-License-Identifier: Apache-2.0
//
// TopK by selection: the extreme value that is left, k times. Every round is a
// pass over the input, so that many are work for the host.

#include "Registry.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

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

/// Of equal elements the one with the least position comes first.
LogicalResult decodeTopK(DecodeContext &c) {
  FailureOr<TopK> top = readTopK(c);
  if (failed(top)) {
    return failure();
  }
  if (top->k > kMaxRounds) {
    return callHost(c, *top);
  }
  const Shape shape(c.shape(0));
  const int64_t axis = top->axis;
  Type element = c.element(0);
  Type index = c.g.b.getI64Type();
  Type boolean = c.g.b.getI1Type();
  Value left = c.in(0);
  Value taken = c.g.splat(shape, boolean, 0);
  SmallVector<Value> values;
  SmallVector<Value> positions;
  for (int64_t round = 0; round < top->k; ++round) {
    Value extreme = c.g.unsqueeze(
        c.g.reduce(left, axis,
                   top->largest ? Reduction::Maximum : Reduction::Minimum),
        axis);
    Value candidates = c.g.mapIndexed(
        {left, extreme, taken}, shape, index, [&](Scalars &s, ValueRange v) {
          Value same = s.compare(Scalars::Order::Equal, v[0], v[1]);
          return s.select(s.bitAnd(same, s.bitNot(v[2])), s.index(axis),
                          s.constant(static_cast<double>(shape[axis]), index));
        });
    Value position =
        c.g.unsqueeze(c.g.reduce(candidates, axis, Reduction::Minimum), axis);
    values.push_back(c.g.cast(extreme, element));
    positions.push_back(position);
    taken = c.g.mapIndexed(
        {taken, position}, shape, boolean, [&](Scalars &s, ValueRange v) {
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

void addTopKDecoders(DecoderRegistry &r) { r.add("TopK", 1, decodeTopK); }

} // namespace spyre
