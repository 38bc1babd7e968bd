// SPDX-License-Identifier: Apache-2.0
//
// Times: what must hold whatever the model's details (more slots help, peaks
// are approached and never exceeded, two runs agree), and first principles.

#include "Support.h"

using namespace spyre;
using namespace spyre::sim;
using namespace spyre::sim::test;

namespace {

constexpr double kTicksPerUs = 114400.0;

/// 16 blocks of 64 rows: load, sigmoid, store, with `slots` per queue.
rt::ComputeStats pipeline(int32_t slots, std::vector<std::byte> *result,
                          SimulatorOptions options = {},
                          bool timingOnly = false) {
  Bench bench(2, options);
  auto core = static_cast<int32_t>(bench.table({0, 1024}));
  uint32_t in = bench.ddr("in", {1, 2048, 64});
  uint32_t out = bench.ddr("out", {1, 2048, 64});
  uint32_t a = bench.queue("a", {1, 64, 64}, ElementType::F16, slots,
                           Unit::Load, {Unit::SFU});
  uint32_t c = bench.queue("c", {1, 64, 64}, ElementType::F16, slots, Unit::SFU,
                           {Unit::Store});
  auto slot = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}}, 0);
  };
  Affine row = tableTerm(core);
  row.terms.push_back({TermKind::Loop, 0, -1, 64});
  auto part = [&](uint32_t buffer) {
    return box(buffer, {at(0), row, at(0)}, {{1, 1}});
  };
  for (Unit unit : {Unit::Load, Unit::SFU, Unit::Store}) {
    bench.add(unit, loop(16));
  }
  bench.add(Unit::Load, move({extent(64)}, part(in), slot(a)), {a});
  uint32_t body = bench.body(1, {op(BodyOpcode::Sigmoid, 0)}, {1});
  bench.add(Unit::SFU,
            bench.map(body, {extent(64)}, extent(64), {slot(a), slot(c)}),
            {a, c});
  bench.add(Unit::Store, move({extent(64)}, slot(c), part(out)), {c});
  for (Unit unit : {Unit::Load, Unit::SFU, Unit::Store}) {
    bench.add(unit, end());
  }
  bench.put(in, 2048, 64, randomValues(2048 * 64, 1));
  rt::ComputeLaunch launch = bench.launch();
  launch.timingOnly = timingOnly;
  Expected<rt::ComputeStats> stats = bench.device.run(launch);
  EXPECT_TRUE(stats.has_value()) << (stats ? "" : stats.error().str());
  if (result) {
    *result = bench.bytes(out);
  }
  return stats.value_or(rt::ComputeStats{});
}

TEST(Timing, DoubleBufferingIsFaster) {
  std::vector<std::byte> single;
  std::vector<std::byte> twice;
  int64_t one = pipeline(1, &single).ticks;
  int64_t two = pipeline(2, &twice).ticks;
  EXPECT_LT(two, one * 9 / 10);
  EXPECT_EQ(single, twice);
}

TEST(Timing, RunsAreIdentical) {
  SimulatorOptions options;
  options.trace = true;
  std::vector<std::byte> first;
  std::vector<std::byte> second;
  rt::ComputeStats x = pipeline(2, &first, options);
  rt::ComputeStats y = pipeline(2, &second, options);
  EXPECT_EQ(first, second);
  EXPECT_EQ(x.ticks, y.ticks);
  ASSERT_EQ(x.trace.size(), y.trace.size());
  // 2 cores x 3 units x 16 commands.
  EXPECT_EQ(x.trace.size(), 96u);
  for (size_t i = 0; i < x.trace.size(); ++i) {
    EXPECT_EQ(x.trace[i].startTicks, y.trace[i].startTicks);
    EXPECT_EQ(x.trace[i].name, "kernel0 " + x.trace[i].name.substr(8));
  }
  for (size_t core = 0; core < 2; ++core) {
    for (size_t unit = 0; unit < x.cores[core].units.size(); ++unit) {
      const rt::UnitStats &unitStats = x.cores[core].units[unit];
      EXPECT_EQ(unitStats.busyTicks, y.cores[core].units[unit].busyTicks);
      EXPECT_LE(unitStats.busyTicks + unitStats.stallTicks, x.ticks);
    }
  }
}

