// SPDX-License-Identifier: Apache-2.0
//
// The machine's parts on their own: bookings against brute force, memory
// channels against first principles, ways over the ring.

#include "Machine.h"
#include "Calendar.h"
#include "MemoryChannels.h"

#include <gtest/gtest.h>
#include <map>
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

TEST_F(Channels, BytesCountWhenTheyAreAccepted) {
  // A stick waits for others to drain with.
  memory.write(0, 128, 0);
  memory.write(128, 128, 0);
  memory.read(4096, 256, 0);
  int64_t bytes = 0;
  for (int64_t channel = 0; channel < memory.numChannels(); ++channel) {
    bytes += memory.bytesOf(channel);
  }
  EXPECT_EQ(bytes, 512);
}

TEST_F(Channels, StridesByPowersOfTwoUseAllBanks) {
  // As many reads as there are banks in all channels, a row each. One a bank
  // takes a row cycle; with random banks the fullest gets five or six.
  for (int64_t stride = target.ddrRowBytes * target.ddrChannels;
       stride <= (int64_t{1} << 24); stride *= 2) {
    MemoryChannels fresh(target, base);
    int64_t end = 0;
    for (int64_t i = 0; i < target.ddrChannels * target.ddrBanks; ++i) {
      end = std::max(end, fresh.read(i * stride, 128, 0));
    }
    EXPECT_LT(static_cast<double>(end) / base.ticksPerNs, 6 * 61.25) << stride;
  }
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
  // What core 3 reads comes clockwise and goes on to core 20; what core 20
  // reads comes the other way and goes on to core 3.
  const uint64_t cores = uint64_t{1} << 3 | uint64_t{1} << 20;
  const std::array<int64_t, 2> up = ways.hopsOfRead(3, cores);
  EXPECT_EQ(up[0], 21);
  EXPECT_EQ(up[1], 0);
  const std::array<int64_t, 2> down = ways.hopsOfRead(20, cores);
  EXPECT_EQ(down[0], 0);
  EXPECT_EQ(down[1], 29);
  EXPECT_EQ(ways.link(3, 1, 1), 2);
  EXPECT_EQ(ways.link(31, 0, 2), 0);
}

/// When each process is released, in ns.
std::map<int32_t, double> releases(Machine &machine, double ticksPerNs) {
  std::map<int32_t, double> times;
  std::vector<Release> released;
  for (int64_t next = machine.nextTime(); next != kNever;
       next = machine.nextTime()) {
    released.clear();
    machine.advance(next, released);
    for (const Release &release : released) {
      times[release.process] = static_cast<double>(next) / ticksPerNs;
    }
  }
  return times;
}

Demand ringDemand(int32_t from, int32_t to, int64_t bytes) {
  Demand demand;
  demand.path = Path::Ring;
  demand.core = from;
  demand.cores = uint64_t{1} << to;
  demand.bytes = bytes;
  return demand;
}

TEST(Machines, ShareAPortAndLeaveOthersAlone) {
  // Two transfers leave core 0, whose port gives 41.6 bytes a ns, one of half
  // the bytes of the other; core 5 is on its own. 83200 bytes alone: 2000 ns;
  // 41600 bytes at half the rate are 2000 ns, and then the longer one has 41600
  // left at the full rate: 3000 ns.
  const target::Target &target = target::defaultTarget();
  const TimeBase base(target);
  for (auto make : {makeFlowMachine, makeStickMachine}) {
    std::unique_ptr<Machine> machine = make(target);
    machine->begin(0, ringDemand(0, 1, 83200), 0);
    machine->begin(1, ringDemand(0, 2, 41600), 0);
    machine->begin(2, ringDemand(5, 6, 83200), 0);
    const std::map<int32_t, double> times = releases(*machine, base.ticksPerNs);
    EXPECT_NEAR(times.at(0), 3000, 75);
    EXPECT_NEAR(times.at(1), 2000, 75);
    EXPECT_NEAR(times.at(2), 2000, 75);
  }
}

TEST(Machines, ASideOfTheRingHasHalfOfTheMemoryNode) {
  // 83.2 bytes a ns go each way, but for refreshes: 16 cores of one side that
  // read 800000 bytes each take 153846 ns, eight on each side half of it, also
  // if a core of the other side receives what each reads: a byte leaves the
  // node once.
  const target::Target &target = target::defaultTarget();
  const TimeBase base(target);
  const double running = 1 - target.ddrRefreshNs / target.ddrRefreshIntervalNs;
  const auto last = [&](auto make, int32_t first, bool toBothSides) {
    std::unique_ptr<Machine> machine = make(target);
    for (int32_t i = 0; i < 16; ++i) {
      Demand read;
      read.path = Path::Read;
      read.core = first + i;
      read.cores = uint64_t{1} << read.core;
      read.cores |= toBothSides ? uint64_t{1} << (31 - read.core) : 0;
      read.bytes = 800000;
      read.addresses.base = i * 800128;
      read.addresses.runBytes = 800000;
      machine->begin(i, read, 0);
    }
    double latest = 0;
    for (const auto &[process, time] : releases(*machine, base.ticksPerNs)) {
      latest = std::max(latest, time);
    }
    return latest;
  };
  for (auto make : {makeFlowMachine, makeStickMachine}) {
    EXPECT_NEAR(running * last(make, 0, false), 153846, 3000);
    EXPECT_NEAR(running * last(make, 16, false), 153846, 3000);
    EXPECT_NEAR(running * last(make, 8, false), 76923, 1500);
    EXPECT_NEAR(running * last(make, 8, true), 76923, 1500);
  }
}

TEST(Machines, AUnitAloneLosesNothing) {
  // 64 KiB need 466 ns of the scratchpad's port and 600 ns of the unit.
  const target::Target &target = target::defaultTarget();
  const TimeBase base(target);
  Demand product;
  product.lxBytes = 65536;
  product.unitTicks = base.ticks(600);
  product.onMatrixUnit = true;
  for (auto make : {makeFlowMachine, makeStickMachine}) {
    std::unique_ptr<Machine> machine = make(target);
    machine->begin(0, product, 0);
    std::vector<Release> released;
    while (released.empty()) {
      machine->advance(machine->nextTime(), released);
    }
    for (int64_t ticks : released[0].lostTicks) {
      EXPECT_EQ(ticks, 0);
    }
    EXPECT_NEAR(static_cast<double>(released[0].completeTicks) /
                    base.ticksPerNs,
                600, 1);
  }
}

TEST(Machines, AReductionHoldsTheMatrixUnitsOfItsCores) {
  // 35200 bytes at 35.2 bytes a ns are 1000 ns, in which core 0's matrix unit
  // adds and core 4's works: 1000 ns of products end at 2000 and at 1000.
  const target::Target &target = target::defaultTarget();
  const TimeBase base(target);
  Demand product;
  product.unitTicks = base.ticks(1000);
  product.onMatrixUnit = true;
  Demand sum;
  sum.path = Path::PartialSum;
  sum.core = 1;
  sum.cores = 0b11;
  sum.bytes = 35200;
  for (auto make : {makeFlowMachine, makeStickMachine}) {
    std::unique_ptr<Machine> machine = make(target);
    machine->begin(0, sum, 0);
    machine->begin(1, product, 0);
    product.core = 4;
    machine->begin(2, product, 0);
    product.core = 0;
    const std::map<int32_t, double> times = releases(*machine, base.ticksPerNs);
    EXPECT_NEAR(std::max(times.at(0), times.at(1)), 2000, 60);
    EXPECT_NEAR(times.at(2), 1000, 10);
  }
}

} // namespace
