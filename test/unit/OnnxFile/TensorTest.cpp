// SPDX-License-Identifier: Apache-2.0
//
// Data types, and the data of tensors in all of its forms.

#include "Support.h"

#include <fstream>
#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string errorOf(std::string_view initializer) {
  return readText(withHeader("graph () => () <" + std::string(initializer) +
                             "> { }"))
      .error();
}

/// The data of an initializer as bytes.
std::vector<int> dataOfText(const std::string &initializerText,
                            const text::WriteOptions &options = {}) {
  const ReadResult result = readBytes(bytesOfText(
      withHeader("graph () => () <" + initializerText + "> { }"), options));
  EXPECT_TRUE(result.model) << result.error();
  std::vector<int> bytes;
  if (result.model) {
    for (std::byte byte :
         result.model->dataOf(result.model->graph.initializers[0])) {
      bytes.push_back(std::to_integer<int>(byte));
    }
  }
  return bytes;
}

TEST(DataTypes, NumbersAndNames) {
  // Some rows of onnx.TensorProto.DataType.
  const std::vector<std::tuple<int, const char *, int>> rows = {
      {0, "undefined", 0},     {1, "float", 32},
      {7, "int64", 64},        {8, "string", 0},
      {9, "bool", 8},          {10, "float16", 16},
      {15, "complex128", 128}, {16, "bfloat16", 16},
      {17, "float8e4m3fn", 8}, {20, "float8e5m2fnuz", 8},
      {21, "uint4", 4},        {22, "int4", 4},
      {23, "float4e2m1", 4},   {24, "float8e8m0", 8},
      {25, "uint2", 2},        {26, "int2", 2}};
  for (const auto &[number, name, bits] : rows) {
    const std::optional<DataType> type = dataTypeFromNumber(number);
    ASSERT_TRUE(type);
    EXPECT_EQ(toString(*type), name);
    EXPECT_EQ(bitWidth(*type), bits);
    EXPECT_EQ(parseDataType(name), type);
  }
  EXPECT_FALSE(dataTypeFromNumber(27));
  EXPECT_FALSE(dataTypeFromNumber(-1));
  EXPECT_FALSE(parseDataType("f32"));
}

TEST(DataTypes, Kinds) {
  EXPECT_TRUE(isFloat(DataType::BFloat16));
  EXPECT_TRUE(isFloat(DataType::Float4E2M1));
  EXPECT_FALSE(isFloat(DataType::Complex64));
  EXPECT_TRUE(isInteger(DataType::UInt2));
  EXPECT_FALSE(isInteger(DataType::Bool));
}

TEST(DataTypes, Sizes) {
  const auto bytes = [](DataType type, std::vector<int64_t> dims) {
    return denseBytes(type, dims);
  };
  EXPECT_EQ(bytes(DataType::Float, {2, 3}), 24);
  EXPECT_EQ(bytes(DataType::Float, {}), 4);
  // 3 elements of 4 bits, 5 of 2 bits: rounded up to 2 bytes each.
  EXPECT_EQ(bytes(DataType::Int4, {3}), 2);
  EXPECT_EQ(bytes(DataType::UInt2, {5}), 2);
  EXPECT_EQ(bytes(DataType::Double, {int64_t{1} << 62, 0}), 0);
  EXPECT_EQ(bytes(DataType::UInt8, {int64_t{1} << 62}), int64_t{1} << 62);
  EXPECT_EQ(bytes(DataType::Float, {int64_t{1} << 62}), std::nullopt);
  EXPECT_EQ(bytes(DataType::UInt8, {int64_t{1} << 62, 2}), std::nullopt);
  EXPECT_EQ(bytes(DataType::UInt8, {0, -1}), std::nullopt);
  EXPECT_EQ(bytes(DataType::String, {1}), std::nullopt);
}