TEST(Timing, TimingOnlyPredictsTheSameTime) {
  EXPECT_EQ(pipeline(2, nullptr, {}, true).ticks, pipeline(2, nullptr).ticks);
}

TEST(Timing, OneCoreIsLimitedByItsRequestWindow) {
  // 1 MiB by one core: 22 sticks of 128 bytes per 170 ns = 16.56 GB/s.
  Bench bench;
  uint32_t in = bench.ddr("in", {1, 8192, 64});
  uint32_t a = bench.lx("a", {1, 8192, 64});
  auto rows = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}});
  };
  bench.add(Unit::Load, move({extent(8192)}, rows(in), rows(a)));
  double us = static_cast<double>(bench.runOk().ticks) / kTicksPerUs;
  // The first 22 sticks are asked for at once, so that the round trip of an
  // idle machine is part of it; and a hop each way.
  EXPECT_NEAR(us, 1048576 / 16564.7 + 0.003, 0.002);
}

TEST(Timing, ManyCoresAreLimitedByTheMemoryNode) {
  // 32 cores read 256 KiB each: 8 MiB at 166.4 GB/s, of which refreshes take
  // 280 of every 3906 ns but the first; then 170 ns and 16 hops of two ring
  // cycles each way.
  Bench bench(32);
  std::vector<int64_t> starts(32);
  for (size_t i = 0; i < 32; ++i) {
    starts[i] = static_cast<int64_t>(i) * 2048;
  }
  auto core = static_cast<int32_t>(bench.table(starts));
  uint32_t in = bench.ddr("in", {1, 65536, 64});
  uint32_t a = bench.lx("a", {1, 2048, 64});
  bench.add(Unit::Load, move({extent(2048)},
                             box(in, {at(0), tableTerm(core), at(0)}, {{1, 1}}),
                             box(a, {at(0), at(0), at(0)}, {{1, 1}})));
  double us = static_cast<double>(bench.runOk().ticks) / kTicksPerUs;
  EXPECT_NEAR(us,
              3.906 + (8388608 / 166400.0 - 3.906) / (1 - 280.0 / 3906) + 0.219,
              0.01);
}

TEST(Timing, LargeMatmulApproachesThePeakAndSmallOnesDoNot) {
  auto efficiency = [](int64_t rows) {
    Bench bench;
    uint32_t a = bench.lx("a", {4, 512, 64});
    uint32_t b = bench.lx("b", {4, 256, 64});
    uint32_t acc = bench.lx("acc", {8, 512, 32}, ElementType::F32);
    Command command;
    command.kind = CommandKind::Matmul;
    command.dims = {extent(rows)};
    command.numRowDims = 1;
    command.stick = extent(256);
    command.inner = extent(256);
    command.boxes = {box(a, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                     box(b, {at(0), at(0), at(0)}, {{-1, 1}}, 0, 1),
                     box(acc, {at(0), at(0), at(0)}, {{1, 1}}, 0)};
    bench.add(Unit::PT, command);
    rt::ComputeLaunch launch = bench.launch();
    launch.timingOnly = true;
    rt::ComputeStats stats = *bench.device.run(launch);
    double cycles = static_cast<double>(stats.ticks) / 104.0;
    return static_cast<double>(stats.macs) / (cycles * 1024);
  };
  double large = efficiency(512);
  EXPECT_GT(large, 0.95);
  EXPECT_LE(large, 1.0);
  // One row of eight used, and each block waits for 64 cycles of weights.
  EXPECT_LT(efficiency(1), 0.07);
}

} // namespace
