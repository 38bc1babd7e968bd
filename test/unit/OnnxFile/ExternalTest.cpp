// SPDX-License-Identifier: Apache-2.0
//
// External data: which files a model may name, and which bytes of them.

#include "Support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

/// 16 bytes: the floats 1, 2, 3, 4.
const std::string kFloats = fromHex("0000803f 00000040 00004040 00008040");

/// A model with the initializer float[2] w = external [entries].
std::string modelBytes(const std::string &entries) {
  return bytesOfText(withHeader("graph () => () <float[2] w = external [" +
                                entries + "]> { }"));
}

std::string locationOf(const std::string &location) {
  return "\"location\" : \"" + location + "\"";
}

class ExternalData : public testing::Test {
protected:
  /// Opens a model in `models/` of the folder.
  Expected<Model> open(const std::string &entries,
                       std::vector<std::string> allowed = {}) {
    const std::string path =
        folder.write("models/model.onnx", modelBytes(entries));
    return openModel(path, {std::move(allowed), true});
  }
  std::string errorOf(const std::string &entries,
                      std::vector<std::string> allowed = {}) {
    const Expected<Model> model = open(entries, std::move(allowed));
    return model ? "accepted" : model.error().str();
  }

  TempFolder folder;
};

TEST_F(ExternalData, IsARangeOfAMappedFile) {
  folder.write("models/w.bin", kFloats);
  const Expected<Model> model =
      open(locationOf("w.bin") + ", \"offset\" : \"4\", \"length\" : \"8\"");
  ASSERT_TRUE(model) << model.error().str();
  const Tensor &w = initializer(*model, "w");
  EXPECT_EQ(w.storage, Storage::External);
  EXPECT_EQ(w.range.file, 1U);
  EXPECT_EQ(w.range.offset, 4);
  EXPECT_EQ(valuesOf<float>(*model, w), (std::vector<float>{2, 3}));
  ASSERT_EQ(model->files.size(), 2U);
  EXPECT_THAT(model->files[1].path, HasSubstr("models/w.bin"));
}

TEST_F(ExternalData, ReachesToTheEndWithoutALength) {
  folder.write("models/w.bin", kFloats);
  const Expected<Model> model =
      open(locationOf("w.bin") + ", \"offset\" : \"8\"");
  ASSERT_TRUE(model) << model.error().str();
  EXPECT_EQ(valuesOf<float>(*model, initializer(*model, "w")),
            (std::vector<float>{3, 4}));
  EXPECT_THAT(errorOf(locationOf("w.bin")),
              HasSubstr("float[2] needs 8 bytes, its data has 16"));
}

TEST_F(ExternalData, AFileIsMappedOnce) {
  folder.write("models/w.bin", kFloats);
  const std::string path = folder.write(
      "models/model.onnx",
      bytesOfText(withHeader(
          "graph () => () <float[4] a = external [" + locationOf("w.bin") +
          "], float[4] b = external [" + locationOf("./w.bin") + "]> { }")));
  const Expected<Model> model = openModel(path);
  ASSERT_TRUE(model) << model.error().str();
  EXPECT_EQ(model->files.size(), 2U);
  EXPECT_EQ(initializer(*model, "b").range.file, 1U);
}

TEST_F(ExternalData, MustLieInTheFile) {
  folder.write("models/w.bin", kFloats);
  const auto range = [&](const std::string &offset, const std::string &length) {
    return errorOf(locationOf("w.bin") + ", \"offset\" : \"" + offset +
                   "\", \"length\" : \"" + length + "\"");
  };
  EXPECT_EQ(range("8", "8"), "accepted");
  EXPECT_THAT(range("9", "8"), HasSubstr("E0105"));
  EXPECT_THAT(range("9", "8"), HasSubstr("has 8 bytes at offset 9"));
  EXPECT_THAT(range("9", "8"), HasSubstr("has 16 bytes"));
  // Offset + length would overflow.
  EXPECT_THAT(range("9223372036854775807", "9223372036854775807"),
              HasSubstr("E0105"));
  EXPECT_THAT(range("9223372036854775807", "8"), HasSubstr("E0105"));
  EXPECT_THAT(errorOf(locationOf("w.bin") + ", \"offset\" : \"17\""),
              HasSubstr("E0105"));
  for (const char *wrong : {"-1", "", "8 ", "0x8", "9223372036854775808"}) {
    EXPECT_THAT(range(wrong, "8"), HasSubstr("not a number from 0 to 2^63"));
    EXPECT_THAT(range("0", wrong), HasSubstr("not a number from 0 to 2^63"));
  }
  // A length that is not that of the tensor.
  EXPECT_THAT(range("0", "4"), HasSubstr("E0104"));
}

TEST_F(ExternalData, MustNameAFileBelowTheFolder) {
  folder.write("outside.bin", kFloats.substr(8));
  const std::string absolute = folder / "outside.bin";
  for (const std::string &location :
       {std::string("../outside.bin"), absolute, std::string(),
        std::string("sub/../../outside.bin"), std::string("w\\n.bin")}) {
    EXPECT_THAT(errorOf(locationOf(location)),
                HasSubstr("not a relative path without .."))
        << location;
  }
  EXPECT_THAT(errorOf(locationOf("none.bin")), HasSubstr("cannot be opened"));
  EXPECT_THAT(errorOf(""), HasSubstr("states no location"));
  EXPECT_THAT(errorOf(locationOf("a") + ", " + locationOf("b")),
              HasSubstr("\"location\" twice"));
}

