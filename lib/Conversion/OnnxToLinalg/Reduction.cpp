// SPDX-License-Identifier: Apache-2.0
//
// Operators that combine along axes. Sums are f32; the result is rounded once.

#include "Registry.h"

#include <numeric>

using namespace mlir;

namespace spyre {

namespace {

/// The dims to combine; nothing if the node asks to leave the tensor alone.
FailureOr<std::optional<Shape>> reducedDims(DecodeContext &c) {
  FailureOr<std::optional<Shape>> axes = c.axesInput(1, c.rank(0));
  if (failed(axes)) {
    return failure();
  }
  if (!*axes || (*axes)->empty()) {
    if (c.intAttr("noop_with_empty_axes", 0) != 0) {
      return std::optional<Shape>();
    }
    Shape all(c.rank(0));
    std::iota(all.begin(), all.end(), 0);
    return std::optional<Shape>(all);
  }
  return axes;
}

using Body = function_ref<Value(Scalars &, Value)>;

/// finish(combine(prepare(x))), with the reduced dims kept as 1 if asked for.
LogicalResult
reduceWith(DecodeContext &c, Reduction kind, Body prepare,
           function_ref<Value(Scalars &, Value, int64_t)> finish) {
  FailureOr<std::optional<Shape>> dims = reducedDims(c);
  if (failed(dims)) {
    return failure();
  }
  const auto prepared = [&](Scalars &s, ValueRange v) {
    return prepare(s, v[0]);
  };
  const Shape reduced = dims->value_or(Shape());
  int64_t count = 1;
  for (int64_t dim : reduced) {
    count *= c.shape(0)[dim];
  }
  Value result = c.g.reduce(c.in(0), reduced, kind,
                            prepare ? GraphBuilder::Body(prepared) : nullptr);
  if (c.intAttr("keepdims", 1) != 0) {
    Shape kept(c.shape(0));
    for (int64_t dim : reduced) {
      kept[dim] = 1;
    }
    result = c.g.reshape(result, kept);
  }
  if (!finish) {
    return c.set(0, c.g.cast(result, c.element(0)));
  }
  return c.set(0, c.g.map(result, c.element(0), [&](Scalars &s, ValueRange v) {
    return finish(s, v[0], count);
  }));
}

template <Reduction kind> LogicalResult decodeReduce(DecodeContext &c) {
  return reduceWith(c, kind, nullptr, nullptr);
}

LogicalResult decodeMean(DecodeContext &c) {
  return reduceWith(c, Reduction::Sum, nullptr,
                    [](Scalars &s, Value sum, int64_t count) {
                      Value n = s.like(sum, static_cast<double>(count));
                      return s.div(sum, n);
                    });
}

LogicalResult decodeL1(DecodeContext &c) {
  return reduceWith(
      c, Reduction::Sum, [](Scalars &s, Value x) { return s.abs(x); }, nullptr);
}

Value square(Scalars &s, Value x) { return s.mul(x, x); }

LogicalResult decodeSumSquare(DecodeContext &c) {
  return reduceWith(c, Reduction::Sum, square, nullptr);
}

/// Roots and logarithms are of floats.
Value onFloat(Scalars &s, Value x, Value (Scalars::*method)(Value)) {
  Type type =
      isFloatType(x.getType()) ? x.getType() : Type(s.builder().getF32Type());
  return s.cast((s.*method)(s.cast(x, type)), x.getType());
}

LogicalResult decodeL2(DecodeContext &c) {
  return reduceWith(c, Reduction::Sum, square,
                    [](Scalars &s, Value sum, int64_t) {
                      return onFloat(s, sum, &Scalars::sqrt);
                    });
}

LogicalResult decodeLogSum(DecodeContext &c) {
  return reduceWith(c, Reduction::Sum, nullptr,
                    [](Scalars &s, Value sum, int64_t) {
                      return onFloat(s, sum, &Scalars::log);
                    });
}

/// log(sum(exp(x - m))) + m with the maximum m, or 0 where that is infinite.
LogicalResult decodeLogSumExp(DecodeContext &c) {
  FailureOr<std::optional<Shape>> dims = reducedDims(c);
  if (failed(dims) || !isFloatType(c.element(0))) {
    return c.mismatch("elements of type " + toText(c.element(0)) +
                      " are no floats");
  }
  const Shape reduced = dims->value_or(Shape());
  Shape kept(c.shape(0));
  for (int64_t dim : reduced) {
    kept[dim] = 1;
  }
  Value maximum =
      c.g.reshape(c.g.reduce(c.in(0), reduced, Reduction::Maximum), kept);
  Type wide = elementOf(maximum);
  maximum = c.g.map(maximum, wide, [](Scalars &s, ValueRange v) {
    return s.select(s.isInf(v[0]), s.like(v[0], 0), v[0]);
  });
  Value shifted =
      c.g.map({c.in(0), maximum}, wide, [](Scalars &s, ValueRange v) {
        return s.exp(s.sub(v[0], v[1]));
      });
  Value sum = c.g.reshape(c.g.reduce(shifted, reduced, Reduction::Sum), kept);
  Value result =
      c.g.map({sum, maximum}, c.element(0), [](Scalars &s, ValueRange v) {
        return s.add(s.log(v[0]), v[1]);
      });
  return c.set(0, c.intAttr("keepdims", 1) != 0 ? result
                                                : c.g.squeeze(result, reduced));
}

/// The position of the extreme value: the least (or, if asked for, greatest)
/// position whose element equals it.
template <Reduction kind> LogicalResult decodeArg(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 0), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  ShapeRef shape = c.shape(0);
  if (shape[*axis] == 0) {
    return c.mismatch("axis " + Twine(*axis) + " has no elements");
  }
  const bool last = c.intAttr("select_last_index", 0) != 0;
  Type index = c.g.b.getI64Type();
  Value extreme = c.g.unsqueeze(c.g.reduce(c.in(0), *axis, kind), *axis);
  const int64_t none = last ? -1 : shape[*axis];
  Value positions = c.g.mapIndexed(
      {c.in(0), extreme}, shape, index, [&](Scalars &s, ValueRange v) {
        Value same = s.compare(Scalars::Order::Equal, v[0], v[1]);
        return s.select(same, s.index(*axis),
                        s.constant(static_cast<double>(none), index));
      });
  Value result = c.g.reduce(positions, *axis,
                            last ? Reduction::Maximum : Reduction::Minimum);
  return c.set(0, c.intAttr("keepdims", 1) != 0 ? c.g.unsqueeze(result, *axis)
                                                : result);
}

} // namespace

void addReductionDecoders(DecoderRegistry &r) {
  r.add("ReduceSum", 1, decodeReduce<Reduction::Sum>);
  r.add("ReduceProd", 1, decodeReduce<Reduction::Product>);
  r.add("ReduceMax", 1, decodeReduce<Reduction::Maximum>);
  r.add("ReduceMin", 1, decodeReduce<Reduction::Minimum>);
  r.add("ReduceMean", 1, decodeMean);
  r.add("ReduceL1", 1, decodeL1);
  r.add("ReduceL2", 1, decodeL2);
  r.add("ReduceSumSquare", 1, decodeSumSquare);
  r.add("ReduceLogSum", 1, decodeLogSum);
  r.add("ReduceLogSumExp", 1, decodeLogSumExp);
  r.add("ArgMax", 1, decodeArg<Reduction::Maximum>);
  r.add("ArgMin", 1, decodeArg<Reduction::Minimum>);
}

} // namespace spyre
