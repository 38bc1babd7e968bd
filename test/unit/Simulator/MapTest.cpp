// SPDX-License-Identifier: Apache-2.0
//
// Maps on the SFU: values against plain loops.

#include "Support.h"

#include <cmath>

using namespace spyre;
using namespace spyre::sim::test;

namespace {

const std::vector<DimMap> kRows = {{1, 1}};

/// Loads [tiles][rows] of a DDR matrix into a queue slot in one move.
Command loadAll(uint32_t from, uint32_t to, int64_t tiles, int64_t rows) {
  return move({extent(tiles), extent(rows)},
              box(from, {at(0), at(0), at(0)}, {{0, 1}, {1, 1}}),
              box(to, {at(0), at(0), at(0)}, {{0, 1}, {1, 1}}));
}

/// out = body(in) on one core with a rows x columns f16 input.
struct UnaryBench : Bench {
  UnaryBench(int64_t rowCount, int64_t columnCount, ElementType outType,
             std::vector<int64_t> outShape)
      : rows(rowCount), columns(columnCount), tiles((columnCount + 63) / 64) {
    in = ddr("in", {tiles, rows, 64});
    out = ddr("out", outShape, outType);
    a = queue("a", {tiles, rows, 64}, ElementType::F16, 1, Unit::Load,
              {Unit::SFU});
    c = queue("c", outShape, outType, 1, Unit::SFU, {Unit::Store});
    add(Unit::Load, loadAll(in, a, tiles, rows), {a});
    add(Unit::Store,
        move({extent(outShape[0]), extent(outShape[1])},
             box(c, {at(0), at(0), at(0)}, {{0, 1}, {1, 1}}),
             box(out, {at(0), at(0), at(0)}, {{0, 1}, {1, 1}})),
        {c});
  }
  int64_t rows, columns, tiles;
  uint32_t in, out, a, c;
};

TEST(Map, AddsOverTwoCoresWithTail) {
  // 6 x 100 split over rows: core c has rows 3c .. 3c+2; 100 = 64 + 36.
  Bench bench(2);
  uint32_t row = bench.table({0, 3});
  uint32_t x = bench.ddr("x", {2, 6, 64});
  uint32_t y = bench.ddr("y", {2, 6, 64});
  uint32_t z = bench.ddr("z", {2, 6, 64});
  std::vector<DimMap> both = {{0, 1}, {1, 1}};
  uint32_t a = bench.queue("a", {2, 3, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::SFU});
  uint32_t b = bench.queue("b", {2, 3, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::SFU});
  uint32_t c = bench.queue("c", {2, 3, 64}, ElementType::F16, 1, Unit::SFU,
                           {Unit::Store});
  auto part = [&](uint32_t buffer) {
    return box(buffer, {at(0), tableTerm(static_cast<int32_t>(row)), at(0)},
               both);
  };
  auto whole = [&](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, both);
  };
  auto rowsOf = [&](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, kRows, 0);
  };
  bench.add(Unit::Load, move({extent(2), extent(3)}, part(x), whole(a)), {a});
  bench.add(Unit::Load, move({extent(2), extent(3)}, part(y), whole(b)), {b});
  uint32_t add = bench.body(2, {op(BodyOpcode::Add, 0, 1)}, {2});
  bench.add(Unit::SFU,
            bench.map(add, {extent(3)}, extent(100),
                      {rowsOf(a), rowsOf(b), rowsOf(c)}),
            {a, b, c});
  bench.add(Unit::Store, move({extent(2), extent(3)}, whole(c), part(z)), {c});
  std::vector<float> xs = randomValues(600, 1);
  std::vector<float> ys = randomValues(600, 2);
  bench.put(x, 6, 100, xs);
  bench.put(y, 6, 100, ys);
  rt::ComputeStats stats = bench.runOk();
  std::vector<std::byte> image = bench.bytes(z);
  for (int64_t r = 0; r < 6; ++r) {
    for (int64_t col = 0; col < 100; ++col) {
      size_t i = static_cast<size_t>(r * 100 + col);
      EXPECT_EQ(bench.get(image, z, 6, r, col),
                fromHalf(toHalf(xs[i] + ys[i])));
    }
  }
  // Two matrices of 12 sticks in, one out.
  EXPECT_EQ(stats.ddrReadBytes, 2 * 12 * 128);
  EXPECT_EQ(stats.ddrWriteBytes, 12 * 128);
  EXPECT_GT(stats.ticks, 0);
  // Lanes 36.. of the last tile were never written.
  std::vector<std::byte> out(12 * 128);
  Status whole2 = bench.device.copyOut(bench.addresses[z], out, {});
  ASSERT_FALSE(whole2.has_value());
  EXPECT_NE(whole2.error().str().find("E0905"), std::string::npos);
}

