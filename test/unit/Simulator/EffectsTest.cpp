// SPDX-License-Identifier: Apache-2.0
//
// Data effects on several host threads: the outcome is that of one thread,
// wherever threads are when a trap comes, and whichever of them meets it.

#include "Support.h"

using namespace spyre;
using namespace spyre::sim;
using namespace spyre::sim::test;

namespace {

SimulatorOptions threads(int64_t count) {
  SimulatorOptions options;
  options.numThreads = count;
  return options;
}

std::string outcome(const Expected<rt::ComputeStats> &stats) {
  return stats ? "no trap" : stats.error().str();
}

/// Three cores load and double a matrix 400 times: some 2400 effects. After
/// `trips` of them core 0 reads what nothing wrote.
std::string trapAfter(int64_t trips, int64_t numThreads) {
  constexpr int64_t kTrips = 400;
  constexpr int64_t kRows = 64;
  Bench bench(3, threads(numThreads));
  const uint32_t in = bench.ddr("in", {1, kRows, 64});
  const uint32_t x = bench.queue("x", {1, kRows, 64}, ElementType::F16, 2,
                                 Unit::Load, {Unit::SFU});
  const uint32_t y = bench.queue("y", {1, kRows, 64}, ElementType::F16, 2,
                                 Unit::SFU, {Unit::Store});
  const uint32_t unwritten = bench.lx("unwritten", {1, 1, 64});
  const uint32_t wrong = bench.lx("wrong", {1, 1, 64});
  const uint32_t first = bench.table({1, 0, 0});
  const uint32_t twice = bench.body(1, {op(BodyOpcode::Add, 0, 0)}, {1});
  const auto rows = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}});
  };
  const auto whole = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}}, 0);
  };
  bench.put(in, kRows, 64, randomValues(kRows * 64, 1));
  bench.add(Unit::Load, loop(kTrips));
  bench.add(Unit::Load, move({extent(kRows)}, rows(in), rows(x)), {x});
  bench.add(Unit::Load, end());
  for (int64_t part : {trips, kTrips - trips}) {
    bench.add(Unit::SFU, loop(part));
    bench.add(
        Unit::SFU,
        bench.map(twice, {extent(kRows)}, extent(64), {whole(x), whole(y)}),
        {x, y});
    bench.add(Unit::SFU, end());
    if (part == trips) {
      Command bad = bench.map(twice, {extent(1)}, extent(64),
                              {whole(unwritten), whole(wrong)});
      bad.predicate = TableRef{first, -1};
      bench.add(Unit::SFU, bad);
    }
  }
  bench.add(Unit::Store, loop(kTrips));
  bench.add(Unit::Store, next({y}), {y});
  bench.add(Unit::Store, end());
  return outcome(bench.run());
}

TEST(Effects, ATrapEndsTheRunWhereverOtherThreadsAre) {
  for (int64_t trips = 1; trips < 400; trips += 37) {
    const std::string alone = trapAfter(trips, 1);
    EXPECT_NE(alone.find("E0913"), std::string::npos) << alone;
    EXPECT_EQ(trapAfter(trips, 2), alone);
    EXPECT_EQ(trapAfter(trips, 3), alone);
  }
}

/// Core 0 loads for three cores; `fill` says whose queues name it.
std::string multicast(std::vector<int64_t> fill, bool isDeclared,
                      int64_t numThreads) {
  Bench bench(3, threads(numThreads));
  const uint32_t in = bench.ddr("in", {1, 4, 64});
  const uint32_t x =
      bench.queue("x", {1, 4, 64}, ElementType::F16, 2, Unit::Load, {Unit::SFU},
                  bench.table(std::move(fill)));
  bench.put(in, 4, 64, randomValues(256, 1));
  Command load = move({extent(4)}, box(in, {at(0), at(0), at(0)}, {{1, 1}}),
                      box(x, {at(0), at(0), at(0)}, {{1, 1}}));
  load.cores = TableRef{bench.table({7, 0, 0}), -1};
  load.predicate = TableRef{bench.table({1, 0, 0}), -1};
  bench.add(Unit::Load, load);
  rt::ComputeLaunch launch = bench.launch();
  if (!isDeclared) {
    launch.reads.clear();
    launch.writes.clear();
  }
  return outcome(bench.device.run(launch));
}

TEST(Effects, TheFirstReceiverThatTrapsCounts) {
  for (int64_t numThreads : {1, 2, 3}) {
    const std::string both = multicast({1, 0, 0}, true, numThreads);
    EXPECT_NE(both.find("of core 1,"), std::string::npos) << both;
    const std::string last = multicast({1, 1, 0}, true, numThreads);
    EXPECT_NE(last.find("of core 2,"), std::string::npos) << last;
    // Core 0 gets as far as the footprint.
    const std::string outside = multicast({1, 0, 1}, false, numThreads);
    EXPECT_NE(outside.find("E0914"), std::string::npos) << outside;
  }
}

} // namespace
