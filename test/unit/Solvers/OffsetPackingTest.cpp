// SPDX-License-Identifier: Apache-2.0
//
// Offset packing against the independent validator, the load bound and, for
// small instances, the optimum found by trying every order of placement.

#include "spyre/Solvers/OffsetPacking.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <random>

using namespace spyre;
using namespace spyre::solvers;
using testing::HasSubstr;

namespace {

constexpr int64_t kLarge = int64_t(1) << 30;

int64_t heightOf(std::span<const PackingBuffer> buffers,
                 std::span<const int64_t> offsets) {
  int64_t height = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    height = std::max(height, offsets[i] + buffers[i].sizeBytes);
  }
  return height;
}

/// Every packing can be pushed down to one that first fit yields for some
/// order, so the best over all orders is the optimum.
int64_t bruteForceHeight(const std::vector<PackingBuffer> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  int64_t best = std::numeric_limits<int64_t>::max();
  do {
    std::vector<int64_t> offsets(buffers.size(), -1);
    for (size_t i : order) {
      const PackingBuffer &a = buffers[i];
      for (int64_t offset = 0; offsets[i] < 0; offset += a.alignment) {
        bool free = true;
        for (size_t j = 0; j < buffers.size(); ++j) {
          const PackingBuffer &b = buffers[j];
          free = free &&
                 (offsets[j] < 0 || a.upper <= b.lower || b.upper <= a.lower ||
                  offset + a.sizeBytes <= offsets[j] ||
                  offsets[j] + b.sizeBytes <= offset);
        }
        offsets[i] = free ? offset : -1;
      }
    }
    best = std::min(best, heightOf(buffers, offsets));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<PackingBuffer> randomBuffers(std::mt19937 &random, int count) {
  std::vector<PackingBuffer> buffers;
  for (int i = 0; i < count; ++i) {
    int64_t lower = static_cast<int64_t>(random() % 12);
    buffers.push_back({128 * static_cast<int64_t>(1 + random() % 8), lower,
                       lower + 1 + static_cast<int64_t>(random() % 6),
                       random() % 4 == 0 ? 256 : 128});
  }
  return buffers;
}

TEST(OffsetPacking, EmptyNeedsNothing) {
  auto offsets = packOffsets({}, 0);
  ASSERT_TRUE(offsets);
  EXPECT_TRUE(offsets->empty());
  EXPECT_EQ(packingLowerBound({}), 0);
}

TEST(OffsetPacking, DisjointLifetimesShareAnAddress) {
  std::vector<PackingBuffer> buffers = {{256, 0, 2}, {256, 2, 4}, {128, 1, 3}};
  auto offsets = packOffsets(buffers, 384); // 256 + 128: the live load
  ASSERT_TRUE(offsets) << offsets.error().str();
  EXPECT_EQ((*offsets)[0], (*offsets)[1]);
  EXPECT_EQ(packingLowerBound(buffers), 384);
}

TEST(OffsetPacking, SmallInstancesAgainstBruteForce) {
  std::mt19937 random(1);
  int64_t total = 0;
  int64_t optimum = 0;
  for (int instance = 0; instance < 200; ++instance) {
    std::vector<PackingBuffer> buffers =
        randomBuffers(random, 2 + instance % 6);
    auto offsets = packOffsets(buffers, kLarge);
    ASSERT_TRUE(offsets);
    int64_t height = heightOf(buffers, *offsets);
    int64_t best = bruteForceHeight(buffers);
    ASSERT_TRUE(validatePacking(buffers, *offsets, height));
    ASSERT_GE(height, best);
    ASSERT_LE(packingLowerBound(buffers), best);
    total += height;
    optimum += best;
  }
  // A heuristic, but on seven buffers nearly always the optimum.
  EXPECT_LE(static_cast<double>(total), 1.005 * static_cast<double>(optimum));
}

TEST(OffsetPacking, LargeInstancesAreValidAndNearTheBound) {
  std::mt19937 random(2);
  for (int instance = 0; instance < 20; ++instance) {
    std::vector<PackingBuffer> buffers = randomBuffers(random, 150);
    auto offsets = packOffsets(buffers, kLarge);
    ASSERT_TRUE(offsets);
    int64_t height = heightOf(buffers, *offsets);
    Status status = validatePacking(buffers, *offsets, height);
    ASSERT_TRUE(status) << status.error().str();
    EXPECT_LE(static_cast<double>(height),
              1.3 * static_cast<double>(packingLowerBound(buffers)));
    EXPECT_EQ(*offsets, *packOffsets(buffers, kLarge)); // deterministic
  }
}

TEST(OffsetPacking, TooLargeNamesBothNumbers) {
  std::vector<PackingBuffer> buffers = {{256, 0, 2}, {256, 1, 3}};
  auto offsets = packOffsets(buffers, 384);
  ASSERT_FALSE(offsets);
  EXPECT_THAT(offsets.error().str(), HasSubstr("E0440"));
  EXPECT_THAT(offsets.error().str(),
              HasSubstr("needs 512 bytes, 384 available (excess 128)"));
}

TEST(OffsetPacking, ValidatorRefusesEachBrokenRule) {
  std::vector<PackingBuffer> buffers = {{256, 0, 2}, {256, 1, 3}};
  auto text = [&](std::vector<int64_t> offsets) {
    Status status = validatePacking(buffers, offsets, 512);
    return status ? std::string() : status.error().str();
  };
  EXPECT_EQ(text({0, 256}), "");
  EXPECT_THAT(text({0, 128}), HasSubstr("E0441"));
  EXPECT_THAT(text({0, 128}), HasSubstr("overlap"));
  EXPECT_THAT(text({0, 300}), HasSubstr("aligned to 128"));
  EXPECT_THAT(text({0, 384}), HasSubstr("exceeds the capacity of 512"));
  EXPECT_THAT(text({0}), HasSubstr("1 offsets for 2 buffers"));
}

TEST(OffsetPacking, ImpossibleBuffersAreRefused) {
  for (PackingBuffer bad :
       {PackingBuffer{-1, 0, 1}, PackingBuffer{1, 2, 1},
        PackingBuffer{1, 0, 1, 0}, PackingBuffer{int64_t(1) << 62, 0, 1}}) {
    std::vector<PackingBuffer> buffers = {bad};
    auto offsets = packOffsets(buffers, kLarge);
    ASSERT_FALSE(offsets);
    EXPECT_THAT(offsets.error().str(), HasSubstr("E0442"));
  }
}

} // namespace
