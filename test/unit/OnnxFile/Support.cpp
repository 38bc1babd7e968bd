// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace spyre::onnxfile::test {
namespace fs = std::filesystem;

std::string bytesOfText(std::string_view text,
                        const text::WriteOptions &options) {
  const Expected<Model> model = text::parseModelText(text, "test");
  EXPECT_TRUE(model) << model.error().str();
  return model ? text::writeModel(*model, options) : "";
}

ReadResult readBytes(std::string bytes, const ReadOptions &options) {
  const auto owned = std::make_shared<const std::string>(std::move(bytes));
  return {owned, parseModel(asBytes(*owned), "test.onnx", options)};
}

ReadResult readText(std::string_view text, const ReadOptions &options) {
  return readBytes(bytesOfText(text), options);
}

std::string withHeader(std::string_view graph) {
  return "<ir_version: 8, opset_import: [\"\" : 17]>\n" + std::string(graph);
}

std::string fromHex(std::string_view hex) {
  std::string digits(hex);
  std::erase_if(digits, [](char c) { return c == ' ' || c == '\n'; });
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::span<const std::byte> asBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

const Tensor &initializer(const Model &model, std::string_view name) {
  static const Tensor kNone;
  for (const Tensor &tensor : model.graph.initializers) {
    if (tensor.name == name) {
      return tensor;
    }
  }
  ADD_FAILURE() << "no initializer " << name;
  return kNone;
}

std::string operators(const std::vector<Node> &nodes) {
  std::string result;
  for (const Node &node : nodes) {
    result += (result.empty() ? "" : " ") + node.opType;
  }
  return result;
}

TempFolder::TempFolder() {
  static int count = 0;
  path =
      fs::path(testing::TempDir()) / ("spyre-onnx-" + std::to_string(getpid()) +
                                      "-" + std::to_string(count++));
  fs::create_directories(path);
}

std::string TempFolder::write(const std::string &name,
                              std::string_view bytes) const {
  const fs::path file = path / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  return file.string();
}

std::vector<fs::path> corpusTexts() {
  std::vector<fs::path> paths;
  for (const auto &entry :
       fs::directory_iterator(SPYRE_SOURCE_DIR "/test/fuzz/onnx-corpus")) {
    if (entry.path().extension() == ".txt") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string contentsOf(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace spyre::onnxfile::test
