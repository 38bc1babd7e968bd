// SPDX-License-Identifier: Apache-2.0
//
// Moves, transposes, shifts, indexed access, ring traffic, residents.

#include "Support.h"

using namespace spyre;
using namespace spyre::sim::test;

namespace {

const std::vector<DimMap> kTileAndRow = {{0, 1}, {1, 1}};

Box whole(uint32_t buffer) {
  return box(buffer, {at(0), at(0), at(0)}, kTileAndRow);
}

Command rearrange(CommandKind kind, std::vector<Box> boxes, int64_t stick,
                  int64_t inner) {
  Command command;
  command.kind = kind;
  command.boxes = std::move(boxes);
  command.stick = extent(stick);
  command.inner = extent(inner);
  return command;
}

TEST(Rearrange, TransposesBlocksWithTails) {
  // 77 x 130 to 130 x 77: 77 = 64 + 13, 130 = 2 * 64 + 2.
  Bench bench;
  uint32_t in = bench.ddr("in", {3, 77, 64});
  uint32_t out = bench.ddr("out", {2, 130, 64});
  uint32_t a = bench.queue("a", {3, 77, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::SFU});
  uint32_t b = bench.queue("b", {2, 130, 64}, ElementType::F16, 1, Unit::SFU,
                           {Unit::Store});
  bench.add(Unit::Load, move({extent(3), extent(77)}, whole(in), whole(a)),
            {a});
  bench.add(Unit::SFU,
            rearrange(CommandKind::Transpose,
                      {box(a, {at(0), at(0), at(0)}, {}, 0, 1),
                       box(b, {at(0), at(0), at(0)}, {}, 0, 1)},
                      130, 77),
            {a, b});
  bench.add(Unit::Store, move({extent(2), extent(130)}, whole(b), whole(out)),
            {b});
  std::vector<float> xs = randomValues(77 * 130, 1);
  bench.put(in, 77, 130, xs);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(out);
  for (int64_t r = 0; r < 77; ++r) {
    for (int64_t c = 0; c < 130; ++c) {
      ASSERT_EQ(bench.get(image, out, 130, c, r),
                xs[static_cast<size_t>(r * 130 + c)]);
    }
  }
}

TEST(Rearrange, SpreadsDenseToSparse) {
  // [70] in two sticks becomes 70 sticks with one element in lane 0 each.
  Bench bench;
  uint32_t in = bench.ddr("in", {2, 1, 64});
  uint32_t out = bench.ddr("out", {1, 70, 64});
  uint32_t a = bench.queue("a", {2, 1, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::SFU});
  uint32_t b = bench.queue("b", {1, 70, 64}, ElementType::F16, 1, Unit::SFU,
                           {Unit::Store});
  bench.add(Unit::Load, move({extent(2), extent(1)}, whole(in), whole(a)), {a});
  bench.add(Unit::SFU,
            rearrange(CommandKind::Transpose,
                      {box(a, {at(0), at(0), at(0)}, {}, 0),
                       box(b, {at(0), at(0), at(0)}, {}, -1, 1)},
                      70, 1),
            {a, b});
  bench.add(Unit::Store, move({extent(1), extent(70)}, whole(b), whole(out)),
            {b});
  std::vector<float> xs = randomValues(70, 2);
  bench.put(in, 1, 70, xs);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(out);
  for (int64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(bench.get(image, out, 70, i, 0), xs[static_cast<size_t>(i)]);
  }
  // Only lane 0 is defined.
  std::vector<uint64_t> lane1(70, 2);
  EXPECT_FALSE(
      bench.device.copyOut(bench.addresses[out], image, lane1).has_value());
}

TEST(Rearrange, ShiftsAcrossTwoSticks) {
  // Elements 50 .. 99 of a row of 100: lanes 50.. of tile 0, then tile 1.
  Bench bench;
  uint32_t in = bench.ddr("in", {2, 1, 64});
  uint32_t out = bench.ddr("out", {1, 1, 64});
  uint32_t a = bench.queue("a", {2, 1, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::SFU});
  uint32_t b = bench.queue("b", {1, 1, 64}, ElementType::F16, 1, Unit::SFU,
                           {Unit::Store});
  bench.add(Unit::Load, move({extent(2), extent(1)}, whole(in), whole(a)), {a});
  Command shift = rearrange(CommandKind::Shift,
                            {box(a, {at(0), at(0), at(0)}, {}),
                             box(a, {at(1), at(0), at(0)}, {}),
                             box(b, {at(0), at(0), at(0)}, {})},
                            50, 1);
  shift.shiftLanes = 50;
  bench.add(Unit::SFU, shift, {a, b});
  bench.add(Unit::Store, move({extent(1), extent(1)}, whole(b), whole(out)),
            {b});
  std::vector<float> xs = randomValues(100, 3);
  bench.put(in, 1, 100, xs);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(out);
  for (int64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(bench.get(image, out, 1, 0, i), xs[static_cast<size_t>(50 + i)]);
  }
}

/// Gathers rows of a table of 8 x 64 by an index vector of 5.
struct GatherBench : Bench {
  GatherBench() {
    rows = ddr("rows", {1, 8, 64});
    idx = ddr("idx", {1, 1, 32}, ElementType::I32);
    out = ddr("out", {1, 5, 64});
    index = lx("index", {1, 1, 32}, ElementType::I32);
    a = queue("a", {1, 5, 64}, ElementType::F16, 1, Unit::Load, {Unit::Store});
    add(Unit::Load, move({extent(1), extent(1)}, whole(idx), whole(index)));
    Command gather = move({extent(1), extent(5)}, whole(rows), whole(a));
    gather.indexed = IndexedAccess{1, index, at(0), extent(5), 0};
    add(Unit::Load, gather, {a});
    add(Unit::Store, move({extent(1), extent(5)}, whole(a), whole(out)), {a});
    values = randomValues(8 * 64, 4);
    put(rows, 8, 64, values);
  }
  std::vector<float> values;
  uint32_t rows, idx, out, index, a;
};

TEST(Indexed, GathersRows) {
  GatherBench bench;
  const std::vector<float> wanted = {7, 0, 3, 3, 5};
  bench.put(bench.idx, 1, 5, wanted);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(bench.out);
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t c = 0; c < 64; ++c) {
      auto row = static_cast<int64_t>(wanted[static_cast<size_t>(i)]);
      ASSERT_EQ(bench.get(image, bench.out, 5, i, c),
                bench.values[static_cast<size_t>(row * 64 + c)]);
    }
  }
}

