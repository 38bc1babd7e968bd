// SPDX-License-Identifier: Apache-2.0
//
// Pooling: a reduction over sliding windows, or over all of the spatial dims.

#include "Evaluate.h"
#include "Registry.h"
#include "Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace spyre {

namespace {

using Prepare = function_ref<Value(Scalars &, Value)>;

/// Combines each window of the (padded) input. Iteration: n, c, out...,
/// kernel... The kernel's extents come from an operand that is only a shape.
Value reduceWindows(GraphBuilder &g, Value input, const Windows &w,
                    Reduction kind, Prepare prepare) {
  const auto spatial = static_cast<int64_t>(w.rank());
  const int64_t numDims = 2 + 2 * spatial;
  SmallVector<AffineExpr> exprs = {g.b.getAffineDimExpr(0),
                                   g.b.getAffineDimExpr(1)};
  llvm::append_range(exprs, windowExprs(g, w, 2, 2 + spatial));
  AffineMap inMap = AffineMap::get(static_cast<unsigned>(numDims), 0, exprs,
                                   g.b.getContext());
  Shape kernelDims(w.rank());
  std::iota(kernelDims.begin(), kernelDims.end(), 2 + spatial);
  Shape outDims(2 + w.rank());
  std::iota(outDims.begin(), outDims.end(), 0);
  SmallVector<utils::IteratorType> iterators(2 + w.rank(),
                                             utils::IteratorType::parallel);
  iterators.append(w.rank(), utils::IteratorType::reduction);
  Type wide = computeType(elementOf(input));
  Shape out(shapeOf(input).take_front(2));
  llvm::append_range(out, w.out);
  Value shape = g.empty(w.kernel, wide);
  return g.generic(
      {input, shape},
      {inMap, g.dimsMap(numDims, kernelDims), g.dimsMap(numDims, outDims)},
      iterators, out, wide, g.neutral(out, wide, kind),
      [&](Scalars &s, ValueRange v) {
        Value value = s.cast(v[0], wide);
        value = prepare ? prepare(s, value) : value;
        return kind == Reduction::Maximum ? s.max(v[2], value)
                                          : s.add(v[2], value);
      });
}

/// Whether one window covers everything, without padding.
bool isGlobal(const Windows &w, ShapeRef in) {
  return !w.isPadded() && ShapeRef(w.kernel) == in.drop_front(2) &&
         llvm::all_of(w.dilations, [](int64_t d) { return d == 1; });
}

Shape spatialDims(size_t rank) {
  Shape dims(rank);
  std::iota(dims.begin(), dims.end(), 2);
  return dims;
}

/// Over all of the windows, or as a plain reduction if there is one window.
Value pool(DecodeContext &c, const Windows &w, Reduction kind,
           TypedAttr padding, Prepare prepare) {
  if (isGlobal(w, c.shape(0))) {
    Value reduced = c.g.reduce(c.in(0), spatialDims(w.rank()), kind,
                               [&](Scalars &s, ValueRange v) {
                                 return prepare ? prepare(s, v[0]) : v[0];
                               });
    Shape out(c.shape(0).take_front(2));
    out.append(w.rank(), 1);
    return c.g.reshape(reduced, out);
  }
  return reduceWindows(c.g, padSpatial(c.g, c.in(0), w, padding), w, kind,
                       prepare);
}

FailureOr<Windows> poolWindows(DecodeContext &c) {
  std::optional<Shape> kernel = c.intsAttr("kernel_shape");
  if (!kernel || c.rank(0) < 3) {
    return c.badAttribute("attribute \"kernel_shape\" is missing");
  }
  return readWindows(c, *kernel);
}

LogicalResult decodeMaxPool(DecodeContext &c) {
  FailureOr<Windows> w = poolWindows(c);
  if (failed(w)) {
    return failure();
  }
  if (c.wants(1)) {
    return c.unsupported("the output Indices");
  }
  Scalars scalars(c.g.b, c.g.loc);
  Value lowest = scalars.extreme(c.element(0), /*greatest=*/false);
  TypedAttr padding = lowest.getDefiningOp<arith::ConstantOp>().getValue();
  return c.set(0, c.g.cast(pool(c, *w, Reduction::Maximum, padding, nullptr),
                           c.element(0)));
}

/// How many elements each position along one spatial dim averages.
SmallVector<double> windowCounts(const Windows &w, size_t dim, int64_t extent,
                                 bool includePad) {
  SmallVector<double> counts;
  // Positions that count: the tensor, or with it the stated padding.
  const int64_t low = includePad ? 0 : w.begin[dim];
  const int64_t high =
      w.begin[dim] + extent + (includePad ? w.statedEnd[dim] : 0);
  for (int64_t position = 0; position < w.out[dim]; ++position) {
    double count = 0;
    for (int64_t k = 0; k < w.kernel[dim]; ++k) {
      const int64_t at = position * w.strides[dim] + k * w.dilations[dim];
      count += at >= low && at < high ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

LogicalResult decodeAveragePool(DecodeContext &c) {
  FailureOr<Windows> w = poolWindows(c);
  if (failed(w)) {
    return failure();
  }
  const bool includePad = c.intAttr("count_include_pad", 0) != 0;
  Value sum =
      pool(c, *w, Reduction::Sum, c.g.b.getZeroAttr(c.element(0)), nullptr);
  Type wide = elementOf(sum);
  // The number of elements is a product over the dims.
  SmallVector<Value> operands = {sum};
  for (size_t dim = 0; dim < w->rank(); ++dim) {
    SmallVector<Number> numbers;
    for (double count :
         windowCounts(*w, dim, c.shape(0)[dim + 2], includePad)) {
      numbers.push_back({count, 0});
    }
    Shape shape(w->rank(), 1);
    shape[dim] = w->out[dim];
    operands.push_back(c.g.constant(
        writeNumbers(RankedTensorType::get(shape, wide), numbers)));
  }
  return c.set(0, c.g.map(operands, shapeOf(sum), c.element(0),
                          [](Scalars &s, ValueRange v) {
                            Value count = v[1];
                            for (Value next : v.drop_front(2)) {
                              count = s.mul(count, next);
                            }
                            return s.div(v[0], count);
                          }));
}

LogicalResult decodeLpPool(DecodeContext &c) {
  FailureOr<Windows> w = poolWindows(c);
  const int64_t p = c.intAttr("p", 2);
  if (failed(w) || p < 1) {
    return c.badAttribute("p is " + Twine(p));
  }
  const auto exponent = static_cast<double>(p);
  Value sum = pool(c, *w, Reduction::Sum, c.g.b.getZeroAttr(c.element(0)),
                   [&](Scalars &s, Value x) {
                     return p == 1   ? s.abs(x)
                            : p == 2 ? s.mul(x, x)
                                     : s.pow(s.abs(x), s.like(x, exponent));
                   });
  return c.set(0, c.g.map(sum, c.element(0), [&](Scalars &s, ValueRange v) {
    return p == 1   ? v[0]
           : p == 2 ? s.sqrt(v[0])
                    : s.pow(v[0], s.like(v[0], 1 / exponent));
  }));
}

//===----------------------------------------------------------------------===//
// Global
//===----------------------------------------------------------------------===//

template <Reduction kind> LogicalResult decodeGlobal(DecodeContext &c) {
  if (c.rank(0) < 3) {
    return c.mismatch("shape " + toText(c.shape(0)) + " has no spatial dims");
  }
  Shape dims = spatialDims(c.rank(0) - 2);
  Shape out(c.shape(0).take_front(2));
  out.append(dims.size(), 1);
  const auto count = static_cast<double>(numElements(c.shape(0).drop_front(2)));
  Value result = c.g.reshape(c.g.reduce(c.in(0), dims, kind), out);
  return c.set(0, c.g.map(result, c.element(0), [&](Scalars &s, ValueRange v) {
    return kind == Reduction::Sum ? s.div(v[0], s.like(v[0], count)) : v[0];
  }));
}

//===----------------------------------------------------------------------===//
// LRN
//===----------------------------------------------------------------------===//

/// x / (bias + alpha / size * sum of squares of `size` channels around)^beta.
LogicalResult decodeLrn(DecodeContext &c) {
  const int64_t size = c.intAttr("size", 0);
  if (size < 1 || size > kMaxCount || c.rank(0) < 2) {
    return c.badAttribute("attribute \"size\" is " + Twine(size));
  }
  const double alpha = c.floatAttr("alpha", 1e-4f);
  const double beta = c.floatAttr("beta", 0.75);
  const double bias = c.floatAttr("bias", 1);
  // As [N, 1, C, rest], windows along C.
  ShapeRef in = c.shape(0);
  Value flat =
      c.g.reshape(c.in(0), {in[0], 1, in[1], numElements(in.drop_front(2))});
  Windows w;
  w.kernel = {size, 1};
  w.strides = {1, 1};
  w.dilations = {1, 1};
  w.begin = {(size - 1) / 2, 0};
  w.end = {size - 1 - (size - 1) / 2, 0};
  w.out = {shapeOf(flat)[2], shapeOf(flat)[3]};
  Value padded = padSpatial(c.g, flat, w, c.g.b.getZeroAttr(c.element(0)));
  Value squares =
      reduceWindows(c.g, padded, w, Reduction::Sum,
                    [](Scalars &s, Value x) { return s.mul(x, x); });
  Value sums = c.g.reshape(squares, in);
  return c.set(
      0, c.g.map({c.in(0), sums}, c.element(0), [&](Scalars &s, ValueRange v) {
        const double factor = alpha / static_cast<double>(size);
        Value base =
            s.add(s.mul(v[1], s.like(v[1], factor)), s.like(v[1], bias));
        return s.div(v[0], s.pow(base, s.like(base, beta)));
      }));
}

} // namespace

void addPoolingDecoders(DecoderRegistry &r) {
  r.add("MaxPool", 1, decodeMaxPool, {.condition = "no output `Indices`"});
  r.add("AveragePool", 1, decodeAveragePool);
  r.add("LpPool", 2, decodeLpPool);
  r.add("GlobalAveragePool", 1, decodeGlobal<Reduction::Sum>);
  r.add("GlobalMaxPool", 1, decodeGlobal<Reduction::Maximum>);
  r.add("LRN", 1, decodeLrn);
}

} // namespace spyre
