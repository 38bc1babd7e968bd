// SPDX-License-Identifier: Apache-2.0
//
// Matrix products against double precision: multicast over four cores, K in
// steps with an accumulator, outer K dims, integers, split-K over the ring.

#include "Support.h"

using namespace spyre;
using namespace spyre::sim::test;

namespace {

Command matmul(std::vector<Extent> dims, int32_t rowDims, Extent n, Extent k,
               Box a, Box b, Box acc, std::vector<int32_t> first = {}) {
  Command command;
  command.kind = CommandKind::Matmul;
  command.dims = std::move(dims);
  command.numRowDims = rowDims;
  command.stick = std::move(n);
  command.inner = std::move(k);
  command.boxes = {std::move(a), std::move(b), std::move(acc)};
  command.first = std::move(first);
  return command;
}

double reference(const std::vector<float> &a, const std::vector<float> &b,
                 int64_t k, int64_t n, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) {
    sum += double(a[static_cast<size_t>(row * k + i)]) *
           b[static_cast<size_t>(i * n + column)];
  }
  return sum;
}

const std::vector<DimMap> kTileAndRow = {{0, 1}, {1, 1}};

TEST(Matmul, MulticastsOverFourCores) {
  // C[20, 256] = A[20, 192] B[192, 256]; core c owns columns 64c ..; every
  // core loads 5 rows of A and multicasts them; K in 3 steps of 64.
  Bench bench(4);
  auto self = static_cast<int32_t>(bench.table({0, 1, 2, 3}));
  uint32_t all = bench.table({15, 15, 15, 15});
  uint32_t a = bench.ddr("A", {3, 20, 64});
  uint32_t b = bench.ddr("B", {4, 192, 64});
  uint32_t c = bench.ddr("C", {8, 20, 32}, ElementType::F32);
  uint32_t x = bench.queue("x", {1, 20, 64}, ElementType::F16, 2, Unit::Load,
                           {Unit::PT}, all);
  uint32_t y = bench.queue("y", {1, 64, 64}, ElementType::F16, 2, Unit::Load,
                           {Unit::PT});
  uint32_t acc = bench.queue("acc", {2, 20, 32}, ElementType::F32, 1, Unit::PT,
                             {Unit::Store});
  bench.add(Unit::Load, loop(3));
  Command shared =
      move({extent(5)},
           box(a, {loopTerm(0, 1), tableTerm(self, 5), at(0)}, {{1, 1}}),
           box(x, {at(0), tableTerm(self, 5), at(0)}, {{1, 1}}));
  shared.cores = TableRef{all, -1};
  bench.add(Unit::Load, shared, {x});
  bench.add(Unit::Load,
            move({extent(64)},
                 box(b, {tableTerm(self), loopTerm(0, 64), at(0)}, {{1, 1}}),
                 box(y, {at(0), at(0), at(0)}, {{1, 1}})),
            {y});
  bench.add(Unit::Load, end());
  bench.add(Unit::PT, loop(3));
  bench.add(Unit::PT,
            matmul({extent(20)}, 1, extent(64), extent(64),
                   box(x, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                   box(y, {at(0), at(0), at(0)}, {{-1, 1}}, 0, 1),
                   box(acc, {at(0), at(0), at(0)}, {{1, 1}}, 0), {0}),
            {x, y});
  bench.add(Unit::PT, end());
  bench.add(Unit::PT, next({acc}), {acc});
  bench.add(Unit::Store,
            move({extent(2), extent(20)},
                 box(acc, {at(0), at(0), at(0)}, kTileAndRow),
                 box(c, {tableTerm(self, 2), at(0), at(0)}, kTileAndRow)),
            {acc});
  std::vector<float> as = randomValues(20 * 192, 1);
  std::vector<float> bs = randomValues(192 * 256, 2);
  bench.put(a, 20, 192, as);
  bench.put(b, 192, 256, bs);
  rt::ComputeStats stats = bench.runOk();
  std::vector<std::byte> image = bench.bytes(c);
  for (int64_t r = 0; r < 20; ++r) {
    for (int64_t col = 0; col < 256; ++col) {
      ASSERT_NEAR(bench.get(image, c, 20, r, col),
                  reference(as, bs, 192, 256, r, col), 1e-4);
    }
  }
  EXPECT_EQ(stats.macs, 20 * 192 * 256);
  // Each operand leaves DDR once; A goes to three further cores.
  EXPECT_EQ(stats.ddrReadBytes, (3 * 20 + 4 * 192) * 128);
  EXPECT_EQ(stats.ringBytes, 3 * 3 * 20 * 128);
}

TEST(Matmul, OuterKDimsAndTails) {
  // A 3-tap convolution over rows as a matmul over shifted boxes: out[i, n] =
  // sum over t, k of a[i + t, k] w[t, k, n]; 10 rows, K = 50, N = 40.
  Bench bench;
  uint32_t a = bench.ddr("a", {1, 12, 64});
  uint32_t w = bench.ddr("w", {1, 150, 64});
  uint32_t out = bench.ddr("out", {2, 10, 32}, ElementType::F32);
  uint32_t x = bench.queue("x", {1, 12, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::PT});
  uint32_t y = bench.queue("y", {1, 150, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::PT});
  uint32_t acc = bench.queue("acc", {2, 10, 32}, ElementType::F32, 1, Unit::PT,
                             {Unit::Store});
  auto all = [](uint32_t buffer) {
    return box(buffer, {at(0), at(0), at(0)}, {{1, 1}});
  };
  bench.add(Unit::Load, move({extent(12)}, all(a), all(x)), {x});
  bench.add(Unit::Load, move({extent(150)}, all(w), all(y)), {y});
  bench.add(Unit::PT,
            matmul({extent(10), extent(3)}, 1, extent(40), extent(50),
                   box(x, {at(0), at(0), at(0)}, {{1, 1}, {1, 1}}, 0),
                   box(y, {at(0), at(0), at(0)}, {{-1, 1}, {1, 50}}, 0, 1),
                   box(acc, {at(0), at(0), at(0)}, {{1, 1}, {-1, 1}}, 0)),
            {x, y, acc});
  bench.add(Unit::Store,
            move({extent(2), extent(10)},
                 box(acc, {at(0), at(0), at(0)}, kTileAndRow),
                 box(out, {at(0), at(0), at(0)}, kTileAndRow)),
            {acc});
  std::vector<float> as = randomValues(12 * 50, 3);
  std::vector<float> ws = randomValues(150 * 40, 4);
  bench.put(a, 12, 50, as);
  bench.put(w, 150, 40, ws);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(out);
  for (int64_t i = 0; i < 10; ++i) {
    for (int64_t n = 0; n < 40; ++n) {
      double sum = 0;
      for (int64_t t = 0; t < 3; ++t) {
        for (int64_t k = 0; k < 50; ++k) {
          sum += double(as[static_cast<size_t>((i + t) * 50 + k)]) *
                 ws[static_cast<size_t>((t * 50 + k) * 40 + n)];
        }
      }
      ASSERT_NEAR(bench.get(image, out, 10, i, n), sum, 1e-4);
    }
  }
}

TEST(Matmul, SplitKByRingReduction) {
  // Cores 0 to 3 own 32 of 128 K values each; the last owns the sum.
  Bench bench(4);
  auto self = static_cast<int32_t>(bench.table({0, 1, 2, 3}));
  uint32_t all = bench.table({15, 15, 15, 15});
  uint32_t onlyLast = bench.table({0, 0, 0, 8});
  uint32_t isLast = bench.table({0, 0, 0, 1});
  uint32_t a = bench.ddr("a", {4, 8, 64});
  uint32_t b = bench.ddr("b", {1, 128, 64});
  uint32_t c = bench.ddr("c", {2, 8, 32}, ElementType::F32);
  uint32_t x =
      bench.queue("x", {1, 8, 64}, ElementType::F16, 1, Unit::Load, {Unit::PT});
  uint32_t y = bench.queue("y", {1, 32, 64}, ElementType::F16, 1, Unit::Load,
                           {Unit::PT});
  uint32_t acc = bench.queue("acc", {2, 8, 32}, ElementType::F32, 1, Unit::PT,
                             {Unit::Ring});
  uint32_t sum = bench.queue("sum", {2, 8, 32}, ElementType::F32, 1, Unit::Ring,
                             {Unit::Store}, onlyLast);
  // Tile t of a holds K values 32 t .. 32 t + 31 in its lanes 0 .. 31.
  bench.add(Unit::Load,
            move({extent(8)}, box(a, {tableTerm(self), at(0), at(0)}, {{1, 1}}),
                 box(x, {at(0), at(0), at(0)}, {{1, 1}})),
            {x});
  bench.add(Unit::Load,
            move({extent(32)},
                 box(b, {at(0), tableTerm(self, 32), at(0)}, {{1, 1}}),
                 box(y, {at(0), at(0), at(0)}, {{1, 1}})),
            {y});
  bench.add(Unit::PT,
            matmul({extent(8)}, 1, extent(64), extent(32),
                   box(x, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                   box(y, {at(0), at(0), at(0)}, {{-1, 1}}, 0, 1),
                   box(acc, {at(0), at(0), at(0)}, {{1, 1}}, 0)),
            {x, y, acc});
  Command reduce =
      move({extent(2), extent(8)}, box(acc, {at(0), at(0), at(0)}, kTileAndRow),
           box(sum, {at(0), at(0), at(0)}, kTileAndRow));
  reduce.kind = CommandKind::Reduce;
  reduce.combine = Combine::Add;
  reduce.cores = TableRef{all, -1};
  bench.add(Unit::Ring, reduce, {acc, sum});
  Command store =
      move({extent(2), extent(8)}, box(sum, {at(0), at(0), at(0)}, kTileAndRow),
           box(c, {at(0), at(0), at(0)}, kTileAndRow));
  store.predicate = TableRef{isLast, -1};
  bench.add(Unit::Store, store, {sum});
  // The store of the other cores waits for nobody: their fill set is empty.
  std::vector<float> as(8 * 256, 0.0f);
  std::vector<float> dense = randomValues(8 * 128, 5);
  for (size_t r = 0; r < 8; ++r) {
    for (size_t k = 0; k < 128; ++k) {
      as[r * 256 + k / 32 * 64 + k % 32] = dense[r * 128 + k];
    }
  }
  std::vector<float> bs = randomValues(128 * 64, 6);
  bench.put(a, 8, 256, as);
  bench.put(b, 128, 64, bs);
  bench.runOk();
  std::vector<std::byte> image = bench.bytes(c);
  for (int64_t r = 0; r < 8; ++r) {
    for (int64_t n = 0; n < 64; ++n) {
      ASSERT_NEAR(bench.get(image, c, 8, r, n),
                  reference(dense, bs, 128, 64, r, n), 1e-4);
    }
  }

  // A core set that leaves the issuing core out.
  bench.program.tables[all].values = {15, 15, 15, 7};
  bench.expectTrap("E0931");
}

} // namespace
