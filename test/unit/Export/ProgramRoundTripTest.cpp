// SPDX-License-Identifier: Apache-2.0
//
// export(import(p)) == p, directly and through the text form, for programs that
// use every field and every body opcode.

#include "spyre/Dialect/Sdsc/Program/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

using namespace mlir;

namespace spyre {
namespace {

using launch::Affine;
using launch::Body;
using launch::BodyOp;
using launch::BodyOpcode;
using launch::Box;
using launch::Buffer;
using launch::Command;
using launch::CommandKind;
using launch::Extent;
using launch::Program;
using launch::Term;
using launch::TermKind;
using launch::Unit;

Affine constant(int64_t value) { return {value, {}}; }
Extent extent(int64_t value) { return {{constant(value)}}; }

Box box(uint32_t buffer, size_t rank, std::vector<launch::DimMap> dims,
        int32_t tileDim = -1, int32_t rowDim = -1) {
  Box result;
  result.buffer = buffer;
  result.offsets.assign(rank, constant(0));
  result.dims = std::move(dims);
  result.tileDim = tileDim;
  result.rowDim = rowDim;
  return result;
}

Buffer lxBuffer(std::string name, ElementType type, std::vector<int64_t> shape,
                int64_t offset) {
  Buffer result;
  result.name = std::move(name);
  result.type = type;
  result.shape = std::move(shape);
  result.shape.push_back(elementsPerStick(type));
  result.offset = offset;
  return result;
}

BodyOp op(BodyOpcode opcode, std::array<int32_t, 3> operands = {-1, -1, -1},
          int64_t immediate = 0) {
  BodyOp result;
  result.opcode = opcode;
  result.operands = operands;
  result.immediate = immediate;
  return result;
}

enum BufferNumber : uint32_t { kX, kIndex, kA, kAcc, kB, kOut };

/// A program with two cores: the declarations that the tests share.
Program declarations() {
  Program program;
  program.name = "all";
  program.numCores = 2;
  program.tables = {{"row", 1, {0, 1}}, {"steps", 2, {0, 16, 1, -5}}};
  program.scalars = {{"position", 3, -64, 4096, 64}};
  Buffer x = lxBuffer("X", ElementType::F16, {4, 32}, 256);
  x.space = launch::Space::DDR;
  x.role = launch::BufferRole::InOut;
  x.binding = launch::Binding::Argument;
  x.bindingIndex = 2;
  x.validTileDim = 0;
  x.validElements = 250;
  Buffer a = lxBuffer("a", ElementType::F16, {4, 32}, 128);
  a.kind = launch::BufferKind::Queue;
  a.queue = launch::Queue{2, Unit::Load, {Unit::PT, Unit::SFU}, 0};
  Buffer out = lxBuffer("out", ElementType::DL16, {4, 32}, 65536);
  out.space = launch::Space::DDR;
  out.role = launch::BufferRole::Output;
  out.binding = launch::Binding::Segment;
  out.bindingIndex = 1;
  program.buffers = {x,
                     lxBuffer("i", ElementType::I32, {1}, 0),
                     a,
                     lxBuffer("acc", ElementType::F32, {8, 32}, 65536),
                     lxBuffer("b", ElementType::Bool, {4, 32}, 131072),
                     out};
  return program;
}

Command gather() {
  Command move;
  move.kind = CommandKind::Move;
  move.dims = {extent(4),
               {{constant(16), {32, {{TermKind::Loop, 0, -1, -16}}}}}};
  move.boxes = {box(kX, 3, {{0, 1}, {1, -1}}), box(kA, 3, {{0, 1}, {-1, 1}})};
  move.boxes[0].offsets[0] = {std::numeric_limits<int64_t>::min(),
                              {{TermKind::Loop, 1, -1, -2},
                               {TermKind::Table, 1, 0, 1},
                               {TermKind::Table, 0, -1, 128},
                               {TermKind::Scalar, 0, -1, -1}}};
  move.cores = launch::TableRef{1, 1};
  move.predicate = launch::TableRef{0, -1};
  move.indexed = launch::IndexedAccess{
      1, kIndex, {0, {{TermKind::Loop, 0, -1, 4}}}, extent(16), 8};
  move.next = {kA};
  move.source = 1;
  return move;
}

std::vector<Command> loadList() {
  Command outer;
  outer.kind = CommandKind::Loop;
  outer.trip = {{{0, {{TermKind::Table, 0, -1, 1}}}}};
  Command inner;
  inner.kind = CommandKind::Loop;
  inner.trip = extent(3);
  Command end;
  end.kind = CommandKind::End;
  return {outer, inner, gather(), end, end};
}

Command matmul() {
  Command command;
  command.kind = CommandKind::Matmul;
  command.dims = {extent(32), extent(2)};
  command.numRowDims = 1;
  command.inner = extent(64);
  command.stick = extent(256);
  command.boxes = {box(kA, 3, {{1, 1}, {0, 1}}, 0),
                   box(kA, 3, {{-1, 1}, {0, 1}}, 0, 1),
                   box(kAcc, 3, {{1, 1}, {-1, 1}}, 0)};
  command.next = {kA};
  command.source = 2;
  return command;
}

Command reduceOverCores() {
  Command command;
  command.kind = CommandKind::Reduce;
  command.combine = launch::Combine::Max;
  command.dims = {extent(4), extent(32)};
  command.boxes = {box(kAcc, 3, {{0, 1}, {1, 1}}),
                   box(kAcc, 3, {{0, 1}, {1, 1}})};
  command.cores = launch::TableRef{0, -1};
  return command;
}

/// A map of `body` from a and b to acc and b.
Command map(uint32_t body) {
  Command command;
  command.kind = CommandKind::Map;
  command.dims = {extent(32)};
  command.stick = extent(250);
  command.boxes = {box(kA, 3, {{1, 1}}, 0), box(kB, 3, {{1, 1}}),
                   box(kAcc, 3, {{-1, 1}}), box(kB, 3, {{1, 1}}, 0)};
  command.boxes[1].access = launch::LaneAccess::Splat;
  command.boxes[1].offsets[2] = constant(5);
  command.outputs = {
      {launch::Combine::Max, launch::MapOutput::Lanes::Lane0, true},
      {launch::Combine::Store, launch::MapOutput::Lanes::SplatAll, false}};
  command.body = body;
  return command;
}

std::vector<Command> sfuList() {
  Command transpose;
  transpose.kind = CommandKind::Transpose;
  transpose.dims = {extent(1)};
  transpose.inner = extent(32);
  transpose.stick = extent(64);
  transpose.boxes = {box(kA, 3, {{-1, 1}}, 0, 1), box(kA, 3, {{-1, 1}}, 0, 1)};
  Command shift;
  shift.kind = CommandKind::Shift;
  shift.shiftLanes = 32;
  shift.dims = {extent(16)};
  shift.stick = extent(64);
  shift.boxes = {box(kA, 3, {{1, 1}}), box(kA, 3, {{1, 1}}),
                 box(kA, 3, {{1, 1}})};
  Command next;
  next.next = {kA};
  Command loop;
  loop.kind = CommandKind::Loop;
  loop.trip = extent(2);
  Command end;
  end.kind = CommandKind::End;
  Command accumulating = map(0);
  accumulating.first = {0};
  return {loop, accumulating, end, map(1), map(0), transpose, shift, next};
}

Program everyField() {
  Program program = declarations();
  BodyOp index;
  index.opcode = BodyOpcode::Index;
  index.index = {1, {{TermKind::Table, 0, -1, 64}}};
  index.dimCoefficients = {2};
  index.laneCoefficient = 1;
  Body masked;
  masked.name = "masked";
  masked.numInputs = 2;
  masked.ops = {index, op(BodyOpcode::ScalarValue),
                op(BodyOpcode::ICmpLt, {2, 3, -1}),
                op(BodyOpcode::And, {4, 1, -1})};
  masked.results = {0, 5};
  Body copy;
  copy.numInputs = 2;
  copy.results = {0, 1};
  program.bodies = {masked, copy};
  launch::Phase first;
  first.name = "first";
  first.units[static_cast<size_t>(Unit::Load)] = loadList();
  first.units[static_cast<size_t>(Unit::Ring)] = {reduceOverCores()};
  first.units[static_cast<size_t>(Unit::PT)] = {matmul()};
  first.units[static_cast<size_t>(Unit::SFU)] = sfuList();
  launch::Phase second;
  second.name = "second";
  second.residents = {kAcc, kB};
  program.phases = {first, second};
  program.sources = {
      {"", {}}, {"gather", {"Gather_3"}}, {"mm", {"MatMul_1", "Add_2"}}};
  return program;
}

class ProgramRoundTrip : public testing::Test {
protected:
  ProgramRoundTrip() { context.loadDialect<sdsc::SdscDialect>(); }