TEST(Map, MixesF16AndF32InElementOrder) {
  // One f16 stick pairs with two f32 sticks: 90 elements are 2 and 3 sticks.
  UnaryBench bench(4, 90, ElementType::F32, {3, 4, 32});
  uint32_t square = bench.body(1, {op(BodyOpcode::Mul, 0, 0)}, {1});
  bench.add(Unit::SFU,
            bench.map(square, {extent(4)}, extent(90),
                      {box(bench.a, {at(0), at(0), at(0)}, kRows, 0),
                       box(bench.c, {at(0), at(0), at(0)}, kRows, 0)}),
            {bench.a, bench.c});
  std::vector<float> xs = randomValues(360, 3);
  bench.put(bench.in, 4, 90, xs);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(bench.out);
  for (int64_t i = 0; i < 360; ++i) {
    float x = xs[static_cast<size_t>(i)];
    EXPECT_EQ(bench.get(image, bench.out, 4, i / 90, i % 90), x * x);
  }
}

TEST(Map, CombinesRowsAndLanes) {
  // Row maxima (lane 0) and the sum of all rows (lane by lane) in one map.
  UnaryBench bench(5, 70, ElementType::F32, {1, 5, 32});
  uint32_t sums = bench.ddr("sums", {3, 1, 32}, ElementType::F32);
  uint32_t s = bench.queue("s", {3, 1, 32}, ElementType::F32, 1, Unit::SFU,
                           {Unit::Store});
  uint32_t identity = bench.body(1, {}, {0, 0});
  MapOutput maximum{Combine::Max, MapOutput::Lanes::Lane0, false};
  MapOutput sum{Combine::Add, MapOutput::Lanes::Keep, false};
  bench.add(Unit::SFU,
            bench.map(identity, {extent(5)}, extent(70),
                      {box(bench.a, {at(0), at(0), at(0)}, kRows, 0),
                       box(bench.c, {at(0), at(0), at(0)}, kRows),
                       box(s, {at(0), at(0), at(0)}, {{-1, 1}}, 0)},
                      {maximum, sum}),
            {bench.a, bench.c, s});
  bench.add(Unit::Store,
            move({extent(3)}, box(s, {at(0), at(0), at(0)}, {{0, 1}}),
                 box(sums, {at(0), at(0), at(0)}, {{0, 1}})),
            {s});
  std::vector<float> xs = randomValues(350, 4);
  bench.put(bench.in, 5, 70, xs);
  bench.runOk();
  std::vector<std::byte> maxima = bench.bytes(bench.out);
  std::vector<std::byte> totals = bench.bytes(sums);
  for (int64_t r = 0; r < 5; ++r) {
    float expected =
        *std::max_element(xs.begin() + r * 70, xs.begin() + (r + 1) * 70);
    EXPECT_EQ(bench.get(maxima, bench.out, 5, r, 0), expected);
  }
  for (int64_t col = 0; col < 70; ++col) {
    double expected = 0;
    for (int64_t r = 0; r < 5; ++r) {
      expected += xs[static_cast<size_t>(r * 70 + col)];
    }
    EXPECT_NEAR(bench.get(totals, sums, 1, 0, col), expected, 1e-6);
  }
}

/// The sum of one column as docs/Machine.md has it: value i to chain i mod 8,
/// the chains in halves.
float sumInChains(const std::vector<float> &values) {
  std::vector<float> chains;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i < 8) {
      chains.push_back(values[i]);
    } else {
      chains[i % 8] += values[i];
    }
  }
  for (size_t half = 4; half > 0; half /= 2) {
    for (size_t i = 0; i < half && i + half < chains.size(); ++i) {
      chains[i] += chains[i + half];
    }
  }
  return chains.front();
}

TEST(Map, CombinesPositionsInChains) {
  // Values of very different size, so that another order is another result.
  for (int64_t rows : {1, 2, 7, 8, 9, 100}) {
    SCOPED_TRACE(rows);
    Bench bench(1);
    uint32_t in = bench.ddr("in", {3, rows, 32}, ElementType::F32);
    uint32_t out = bench.ddr("out", {3, 1, 32}, ElementType::F32);
    uint32_t a = bench.queue("a", {3, rows, 32}, ElementType::F32, 1,
                             Unit::Load, {Unit::SFU});
    uint32_t c = bench.queue("c", {3, 1, 32}, ElementType::F32, 1, Unit::SFU,
                             {Unit::Store});
    bench.add(Unit::Load, loadAll(in, a, 3, rows), {a});
    bench.add(Unit::SFU,
              bench.map(bench.body(1, {}, {0}), {extent(rows)}, extent(70),
                        {box(a, {at(0), at(0), at(0)}, kRows, 0),
                         box(c, {at(0), at(0), at(0)}, {{-1, 1}}, 0)},
                        {{Combine::Add, MapOutput::Lanes::Keep, false}}),
              {a, c});
    bench.add(Unit::Store,
              move({extent(3)}, box(c, {at(0), at(0), at(0)}, {{0, 1}}),
                   box(out, {at(0), at(0), at(0)}, {{0, 1}})),
              {c});
    std::vector<float> xs = randomValues(rows * 70, 5);
    for (size_t i = 0; i < xs.size(); ++i) {
      xs[i] = std::ldexp(xs[i], static_cast<int>(i * 7 % 23));
    }
    bench.put(in, rows, 70, xs);
    bench.runOk();
    std::vector<std::byte> totals = bench.bytes(out);
    for (int64_t column = 0; column < 70; ++column) {
      std::vector<float> values;
      for (int64_t r = 0; r < rows; ++r) {
        values.push_back(xs[static_cast<size_t>(r * 70 + column)]);
      }
      EXPECT_EQ(bench.get(totals, out, 1, 0, column), sumInChains(values));
    }
  }
}

