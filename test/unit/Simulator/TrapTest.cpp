// SPDX-License-Identifier: Apache-2.0
//
// Every trap once: a small correct program (two rows of 64, negated), broken
// in one place each.

#include "Support.h"

using namespace spyre;
using namespace spyre::sim;
using namespace spyre::sim::test;

namespace {

struct Negate : Bench {
  explicit Negate(int32_t cores = 1, SimulatorOptions options = {})
      : Bench(cores, options) {
    in = ddr("in", {1, 2, 64});
    out = ddr("out", {1, 2, 64});
    a = queue("a", {1, 2, 64}, ElementType::F16, 1, Unit::Load, {Unit::SFU});
    c = queue("c", {1, 2, 64}, ElementType::F16, 1, Unit::SFU, {Unit::Store});
    negate = body(1, {op(BodyOpcode::Neg, 0)}, {1});
    add(Unit::Load, move({extent(2)}, rows(in), rows(a)), {a});
    add(Unit::SFU, map(negate, {extent(2)}, extent(64), {rows(a), rows(c)}),
        {a, c});
    add(Unit::Store, move({extent(2)}, rows(c), rows(out)), {c});
    put(in, 2, 64, randomValues(128, 1));
  }
  static Box rows(uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}}, 0);
  }
  Command &load() { return list(Unit::Load)[0]; }
  Command &sfu() { return list(Unit::SFU)[0]; }
  Command &store() { return list(Unit::Store)[0]; }
  uint32_t in, out, a, c, negate;
};

TEST(Trap, TheUnbrokenProgramRuns) { Negate().runOk(); }

TEST(Trap, E0901MalformedPrograms) {
  {
    Negate bench;
    bench.load().boxes[0].buffer = 99;
    bench.expectTrap(
        "E0901", {"kernel \"kernel0\"", "node \"graph/node0\"", "unit load"});
  }
  {
    Negate bench;
    bench.list(Unit::Load).insert(bench.list(Unit::Load).begin(), loop(2));
    bench.expectTrap("E0901", {"no end"});
  }
  {
    Negate bench;
    bench.sfu().body = 7;
    bench.expectTrap("E0901");
  }
  {
    Negate bench;
    bench.load().boxes[0].offsets[1] = loopTerm(0, 1);
    bench.expectTrap("E0901", {"enclosing loop"});
  }
  {
    Negate bench;
    bench.program.bodies[bench.negate].ops[0].opcode = BodyOpcode::ICmpEq;
    bench.program.bodies[bench.negate].ops[0].operands = {0, 0, -1};
    bench.expectTrap("E0901", {"takes i32, not f32"});
  }
}

TEST(Trap, E0902UnsupportedType) {
  Negate bench;
  bench.program.buffers[bench.in].type = ElementType::I4;
  bench.program.buffers[bench.in].shape.back() = 256;
  bench.expectTrap("E0902", {"i4"});
}

TEST(Trap, E0903DeviceMemoryExhausted) {
  Bench bench;
  Expected<uint32_t> region = bench.device.allocate(int64_t{1} << 50);
  ASSERT_FALSE(region.has_value());
  EXPECT_NE(region.error().str().find("E0903"), std::string::npos);
  EXPECT_NE(region.error().str().find("1125899906842624"), std::string::npos);
}

TEST(Trap, E0904BadAddress) {
  Bench bench;
  std::vector<std::byte> bytes(256);
  EXPECT_NE(bench.device.free(5).error().str().find("E0904"),
            std::string::npos);
  uint32_t region = *bench.device.allocate(128);
  Status status = bench.device.copyIn({region, 0}, bytes, {});
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().str().find("E0904"), std::string::npos);
}

TEST(Trap, E0905UndefinedCopyOut) {
  Bench bench;
  uint32_t region = *bench.device.allocate(128);
  std::vector<std::byte> bytes(128);
  Status status = bench.device.copyOut({region, 0}, bytes, {});
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().str().find("E0905"), std::string::npos);
}

TEST(Trap, E0910OutOfBounds) {
  Negate bench;
  bench.load().boxes[0].offsets[1] = at(1);
  bench.expectTrap("E0910", {"coordinates 1 to 2, extent 2", "core 0"});
}

