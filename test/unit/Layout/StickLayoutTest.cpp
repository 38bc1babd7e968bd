// SPDX-License-Identifier: Apache-2.0
//
// Device shapes, sizes and positions against the table of the layouts
// reference and against a definition of the layout written independently: the
// device image of a position is found by evaluating each coordinate function.

#include "spyre/Layout/StickLayout.h"

#include <gtest/gtest.h>

namespace spyre::layout {
namespace {

using Shape = std::vector<int64_t>;

DeviceDim full(int32_t d) { return {DimKind::Full, d, 1}; }
DeviceDim tile(int32_t d, int64_t k) { return {DimKind::Tile, d, k}; }
DeviceDim stick(int32_t d, int64_t k) { return {DimKind::Stick, d, k}; }
DeviceDim unit(int64_t k) { return {DimKind::Unit, -1, k}; }

struct Row {
  const char *name;
  StickLayout layout;
  ElementType type;
  Shape host;
  Shape device;
  /// Host elements that one step of the device dim advances, 0 = none.
  Shape strides;
  int64_t bytes;
};

// The rows of section 1 of the layouts reference. Rows that upstream's default
// builds with the first dim outside the stick are spelled out; our default
// keeps batches outermost.
std::vector<Row> referenceRows() {
  const ElementType f16 = ElementType::F16;
  const ElementType f32 = ElementType::F32;
  return {
      {"f16 1024x256",
       defaultLayout(2, 1, f16),
       f16,
       {1024, 256},
       {4, 1024, 64},
       {64, 256, 1},
       524288},
      {"f16 5x100x150",
       {{full(1), tile(2, 64), full(0), stick(2, 64)}},
       f16,
       {5, 100, 150},
       {100, 3, 5, 64},
       {150, 64, 15000, 1},
       192000},
      {"f16 5x100x150 order 1 0 2",
       defaultLayout(3, 2, f16),
       f16,
       {5, 100, 150},
       {5, 3, 100, 64},
       {15000, 64, 150, 1},
       192000},
      {"f16 1000x200",
       defaultLayout(2, 1, f16),
       f16,
       {1000, 200},
       {4, 1000, 64},
       {64, 200, 1},
       512000},
      {"f16 64x128 stick on 0",
       defaultLayout(2, 0, f16),
       f16,
       {64, 128},
       {1, 128, 64},
       {8192, 1, 128},
       16384},
      {"f16 4x8x128x64",
       {{full(1), full(2), tile(3, 64), full(0), stick(3, 64)}},
       f16,
       {4, 8, 128, 64},
       {8, 128, 1, 4, 64},
       {8192, 64, 64, 65536, 1},
       524288},
      {"f32 512x1024",
       defaultLayout(2, 1, f32),
       f32,
       {512, 1024},
       {32, 512, 32},
       {32, 1024, 1},
       2097152},
      {"f32 1x1x4096",
       {{full(1), tile(2, 32), full(0), stick(2, 32)}},
       f32,
       {1, 1, 4096},
       {1, 128, 1, 32},
       {4096, 32, 4096, 1},
       16384},
      {"f16 512", defaultLayout(1, 0, f16), f16, {512}, {8, 64}, {64, 1}, 1024},
      {"f16 512 sparse",
       {{unit(1), full(0), unit(64)}, {}, true},
       f16,
       {512},
       {1, 512, 64},
       {0, 1, 0},
       65536},
      {"i32 7",
       defaultLayout(1, 0, ElementType::I32),
       ElementType::I32,
       {7},
       {1, 32},
       {32, 1},
       128},
      {"f16 scalar", {{unit(1), unit(64)}}, f16, {}, {1, 64}, {0, 0}, 128},
  };
}

TEST(StickLayout, MatchesReferenceTable) {
  for (const Row &row : referenceRows()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(verify(row.layout, row.host.size(), row.type).has_value());
    EXPECT_EQ(deviceShape(row.layout, row.host), row.device);
    EXPECT_EQ(sizeBytes(row.layout, row.host, row.type).value(), row.bytes);
    for (size_t i = 0; i < row.device.size(); ++i) {
      if (row.device[i] == 1 || row.strides[i] == 0) {
        continue;
      }
      // A whole step along dim i; the reference's extents are all whole.
      Shape coordinate(row.device.size(), 0);
      coordinate[i] = 1;
      EXPECT_EQ(hostIndex(row.layout, row.host, coordinate), row.strides[i]);
    }
  }
}

TEST(StickLayout, DefaultPutsBatchesOutermost) {
  const StickLayout layout = defaultLayout(4, 3, ElementType::F16);
  EXPECT_EQ(layout.dims, (std::vector<DeviceDim>{full(0), full(1), tile(3, 64),
                                                 full(2), stick(3, 64)}));
  EXPECT_EQ(stickHostDim(layout), 3);
  EXPECT_EQ(toString(layout), "d0, d1, d3 floordiv 64, d2, d3 mod 64");
  // The stick dim may be any dim; the others keep their order.
  EXPECT_EQ(
      defaultLayout(3, 0, ElementType::F32).dims,
      (std::vector<DeviceDim>{full(1), tile(0, 32), full(2), stick(0, 32)}));
}

TEST(StickLayout, SparseAndScalarHaveNoStickDim) {
  const StickLayout sparse = defaultLayout(2, -1, ElementType::F16);
  EXPECT_TRUE(sparse.sparse);
  EXPECT_EQ(stickHostDim(sparse), -1);
  EXPECT_EQ(toString(sparse), "d0, d1, 0 : 64 sparse");
  const StickLayout scalar = defaultLayout(0, -1, ElementType::F32);
  EXPECT_FALSE(scalar.sparse);
  EXPECT_EQ(stickHostDim(scalar), -1);
  EXPECT_EQ(toString(scalar), "0 : 32");
  EXPECT_TRUE(verify(scalar, 0, ElementType::F32).has_value());
}

TEST(StickLayout, SizeOfEveryElementTypeIsWholeSticks) {
  // 1000 elements in sticks of E: ceil(1000 / E) * 128 bytes.
  for (int t = 0; t < kNumElementTypes; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    const int64_t elements = elementsPerStick(type);
    const StickLayout layout = defaultLayout(1, 0, type);
    EXPECT_TRUE(verify(layout, 1, type).has_value()) << toString(type);
    EXPECT_EQ(sizeBytes(layout, Shape{1000}, type).value(),
              (1000 + elements - 1) / elements * 128);
  }
}

TEST(StickLayout, EmptyTensorHasNoBytes) {
  const StickLayout layout = defaultLayout(2, 1, ElementType::F16);
  EXPECT_EQ(sizeBytes(layout, Shape{0, 64}, ElementType::F16).value(), 0);
  EXPECT_EQ(sizeBytes(layout, Shape{64, 0}, ElementType::F16).value(), 0);
}

TEST(StickLayout, SizeOverflowIsAnError) {
  const StickLayout layout = defaultLayout(2, 1, ElementType::F16);
  // 2^31 * 2^31 f16 = 2^63 bytes, one more than int64 holds.
  Expected<int64_t> size =
      sizeBytes(layout, Shape{1LL << 31, 1LL << 31}, ElementType::F16);
  ASSERT_FALSE(size.has_value());
  EXPECT_NE(size.error().str().find("E0301"), std::string::npos);
  // Half of it fits.
  EXPECT_EQ(
      sizeBytes(layout, Shape{1LL << 30, 1LL << 31}, ElementType::F16).value(),
      1LL << 62);
}

TEST(StickLayout, PaddingHasNoHostIndex) {
  const StickLayout layout = defaultLayout(2, 1, ElementType::F16);
  const Shape host = {2, 70};
  // Lane 5 of the second tile is column 69, lane 6 would be column 70.
  EXPECT_EQ(hostIndex(layout, host, Shape{1, 1, 5}), 70 + 69);
  EXPECT_EQ(hostIndex(layout, host, Shape{1, 1, 6}), -1);
  const StickLayout sparse = defaultLayout(1, -1, ElementType::F16);
  EXPECT_EQ(hostIndex(sparse, Shape{3}, Shape{2, 0}), 2);
  EXPECT_EQ(hostIndex(sparse, Shape{3}, Shape{2, 1}), -1);
}

TEST(StickLayout, MultiDimStick) {
  // fp8 matmul Input2: [K = 2, N = 64] in the stick.
  const StickLayout layout{
      {tile(0, 2), tile(1, 64), stick(0, 2), stick(1, 64)}};
  ASSERT_TRUE(verify(layout, 2, ElementType::F8E4M3).has_value());
  const Shape host = {6, 128};
  EXPECT_EQ(deviceShape(layout, host), (Shape{3, 2, 2, 64}));
  // 6 * 128 one-byte elements fill 6 sticks.
  EXPECT_EQ(sizeBytes(layout, host, ElementType::F8E4M3).value(), 768);
  EXPECT_EQ(hostIndex(layout, host, Shape{2, 1, 1, 3}), 5 * 128 + 67);
}

TEST(StickLayout, ArrangementPermutesLanes) {
  // Element e = 2 * a + b goes to lane a + 32 * b: even elements first.
  StickLayout layout = defaultLayout(1, 0, ElementType::F16);
  layout.arrangement = {{32, 1}, {2, 32}};
  ASSERT_TRUE(verify(layout, 1, ElementType::F16).has_value());
  for (int64_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(hostIndex(layout, Shape{64}, Shape{0, lane}),
              lane < 32 ? 2 * lane : 2 * (lane - 32) + 1);
  }
  EXPECT_EQ(toString(layout),
            "d0 floordiv 64, d0 mod 64 arrangement 32 : 1 2 : 32");
}

} // namespace
} // namespace spyre::layout
