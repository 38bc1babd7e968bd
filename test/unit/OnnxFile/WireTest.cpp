// SPDX-License-Identifier: Apache-2.0
//
// Models as bytes written by hand, so that neither the writer nor the table of
// field numbers is trusted.

#include "Support.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::HasSubstr;

namespace {

/// NodeProto: input "x" (1), output "y" (2), op_type "Relu" (4): 12 bytes.
const std::string kNode = "0a 01 78  12 01 79  22 04 52656c75";
/// ValueInfoProto: name (1).
const std::string kX = "0a 01 78";
const std::string kY = "0a 01 79";
/// GraphProto: node (1), name "g" (2), input (11), output (12):
/// 14 + 3 + 5 + 5 = 27 bytes.
const std::string kGraph =
    "0a 0c" + kNode + "12 01 67  5a 03" + kX + "62 03" + kY;
/// ModelProto: ir_version 8 (1), opset_import {version 17} (8), graph (7).
const std::string kModel = "08 08  42 02 10 11  3a 1b" + kGraph;

std::string errorOf(const std::string &hex) {
  return readBytes(fromHex(hex)).error();
}

TEST(Wire, ASmallModel) {
  const ReadResult result = readBytes(fromHex(kModel));
  ASSERT_TRUE(result.model) << result.error();
  const Model &model = *result.model;
  EXPECT_EQ(model.irVersion, 8);
  EXPECT_EQ(model.opsetVersion(""), 17);
  EXPECT_EQ(model.opsetVersion("com.microsoft"), std::nullopt);
  EXPECT_EQ(model.graph.name, "g");
  ASSERT_EQ(model.graph.nodes.size(), 1U);
  EXPECT_EQ(model.graph.nodes[0].opType, "Relu");
  EXPECT_EQ(model.graph.nodes[0].inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(model.graph.nodes[0].outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(model.graph.inputs[0].name, "x");
  EXPECT_EQ(model.graph.inputs[0].type.kind, TypeKind::None);
  EXPECT_EQ(model.graph.outputs[0].name, "y");
}

TEST(Wire, AnInitializerStaysInTheFile) {
  // TensorProto: dims 2 (1, not packed), data_type 1 (2), name "w" (8),
  // raw_data of 8 bytes (9): 2 + 2 + 3 + 10 = 17 bytes.
  const std::string tensor = "08 02  10 01  42 01 77  4a 08 0000803f 000000c0";
  // GraphProto: initializer (5), output named w: 19 + 5 = 24 bytes.
  const ReadResult result =
      readBytes(fromHex("08 08  3a 18  2a 11" + tensor + "62 03 0a 01 77"));
  ASSERT_TRUE(result.model) << result.error();
  const Tensor &w = initializer(*result.model, "w");
  EXPECT_EQ(w.dims, std::vector<int64_t>{2});
  EXPECT_EQ(w.storage, Storage::Raw);
  // 2 (ir_version) + 2 (graph) + 2 (initializer) + 7 + 2 (raw_data)
  EXPECT_EQ(w.range.offset, 15);
  EXPECT_EQ(w.range.sizeBytes, 8);
  EXPECT_TRUE(w.owned.empty());
  EXPECT_EQ(result.model->dataOf(w).data(), asBytes(*result.bytes).data() + 15);
  EXPECT_EQ(valuesOf<float>(*result.model, w), (std::vector<float>{1, -2}));
}

TEST(Wire, PackedFloatsStayInTheFileToo) {
  // float_data (4), packed.
  const std::string tensor = "08 02  10 01  42 01 77  22 08 0000803f 000000c0";
  const ReadResult result =
      readBytes(fromHex("08 08  3a 18  2a 11" + tensor + "62 03 0a 01 77"));
  ASSERT_TRUE(result.model) << result.error();
  const Tensor &w = initializer(*result.model, "w");
  EXPECT_EQ(w.storage, Storage::Typed);
  EXPECT_TRUE(w.owned.empty());
  EXPECT_EQ(valuesOf<float>(*result.model, w), (std::vector<float>{1, -2}));
}

TEST(Wire, UnknownFieldsAreSkipped) {
  // Fields 99 (varint), 100 (fixed64), 101 (bytes), 102 (fixed32).
  const std::string unknown =
      "98 06 05  a1 06 0102030405060708  aa 06 02 ffff  b5 06 01020304";
  EXPECT_EQ(errorOf(unknown + kModel + unknown), "accepted");
}

TEST(Wire, MalformedBytesNameTheirPlace) {
  // The graph of 27 bytes is announced with 28.
  EXPECT_THAT(errorOf("08 08  3a 1c" + kGraph), HasSubstr("E0101"));
  EXPECT_THAT(errorOf("08 08  3a 1c" + kGraph),
              HasSubstr("field 7 has 28 bytes, the message only 27 more, at "
                        "byte 4"));
  // A length of 2^32 + 27 is not cut to 27.
  EXPECT_THAT(errorOf("08 08  3a 9b80808010" + kGraph),
              HasSubstr("field 7 has 4294967323 bytes"));
  EXPECT_THAT(errorOf("00 01"), HasSubstr("field number 0 at byte 0"));
  // Wire types 3 and 4 were groups, 6 and 7 do not exist.
  for (const char *key : {"0b", "0c", "0e", "0f"}) {
    EXPECT_THAT(errorOf(std::string("08 08") + key), HasSubstr("at byte 2"));
  }
  // ir_version as bytes, the graph as a number.
  EXPECT_THAT(errorOf("0a 01 08"),
              HasSubstr("field 1 has wire type 2, expected 0"));
  EXPECT_THAT(errorOf("08 08 38 01"),
              HasSubstr("field 7 has wire type 0, expected 2"));
  // A number of more than 10 bytes, and one that is cut.
  EXPECT_THAT(errorOf("08 ffffffffffffffffffffff01"),
              HasSubstr("a number is malformed"));
  EXPECT_THAT(errorOf("08 ff"), HasSubstr("a number is malformed"));
  EXPECT_THAT(errorOf("08"), HasSubstr("a number is malformed"));
}

TEST(Wire, NotesSayWhereItIs) {
  // The node's field 3 (name) has wire type 0.
  const std::string text =
      errorOf("08 08  3a 09  12 01 67  0a 04  18 01 22 00");
  EXPECT_THAT(text, HasSubstr("file \"test.onnx\""));
  EXPECT_THAT(text, HasSubstr("note: in node 0 ()"));
  EXPECT_THAT(text, HasSubstr("note: in graph \"g\""));
}

TEST(Wire, EmptyAndForeignFilesAreRefused) {
  EXPECT_THAT(errorOf(""), HasSubstr("there is no graph in it"));
  EXPECT_THAT(readBytes("GIF89a").error(), HasSubstr("E0101"));
  EXPECT_THAT(errorOf("08 08  3a 00 3a 00"), HasSubstr("more than one graph"));
}

TEST(Wire, NamesAreText) {
  // The input's name is 0xff, then "\0".
  for (const char *name : {"ff", "00"}) {
    EXPECT_THAT(errorOf(std::string("08 08  3a 05  5a 03 0a 01") + name),
                HasSubstr("is not UTF-8 text without NUL at byte 8"));
  }
}

TEST(Wire, DocStringsAreRepaired) {
  // doc_string (6) "caf\xe9".
  const ReadResult result = readBytes(fromHex("32 04 636166e9" + kModel));
  ASSERT_TRUE(result.model) << result.error();
  EXPECT_EQ(result.model->docString, "caf\xef\xbf\xbd");
}

TEST(Wire, SparseAndSegmentedTensorsAreDiagnosed) {
  // GraphProto.sparse_initializer (15).
  EXPECT_THAT(errorOf("08 08  3a 02  7a 00"), HasSubstr("E0103"));
  // TensorProto.segment (3).
  EXPECT_THAT(errorOf("08 08  3a 04  2a 02 1a 00"), HasSubstr("segments"));
  // AttributeProto.sparse_tensor (22), and type SPARSE_TENSOR (20: 11).
  for (const char *attribute : {"b2 01 00", "a0 01 0b"}) {
    EXPECT_THAT(errorOf(std::string("08 08  3a 0b  0a 09  22 02 4f70  2a 03") +
                        attribute),
                HasSubstr("sparse tensors are not supported"));
  }
  // AttributeProto.type 99.
  EXPECT_THAT(errorOf("08 08  3a 0b  0a 09  22 02 4f70  2a 03 a0 01 63"),
              HasSubstr("the attribute type 99 is unknown"));
  // TensorProto.data_type 27 and -1, TypeProto.Tensor.elem_type 27.
  EXPECT_THAT(errorOf("08 08  3a 04  2a 02 10 1b"),
              HasSubstr("its data type 27 is unknown"));
  EXPECT_THAT(errorOf("08 08  3a 0d  2a 0b 10 ffffffffffffffffff01"),
              HasSubstr("its data type -1 is unknown"));
  EXPECT_THAT(errorOf("08 08  3a 08  5a 06 12 04 0a 02 08 1b"),
              HasSubstr("the data type 27 is unknown"));
}

TEST(Wire, AnAttributeWithoutTypeHasThatOfItsValue) {
  // i (3) = 5 without type; then also f (2); then neither.
  const auto node = [](const std::string &size, const std::string &length,
                       const std::string &attribute) {
    return "08 01  3a" + size + " 0a" + length + "22 02 4f70  2a" + attribute;
  };
  const ReadResult result =
      readBytes(fromHex("42 02 10 01" + node("0d", "0b", "05 0a 01 61 18 05")));
  ASSERT_TRUE(result.model) << result.error();
  const Attribute *attribute = result.model->graph.nodes[0].findAttribute("a");
  ASSERT_TRUE(attribute);
  EXPECT_EQ(attribute->type, AttributeType::Int);
  EXPECT_EQ(attribute->i, 5);
  EXPECT_THAT(errorOf(node("12", "10", "0a 0a 01 61 18 05 15 00000000")),
              HasSubstr("it has no type but values of several"));
  EXPECT_THAT(errorOf(node("0b", "09", "03 0a 01 61")),
              HasSubstr("it has neither a type nor a value"));
}

TEST(Wire, PartsAreCounted) {
  // 2^22 + 1 empty properties of the model: 2 bytes each, but a struct each.
  std::string bytes = fromHex("08 08");
  for (int64_t i = 0; i <= kMaxParts; ++i) {
    bytes += "\x72";
    bytes += '\0';
  }
  EXPECT_THAT(readBytes(bytes).error(), HasSubstr("E0107"));
}

} // namespace
