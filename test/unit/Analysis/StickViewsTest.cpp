// SPDX-License-Identifier: Apache-2.0
//
// A reshape keeps the row-major number of an element, so a layout that carries
// over it must show the same number at every position of the device image.
// Checked position by position, for every stick dim and device order that a
// tensor can have.

#include "spyre/Analysis/StickViews.h"
#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using spyre::layout::DeviceDim;
using spyre::layout::DimKind;
using spyre::layout::StickLayout;

namespace {

/// Row-major number of the element at each position of the image, -1 padding.
std::vector<int64_t> imageOf(const StickLayout &layout,
                             ArrayRef<int64_t> shape) {
  std::vector<int64_t> device = spyre::layout::deviceShape(layout, shape);
  int64_t count = std::accumulate(device.begin(), device.end(), int64_t{1},
                                  std::multiplies<>());
  std::vector<int64_t> image;
  for (int64_t position = 0; position < count; ++position) {
    std::vector<int64_t> coordinate(device.size());
    int64_t rest = position;
    for (size_t dim = device.size(); dim-- > 0;) {
      coordinate[dim] = rest % device[dim];
      rest /= device[dim];
    }
    image.push_back(spyre::layout::hostIndex(layout, shape, coordinate));
  }
  return image;
}

/// Every order of the outer device dims, for every stick dim and none.
std::vector<StickLayout> layoutsOf(int64_t rank) {
  constexpr int64_t kElements = 64;
  std::vector<StickLayout> layouts;
  for (int32_t stick = -1; stick < rank; ++stick) {
    std::vector<DeviceDim> outer;
    for (int32_t dim = 0; dim < rank; ++dim) {
      outer.push_back(dim == stick ? DeviceDim{DimKind::Tile, dim, kElements}
                                   : DeviceDim{DimKind::Full, dim, 1});
    }
    std::vector<size_t> order(outer.size());
    std::iota(order.begin(), order.end(), size_t{0});
    do {
      StickLayout layout;
      for (size_t position : order) {
        layout.dims.push_back(outer[position]);
      }
      layout.dims.push_back(stick < 0
                                ? DeviceDim{DimKind::Unit, -1, kElements}
                                : DeviceDim{DimKind::Stick, stick, kElements});
      layout.sparse = stick < 0;
      layouts.push_back(layout);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return layouts;
}

class StickViews : public testing::Test {
protected:
  StickViews() {
    context.loadDialect<spyre::stick::StickDialect, tensor::TensorDialect>();
  }

  /// The only op of the text that has operands.
  Operation *parse(const std::string &text) {
    std::string source =
        "%x = \"tensor.empty\"() : () -> tensor<" + source_ + "xf16>\n" + text;
    module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
    EXPECT_TRUE(module);
    return &module->getBody()->back();
  }

  /// Checks a reshape of `from` with every layout; returns how many carry over.
  int checkAll(const std::string &from, const std::string &op) {
    source_ = from;
    Operation *view = parse(op);
    auto source = cast<RankedTensorType>(view->getOperand(0).getType());
    auto result = cast<RankedTensorType>(view->getResult(0).getType());
    int carried = 0;
    for (const StickLayout &layout : layoutsOf(source.getRank())) {
      std::optional<StickLayout> through = spyre::throughView(view, layout);
      if (!through) {
        continue;
      }
      ++carried;
      EXPECT_EQ(imageOf(layout, source.getShape()),
                imageOf(*through, result.getShape()))
          << spyre::layout::toString(layout) << " gives "
          << spyre::layout::toString(*through);
    }
    EXPECT_TRUE(spyre::throughView(view, spyre::sourceOfView(view)))
        << spyre::layout::toString(spyre::sourceOfView(view));
    return carried;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string source_;
};

TEST_F(StickViews, ExpandWholeSticks) {
  // All 3 + 1 stick dims in all 6 orders.
  EXPECT_EQ(checkAll("2x5x128",
                     "tensor.expand_shape %x [[0], [1], [2, 3]] output_shape "
                     "[2, 5, 2, 64] : tensor<2x5x128xf16> into "
                     "tensor<2x5x2x64xf16>"),
            24);
}

TEST_F(StickViews, ExpandInsideSticks) {
  // Not with the split dim in the stick.
  EXPECT_EQ(checkAll("2x5x128",
                     "tensor.expand_shape %x [[0], [1], [2, 3]] output_shape "
                     "[2, 5, 4, 32] : tensor<2x5x128xf16> into "
                     "tensor<2x5x4x32xf16>"),
            18);
}

TEST_F(StickViews, ExpandByUnits) {
  EXPECT_EQ(checkAll("3x100",
                     "tensor.expand_shape %x [[0, 1], [2, 3]] output_shape "
                     "[1, 3, 100, 1] : tensor<3x100xf16> into "
                     "tensor<1x3x100x1xf16>"),
            6);
}

TEST_F(StickViews, CollapseNeighbours) {
  // d0 d1 side by side in that order: 3 of 6 orders hold them so... with d2 in
  // the stick or none: 2 x (orders of {d0 d1} and d2: 2), and d1 in the stick
  // never, since 5 elements are no whole sticks; d0 in the stick neither.
  EXPECT_EQ(checkAll("3x5x70", "tensor.collapse_shape %x [[0, 1], [2]] : "
                               "tensor<3x5x70xf16> into tensor<15x70xf16>"),
            4);
}

TEST_F(StickViews, CollapseWholeSticks) {
  // As above, and d1 in the stick: 128 elements are whole sticks.
  EXPECT_EQ(checkAll("3x128x2", "tensor.collapse_shape %x [[0, 1], [2]] : "
                                "tensor<3x128x2xf16> into tensor<384x2xf16>"),
            6);
}

TEST_F(StickViews, CollapseUnits) {
  // A dim of one position goes anywhere, also with the stick.
  EXPECT_EQ(checkAll("3x1x70", "tensor.collapse_shape %x [[0, 1], [2]] : "
                               "tensor<3x1x70xf16> into tensor<3x70xf16>"),
            24);
}

TEST_F(StickViews, OneElement) {
  EXPECT_EQ(checkAll("1x1", "tensor.collapse_shape %x [] : tensor<1x1xf16> "
                            "into tensor<f16>"),
            6);
}

} // namespace
