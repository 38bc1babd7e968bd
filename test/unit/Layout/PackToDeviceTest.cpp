// SPDX-License-Identifier: Apache-2.0
//
// Packing against brute force: every position of the image must hold the host
// element that hostIndex names, padding must keep its content, and unpacking
// must restore the tensor.

#include "spyre/Layout/StickLayout.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace spyre::layout {
namespace {

using Shape = std::vector<int64_t>;
constexpr uint8_t kPoison = 0xA5;

int64_t product(const Shape &shape) {
  int64_t result = 1;
  for (int64_t extent : shape) {
    result *= extent;
  }
  return result;
}

void checkAgainstBruteForce(const StickLayout &layout, const Shape &host,
                            int64_t elementBytes) {
  SCOPED_TRACE(toString(layout));
  const Shape device = deviceShape(layout, host);
  std::vector<uint8_t> source(product(host) * elementBytes);
  std::mt19937 random(7);
  std::generate(source.begin(), source.end(), random);
  std::vector<uint8_t> image(product(device) * elementBytes, kPoison);
  packToDevice(layout, host, elementBytes, source.data(), image.data());

  // Row by row, in pieces of three.
  const ImageRows rows = imageRows(layout, host);
  ASSERT_EQ(rows.count * rows.elements, product(device));
  std::vector<uint8_t> pieces(image.size(), kPoison);
  for (int64_t first = 0; first < rows.count; first += 3) {
    packRowsToDevice(layout, host, elementBytes, first,
                     std::min<int64_t>(3, rows.count - first), source.data(),
                     pieces.data() + first * rows.elements * elementBytes);
  }
  ASSERT_EQ(pieces, image);

  std::vector<bool> seen(product(host), false);
  for (int64_t position = 0; position < product(device); ++position) {
    Shape coordinate(device.size());
    int64_t rest = position;
    for (size_t i = device.size(); i-- > 0;) {
      coordinate[i] = rest % device[i];
      rest /= device[i];
    }
    const int64_t index = hostIndex(layout, host, coordinate);
    const uint8_t *at = image.data() + position * elementBytes;
    if (index < 0) {
      ASSERT_TRUE(std::all_of(at, at + elementBytes,
                              [](uint8_t b) { return b == kPoison; }))
          << "padding written at " << position;
      continue;
    }
    ASSERT_FALSE(seen[index]);
    seen[index] = true;
    ASSERT_EQ(
        std::memcmp(at, source.data() + index * elementBytes, elementBytes), 0)
        << "position " << position << " host " << index;
  }
  ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool b) { return b; }));

  std::vector<uint8_t> restored(source.size(), 0);
  unpackFromDevice(layout, host, elementBytes, image.data(), restored.data());
  ASSERT_EQ(restored, source);
}

TEST(PackToDevice, RandomLayoutsMatchBruteForce) {
  std::mt19937 random(20);
  const ElementType types[] = {ElementType::I8, ElementType::F16,
                               ElementType::F32};
  for (int trial = 0; trial < 300; ++trial) {
    const ElementType type = types[random() % 3];
    const int64_t rank = random() % 5;
    Shape host(rank);
    for (int64_t &extent : host) {
      extent = 1 + random() % (rank > 2 ? 9 : 150);
    }
    const int64_t stick = rank == 0 ? -1 : int64_t(random() % (rank + 1)) - 1;
    StickLayout layout = defaultLayout(rank, stick, type);
    // Any order of the dims before the stick is a layout.
    std::shuffle(layout.dims.begin(), layout.dims.end() - 1, random);
    if (random() % 4 == 0) {
      layout.dims.insert(layout.dims.begin() + random() % layout.dims.size(),
                         {DimKind::Unit, -1, 1 + int64_t(random() % 2)});
    }
    // A synthetic dim next to the stick of a sparse layout would join it.
    if (!verify(layout, rank, type)) {
      continue;
    }
    checkAgainstBruteForce(layout, host, bitWidth(type) / 8);
  }
}

TEST(PackToDevice, BlockRemainders) {
  // Transposed blocks are 64 wide: one short of, equal to, one past.
  for (int64_t extent : {1, 63, 64, 65, 129}) {
    checkAgainstBruteForce(defaultLayout(2, 0, ElementType::F16), {70, extent},
                           2);
  }
}

TEST(PackToDevice, MultiDimStickAndArrangement) {
  const StickLayout pair{{{DimKind::Tile, 0, 2},
                          {DimKind::Tile, 1, 64},
                          {DimKind::Stick, 0, 2},
                          {DimKind::Stick, 1, 64}}};
  checkAgainstBruteForce(pair, {5, 100}, 1);
  StickLayout arranged = defaultLayout(2, 1, ElementType::F16);
  arranged.arrangement = {{32, 1}, {2, 32}};
  checkAgainstBruteForce(arranged, {3, 100}, 2);
}

TEST(PackToDevice, WideElements) {
  checkAgainstBruteForce(defaultLayout(2, 1, ElementType::F32), {3, 40}, 8);
  checkAgainstBruteForce(defaultLayout(2, 0, ElementType::F32), {40, 3}, 3);
}

TEST(PackToDevice, EmptyTensorTouchesNothing) {
  for (const Shape &host : {Shape{0, 64}, Shape{64, 0}}) {
    const StickLayout layout = defaultLayout(2, 1, ElementType::F16);
    packToDevice(layout, host, 2, nullptr, nullptr);
    unpackFromDevice(layout, host, 2, nullptr, nullptr);
  }
}

} // namespace
} // namespace spyre::layout
