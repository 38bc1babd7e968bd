// SPDX-License-Identifier: Apache-2.0
//
// What a run counts, against sums by hand.

#include "Support.h"

#include <map>

using namespace spyre;
using namespace spyre::sim;
using namespace spyre::sim::test;

namespace {

constexpr int64_t kBlock = 8 * 128;

/// Twice: core 0 loads one block for both cores, and each stores it.
class Shared : public testing::TestWithParam<Fidelity> {
protected:
  Shared() : bench(2, {.fidelity = GetParam()}) {
    auto first = static_cast<int32_t>(bench.table({0, 8}));
    const uint32_t both = bench.table({3, 3});
    const uint32_t isSender = bench.table({1, 0});
    const uint32_t fill = bench.table({1, 1});
    in = bench.ddr("in", {1, 8, 64});
    out = bench.ddr("out", {1, 16, 64});
    a = bench.queue("a", {1, 8, 64}, ElementType::F16, 1, Unit::Load,
                    {Unit::Store}, fill);
    bench.put(in, 8, 64, randomValues(512, 1));
    const auto rows = [](uint32_t buffer, Affine start) {
      return box(buffer, {at(0), std::move(start), at(0)}, {{1, 1}});
    };
    Command load = move({extent(8)}, rows(in, at(0)), rows(a, at(0)));
    load.cores = TableRef{both, -1};
    load.predicate = TableRef{isSender, -1};
    bench.add(Unit::Load, loop(2));
    bench.add(Unit::Load, load, {a});
    bench.add(Unit::Load, end());
    bench.add(Unit::Store, loop(2));
    bench.add(Unit::Store,
              move({extent(8)}, rows(a, at(0)), rows(out, tableTerm(first))),
              {a});
    bench.add(Unit::Store, end());
  }

  Bench bench;
  uint32_t in = 0;
  uint32_t out = 0;
  uint32_t a = 0;
};

TEST_P(Shared, BytesOfBuffersAndKernels) {
  const rt::ComputeStats stats = bench.runOk();
  EXPECT_EQ(stats.buffers[in].name, "in");
  EXPECT_EQ(stats.buffers[in].readBytes, 2 * kBlock);
  EXPECT_EQ(stats.buffers[in].writeBytes, 0);
  EXPECT_EQ(stats.buffers[out].writeBytes, 4 * kBlock);
  EXPECT_EQ(stats.ringBytes, 2 * kBlock);
  ASSERT_EQ(stats.phases.size(), 1u);
  EXPECT_EQ(stats.phases[0].ddrReadBytes, 2 * kBlock);
  EXPECT_EQ(stats.phases[0].ddrWriteBytes, 4 * kBlock);
  // One pass over "in" and "out" would do.
  EXPECT_EQ(stats.phases[0].compulsoryReadBytes, kBlock);
  EXPECT_EQ(stats.phases[0].compulsoryWriteBytes, 2 * kBlock);
}

TEST_P(Shared, ViewsOfAValueAreOneOperand) {
  // A load of the same sticks under another shape: still one block is
  // compulsory.
  const uint32_t view = bench.ddr("view", {1, 8, 64});
  bench.program.buffers[view].viewOf = static_cast<int32_t>(in);
  bench.addresses[view] = bench.addresses[in];
  const uint32_t copy = bench.lx("copy", {1, 8, 64});
  const auto whole = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}});
  };
  bench.add(Unit::Load, move({extent(8)}, whole(view), whole(copy)));
  const rt::ComputeStats stats = bench.runOk();
  // Each core for itself.
  EXPECT_EQ(stats.buffers[view].readBytes, 2 * kBlock);
  EXPECT_EQ(stats.phases[0].ddrReadBytes, 4 * kBlock);
  EXPECT_EQ(stats.phases[0].compulsoryReadBytes, kBlock);
}

TEST_P(Shared, BytesOfLinksAndPorts) {
  const rt::ComputeStats stats = bench.runOk();
  std::map<std::string, int64_t> bytes;
  int64_t memory = 0;
  for (const rt::PartStats &part : stats.parts) {
    EXPECT_GT(part.bytesPerTick, 0);
    const bool isShared = part.name.starts_with("link ") ||
                          part.name.starts_with("memory node") ||
                          part.name.starts_with("ring port");
    if (isShared && part.bytes > 0) {
      bytes[part.name] = part.bytes;
    }
    if (part.name.starts_with("channel ")) {
      memory += part.bytes;
    }
  }
  // Node 32 is memory, next to core 0. Two loads pass core 0 to core 1; two
  // stores of core 1 pass core 0, which sends two itself.
  const std::map<std::string, int64_t> expected = {
      {"link 32 clockwise", 2 * kBlock},
      {"link 0 clockwise", 2 * kBlock},
      {"link 1 counter-clockwise", 2 * kBlock},
      {"link 0 counter-clockwise", 4 * kBlock},
      {"memory node out clockwise", 2 * kBlock},
      {"memory node in counter-clockwise", 4 * kBlock},
      {"ring port in of core 0", 2 * kBlock},
      {"ring port in of core 1", 2 * kBlock},
      {"ring port out of core 0", 2 * kBlock},
      {"ring port out of core 1", 2 * kBlock}};
  EXPECT_EQ(bytes, expected);
  if (GetParam() == Fidelity::Stick) {
    EXPECT_EQ(memory, 6 * kBlock);
  }
}

TEST_P(Shared, WaitsForAQueueBelongToItsBuffer) {
  const rt::ComputeStats stats = bench.runOk();
  int64_t empty = 0;
  int64_t full = 0;
  for (const rt::CoreStats &core : stats.cores) {
    for (const rt::UnitStats &unit : core.units) {
      empty += unit.waitTicks[size_t(rt::WaitCause::QueueEmpty)];
      full += unit.waitTicks[size_t(rt::WaitCause::QueueFull)];
    }
  }
  EXPECT_GT(empty, 0);
  EXPECT_GT(full, 0);
  EXPECT_EQ(stats.buffers[a].emptyTicks, empty);
  EXPECT_EQ(stats.buffers[a].fullTicks, full);
}

INSTANTIATE_TEST_SUITE_P(Both, Shared,
                         testing::Values(Fidelity::Flow, Fidelity::Stick));

TEST(Stats, AUnitWaitsForItsOwnCommands) {
  // Nine loads of a stick, d of the unit's time and L of latency each, of which
  // eight may be open: the ninth begins when the first completes, at d + L, and
  // the unit has waited since 8 d. The run ends d + L later.
  Bench bench;
  const uint32_t in = bench.ddr("in", {1, 9, 64});
  const uint32_t a = bench.lx("a", {1, 9, 64});
  const auto row = [](uint32_t buffer) {
    return box(buffer, {at(0), loopTerm(0, 1), at(0)}, {});
  };
  bench.add(Unit::Load, loop(9));
  bench.add(Unit::Load, move({}, row(in), row(a)));
  bench.add(Unit::Load, end());
  const rt::ComputeStats stats = bench.runOk();
  const rt::UnitStats &unit = stats.cores[0].units[size_t(Unit::Load)];
  EXPECT_EQ(unit.busyTicks % 9, 0);
  EXPECT_EQ(unit.waitTicks[size_t(rt::WaitCause::OwnCommands)],
            stats.ticks / 2 - 8 * unit.busyTicks / 9);
  EXPECT_EQ(unit.stallTicks,
            unit.waitTicks[size_t(rt::WaitCause::OwnCommands)]);
}

} // namespace