TEST(Indexed, FollowsPages) {
  // Pages of two rows: positions 0..4 lie in pages 3, 3, 0, 0, 2.
  GatherBench bench;
  bench.list(Unit::Load)[1].indexed->pageSize = 2;
  bench.put(bench.idx, 1, 3, {3, 0, 2});
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(bench.out);
  const int64_t expected[] = {6, 7, 0, 1, 4};
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.get(image, bench.out, 5, i, 9),
              bench.values[static_cast<size_t>(expected[i] * 64 + 9)]);
  }
}

TEST(Indexed, TrapsOnAValueOutOfRange) {
  GatherBench bench;
  bench.put(bench.idx, 1, 5, {7, 0, 8, 3, 5});
  bench.expectTrap("E0926", {"index value 8", "has 8"});
}

TEST(Ring, SendsToTheNextCore) {
  // Core c loads row c and sends it to core (c + 1) mod 4, which stores it.
  Bench bench(4);
  auto self = static_cast<int32_t>(bench.table({0, 1, 2, 3}));
  uint32_t target = bench.table({2, 4, 8, 1});
  uint32_t fill = bench.table({8, 1, 2, 4});
  uint32_t in = bench.ddr("in", {1, 4, 64});
  uint32_t out = bench.ddr("out", {1, 4, 64});
  uint32_t a = bench.queue("a", {1, 1, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::Ring});
  uint32_t b = bench.queue("b", {1, 1, 64}, ElementType::F16, 1, Unit::Ring,
                           {Unit::Store}, fill);
  auto row = [&](uint32_t buffer) {
    return box(buffer, {at(0), tableTerm(self), at(0)}, {});
  };
  auto one = [&](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {});
  };
  bench.add(Unit::Load, move({}, row(in), one(a)), {a});
  Command send = move({}, one(a), one(b));
  send.cores = TableRef{target, -1};
  bench.add(Unit::Ring, send, {a, b});
  bench.add(Unit::Store, move({}, one(b), row(out)), {b});
  std::vector<float> xs = randomValues(256, 5);
  bench.put(in, 4, 64, xs);
  rt::ComputeStats stats = bench.runOk();
  EXPECT_EQ(stats.ringBytes, 4 * 128);
  std::vector<std::byte> image = bench.bytes(out);
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_EQ(bench.get(image, out, 4, r, 17),
              xs[static_cast<size_t>((r + 3) % 4 * 64 + 17)]);
  }

  // Without the fill table a core may not write its neighbour's queue.
  bench.program.buffers[b].queue->fillTable.reset();
  bench.expectTrap("E0915", {"fill set"});
}

TEST(Phases, OnlyResidentsSurvive) {
  Bench bench;
  bench.program.phases.resize(2);
  uint32_t in = bench.ddr("in", {1, 1, 64});
  uint32_t out = bench.ddr("out", {1, 1, 64});
  uint32_t kept = bench.lx("kept", {1, 1, 64});
  bench.add(Unit::Load, move({extent(1), extent(1)}, whole(in), whole(kept)));
  bench.list(Unit::Store, 1)
      .push_back(move({extent(1), extent(1)}, whole(kept), whole(out)));
  bench.program.phases[1].residents = {kept};
  std::vector<float> xs = randomValues(64, 6);
  bench.put(in, 1, 64, xs);
  rt::ComputeStats stats = bench.runOk();
  EXPECT_EQ(bench.get(bench.bytes(out), out, 1, 0, 5), xs[5]);
  ASSERT_EQ(stats.phases.size(), 2u);
  EXPECT_EQ(stats.phases[0].ticks + stats.phases[1].ticks, stats.ticks);

  // Not resident: the move carries undefined lanes, and nothing may be read.
  bench.program.phases[1].residents.clear();
  bench.runOk();
  std::vector<std::byte> image(128);
  EXPECT_FALSE(
      bench.device.copyOut(bench.addresses[out], image, {}).has_value());
}

} // namespace
