// SPDX-License-Identifier: Apache-2.0
//
// The text form: what it means, that it is complete, and its errors.

#include "TestPlans.h"

#include "spyre/LaunchPlan/Serialize.h"
#include "spyre/LaunchPlan/Text.h"

#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::launch;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Program parsed(const std::string &text) {
  Expected<Program> program = parseProgram(text);
  EXPECT_TRUE(program) << (program ? "" : program.error().str());
  return program ? *program : Program();
}

std::string errorOf(const std::string &text) {
  Expected<Program> program = parseProgram(text);
  return program ? "no error" : program.error().str();
}

/// A unit list in a program with a few declarations.
std::string withCommands(const std::string &commands,
                         const std::string &unit = "sfu") {
  return "program @p cores 4\n"
         "table %m = core div 2\n"
         "scalar $pos arg(1) lo 0 hi 64\n"
         "buffer %a lx f16 [4, 8, 64]\n"
         "buffer %b lx at 4096 f16 [8, 64]\n"
         "body @id(x) { return x }\n"
         "phase {" +
         unit + " {" + commands + "} }";
}

Command firstCommand(const std::string &commands) {
  Program program = parsed(withCommands(commands));
  return program.phases.empty() ? Command() : program.phases[0].units[4][0];
}

TEST(Text, TheDocumentedProgramIsTheReferenceMatmul) {
  Program program = parsed(documentedProgram());
  EXPECT_EQ(program.name, "k");
  ASSERT_EQ(program.tables.size(), 4u);
  // Core 19 is in row 19 div 8 = 2 (cores 16 to 23) and column 3.
  EXPECT_EQ(program.tables[0].values[19], 2);
  EXPECT_EQ(program.tables[1].values[19], 3);
  EXPECT_EQ(program.tables[2].values[19], 0xff0000);
  EXPECT_EQ(program.tables[3].values[19], 0x08080808);
  ASSERT_EQ(program.buffers.size(), 7u);
  EXPECT_EQ(program.buffers[0].binding, Binding::Argument);
  EXPECT_EQ(program.buffers[3].queue->slots, 2);
  EXPECT_EQ(program.buffers[3].queue->fillTable, 2u);
  EXPECT_THAT(program.buffers[3].queue->consumers, ElementsAre(Unit::PT));
  // a 2 * 64 + b 2 * 256 + acc 256 + c 128 KiB, as in the reference.
  int64_t lxBytes = 0;
  for (size_t index = 3; index < 7; ++index) {
    EXPECT_EQ(program.buffers[index].offset, lxBytes) << index;
    lxBytes += sizeBytes(program.buffers[index]);
  }
  EXPECT_EQ(lxBytes, 1024 * 1024);
  const std::vector<Command> &load = program.phases[0].units[0];
  ASSERT_EQ(load.size(), 4u);
  EXPECT_EQ(load[0].trip.bounds[0].constant, 16);
  const Box &source = load[1].boxes[0];
  EXPECT_THAT(source.dims, ElementsAre(DimMap{0, 1}, DimMap{1, 1}));
  // 128 * m + 16 * n in device dim 1.
  EXPECT_EQ(source.offsets[1].terms.size(), 2u);
  EXPECT_EQ(source.offsets[1].terms[0].coefficient, 128);
  EXPECT_EQ(source.offsets[1].terms[1].index, 1);
  EXPECT_EQ(load[1].cores->table, 2u);
  const Command &matmul = program.phases[0].units[3][1];
  EXPECT_EQ(matmul.kind, CommandKind::Matmul);
  EXPECT_THAT(matmul.first, ElementsAre(0));
  EXPECT_THAT(matmul.next, ElementsAre(3u, 4u));
  EXPECT_EQ(matmul.boxes[1].rowDim, 1);
  EXPECT_EQ(matmul.boxes[1].tileDim, 0);
}

TEST(Text, PrintsTheDocumentedProgramReadably) {
  std::string text = printProgram(parsed(documentedProgram()));
  EXPECT_THAT(text, HasSubstr("%A[4*i0 + d0, 128*%m + 16*%n + d1]"));
  EXPECT_THAT(text, HasSubstr("first(i0) next %a, %b"));
  EXPECT_THAT(text, HasSubstr("queue 2 load@%row -> pt"));
}

TEST(Text, RoundTripsRandomProgramsInEveryField) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    for (const Program &program : randomPlan(seed).programs) {
      std::string text = printProgram(program);
      Expected<Program> again = parseProgram(text);
      ASSERT_TRUE(again) << seed << again.error().str() << "\n" << text;
      ASSERT_TRUE(*again == program) << seed << "\n"
                                     << text << "\n"
                                     << printProgram(*again);
    }
  }
}

TEST(Text, BoxesMapCommandDims) {
  Command command = firstCommand(
      "map @id [4, 8] stick min(64, 100 - 64*i0) %a[d0, 2*d1 - 1 + i1, 3],"
      " splat %b[$pos, 5] -> max lane0 accumulate %b[d1, 0]");
  EXPECT_EQ(command.stick.bounds.size(), 2u);
  ASSERT_EQ(command.boxes.size(), 3u);
  EXPECT_THAT(command.boxes[0].dims, ElementsAre(DimMap{0, 1}, DimMap{1, 2}));
  EXPECT_EQ(command.boxes[0].offsets[1].constant, -1);
  EXPECT_EQ(command.boxes[0].offsets[2].constant, 3);
  EXPECT_EQ(command.boxes[1].access, LaneAccess::Splat);
  EXPECT_THAT(command.boxes[1].dims, ElementsAre(DimMap{-1, 1}, DimMap{-1, 1}));
  ASSERT_EQ(command.outputs.size(), 1u);
  EXPECT_EQ(command.outputs[0].combine, Combine::Max);
  EXPECT_EQ(command.outputs[0].lanes, MapOutput::Lanes::Lane0);
  EXPECT_TRUE(command.outputs[0].accumulate);
}

