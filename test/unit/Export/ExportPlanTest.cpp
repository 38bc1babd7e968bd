// SPDX-License-Identifier: Apache-2.0
//
// From the text of a plan to its structs and to the artifact.

#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Export/LaunchPlan/Export.h"
#include "spyre/LaunchPlan/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace spyre {
namespace {

using testing::HasSubstr;

/// y = body(x * w) on two cores, a row each; w stands transposed, in f32, in
/// "w.bin". %BODY% computes %r from %p.
constexpr const char *kModule = R"(
#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @main target("spyre-32", 5) model("scale") {
sdsc.program @scale cores(2) {
  sdsc.table @row = dense<[0, 1]> : tensor<2xi64>
  sdsc.buffer @X : memref<1x2x64xf16, #sdsc.space<ddr>> input argument(0) valid(3) tile(0)
  sdsc.buffer @W : memref<1x2x64xf16, #sdsc.space<ddr>> weight segment(0) offset(256) valid(3) tile(0)
  sdsc.buffer @Y : memref<1x2x64xf16, #sdsc.space<ddr>> output argument(1) valid(3) tile(0)
  sdsc.buffer @x : memref<1x64xf16, #sdsc.space<lx>> scratch queue<slots = 1, load -> [sfu]>
  sdsc.buffer @w : memref<1x64xf16, #sdsc.space<lx>> scratch offset(128) queue<slots = 1, load -> [sfu]>
  sdsc.buffer @y : memref<1x64xf16, #sdsc.space<lx>> scratch offset(256) queue<slots = 1, sfu -> [store]>
  sdsc.phase "scale" {
    sdsc.unit load {
      sdsc.move @X[0, @row, 0] by (1) -> @x[0, 0] by (0) dims (1) next [@x]
      sdsc.move @W[0, @row, 0] by (1) -> @w[0, 0] by (0) dims (1) next [@w]
    }
    sdsc.unit sfu {
      sdsc.map ins(@x[0, 0] by (0), @w[0, 0] by (0)) outs(@y[0, 0] by (0)) dims (1) stick 3 next [@x, @w, @y] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        %BODY%
        sdsc.yield %r : f32
      }
    }
    sdsc.unit store {
      sdsc.move @y[0, 0] by (0) -> @Y[0, @row, 0] by (1) dims (1) next [@y]
    }
  }
}
  launch.argument @in input : tensor<2x3xf16, #rows> host(f32)
  launch.argument @out output : tensor<2x3xf16, #rows> host(f16)
  launch.segment @weights weights size(512)
  launch.weight "w" in @weights offset(256) : tensor<2x3xf16, #rows> file("w.bin", 4, 24) host(f32) perm [1, 0]
  launch.h2d @in role(device)
  launch.compute @scale role(device)
  launch.d2h @out role(device)
  launch.symbol address @in into @scale::@X
  launch.symbol address @out into @scale::@Y
}
)";

std::string moduleText(const std::string &body = "%r = math.exp %p : f32") {
  std::string text = kModule;
  std::string marker = "%BODY%";
  return text.replace(text.find(marker), marker.size(), body);
}

class ExportPlan : public testing::Test {
protected:
  ExportPlan()
      : handler(&context, [this](Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
          for (Diagnostic &note : diagnostic.getNotes()) {
            diagnostics += note.str() + "\n";
          }
        }) {
    context.loadDialect<sdsc::SdscDialect, launch::LaunchDialect,
                        stick::StickDialect, arith::ArithDialect,
                        math::MathDialect>();
    folder = testing::TempDir();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << diagnostics;
    return module;
  }

  FailureOr<launch::LaunchPlan> exported(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module) {
      return failure();
    }
    return exportLaunchPlan(*module, target::defaultTarget(),
                            launch::WeightStorage::Embedded);
  }

  /// The ops of the one body of the plan that `body` gives.
  std::vector<launch::BodyOpcode> opcodes(const std::string &body) {
    FailureOr<launch::LaunchPlan> plan = exported(moduleText(body));
    EXPECT_TRUE(succeeded(plan)) << diagnostics;
    std::vector<launch::BodyOpcode> list;
    if (succeeded(plan)) {
      for (const launch::BodyOp &op : plan->programs[0].bodies[0].ops) {
        list.push_back(op.opcode);
      }
    }
    return list;
  }

  LogicalResult emit(const std::string &path, launch::WeightStorage weights) {
    OwningOpRef<ModuleOp> module = parse(moduleText());
    EmitOptions options;
    options.weights = weights;
    options.weightsFolder = folder;
    return emitArtifact(*module, path, options);
  }

  /// w.bin: 4 bytes of something else, then the 3x2 tensor 1 2 3 4 5 6.
  void writeWeights(size_t numFloats) {
    std::ofstream file(folder + "/w.bin", std::ios::binary);
    file.write("abcd", 4);
    for (size_t i = 0; i < numFloats; ++i) {
      float value = static_cast<float>(i + 1);
      file.write(reinterpret_cast<const char *>(&value), 4);
    }
  }

  MLIRContext context;
  std::string diagnostics;
  ScopedDiagnosticHandler handler;
  std::string folder;
};