TEST(Trap, E0911BufferOutsideMemory) {
  Negate bench;
  bench.program.buffers[bench.a].offset = 2097152 - 128;
  bench.expectTrap("E0911", {"LX"});
  Negate other;
  other.addresses[other.in].offset = 128;
  other.expectTrap("E0911", {"region"});
}

TEST(Trap, E0912Misaligned) {
  Negate bench;
  bench.program.buffers[bench.a].offset = 64;
  bench.expectTrap("E0912");
  Negate other;
  other.addresses[other.in].offset = 2;
  other.expectTrap("E0912");
}

TEST(Trap, E0913UndefinedRead) {
  Negate bench;
  // Lanes 60 .. 63 of row 1 stay undefined.
  uint64_t mask[] = {~uint64_t{0}, (uint64_t{1} << 60) - 1};
  std::vector<std::byte> image(256);
  ASSERT_TRUE(
      bench.device.copyIn(bench.addresses[bench.in], image, mask).has_value());
  bench.expectTrap("E0913", {"[0, 1, 60]", "buffer \"a\""});
  bench.sfu().stick = extent(60);
  bench.runOk();
}

TEST(Trap, E0914Footprint) {
  Negate bench;
  rt::ComputeLaunch launch = bench.launch();
  launch.writes.back().hi = 128;
  Expected<rt::ComputeStats> stats = bench.device.run(launch);
  ASSERT_FALSE(stats.has_value());
  EXPECT_NE(stats.error().str().find("E0914"), std::string::npos);
  EXPECT_NE(stats.error().str().find("written"), std::string::npos);
}

TEST(Trap, E0915QueueUndeclared) {
  Negate bench;
  bench.program.buffers[bench.a].queue->consumers = {Unit::PT};
  bench.expectTrap("E0915", {"unit sfu"});
}

TEST(Trap, E0916QueueOrder) {
  Negate bench;
  // The SFU writes into the slot that it consumes.
  bench.sfu().boxes[1].buffer = bench.a;
  bench.expectTrap("E0916", {"only consumes"});
}

TEST(Trap, E0917QueueUnbalanced) {
  Negate bench;
  bench.store().next.clear();
  bench.expectTrap("E0917", {"delivered 1", "left 0"});
}

TEST(Trap, E0918Deadlock) {
  Negate bench;
  bench.load().next.clear();
  bench.expectTrap("E0918", {"core 0 store waits for slot 0 of \"c\"",
                             "core 0 sfu waits for slot 0 of \"a\"",
                             "the unit that the last one waits for is done"});
}

TEST(Trap, E0918DeadlockNamesTheCycle) {
  // Load and SFU each want what the other gives later.
  Bench bench;
  uint32_t in = bench.ddr("in", {1, 64});
  uint32_t a =
      bench.queue("a", {1, 64}, ElementType::F16, 1, Unit::Load, {Unit::SFU});
  uint32_t b =
      bench.queue("b", {1, 64}, ElementType::F16, 1, Unit::Load, {Unit::SFU});
  auto stick = [](uint32_t buffer) { return box(buffer, {at(0), at(0)}, {}); };
  bench.put(in, 1, 64, std::vector<float>(64, 1));
  for (uint32_t buffer : {a, a, b}) {
    bench.add(Unit::Load, move({}, stick(in), stick(buffer)), {buffer});
  }
  for (uint32_t buffer : {b, a, a}) {
    bench.add(Unit::SFU, next({}), {buffer});
  }
  bench.expectTrap("E0918",
                   {"core 0 load waits for cores 0x1 to leave slot 0 "
                    "of \"a\"",
                    "core 0 sfu waits for slot 0 of \"b\"", "a cycle"});
}

/// The body becomes f32(i32(x) op immediate).
void useInteger(Negate &bench, BodyOpcode opcode, int32_t right) {
  bench.program.bodies[bench.negate].ops = {op(BodyOpcode::F32ToI32, 0),
                                            constant(right), op(opcode, 1, 2),
                                            op(BodyOpcode::I32ToF32, 3)};
  bench.program.bodies[bench.negate].results = {4};
}

TEST(Trap, E0919DivisionByZero) {
  Negate bench;
  useInteger(bench, BodyOpcode::IDiv, 0);
  bench.expectTrap("E0919");
}

TEST(Trap, E0920ShiftCount) {
  Negate bench;
  useInteger(bench, BodyOpcode::IShl, 32);
  bench.expectTrap("E0920", {"32"});
}