TEST_F(ExternalData, LinksMustStayInside) {
  folder.write("models/sub/w.bin", kFloats.substr(8));
  folder.write("models-2/w.bin", kFloats.substr(8));
  fs::create_symlink("sub/w.bin", folder / "models/inside");
  fs::create_symlink("../models-2/w.bin", folder / "models/outside");
  fs::create_directory_symlink("../models-2", folder / "models/dir");
  EXPECT_EQ(errorOf(locationOf("sub/w.bin")), "accepted");
  EXPECT_EQ(errorOf(locationOf("inside")), "accepted");
  // "models-2" begins with "models", but is not in it.
  for (const char *location : {"outside", "dir/w.bin"}) {
    const std::string text = errorOf(locationOf(location));
    EXPECT_THAT(text, HasSubstr("leads outside of the model's folder"));
    EXPECT_THAT(text, HasSubstr("--allow-external-data-dir"));
    EXPECT_THAT(text, HasSubstr("models-2/w.bin"));
    EXPECT_EQ(errorOf(locationOf(location), {folder / "models-2"}), "accepted");
    EXPECT_EQ(errorOf(locationOf(location), {folder.path.string()}),
              "accepted");
  }
}

TEST_F(ExternalData, TheFolderOfTheResolvedModelCounts) {
  // A content-addressed cache: the snapshot links model and data to blobs.
  const std::string entries = locationOf("model.onnx_data");
  folder.write("blobs/0001", modelBytes(entries));
  folder.write("blobs/0002", kFloats.substr(8));
  fs::create_directories(folder / "snapshot");
  fs::create_symlink("../blobs/0001", folder / "snapshot/model.onnx");
  fs::create_symlink("../blobs/0002", folder / "snapshot/model.onnx_data");
  const Expected<Model> model = openModel(folder / "snapshot/model.onnx");
  ASSERT_TRUE(model) << model.error().str();
  EXPECT_EQ(valuesOf<float>(*model, initializer(*model, "w")),
            (std::vector<float>{3, 4}));
  // Only the model is a link: its data is where it leads to.
  folder.write("real/model.onnx", modelBytes(entries));
  folder.write("real/model.onnx_data", kFloats.substr(8));
  fs::create_symlink("real/model.onnx", folder / "link.onnx");
  EXPECT_TRUE(openModel(folder / "link.onnx"));
}

TEST_F(ExternalData, OnlyRegularFiles) {
  fs::create_directories(folder / "models/dir");
  ASSERT_EQ(mkfifo((folder / "models/pipe").c_str(), 0600), 0);
  for (const char *location : {"dir", "pipe", "."}) {
    const std::string text = errorOf(locationOf(location));
    EXPECT_THAT(text, HasSubstr("E0105"));
    EXPECT_THAT(text, HasSubstr("not a regular file"));
  }
}

TEST_F(ExternalData, StaysAsWrittenOnDemand) {
  const std::string path = folder.write(
      "models/model.onnx", modelBytes(locationOf("/nowhere/w.bin")));
  const Expected<Model> model = openModel(path, {{}, false});
  ASSERT_TRUE(model) << model.error().str();
  const Tensor &w = initializer(*model, "w");
  ASSERT_EQ(w.externalData.size(), 1U);
  EXPECT_EQ(w.externalData[0].value, "/nowhere/w.bin");
  EXPECT_EQ(w.sizeBytes(), 0);
  EXPECT_EQ(model->files.size(), 1U);
}

TEST_F(ExternalData, AttributesAndSubgraphsToo) {
  folder.write("models/w.bin", kFloats.substr(8));
  const std::string data = "float[2] external [" + locationOf("w.bin") + "]";
  const std::string path = folder.write(
      "models/model.onnx",
      bytesOfText(withHeader(
          "graph (bool[] c) => (float[2] y) { y = If<"
          "then_branch = graph () => (float[2] a) { a = Constant<value = " +
          data +
          ">() }, else_branch = graph () => (float[2] b) <float[2] b = "
          "external [" +
          locationOf("w.bin") + "]> { }>(c) }")));
  const Expected<Model> model = openModel(path);
  ASSERT_TRUE(model) << model.error().str();
  const std::vector<Attribute> &branches = model->graph.nodes[0].attributes;
  const Tensor &value = branches[0].graphs[0].nodes[0].attributes[0].tensors[0];
  EXPECT_EQ(valuesOf<float>(*model, value), (std::vector<float>{3, 4}));
  EXPECT_EQ(valuesOf<float>(*model, branches[1].graphs[0].initializers[0]),
            (std::vector<float>{3, 4}));
}

TEST_F(ExternalData, OfATensorFile) {
  folder.write("models/w.bin", kFloats);
  const Expected<text::TextTensor> tensor = text::parseTensorText(
      "float[4] w = external [\"location\" : \"w.bin\"]", "test");
  ASSERT_TRUE(tensor);
  const std::string path = folder.write(
      "models/w.pb", text::writeTensor(tensor->tensor, tensor->files));
  const Expected<TensorFile> file = readTensorFile(path);
  ASSERT_TRUE(file) << file.error().str();
  EXPECT_EQ(file->data().size(), 16U);
}

} // namespace