TEST(TensorData, TypedFieldsHaveTheirOwnWidths) {
  for (bool packed : {true, false}) {
    const auto data = [&](const std::string &text) {
      return dataOfText(text, {packed});
    };
    EXPECT_THAT(data("float[1] w = typed {1}"), ElementsAre(0, 0, 0x80, 0x3f));
    EXPECT_THAT(data("double[1] w = typed {1}"),
                ElementsAre(0, 0, 0, 0, 0, 0, 0xf0, 0x3f));
    EXPECT_THAT(data("complex64[1] w = typed {1, -2}"),
                ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0));
    EXPECT_THAT(data("int8[2] w = typed {-1, 127}"), ElementsAre(0xff, 0x7f));
    EXPECT_THAT(data("uint8[2] w = typed {255, 1}"), ElementsAre(0xff, 1));
    EXPECT_THAT(data("int16[1] w = typed {-2}"), ElementsAre(0xfe, 0xff));
    EXPECT_THAT(data("int32[1] w = typed {-2}"),
                ElementsAre(0xfe, 0xff, 0xff, 0xff));
    EXPECT_THAT(data("int64[1] w = typed {-2}"),
                ElementsAre(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    EXPECT_THAT(data("uint32[1] w = typed {4294967295}"),
                ElementsAre(0xff, 0xff, 0xff, 0xff));
    EXPECT_THAT(data("uint64[1] w = typed {18446744073709551615}"),
                ElementsAre(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    EXPECT_THAT(data("bool[2] w = typed {true, false}"), ElementsAre(1, 0));
    // 1.0 is 0x3c00 in float16 and 0x3f80 in bfloat16.
    EXPECT_THAT(data("float16[1] w = typed {1}"), ElementsAre(0, 0x3c));
    EXPECT_THAT(data("bfloat16[1] w = typed {1}"), ElementsAre(0x80, 0x3f));
    EXPECT_THAT(data("float8e5m2[1] w = typed {0x3c}"), ElementsAre(0x3c));
    // The first element in the low bits: 1 | 2 << 4, then 15 alone.
    EXPECT_THAT(data("uint4[3] w = typed {1, 2, 15}"), ElementsAre(0x21, 0x0f));
    EXPECT_THAT(data("int4[2] w = typed {-1, -8}"), ElementsAre(0x8f));
    // 0 | 1 << 2 | 2 << 4 | 3 << 6, then 1.
    EXPECT_THAT(data("uint2[5] w = typed {0, 1, 2, 3, 1}"),
                ElementsAre(0xe4, 0x01));
  }
}

TEST(TensorData, FloatsInSeveralPiecesAreJoined) {
  // float_data (4) packed with 1.0, then 2.0 on its own, then 3.0 packed;
  // dims 3, data_type 1: 2 + 2 + 6 + 5 + 6 = 21 bytes.
  const std::string file =
      fromHex("08 03 10 01 22 04 0000803f 25 00000040 22 04 00004040");
  const Expected<TensorFile> tensor = parseTensor(asBytes(file), "t.pb");
  ASSERT_TRUE(tensor) << tensor.error().str();
  ASSERT_EQ(tensor->data().size(), 12U);
  float values[3];
  std::memcpy(values, tensor->data().data(), sizeof(values));
  EXPECT_THAT(values, ElementsAre(1, 2, 3));
}

TEST(TensorData, TypeAndDimsMayStandLast) {
  // int32_data (5) packed {5, -1}, then data_type 6, then dims {2}.
  const std::string file =
      fromHex("2a 0b 05 ffffffffffffffffff01  10 06  0a 01 02");
  const Expected<TensorFile> tensor = parseTensor(asBytes(file), "t.pb");
  ASSERT_TRUE(tensor) << tensor.error().str();
  int32_t values[2];
  ASSERT_EQ(tensor->data().size(), sizeof(values));
  std::memcpy(values, tensor->data().data(), sizeof(values));
  EXPECT_THAT(values, ElementsAre(5, -1));
}

TEST(TensorData, EntriesMayBeSignedOrUnsigned) {
  // int32_data (5), data_type 3 (int8), dims 2: 0xff and -1 are one value.
  const auto read = [](const std::string &hex) {
    return parseTensor(asBytes(hex), "t.pb");
  };
  const std::string both =
      fromHex("08 02 10 03 28 ff01 28 ffffffffffffffffff01");
  const Expected<TensorFile> tensor = read(both);
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(std::to_integer<int>(tensor->data()[0]), 0xff);
  EXPECT_EQ(std::to_integer<int>(tensor->data()[1]), 0xff);
  // 256 and -129 are no int8.
  for (const char *entry : {"8002", "fffeffffffffffffff01"}) {
    const std::string wrong = fromHex(std::string("08 01 10 03 28") + entry);
    const Expected<TensorFile> refused = read(wrong);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().str(), HasSubstr("does not fit its type int8"));
  }
}

TEST(TensorData, Strings) {
  const ReadResult result =
      readText(withHeader("graph () => () <string[2] s = {\"\", \"a\\x00\"}> "
                          "{ }"));
  ASSERT_TRUE(result.model) << result.error();
  const Tensor &s = initializer(*result.model, "s");
  EXPECT_EQ(s.strings, (std::vector<std::string>{"", std::string("a\0", 2)}));
  EXPECT_TRUE(result.model->dataOf(s).empty());
  EXPECT_THAT(errorOf("string[3] s = {\"a\"}"),
              HasSubstr("string[3] needs 3 strings, it has 1"));
}

TEST(TensorData, NoElements) {
  EXPECT_THAT(dataOfText("float[0] w = {}"), ElementsAre());
  EXPECT_THAT(dataOfText("float[2,0] w = none"), ElementsAre());
  EXPECT_THAT(dataOfText("int64[0] w = typed {}"), ElementsAre());
  // The extents beside the zero do not matter.
  EXPECT_THAT(dataOfText("int64[9223372036854775807,9223372036854775807,0] w "
                         "= none"),
              ElementsAre());
}

TEST(TensorData, SizesMustAgree) {
  EXPECT_THAT(errorOf("float[2,3] w = fill 0"), "accepted");
  const std::string text = errorOf("float[2,3] w = {1, 2, 3, 4, 5}");
  EXPECT_THAT(text, HasSubstr("E0104"));
  EXPECT_THAT(text, HasSubstr("float[2,3] needs 24 bytes, its data has 20"));
  EXPECT_THAT(text, HasSubstr("note: in tensor \"w\""));
  EXPECT_THAT(errorOf("float[1] w = none"), HasSubstr("its data has 0"));
  EXPECT_THAT(errorOf("float[1] w = raw \"12345\""), HasSubstr("has 5"));
  EXPECT_THAT(errorOf("int64[1] w = typed {1, 2}"), HasSubstr("E0104"));
  EXPECT_THAT(errorOf("int4[3] w = raw \"123\""),
              HasSubstr("needs 2 bytes, its data has 3"));
  EXPECT_THAT(errorOf("uint8[1099511627776,1099511627776] w = none"),
              HasSubstr("needs 2^63 or more bytes"));
  EXPECT_THAT(errorOf("uint8[-1] w = none"), HasSubstr("a dim is -1"));
  EXPECT_THAT(errorOf("undefined[1] w = none"), HasSubstr("no data type"));
}

TEST(TensorData, OneFieldHoldsIt) {
  const auto error = [](const std::string &hex) {
    const std::string bytes = fromHex(hex);
    const Expected<TensorFile> tensor = parseTensor(asBytes(bytes), "t.pb");
    return tensor ? "accepted" : tensor.error().str();
  };
  // int32_data (5) of a float; both raw_data (9) and float_data (4).
  EXPECT_THAT(error("08 01 10 01 28 05"),
              HasSubstr("its data is in field 5, expected 4"));
  EXPECT_THAT(error("08 01 10 01 4a 04 00000000 25 00000000"),
              HasSubstr("stands in several places"));
  // Empty raw_data beside float_data does no harm.
  EXPECT_EQ(error("08 01 10 01 4a 00 25 00000000"), "accepted");
  // Strings in raw_data; float_data of 5 bytes.
  EXPECT_THAT(error("08 01 10 08 4a 01 61"), HasSubstr("string_data"));
  EXPECT_THAT(error("08 01 10 01 22 05 0000000000"),
              HasSubstr("no multiple of 4"));
  // data_location (14) 2.
  EXPECT_THAT(error("08 01 10 01 70 02"), HasSubstr("location 2 is unknown"));
}

TEST(TensorData, RankIsLimited) {
  std::string dims;
  for (int i = 0; i < kMaxRank; ++i) {
    dims += i == 0 ? "1" : ",1";
  }
  EXPECT_EQ(errorOf("float[" + dims + "] w = {1}"), "accepted");
  EXPECT_THAT(errorOf("float[" + dims + ",1] w = {1}"), HasSubstr("E0107"));
  EXPECT_THAT(errorOf("float[" + dims + ",1] x"), HasSubstr("E0107"));
}

TEST(TensorFiles, AreReadFromDisk) {
  const TempFolder folder;
  const Expected<text::TextTensor> wanted =
      text::parseTensorText("int64[3] input = {1, -2, 3}", "test");
  ASSERT_TRUE(wanted) << wanted.error().str();
  const std::string path = folder.write(
      "input_0.pb", text::writeTensor(wanted->tensor, wanted->files));
  const Expected<TensorFile> tensor = readTensorFile(path);
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(tensor->tensor.name, "input");
  EXPECT_EQ(tensor->tensor.dataType, DataType::Int64);
  int64_t values[3];
  ASSERT_EQ(tensor->data().size(), sizeof(values));
  std::memcpy(values, tensor->data().data(), sizeof(values));
  EXPECT_THAT(values, ElementsAre(1, -2, 3));
}

TEST(ModelFiles, MustExist) {
  const TempFolder folder;
  const Expected<Model> model = openModel(folder / "none.onnx");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().str(), HasSubstr("E0100"));
  EXPECT_FALSE(readTensorFile(folder.path.string()));
}

TEST(ModelFiles, WeightsBeyondFourGigabytesAreNotTouched) {
  // uint8[2^32 + 5]: raw_data (9) with a length of 2^32 + 5 at the end of the
  // file, which is sparse. dims (1, packed) 6 + 2 bytes, data_type (2) 2,
  // name (8) 3, raw_data (9) 6 bytes before the data.
  const std::string size = "8580808010";
  const std::string tensor = "0a 05" + size + "10 02 42 01 77 4a" + size;
  // The tensor has 7 + 2 + 3 + 6 = 18 bytes before its data: 2^32 + 23.
  const std::string initializer = "2a 9780808010" + tensor;
  // The graph has 6 more: 2^32 + 29.
  const std::string head = fromHex("08 08 3a 9d80808010" + initializer);
  const TempFolder folder;
  const std::string path = folder.write("model.onnx", head);
  const uint64_t bytes = (uint64_t{1} << 32) + 5;
  std::filesystem::resize_file(path, head.size() + bytes);
  const Expected<Model> model = openModel(path);
  ASSERT_TRUE(model) << model.error().str();
  const Tensor &w = onnxfile::test::initializer(*model, "w");
  EXPECT_EQ(w.range.offset, static_cast<int64_t>(head.size()));
  EXPECT_EQ(model->dataOf(w).size(), bytes);
}

} // namespace