TEST(Map, FunctionsAreAccurate) {
  UnaryBench bench(1, 320, ElementType::F32, {10, 1, 32});
  uint32_t body = bench.body(
      1, {constant(8.0f), op(BodyOpcode::Mul, 0, 1), op(BodyOpcode::Exp, 2)},
      {3});
  bench.add(Unit::SFU,
            bench.map(body, {}, extent(320),
                      {box(bench.a, {at(0), at(0), at(0)}, {}, 0),
                       box(bench.c, {at(0), at(0), at(0)}, {}, 0)}),
            {bench.a, bench.c});
  std::vector<float> xs = randomValues(320, 5);
  bench.put(bench.in, 1, 320, xs);
  struct Case {
    BodyOpcode opcode;
    double (*reference)(double);
    bool positive;
  };
  const Case cases[] = {
      {BodyOpcode::Exp, std::exp, false},
      {BodyOpcode::Tanh, std::tanh, false},
      {BodyOpcode::Erf, std::erf, false},
      {BodyOpcode::Sin, std::sin, false},
      {BodyOpcode::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
       false},
      {BodyOpcode::Log, std::log, true},
      {BodyOpcode::Rsqrt, [](double x) { return 1 / std::sqrt(x); }, true},
  };
  for (const Case &test : cases) {
    bench.program.bodies[body].ops[2].opcode = test.opcode;
    if (test.positive) {
      for (float &x : xs) {
        x = std::abs(x) + 0.125f;
      }
      bench.put(bench.in, 1, 320, xs);
    }
    bench.runOk();
    std::vector<std::byte> image = bench.bytes(bench.out);
    for (int64_t i = 0; i < 320; ++i) {
      double x = 8.0 * fromHalf(toHalf(xs[static_cast<size_t>(i)]));
      double expected = test.reference(x);
      EXPECT_NEAR(bench.get(image, bench.out, 1, 0, i), expected,
                  1e-6 * std::abs(expected) + 1e-7)
          << toString(test.opcode) << "(" << x << ")";
    }
  }
}

TEST(Map, IndexOpCountsPositionsAndElements) {
  // 1000 * row + element + 7, as f32.
  UnaryBench bench(3, 40, ElementType::F32, {2, 3, 32});
  BodyOp index = op(BodyOpcode::Index);
  index.index = at(7);
  index.dimCoefficients = {1000};
  index.laneCoefficient = 1;
  uint32_t body = bench.body(1, {index, op(BodyOpcode::I32ToF32, 1)}, {2});
  bench.add(Unit::SFU,
            bench.map(body, {extent(3)}, extent(40),
                      {box(bench.a, {at(0), at(0), at(0)}, kRows, 0),
                       box(bench.c, {at(0), at(0), at(0)}, kRows, 0)}),
            {bench.a, bench.c});
  bench.put(bench.in, 3, 40, randomValues(120, 6));
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(bench.out);
  EXPECT_EQ(bench.get(image, bench.out, 3, 0, 0), 7);
  EXPECT_EQ(bench.get(image, bench.out, 3, 2, 39), 2046);
}

TEST(Map, CountsOverflowsAndNaNsByNode) {
  UnaryBench bench(1, 64, ElementType::F16, {1, 1, 64});
  uint32_t body =
      bench.body(1, {constant(70000.0f), op(BodyOpcode::Mul, 0, 1)}, {2});
  bench.add(Unit::SFU,
            bench.map(body, {}, extent(64),
                      {box(bench.a, {at(0), at(0), at(0)}, {}, 0),
                       box(bench.c, {at(0), at(0), at(0)}, {}, 0)}),
            {bench.a, bench.c});
  std::vector<float> xs(64, 0.5f);
  xs[3] = xs[9] = 1.0f;
  xs[20] = std::nanf("");
  bench.put(bench.in, 1, 64, xs);
  // 35000 is finite in f16, 70000 is not.
  const rt::ComputeStats stats = bench.runOk();
  ASSERT_EQ(stats.numerics.size(), 1u);
  EXPECT_EQ(stats.numerics[0].kernel, "kernel0");
  EXPECT_EQ(stats.numerics[0].nodes, std::vector<std::string>{"graph/node0"});
  EXPECT_EQ(stats.numerics[0].overflows, 2);
  EXPECT_EQ(stats.numerics[0].nans, 1);
  std::vector<std::byte> image = bench.bytes(bench.out);
  EXPECT_TRUE(std::isinf(bench.get(image, bench.out, 1, 0, 3)));
  EXPECT_EQ(bench.get(image, bench.out, 1, 0, 4), fromHalf(toHalf(35000.0f)));
}

} // namespace
