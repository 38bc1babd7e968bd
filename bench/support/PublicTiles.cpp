// SPDX-License-Identifier: Apache-2.0
//
// Tiles of the public stack's back end: see PublicTiles.h.

#include "PublicTiles.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <optional>

using namespace spyre;
using namespace spyre::bench;

namespace {

constexpr int64_t kStick = 64;
constexpr int64_t kBytesPerElement = 2;
constexpr int64_t kBytesPerSum = 4;

struct Tile {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

/// What one core computes.
struct Slice {
  Tile whole;
  /// K is cut over cores: a buffer takes the sums of all.
  bool addsOverCores = false;
};

/// What the register files of a core hold.
struct Registers {
  int64_t bytes = 0;
  /// Columns, and steps of K, of the square of weights that fills them.
  int64_t edge = 0;

  int64_t weights() const { return bytes / kBytesPerElement; }
  int64_t sums() const { return bytes / kBytesPerSum; }
};

Registers registersOf(const target::Target &target) {
  Registers registers;
  registers.bytes =
      target.ptWeightRegisterBytesPerCorelet * target.coreletsPerCore;
  registers.edge = kStick;
  while (4 * registers.edge * registers.edge <= registers.weights()) {
    registers.edge *= 2;
  }
  return registers;
}

/// Two stages of the operands.
int64_t stageBytes(const Tile &stage) {
  return 2 * kBytesPerElement * stage.batch * stage.k * (stage.m + stage.n);
}

/// The sums in f32, once more where those of all cores arrive, and `results`
/// times in f16.
int64_t sumBytes(const Tile &tile, const Slice &slice, int64_t results) {
  const int64_t bytes =
      kBytesPerSum * (slice.addsOverCores ? 2 : 1) + kBytesPerElement * results;
  return tile.batch * tile.m * tile.n * bytes;
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

/// A tile that streams its operands. K comes in two steps at least, unless it
/// is a stick: what came in one, our schedule would keep for the next tile.
std::optional<Tile> streamedTile(const Slice &slice, const Registers &registers,
                                 int64_t budget) {
  const Tile &whole = slice.whole;
  Tile tile;
  tile.n = std::min(whole.n, registers.edge);
  tile.m = std::min(whole.m, registers.sums() / tile.n);
  // A tile's results are stored while the next are made.
  const int64_t bytes = budget - sumBytes(tile, slice, /*results=*/2);
  tile.k = stepOf(whole.k, std::min(registers.weights() / tile.n, whole.k / 2));
  while (tile.k > 0 && stageBytes(tile) > bytes) {
    tile.k = nextLess(tile.k, whole.k, kStick);
  }
  return tile.k > 0 ? std::optional(tile) : std::nullopt;
}

/// What is staged at once beside the sums of `tile`: columns first, then as
/// much of the batch as fits.
std::optional<Tile> stageWithin(const Tile &tile, const Slice &slice,
                                const Registers &registers, int64_t bytes) {
  Tile stage = tile;
  stage.k = stepOf(slice.whole.k, registers.edge);
  stage.n = std::min(tile.n, registers.edge);
  for (; stage.n > 0; stage.n = nextLess(stage.n, slice.whole.n, kStick)) {
    stage.batch = tile.batch;
    while (stage.batch > 0 &&
           (stageBytes(stage) > bytes ||
            stage.batch * stage.k * stage.n > registers.weights())) {
      stage.batch = nextLess(stage.batch, slice.whole.batch, 1);
    }
    if (stage.batch > 0) {
      return stage;
    }
  }
  return std::nullopt;
}

/// A stage of a batched product that keeps as many sums as fit.
std::optional<Tile> sumsFirst(const Slice &slice, const Registers &registers,
                              int64_t budget) {
  Tile tile = slice.whole;
  while (tile.n > 0) {
    const std::optional<Tile> stage = stageWithin(
        tile, slice, registers, budget - sumBytes(tile, slice, /*results=*/1));
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

void bench::setPublicTiles(Matmul &matmul, const target::Target &target) {
  const bool hasBatch = matmul.batch > 1;
  const int64_t *slices = matmul.slices.data();
  Slice slice;
  slice.whole.batch = hasBatch ? ceilDiv(matmul.batch, *slices++) : 1;
  slice.whole.m = ceilDiv(matmul.m, *slices++);
  slice.whole.n = ceilDiv(matmul.n, *slices++);
  slice.whole.k = ceilDiv(matmul.k, *slices);
  slice.addsOverCores = *slices > 1;
  const Registers registers = registersOf(target);
  const std::optional<Tile> tile =
      hasBatch && !matmul.sharesWeight
          ? sumsFirst(slice, registers, target.lxPlannerBudgetBytes)
          : streamedTile(slice, registers, target.lxPlannerBudgetBytes);
  if (!tile) {
    fmt::print(stderr,
               "no tiles of the public stack fit the slices {}, the planner's "
               "are taken\n",
               fmt::join(matmul.slices, "_"));
    return;
  }
  matmul.tiles = {tile->m, tile->n, tile->k};
  if (hasBatch) {
    matmul.tiles.insert(matmul.tiles.begin(), tile->batch);
  }
}
