// SPDX-License-Identifier: Apache-2.0
//
// The textual notation: what it writes is tested by the wire tests' readings
// of it; here that it loses nothing and refuses what is no notation.

#include "Invariants.h"
#include "Support.h"
#include "Values.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr ReadOptions kUnresolved{{}, false};

TEST(Text, SurvivesEveryWayAround) {
  const std::vector<std::filesystem::path> texts = corpusTexts();
  EXPECT_GE(texts.size(), 10U);
  for (const std::filesystem::path &path : texts) {
    SCOPED_TRACE(path.filename());
    const std::string bytes = bytesOfText(contentsOf(path));
    const ReadResult first = readBytes(bytes, kUnresolved);
    ASSERT_TRUE(first.model) << first.error();
    EXPECT_EQ(text::brokenInvariant(*first.model, false), "");
    const std::string printed = text::printModel(*first.model);
    const ReadResult second = readBytes(bytesOfText(printed), kUnresolved);
    ASSERT_TRUE(second.model) << second.error() << printed;
    EXPECT_EQ(text::printModel(*second.model), printed);
    // Without the reader between, which sorts, the bytes are the same too.
    const Expected<Model> parsed =
        text::parseModelText(contentsOf(path), "test");
    EXPECT_EQ(bytesOfText(text::printModel(*parsed)), bytes);
    // Unpacked fields hold the same values.
    const ReadResult unpacked =
        readBytes(text::writeModel(*parsed, {false}), kUnresolved);
    ASSERT_TRUE(unpacked.model) << unpacked.error();
    EXPECT_EQ(text::printModel(*unpacked.model), printed);
  }
}

TEST(Text, ErrorsNameTheirPlace) {
  const auto error = [](std::string_view text) {
    const Expected<Model> model = text::parseModelText(text, "m.txt");
    return model ? "accepted" : model.error().str();
  };
  EXPECT_THAT(error("<ir_version: 8>\n  grap () => () { }"),
              HasSubstr("m.txt:2:3"));
  EXPECT_THAT(error("<ir_version: x>"), HasSubstr("expected an integer"));
  EXPECT_THAT(error("<ir: 8>"), HasSubstr("unknown key \"ir\""));
  const auto inGraph = [&](const std::string &text) {
    return error("<ir_version: 8> graph " + text);
  };
  EXPECT_THAT(inGraph("(flot x) => () { }"), HasSubstr("expected a type"));
  EXPECT_THAT(inGraph("() => (float x = none) { }"), HasSubstr("needs a type"));
  EXPECT_THAT(inGraph("() => () <float[n] x = none> { }"),
              HasSubstr("dims of a tensor are numbers"));
  EXPECT_THAT(inGraph("() => () <int8[1] x = {128}> { }"),
              HasSubstr("expected a int8"));
  EXPECT_THAT(inGraph("() => () { y = A<k = []>() }"),
              HasSubstr("state the type of an empty list"));
  EXPECT_THAT(inGraph("() => () { y = A<k: ints = 1>() }"),
              HasSubstr("a list stands in brackets"));
  EXPECT_THAT(inGraph("() => () { y = A<k: int = \"s\">() }"),
              HasSubstr("a string where a int"));
  EXPECT_THAT(inGraph("() => () { y = A(\"x) }"), HasSubstr("does not end"));
  EXPECT_THAT(inGraph("() => () { y = A(\"\\q\") }"), HasSubstr("escape"));
  EXPECT_THAT(inGraph("() => () { } more"), HasSubstr("expected the end"));
}

TEST(Text, GeneratedData) {
  const ReadResult result = readText(withHeader(
      "graph () => () <float[2,2] a = arange 0.5 0.25, int8[3] b = fill -1, "
      "float16[2] c = typed fill 1> { }"));
  ASSERT_TRUE(result.model) << result.error();
  EXPECT_THAT(valuesOf<float>(*result.model, initializer(*result.model, "a")),
              ElementsAre(0.5F, 0.75F, 1.0F, 1.25F));
  EXPECT_THAT(valuesOf<int8_t>(*result.model, initializer(*result.model, "b")),
              ElementsAre(-1, -1, -1));
  EXPECT_THAT(
      valuesOf<uint16_t>(*result.model, initializer(*result.model, "c")),
      ElementsAre(0x3c00, 0x3c00));
}

TEST(TextValues, AreRoundedAndReadBack) {
  using text::parseValue;
  using text::printValue;
  EXPECT_EQ(parseValue("1.5", DataType::Float16), 0x3e00U);
  // 2049 is between the float16 values 2048 and 2050, and goes to the even.
  EXPECT_EQ(parseValue("2049", DataType::Float16), 0x6800U);
  EXPECT_EQ(parseValue("inf", DataType::BFloat16), 0x7f80U);
  EXPECT_EQ(parseValue("0x7e01", DataType::Float16), 0x7e01U);
  EXPECT_EQ(printValue(0x7e01, DataType::Float16), "0x7e01");
  EXPECT_EQ(printValue(0x8000, DataType::Float16), "-0.0");
  EXPECT_EQ(parseValue("-8", DataType::Int4), 8U);
  EXPECT_EQ(printValue(8, DataType::Int4), "-8");
  EXPECT_FALSE(parseValue("8", DataType::Int4));
  EXPECT_FALSE(parseValue("-9", DataType::Int4));
  EXPECT_FALSE(parseValue("16", DataType::UInt4));
  EXPECT_FALSE(parseValue("-1", DataType::UInt64));
  EXPECT_FALSE(parseValue("1.0", DataType::Float8E4M3FN));
  EXPECT_FALSE(parseValue("0x100", DataType::Float8E4M3FN));
  // Every float16 and bfloat16 reads back as its bits.
  for (DataType type : {DataType::Float16, DataType::BFloat16}) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      ASSERT_EQ(parseValue(printValue(bits, type), type), bits);
    }
  }
}

/// The tool, from the shell, with paths in a folder.
int runTool(const std::string &arguments) {
  return std::system((SPYRE_ONNX_TEXT " " + arguments).c_str());
}

TEST(TextTool, WritesModelsTensorsAndExternalData) {
  const TempFolder folder;
  const std::string text = folder.write(
      "m.txt", withHeader("graph () => () <float[2] a = {1, 2}, float[1] b = "
                          "{3}> { }"));
  const std::string onnx = folder / "m.onnx";
  ASSERT_EQ(runTool(text + " -o " + onnx + " --external=w.bin"), 0);
  // b begins at the next multiple of 64.
  EXPECT_EQ(std::filesystem::file_size(folder / "w.bin"), 64U + 4);
  const Expected<Model> model = openModel(onnx);
  ASSERT_TRUE(model) << model.error().str();
  EXPECT_THAT(valuesOf<float>(*model, initializer(*model, "a")),
              ElementsAre(1, 2));
  EXPECT_THAT(valuesOf<float>(*model, initializer(*model, "b")),
              ElementsAre(3));
  ASSERT_EQ(runTool("--to-text " + onnx + " -o " + (folder / "back.txt")), 0);
  EXPECT_THAT(contentsOf(folder / "back.txt"),
              HasSubstr("\"offset\" : \"64\""));
  const std::string tensor = folder.write("t.txt", "int64[2] x = typed {5, 6}");
  ASSERT_EQ(runTool("--tensor " + tensor + " -o " + (folder / "x.pb")), 0);
  const Expected<TensorFile> read = readTensorFile(folder / "x.pb");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(read->tensor.name, "x");
  EXPECT_NE(runTool(folder.write("bad.txt", "x") + " 2>/dev/null"), 0);
}

} // namespace