TEST(Text, AFactorStandsOnEitherSide) {
  Command left = firstCommand("map @id stick 64 %b[2*%m] -> %b[2*%m]");
  Command right = firstCommand("map @id stick 64 %b[%m*2] -> %b[%m*2]");
  EXPECT_TRUE(left == right);
}

TEST(Text, BodiesNumberInputsThenResults) {
  Program program =
      parsed("program @p cores 1\n"
             "body @f(x, y) { c = const_f32 -0.5  s = fma(x, y, c)\n"
             "  k = index base 3 dims [64, 0] lane 1\n"
             "  r = round_to(s) bf16  return r, k }");
  const Body &body = program.bodies.at(0);
  EXPECT_EQ(body.numInputs, 2u);
  EXPECT_EQ(body.ops[0].immediate, std::bit_cast<uint32_t>(-0.5f));
  EXPECT_THAT(body.ops[1].operands, ElementsAre(0, 1, 2));
  EXPECT_THAT(body.ops[2].dimCoefficients, ElementsAre(64, 0));
  EXPECT_EQ(body.ops[3].immediate, static_cast<int64_t>(ElementType::BF16));
  EXPECT_THAT(body.results, ElementsAre(5, 4));
}

TEST(Text, FloatsKeepEveryBit) {
  for (uint32_t bits : {0u, 0x80000000u, 1u, 0x3f800001u, 0x7f7fffffu,
                        0x7f800000u, 0x7fc00001u, 0x33d6bf95u}) {
    Program program;
    program.bodies.emplace_back().ops.emplace_back().immediate = bits;
    EXPECT_TRUE(parsed(printProgram(program)) == program) << bits;
  }
}

TEST(Text, SyntaxErrorsNameLineAndColumn) {
  std::string error = errorOf("program @p cores 4\nbuffer %a ddr arg 0");
  EXPECT_THAT(error, HasSubstr("E0620"));
  EXPECT_THAT(error, HasSubstr("line 2, column 19"));
  EXPECT_THAT(error, HasSubstr("expected '(', found '0'"));
  EXPECT_THAT(errorOf(withCommands("leap %a[0, 0]")),
              HasSubstr("expected a command"));
  EXPECT_THAT(errorOf(withCommands("move [4] %a[d1, 0] -> %b[0]")),
              HasSubstr("'d1': the command has 1 dims"));
  EXPECT_THAT(errorOf(withCommands("move [4] %a[d0] -> %b[0]")),
              HasSubstr("the box has 1 positions, buffer '%a' has 3 dims"));
  EXPECT_THAT(errorOf(withCommands("loop 4 {")), HasSubstr("end of the text"));
}

TEST(Text, NameErrors) {
  EXPECT_THAT(errorOf("program @p cores 1\ntable %m = [1]\ntable %m = [2]"),
              HasSubstr("E0621"));
  EXPECT_THAT(errorOf("program @p cores 1\ntable %m = [1]\ntable %m = [2]"),
              HasSubstr("'%m' is declared a second time"));
  EXPECT_THAT(errorOf(withCommands("only next %nowhere")),
              HasSubstr("no buffer '%nowhere' is declared before"));
  EXPECT_THAT(errorOf("program @p cores 1 body @b(x) { return y }"),
              HasSubstr("no value 'y' is defined before"));
}

TEST(Text, NumbersAreBounded) {
  EXPECT_THAT(errorOf("program @p cores 99999999999"),
              HasSubstr("out of the field's range"));
  EXPECT_THAT(errorOf("program @p cores 18446744073709551616"),
              HasSubstr("E0620"));
  EXPECT_THAT(errorOf("program @p cores 1 table %t = [0 x 2000000000]"),
              HasSubstr("at most 1048576"));
  std::string deep(100000, '(');
  EXPECT_THAT(errorOf("program @p cores 1 table %t = " + deep),
              HasSubstr("nests at most 32"));
  std::string loops;
  for (int depth = 0; depth < 100000; ++depth) {
    loops += "loop 1 {";
  }
  EXPECT_THAT(errorOf(withCommands(loops)), HasSubstr("at most 64 deep"));
}

TEST(Text, AnyTextIsParsedOrRefused) {
  std::string original = documentedProgram() + withCommands("map @id");
  const std::string alphabet = "%@$#[]{}()=,+-*>\"\\x0i1d a/.\n\xff";
  uint64_t state = 3;
  for (int round = 0; round < 3000; ++round) {
    std::string text = original;
    for (int change = 0; change <= round % 3; ++change) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (state >> 33) % text.size();
      if (round % 2) {
        text[at] = alphabet[(state >> 20) % alphabet.size()];
      } else {
        text.erase(at, (state >> 20) % 12);
      }
    }
    Expected<Program> program = parseProgram(text);
    if (program) {
      ASSERT_TRUE(parsed(printProgram(*program)) == *program) << text;
    }
  }
}

TEST(Text, ProgramsThatDoNotParsePrint) {
  Program program;
  program.phases.emplace_back().units[0].resize(3);
  program.phases[0].units[0][0].kind = CommandKind::End;
  program.buffers.resize(2);
  EXPECT_THAT(printProgram(program), HasSubstr("phase"));
}

} // namespace
