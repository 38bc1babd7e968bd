// SPDX-License-Identifier: Apache-2.0

#include "SumsFirst.h"

#include <algorithm>
#include <optional>

using namespace spyre;
using namespace spyre::bench;

namespace {

constexpr int64_t kStick = 64;
/// Steps of K. With less, every step would carry the sums to the matrix unit
/// and back; more gains nothing.
constexpr int64_t kLeastStep = 128;
constexpr int64_t kGreatestStep = 256;

struct Tile {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

/// What one core computes, and how its tiles go about it.
struct Slice {
  Tile whole;
  /// Each batch has a weight of its own: the columns of a tile may come in
  /// parts, since little of A is read again.
  bool isBatched = false;
  /// K is cut over cores: a buffer takes the sums of all.
  bool addsOverCores = false;
};

/// Two stages of the operands.
int64_t stageBytes(const Tile &stage) {
  return 2 * 2 * stage.batch * stage.k * (stage.m + stage.n);
}

/// The sums in f32, once more where those of all cores arrive, and in f16,
/// which without a batch are stored while the next are made.
int64_t sumBytes(const Tile &tile, const Slice &slice) {
  const int64_t bytesPerSum =
      (slice.addsOverCores ? 4 + 4 : 4) + (slice.isBatched ? 2 : 2 + 2);
  return tile.batch * tile.m * tile.n * bytesPerSum;
}

/// The greatest multiple of `granule` below `value` that divides `extent`
/// evenly; 0 if there is none.
int64_t nextLess(int64_t value, int64_t extent, int64_t granule) {
  for (value = (value - 1) / granule * granule; value > 0; value -= granule) {
    if (extent % value == 0) {
      return value;
    }
  }
  return 0;
}

/// The greatest step of K, at most `most`.
int64_t stepOf(int64_t extent, int64_t most) {
  int64_t step = extent;
  while (step > most && nextLess(step, extent, kStick) > 0) {
    step = nextLess(step, extent, kStick);
  }
  return step;
}

/// What is staged at once, in `bytes`: as much of the batch as fits.
std::optional<Tile> stageWithin(const Tile &tile, const Slice &slice,
                                int64_t bytes) {
  for (int64_t most : {kGreatestStep, kLeastStep}) {
    Tile stage = tile;
    stage.n = slice.isBatched ? std::min(tile.n, kStick) : tile.n;
    stage.k = stepOf(slice.whole.k, most);
    while (stage.batch > 1 && stageBytes(stage) > bytes) {
      stage.batch = nextLess(stage.batch, slice.whole.batch, 1);
    }
    if (stageBytes(stage) <= bytes) {
      return stage;
    }
  }
  return std::nullopt;
}

std::optional<Tile> sumsFirst(const Slice &slice, int64_t budget) {
  Tile tile = slice.whole;
  while (tile.n > 0) {
    const std::optional<Tile> stage =
        stageWithin(tile, slice, budget - sumBytes(tile, slice));
    if (stage) {
      return stage;
    }
    if (tile.batch > 1) {
      tile.batch = nextLess(tile.batch, slice.whole.batch, 1);
    } else {
      tile.n = nextLess(tile.n, slice.whole.n, kStick);
    }
  }
  return std::nullopt;
}

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace

void bench::setSumsFirstTiles(Matmul &matmul, const target::Target &target) {
  const bool hasBatch = matmul.batch > 1;
  const int64_t *slices = matmul.slices.data();
  Slice slice;
  slice.whole.batch = hasBatch ? ceilDiv(matmul.batch, *slices++) : 1;
  slice.whole.m = ceilDiv(matmul.m, *slices++);
  slice.whole.n = ceilDiv(matmul.n, *slices++);
  slice.whole.k = ceilDiv(matmul.k, *slices);
  slice.isBatched = hasBatch && !matmul.sharesWeight;
  slice.addsOverCores = *slices > 1;
  const std::optional<Tile> tile =
      sumsFirst(slice, target.lxPlannerBudgetBytes);
  if (!tile) {
    return;
  }
  matmul.tiles = {tile->m, tile->n, tile->k};
  if (hasBatch) {
    matmul.tiles.insert(matmul.tiles.begin(), tile->batch);
  }
}