TEST_F(ExportPlan, ConvertsDeclarationsAndSteps) {
  FailureOr<launch::LaunchPlan> plan = exported(moduleText());
  ASSERT_TRUE(succeeded(plan)) << diagnostics;
  EXPECT_EQ(plan->modelName, "scale");
  EXPECT_EQ(plan->targetHash, 5u);
  ASSERT_EQ(plan->arguments.size(), 2u);
  EXPECT_EQ(plan->arguments[0].name, "in");
  EXPECT_EQ(plan->arguments[0].hostType, launch::HostType::F32);
  EXPECT_EQ(plan->arguments[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(plan->arguments[1].role, launch::ArgumentRole::Output);
  ASSERT_EQ(plan->weights.size(), 1u);
  EXPECT_EQ(plan->weights[0].offset, 256);
  // 2x3 lies in two sticks of 128 bytes.
  EXPECT_EQ(plan->weights[0].sizeBytes, 256);
  ASSERT_EQ(plan->steps.size(), 3u);
  EXPECT_EQ(plan->steps[0].kind, launch::StepKind::H2D);
  EXPECT_EQ(plan->steps[2].index, 1u);
  ASSERT_EQ(plan->symbols.size(), 2u);
  EXPECT_EQ(plan->symbols[1],
            (launch::Symbol{launch::SymbolKind::Address, 1, 0, 2}));
}

TEST_F(ExportPlan, ComputesAbsentFootprints) {
  FailureOr<launch::LaunchPlan> plan = exported(moduleText());
  ASSERT_TRUE(succeeded(plan)) << diagnostics;
  using launch::Footprint;
  using launch::RegionKind;
  EXPECT_EQ(plan->steps[1].reads,
            (std::vector<Footprint>{{RegionKind::Argument, 0, 0, 256},
                                    {RegionKind::Segment, 0, 256, 512}}));
  EXPECT_EQ(plan->steps[1].writes,
            (std::vector<Footprint>{{RegionKind::Argument, 1, 0, 256}}));
}

TEST_F(ExportPlan, NegatesTheOppositeOfAnUnorderedComparison) {
  using enum launch::BodyOpcode;
  EXPECT_EQ(opcodes("%c = arith.cmpf ult, %p, %a : f32\n"
                    "%r = arith.select %c, %p, %a : f32"),
            (std::vector{Mul, CmpGe, Not, Select}));
}

TEST_F(ExportPlan, RoundsWhereATruncfIsUsedAndNotWhereItIsStored) {
  using enum launch::BodyOpcode;
  EXPECT_EQ(opcodes("%h = arith.truncf %p : f32 to f16\n"
                    "%r = arith.extf %h : f16 to f32"),
            (std::vector{Mul, RoundTo}));
}

TEST_F(ExportPlan, ExpandsTheAbsoluteValueOfIntegers) {
  using enum launch::BodyOpcode;
  EXPECT_EQ(opcodes("%i = arith.fptosi %p : f32 to i32\n"
                    "%j = math.absi %i : i32\n"
                    "%r = arith.sitofp %j : i32 to f32"),
            (std::vector{Mul, F32ToI32, ConstI32, ISub, IMax, I32ToF32}));
}

TEST_F(ExportPlan, NamesAnUnsupportedOp) { // E0690
  EXPECT_TRUE(failed(exported(moduleText("%r = math.tan %p : f32"))));
  EXPECT_THAT(diagnostics, HasSubstr("E0690 [body] op math.tan: 'math.tan' "
                                     "cannot run in a body on the device"));
}

TEST_F(ExportPlan, RefusesAConstantBeyond32Bits) { // E0690
  EXPECT_TRUE(
      failed(exported(moduleText("%i = arith.constant 2147483648 : i64\n"
                                 "%r = arith.constant 1.0 : f32"))));
  EXPECT_THAT(diagnostics, HasSubstr("E0690"));
  EXPECT_THAT(diagnostics, HasSubstr("does not fit 32 bits"));
}

TEST_F(ExportPlan, AsksForOnePlan) { // E0697
  EXPECT_TRUE(failed(exported("module {}")));
  EXPECT_THAT(
      diagnostics,
      HasSubstr("E0697 [emit] op builtin.module: the module has 0 launch "
                "plans"));
}

TEST_F(ExportPlan, ReportsWhatTheCheckerRefuses) {
  std::string text = moduleText();
  std::string fetch = "launch.d2h @out role(device)";
  text.erase(text.find(fetch), fetch.size());
  OwningOpRef<ModuleOp> module = parse(text);
  EXPECT_TRUE(failed(emitArtifact(*module, "")));
  EXPECT_THAT(diagnostics, HasSubstr("is an output that no step fetches"));
}

TEST_F(ExportPlan, EmbedsTheTransposedAndConvertedWeight) {
  writeWeights(6);
  std::string path = folder + "/embedded.spyre";
  ASSERT_TRUE(succeeded(emit(path, launch::WeightStorage::Embedded)))
      << diagnostics;
  Expected<launch::Artifact> artifact = launch::readArtifact(path);
  ASSERT_TRUE(artifact) << artifact.error().str();
  std::span<const std::byte> image = artifact->weightBytes(0);
  ASSERT_EQ(image.size(), 256u);
  std::vector<uint16_t> halves(128);
  std::memcpy(halves.data(), image.data(), image.size());
  // The file's 3x2 tensor [[1, 2], [3, 4], [5, 6]], transposed: a stick a row.
  std::vector<uint16_t> wanted(128, 0);
  wanted[0] = 0x3C00;  // 1
  wanted[1] = 0x4200;  // 3
  wanted[2] = 0x4500;  // 5
  wanted[64] = 0x4000; // 2
  wanted[65] = 0x4400; // 4
  wanted[66] = 0x4600; // 6
  EXPECT_EQ(halves, wanted);
}

TEST_F(ExportPlan, WritesTheSameBytesTwice) {
  writeWeights(6);
  auto contents = [&](const std::string &name) {
    EXPECT_TRUE(
        succeeded(emit(folder + name, launch::WeightStorage::Embedded)));
    std::ifstream file(folder + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(contents("/one.spyre"), contents("/two.spyre"));
}

TEST_F(ExportPlan, NamesAnExternalWeightFromTheArtifactsFolder) {
  writeWeights(6);
  std::filesystem::create_directories(folder + "/out");
  std::string path = folder + "/out/external.spyre";
  ASSERT_TRUE(succeeded(emit(path, launch::WeightStorage::External)))
      << diagnostics;
  Expected<launch::Artifact> artifact = launch::readArtifact(path);
  ASSERT_TRUE(artifact) << artifact.error().str();
  const launch::Weight &weight = artifact->plan.weights[0];
  EXPECT_EQ(weight.file, "../w.bin");
  EXPECT_EQ(weight.fileOffset, 4);
  EXPECT_EQ(weight.hostBytes, 24);
  // The file's tensor is 3x2; its first dim is in the stick.
  EXPECT_EQ(weight.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(layout::stickHostDim(weight.layout), 0);
  EXPECT_NE(weight.hash, 0u);
}

TEST_F(ExportPlan, StoresNoWeightIfAsked) {
  std::string path = folder + "/none.spyre";
  ASSERT_TRUE(succeeded(emit(path, launch::WeightStorage::None)))
      << diagnostics;
  Expected<launch::Artifact> artifact = launch::readArtifact(path);
  ASSERT_TRUE(artifact) << artifact.error().str();
  EXPECT_EQ(artifact->plan.weights[0].storage, launch::WeightStorage::None);
}

TEST_F(ExportPlan, SaysThatAWeightFileIsTooShort) { // E0692
  writeWeights(5);
  EXPECT_TRUE(
      failed(emit(folder + "/short.spyre", launch::WeightStorage::Embedded)));
  EXPECT_THAT(diagnostics, HasSubstr("E0692 [artifact] weight \"w\""));
  EXPECT_THAT(diagnostics, HasSubstr("needs bytes 4 to 28, the file has 24"));
}

} // namespace
} // namespace spyre
