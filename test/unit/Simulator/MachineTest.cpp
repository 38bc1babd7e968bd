// SPDX-License-Identifier: Apache-2.0
//
// The machine's parts on their own: bookings against brute force, memory
// channels against first principles, ways over the ring.

#include "Machine.h"
#include "Calendar.h"
#include "MemoryChannels.h"

#include <gtest/gtest.h>
#include <random>

using namespace spyre;
using namespace spyre::sim;

namespace {

TEST(Calendar, TakesTheFirstGapThatIsLongEnough) {
  constexpr int64_t kHorizon = 4000;
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Calendar calendar;
    std::vector<bool> taken(kHorizon, false);
    int64_t now = 0;
    for (int i = 0; i < 60; ++i) {
      now += static_cast<int64_t>(random() % 4);
      const int64_t from = now + static_cast<int64_t>(random() % 100);
      const int64_t ticks = 1 + static_cast<int64_t>(random() % 12);
      int64_t expected = from;
      const auto isFree = [&](int64_t start) {
        for (int64_t t = start; t < start + ticks; ++t) {
          if (taken[static_cast<size_t>(t)]) {
            return false;
          }
        }
        return true;
      };
      while (!isFree(expected)) {
        ++expected;
      }
      ASSERT_EQ(calendar.book(from, ticks, now), expected) << round << " " << i;
      for (int64_t t = expected; t < expected + ticks; ++t) {
        taken[static_cast<size_t>(t)] = true;
      }
    }
  }
}

class Channels : public testing::Test {
protected:
  const target::Target &target = target::defaultTarget();
  TimeBase base{target};
  MemoryChannels memory{target, base};

  double gigabytesPerSecond(int64_t bytes, int64_t ticks) const {
    return static_cast<double>(bytes) * base.ticksPerNs /
           static_cast<double>(ticks);
  }
};

TEST_F(Channels, AStreamReachesThePeakButForRefreshes) {
  constexpr int64_t kBytes = 16 << 20;
  int64_t end = 0;
  for (int64_t at = 0; at < kBytes; at += 2048) {
    end = std::max(end, memory.read(at, 2048, 0));
  }
  EXPECT_NEAR(gigabytesPerSecond(kBytes, end), 204.8 * (1 - 280.0 / 3906), 1.0);
}

TEST_F(Channels, ReadsAndWritesTurnTheBus) {
  // Alternating trains of 4 KiB: one stick pair for each channel. A batch of
  // four sticks of 10 ns each way costs 15 and 24.5 ns of turns.
  constexpr int64_t kBytes = 8 << 20;
  int64_t end = 0;
  for (int64_t at = 0; at < kBytes; at += 4096) {
    end = std::max(end, memory.read(at, 4096, 0));
    end = std::max(end, memory.write((int64_t{1} << 30) + at, 4096, 0));
  }
  const double turns = 204.8 * 80 / (80 + 39.5) * (1 - 280.0 / 3906);
  const double measured = gigabytesPerSecond(2 * kBytes, end);
  EXPECT_LT(measured, turns * 1.02);
  EXPECT_GT(measured, turns * 0.85);
}

TEST_F(Channels, OneRowAfterTheOtherInOneBankIsSlow) {
  // One channel with one bank, another row each: 61.25 ns for 128 bytes.
  target::Target single = target;
  single.ddrChannels = 1;
  single.ddrBanks = 1;
  MemoryChannels one(single, base);
  int64_t end = 0;
  for (int64_t i = 0; i < 50; ++i) {
    end = std::max(end, one.read(i * single.ddrRowBytes, 128, 0));
  }
  EXPECT_NEAR(static_cast<double>(end) / base.ticksPerNs, 50 * 61.25, 61.25);
}

TEST(RingWays, TakeTheShorterWay) {
  RingWays ways(32);
  EXPECT_EQ(ways.memoryNode(), 32);
  // Core 0 is next to the memory node clockwise, core 31 the other way.
  EXPECT_EQ(ways.distance(32, 0), 1);
  EXPECT_EQ(ways.distance(32, 31), 1);
  EXPECT_EQ(ways.distance(32, 15), 16);
  EXPECT_EQ(ways.distance(32, 16), 16);
  // To all cores: sixteen links each way.
  const std::array<int64_t, 2> all = ways.hops(32, 0xffffffff);
  EXPECT_EQ(all[0], 16);
  EXPECT_EQ(all[1], 16);
  // Core 3 to cores 1 and 6.
  const std::array<int64_t, 2> both = ways.hops(3, 0b1000010);
  EXPECT_EQ(both[0], 3);
  EXPECT_EQ(both[1], 2);
  EXPECT_EQ(ways.link(3, 1, 1), 2);
  EXPECT_EQ(ways.link(31, 0, 2), 0);
}

} // namespace