TEST(Trap, E0921LoopBound) {
  Negate bench;
  bench.list(Unit::PT) = {loop(65536), end()};
  bench.expectTrap("E0921", {"65536", "65535"});
}

TEST(Trap, E0922WrongUnit) {
  Negate bench;
  std::swap(bench.list(Unit::PT), bench.list(Unit::SFU));
  bench.expectTrap("E0922", {"unit pt"});
}

TEST(Trap, E0923WrittenTwice) {
  Negate bench;
  bench.load().boxes[1].dims[0] = {-1, 1};
  bench.expectTrap("E0923", {"2 positions over 1 sticks"});
  Negate map;
  map.sfu().boxes[1].dims[0] = {-1, 1};
  map.expectTrap("E0923");
}

TEST(Trap, E0924Race) {
  // Both cores negate the same rows into the same rows.
  Negate bench(2);
  bench.expectTrap("E0924", {"cores 0 and 1", "\"out\""});
  // One core writes what the other reads.
  Negate both(2);
  auto row = static_cast<int32_t>(both.table({0, 1}));
  for (Unit unit : {Unit::Load, Unit::SFU, Unit::Store}) {
    both.list(unit)[0].dims = {extent(1)};
  }
  both.load().boxes[0].offsets[1] = tableTerm(row);
  both.store().boxes[1].offsets[1] = tableTerm(row, -1, 1);
  both.runOk();
  both.addresses[both.out] = both.addresses[both.in];
  both.expectTrap("E0924", {"another core"});
  // A core loads again what it has stored. With one slot each, the third load
  // comes after the first store.
  Negate again;
  for (Unit unit : {Unit::Load, Unit::SFU, Unit::Store}) {
    std::vector<Command> &list = again.list(unit);
    list.insert(list.begin(), loop(4));
    list.push_back(end());
  }
  again.runOk();
  again.addresses[again.out] = again.addresses[again.in];
  again.expectTrap("E0924", {"core 0 reads", "core 0 writes"});
}

TEST(Trap, E0925Budget) {
  SimulatorOptions options;
  options.maxEvents = 1000;
  Negate bench(1, options);
  bench.list(Unit::PT) = {loop(60000), end()};
  bench.expectTrap("E0925", {"1000"});
  Negate wide;
  wide.sfu().dims = {extent(int64_t{1} << 60)};
  wide.sfu().boxes[0].dims[0].deviceDim = -1;
  wide.sfu().boxes[1].dims[0].deviceDim = -1;
  wide.expectTrap("E0925");
}

TEST(Trap, E0927ScalarRange) {
  Negate bench;
  bench.program.scalars = {{"position", 0, 0, 64, 8}};
  bench.scalars = {12};
  bench.expectTrap("E0927", {"position", "12", "steps of 8"});
}

TEST(Trap, E0928BufferOverlap) {
  Negate bench;
  bench.program.buffers[bench.c].offset = bench.program.buffers[bench.a].offset;
  bench.expectTrap("E0928", {"\"a\"", "\"c\""});
  Negate shared;
  shared.program.buffers[shared.a].kind = BufferKind::Private;
  shared.program.buffers[shared.a].queue.reset();
  shared.load().next.clear();
  shared.sfu().next = {shared.c};
  shared.expectTrap("E0928", {"more than one unit"});
}

TEST(Trap, E0929OverlappingOperands) {
  Negate bench;
  bench.sfu().dims = {extent(1)};
  bench.sfu().boxes[0].buffer = bench.c;
  bench.sfu().next = {bench.c};
  bench.list(Unit::Load).clear();
  // Two tiles of one row: the output is the input moved by one stick.
  bench.program.buffers[bench.c].shape = {3, 1, 64};
  bench.program.buffers[bench.out].shape = {2, 1, 64};
  bench.store().dims = {extent(1)};
  bench.sfu().stick = extent(128);
  bench.sfu().boxes[1].offsets[0] = at(1);
  bench.expectTrap("E0929", {"both hold stick 1"});
}

TEST(Trap, E0930AddressOverflow) {
  Negate bench;
  auto huge = static_cast<int32_t>(bench.table({INT64_MAX}));
  bench.load().boxes[0].offsets[1] = tableTerm(huge, 2);
  bench.expectTrap("E0930");
}

} // namespace
