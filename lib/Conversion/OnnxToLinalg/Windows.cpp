// SPDX-License-Identifier: Apache-2.0

#include "Windows.h"

using namespace mlir;

namespace spyre {

bool Windows::isPadded() const {
  const auto positive = [](int64_t pad) { return pad > 0; };
  return llvm::any_of(begin, positive) || llvm::any_of(end, positive);
}

static bool isCount(int64_t value) { return value > 0 && value <= kMaxCount; }

/// An attribute with one positive integer for each spatial dim.
static FailureOr<Shape> perDim(DecodeContext &c, StringRef name, size_t rank) {
  Shape values = c.intsAttr(name).value_or(Shape(rank, 1));
  const bool positive = llvm::all_of(values, isCount);
  if (values.size() != rank || !positive) {
    return c.badAttribute("attribute \"" + name + "\" has not " + Twine(rank) +
                          " positive values");
  }
  return values;
}

/// Padding so that the result has ceil(extent / stride) elements; the odd one
/// goes behind (upper) or in front (lower).
static void padSame(Windows &w, ShapeRef in, bool upper) {
  for (size_t i = 0; i < w.rank(); ++i) {
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t out = (in[i] + w.strides[i] - 1) / w.strides[i];
    const int64_t total =
        std::max<int64_t>((out - 1) * w.strides[i] + reach - in[i], 0);
    const int64_t smaller = total / 2;
    w.begin[i] = upper ? smaller : total - smaller;
    w.end[i] = total - w.begin[i];
  }
}

FailureOr<Windows> readWindows(DecodeContext &c, ShapeRef kernel) {
  const size_t rank = kernel.size();
  ShapeRef in = c.shape(0).drop_front(2);
  if (in.size() != rank || !llvm::all_of(kernel, isCount)) {
    return c.mismatch("a kernel of " + toText(kernel) + " for " +
                      toText(c.shape(0)));
  }
  Windows w;
  w.kernel = Shape(kernel);
  FailureOr<Shape> strides = perDim(c, "strides", rank);
  FailureOr<Shape> dilations = perDim(c, "dilations", rank);
  if (failed(strides) || failed(dilations)) {
    return failure();
  }
  w.strides = *strides;
  w.dilations = *dilations;
  w.begin = Shape(rank, 0);
  w.end = Shape(rank, 0);
  const std::string autoPad = c.stringAttr("auto_pad", "NOTSET");
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    padSame(w, in, autoPad == "SAME_UPPER");
  } else if (autoPad == "NOTSET") {
    Shape pads = c.intsAttr("pads").value_or(Shape(2 * rank, 0));
    const auto isPad = [](int64_t pad) { return pad >= 0 && pad <= kMaxCount; };
    if (pads.size() != 2 * rank || !llvm::all_of(pads, isPad)) {
      return c.badAttribute("attribute \"pads\" has not " + Twine(2 * rank) +
                            " values that pad");
    }
    w.begin.assign(pads.begin(), pads.begin() + static_cast<int64_t>(rank));
    w.end.assign(pads.begin() + static_cast<int64_t>(rank), pads.end());
  } else if (autoPad != "VALID") {
    return c.badAttribute("attribute \"auto_pad\" is \"" + autoPad + "\"");
  }
  w.statedEnd = w.end;
  const bool ceil = c.intAttr("ceil_mode", 0) != 0;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t room = in[i] + w.begin[i] + w.end[i] - reach;
    if (room < 0) {
      return c.mismatch("windows of " + Twine(reach) + " in an extent of " +
                        Twine(in[i]) + " with pads " + Twine(w.begin[i]) +
                        " and " + Twine(w.end[i]));
    }
    int64_t out = room / w.strides[i] + 1;
    // A last, partial window counts unless it lies in the padding entirely.
    if (ceil && room % w.strides[i] != 0 &&
        out * w.strides[i] < in[i] + w.begin[i]) {
      ++out;
    }
    w.out.push_back(out);
    const int64_t used = (out - 1) * w.strides[i] + reach;
    w.end[i] = std::max(w.end[i], used - in[i] - w.begin[i]);
  }
  return w;
}

Value padSpatial(GraphBuilder &g, Value input, const Windows &windows,
                 TypedAttr value) {
  if (!windows.isPadded()) {
    return input;
  }
  Shape shape(shapeOf(input));
  Shape offsets(shape.size(), 0);
  const size_t first = shape.size() - windows.rank();
  for (size_t i = 0; i < windows.rank(); ++i) {
    offsets[first + i] = windows.begin[i];
    shape[first + i] += windows.begin[i] + windows.end[i];
  }
  return g.insert(input, g.filled(shape, value), offsets);
}

SmallVector<AffineExpr> windowExprs(GraphBuilder &g, const Windows &windows,
                                    int64_t first, int64_t firstKernel) {
  SmallVector<AffineExpr> exprs;
  for (size_t i = 0; i < windows.rank(); ++i) {
    AffineExpr at = g.b.getAffineDimExpr(static_cast<unsigned>(first + i));
    AffineExpr kernel =
        g.b.getAffineDimExpr(static_cast<unsigned>(firstKernel + i));
    exprs.push_back(at * windows.strides[i] + kernel * windows.dilations[i]);
  }
  return exprs;
}

} // namespace spyre
