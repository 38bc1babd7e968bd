// SPDX-License-Identifier: Apache-2.0

#include "SumsFirst.h"

using namespace spyre;
using namespace spyre::bench;

namespace {

constexpr int64_t kStick = 64;
/// Steps of K. With less, every step would carry the sums to the matrix unit
/// and back; more gains nothing.
constexpr int64_t kLeastStep = 128;
constexpr int64_t kGreatestStep = 256;

/// Two stages of the operands.
int64_t stageBytes(const MatmulDims &stage) {
  const auto [batch, m, n, k] = stage;
  return 2 * 2 * batch * (m * k + k * n);
}

/// The sums in f32, once more where those of all cores arrive, and in f16,
/// which without a batch are stored while the next are made.
int64_t sumBytes(const MatmulDims &tile, bool isBatched, bool addsOverCores) {
  const int64_t bytesPerSum = (addsOverCores ? 4 + 4 : 4) + (isBatched ? 2 : 4);
  return tile[0] * tile[1] * tile[2] * bytesPerSum;
}

/// The greatest multiple of `granule` that divides `extent` evenly and is less
/// than `value`; 0 if there is none.
int64_t nextLess(int64_t value, int64_t extent, int64_t granule) {
  for (value -= granule; value > 0; value -= granule) {
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
std::optional<MatmulDims> stageWithin(MatmulDims tile, const MatmulDims &slice,
                                      int64_t bytes) {
  const bool isBatched = slice[0] > 1;
  // Without a batch a tile of less N would read A again.
  tile[2] = isBatched ? std::min(tile[2], kStick) : tile[2];
  for (int64_t most : {kGreatestStep, kLeastStep}) {
    MatmulDims stage = tile;
    stage[3] = stepOf(slice[3], most);
    while (stage[0] > 1 && stageBytes(stage) > bytes) {
      stage[0] = nextLess(stage[0], slice[0], 1);
    }
    if (stageBytes(stage) <= bytes) {
      return stage;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<MatmulDims> bench::sumsFirstTiles(const MatmulDims &slice,
                                                bool addsOverCores,
                                                const target::Target &target) {
  const bool isBatched = slice[0] > 1;
  MatmulDims tile = slice;
  while (tile[0] > 0 && tile[2] > 0) {
    const int64_t room =
        target.lxPlannerBudgetBytes - sumBytes(tile, isBatched, addsOverCores);
    if (const std::optional<MatmulDims> stage =
            stageWithin(tile, slice, room)) {
      return stage;
    }
    const size_t cut = tile[0] > 1 ? 0 : 2;
    tile[cut] = nextLess(tile[cut], slice[cut], cut == 2 ? kStick : 1);
  }
  return std::nullopt;
}
