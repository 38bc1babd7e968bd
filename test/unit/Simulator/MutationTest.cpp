// SPDX-License-Identifier: Apache-2.0
//
// A program with any field changed ends in a result or a trap: it never
// crashes, hangs or reads outside the simulated memories (run this under the
// address sanitizer to see the last). How many threads of the host compute
// changes neither.

#include "Support.h"

#include <functional>

using namespace spyre;
using namespace spyre::sim;
using namespace spyre::sim::test;

namespace {

/// Two cores; multicast loads, matmul in K steps, a map that reduces, a store.
void build(Bench &bench) {
  auto self = static_cast<int32_t>(bench.table({0, 1}));
  uint32_t both = bench.table({3, 3});
  uint32_t a = bench.ddr("A", {2, 8, 64});
  uint32_t b = bench.ddr("B", {2, 128, 64});
  uint32_t out = bench.ddr("C", {2, 8, 64});
  uint32_t x = bench.queue("x", {1, 8, 64}, ElementType::F16, 2, Unit::Load,
                           {Unit::PT}, both);
  uint32_t y = bench.queue("y", {1, 64, 64}, ElementType::F16, 2, Unit::Load,
                           {Unit::PT});
  uint32_t acc = bench.queue("acc", {2, 8, 32}, ElementType::F32, 1, Unit::PT,
                             {Unit::SFU});
  uint32_t c = bench.queue("c", {1, 8, 64}, ElementType::F16, 1, Unit::SFU,
                           {Unit::Store});
  uint32_t sums = bench.lx("sums", {1, 8, 32}, ElementType::F32);
  bench.add(Unit::Load, loop(2));
  Command shared =
      move({extent(4)},
           box(a, {loopTerm(0, 1), tableTerm(self, 4), at(0)}, {{1, 1}}),
           box(x, {at(0), tableTerm(self, 4), at(0)}, {{1, 1}}));
  shared.cores = TableRef{both, -1};
  bench.add(Unit::Load, shared, {x});
  bench.add(Unit::Load,
            move({extent(64)},
                 box(b, {tableTerm(self), loopTerm(0, 64), at(0)}, {{1, 1}}),
                 box(y, {at(0), at(0), at(0)}, {{1, 1}})),
            {y});
  bench.add(Unit::Load, end());
  bench.add(Unit::PT, loop(2));
  Command matmul;
  matmul.kind = CommandKind::Matmul;
  matmul.dims = {extent(8)};
  matmul.numRowDims = 1;
  matmul.stick = extent(60);
  matmul.inner = extent(64);
  matmul.first = {0};
  matmul.boxes = {box(x, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                  box(y, {at(0), at(0), at(0)}, {{-1, 1}}, 0, 1),
                  box(acc, {at(0), at(0), at(0)}, {{1, 1}}, 0)};
  bench.add(Unit::PT, matmul, {x, y});
  bench.add(Unit::PT, end());
  bench.add(Unit::PT, next({acc}), {acc});
  uint32_t body = bench.body(
      1, {op(BodyOpcode::Exp, 0), op(BodyOpcode::Mul, 0, 1)}, {2, 1});
  bench.add(Unit::SFU,
            bench.map(body, {extent(8)}, extent(60),
                      {box(acc, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                       box(c, {at(0), at(0), at(0)}, {{1, 1}}, 0),
                       box(sums, {at(0), at(0), at(0)}, {{1, 1}})},
                      {{}, {Combine::Add, MapOutput::Lanes::Lane0, false}}),
            {acc, c});
  bench.add(Unit::Store,
            move({extent(8)}, box(c, {at(0), at(0), at(0)}, {{1, 1}}),
                 box(out, {tableTerm(self), at(0), at(0)}, {{1, 1}})),
            {c});
  bench.put(a, 8, 128, randomValues(8 * 128, 1));
  bench.put(b, 128, 128, randomValues(128 * 128, 2));
}

/// References to every integer of a program.
void collect(Program &program, std::vector<std::function<void(int64_t)>> &set) {
  auto field = [&](auto &value) {
    set.push_back([&value](int64_t v) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(v);
    });
  };
  auto affine = [&](Affine &value) {
    field(value.constant);
    for (Term &term : value.terms) {
      field(term.kind);
      field(term.index);
      field(term.loopDepth);
      field(term.coefficient);
    }
  };
  auto extentOf = [&](Extent &value) {
    for (Affine &bound : value.bounds) {
      affine(bound);
    }
  };
  field(program.numCores);
  for (Table &table : program.tables) {
    field(table.innerSize);
    for (int64_t &value : table.values) {
      field(value);
    }
  }
  for (Buffer &buffer : program.buffers) {
    field(buffer.space);
    field(buffer.kind);
    field(buffer.type);
    field(buffer.offset);
    for (int64_t &value : buffer.shape) {
      field(value);
    }
    if (buffer.queue) {
      field(buffer.queue->slots);
      field(buffer.queue->producer);
      field(buffer.queue->consumers[0]);
      if (buffer.queue->fillTable) {
        field(*buffer.queue->fillTable);
      }
    }
  }
  for (Body &body : program.bodies) {
    field(body.numInputs);
    for (BodyOp &bodyOp : body.ops) {
      field(bodyOp.opcode);
      field(bodyOp.operands[0]);
      field(bodyOp.immediate);
    }
    field(body.results[0]);
  }
  for (auto &list : program.phases[0].units) {
    for (Command &command : list) {
      field(command.kind);
      extentOf(command.trip);
      extentOf(command.stick);
      extentOf(command.inner);
      for (Extent &dim : command.dims) {
        extentOf(dim);
      }
      field(command.numRowDims);
      for (Box &boxOf : command.boxes) {
        field(boxOf.buffer);
        field(boxOf.tileDim);
        field(boxOf.rowDim);
        field(boxOf.access);
        for (Affine &offset : boxOf.offsets) {
          affine(offset);
        }
        for (DimMap &dim : boxOf.dims) {
          field(dim.deviceDim);
          field(dim.step);
        }
      }
      for (uint32_t &buffer : command.next) {
        field(buffer);
      }
      for (int32_t &depth : command.first) {
        field(depth);
      }
      for (MapOutput &output : command.outputs) {
        field(output.combine);
        field(output.lanes);
      }
      if (command.cores) {
        field(command.cores->table);
        field(command.cores->loopDepth);
      }
    }
  }
}

/// The program on a device of its own, computed by some threads of the host.
class Mutant {
public:
  explicit Mutant(int64_t numThreads) : bench(2, optionsOf(numThreads)) {
    build(bench);
    bench.runOk();
    original = bench.program;
    launch = bench.launch();
    collect(bench.program, set);
  }
  size_t numFields() const { return set.size(); }
  /// The trap, or the time and the bytes of what the program wrote.
  std::string outcome(size_t field, int64_t value) {
    bench.program = original;
    set.clear();
    collect(bench.program, set);
    set[field](value);
    const Expected<rt::ComputeStats> stats = bench.device.run(launch);
    bench.program = original;
    if (!stats) {
      return stats.error().str();
    }
    std::string text = std::to_string(stats->ticks);
    for (std::byte byte : bench.bytes(kResult)) {
      text += ' ' + std::to_string(std::to_integer<int>(byte));
    }
    return text;
  }

private:
  static constexpr uint32_t kResult = 2;
  static SimulatorOptions optionsOf(int64_t numThreads) {
    SimulatorOptions options;
    options.numThreads = numThreads;
    options.maxEvents = 100000;
    options.maxPositions = 1000000;
    return options;
  }
  Bench bench;
  Program original;
  rt::ComputeLaunch launch;
  std::vector<std::function<void(int64_t)>> set;
};

TEST(Mutation, AnyProgramEndsInAResultOrATrapWhateverTheThreads) {
  Mutant alone(1);
  Mutant shared(2);
  const int64_t values[] = {-1,
                            0,
                            1,
                            2,
                            3,
                            5,
                            64,
                            65,
                            4096,
                            int64_t{1} << 31,
                            int64_t{1} << 40,
                            INT64_MAX,
                            INT64_MIN};
  int64_t accepted = 0;
  int64_t trapped = 0;
  for (size_t field = 0; field < alone.numFields(); ++field) {
    for (int64_t value : values) {
      const std::string outcome = alone.outcome(field, value);
      const bool isTrap = outcome.find("error") == 0;
      ++(isTrap ? trapped : accepted);
      EXPECT_EQ(isTrap, outcome.find("E09") != std::string::npos) << outcome;
      ASSERT_EQ(outcome, shared.outcome(field, value));
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(trapped, 1000);
}

} // namespace