  void expectRoundTrip(const Program &program) {
    OpBuilder builder(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
    sdsc::ProgramOp imported =
        sdsc::importProgram(builder, builder.getUnknownLoc(), program);
    ASSERT_TRUE(succeeded(verify(*module)));
    FailureOr<Program> exported = sdsc::exportProgram(imported);
    ASSERT_TRUE(succeeded(exported));
    EXPECT_EQ(*exported, program);

    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().enableDebugInfo());
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(parsed) << text;
    FailureOr<Program> again =
        sdsc::exportProgram(*parsed->getOps<sdsc::ProgramOp>().begin());
    ASSERT_TRUE(succeeded(again));
    EXPECT_EQ(*again, program) << text;
  }

  MLIRContext context;
};

TEST_F(ProgramRoundTrip, KeepsEveryField) { expectRoundTrip(everyField()); }

TEST_F(ProgramRoundTrip, KeepsAProgramWithoutSources) {
  Program program = declarations();
  launch::Phase phase;
  phase.name = "p";
  phase.units[static_cast<size_t>(Unit::Ring)] = {reduceOverCores()};
  program.phases = {phase};
  expectRoundTrip(program);
}

/// A body that applies every opcode to values of the right types: 0 is an f32
/// input, 1 a bool input, 2 an i32.
Body everyOpcode() {
  Body body;
  body.name = "every";
  body.numInputs = 2;
  body.ops.push_back(op(BodyOpcode::ConstI32, {-1, -1, -1}, -7));
  auto add = [&](BodyOpcode opcode, int32_t operand) {
    std::array<int32_t, 3> operands = {-1, -1, -1};
    for (int i = 0; i < launch::numOperands(opcode); ++i) {
      operands[i] = operand;
    }
    body.ops.push_back(op(opcode, operands));
  };
  auto addRange = [&](BodyOpcode from, BodyOpcode to, int32_t operand) {
    for (int code = static_cast<int>(from); code <= static_cast<int>(to);
         ++code) {
      add(static_cast<BodyOpcode>(code), operand);
    }
  };
  addRange(BodyOpcode::Neg, BodyOpcode::CmpGe, 0);
  body.ops.push_back(op(BodyOpcode::Select, {1, 2, 2}));
  addRange(BodyOpcode::IsNan, BodyOpcode::IsInf, 0);
  addRange(BodyOpcode::And, BodyOpcode::Not, 1);
  addRange(BodyOpcode::And, BodyOpcode::ICmpGe, 2);
  add(BodyOpcode::F32ToI32, 0);
  add(BodyOpcode::I32ToF32, 2);
  add(BodyOpcode::BoolToF32, 1);
  add(BodyOpcode::BoolToI32, 1);
  add(BodyOpcode::F32ToBool, 0);
  add(BodyOpcode::I32ToBool, 2);
  for (float value : {0.1f, -0.0f, std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN()}) {
    body.ops.push_back(
        op(BodyOpcode::ConstF32, {-1, -1, -1}, std::bit_cast<uint32_t>(value)));
  }
  body.ops.push_back(op(BodyOpcode::ConstBool, {-1, -1, -1}, 1));
  for (int type : {0, 4, 5, 8}) { // f16, bf16, dl16, f8e5m2
    body.ops.push_back(op(BodyOpcode::RoundTo, {0, -1, -1}, type));
  }
  body.results = {0, 1};
  return body;
}

TEST_F(ProgramRoundTrip, KeepsEveryOpcode) {
  Program program = declarations();
  program.bodies = {everyOpcode()};
  launch::Phase phase;
  phase.name = "p";
  phase.units[static_cast<size_t>(Unit::SFU)] = {map(0)};
  program.phases = {phase};
  expectRoundTrip(program);
}

} // namespace
} // namespace spyre
