// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of OnnxFile.

#ifndef SPYRE_TEST_UNIT_ONNXFILE_SUPPORT_H
#define SPYRE_TEST_UNIT_ONNXFILE_SUPPORT_H

#include "OnnxText.h"

#include "spyre/OnnxFile/Reader.h"

#include <cstring>
#include <filesystem>
#include <string>

namespace spyre::onnxfile::test {

/// The bytes of a model's text; fails the test if the text is wrong.
std::string bytesOfText(std::string_view text,
                        const text::WriteOptions &options = {});

/// A model that was read, with the bytes that it refers to.
struct ReadResult {
  std::shared_ptr<const std::string> bytes;
  Expected<Model> model;

  /// The error's text, or "accepted".
  std::string error() const { return model ? "accepted" : model.error().str(); }
};
ReadResult readBytes(std::string bytes, const ReadOptions &options = {});
ReadResult readText(std::string_view text, const ReadOptions &options = {});

/// Text with the header that most tests want around a graph.
std::string withHeader(std::string_view graph);

/// "0a 01 78" -> 3 bytes; blanks may be missing.
std::string fromHex(std::string_view hex);

std::span<const std::byte> asBytes(std::string_view text);
/// The data of a tensor as values of type T.
template <typename T>
std::vector<T> valuesOf(const Model &model, const Tensor &tensor);
/// The initializer of this name; fails the test if there is none.
const Tensor &initializer(const Model &model, std::string_view name);

/// Names of the nodes' operators in order, with blanks between.
std::string operators(const std::vector<Node> &nodes);

/// A folder that is removed at the end.
class TempFolder {
public:
  TempFolder();
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;
  ~TempFolder() { std::filesystem::remove_all(path); }

  /// Writes a file below the folder, making its own folder if need be.
  std::string write(const std::string &name, std::string_view bytes) const;
  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }

  std::filesystem::path path;
};

/// The texts of test/fuzz/onnx-corpus, in order of their names.
std::vector<std::filesystem::path> corpusTexts();
std::string contentsOf(const std::filesystem::path &path);

template <typename T>
std::vector<T> valuesOf(const Model &model, const Tensor &tensor) {
  const std::span<const std::byte> data = model.dataOf(tensor);
  std::vector<T> values(data.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], data.data() + i * sizeof(T), sizeof(T));
  }
  return values;
}

} // namespace spyre::onnxfile::test

#endif // SPYRE_TEST_UNIT_ONNXFILE_SUPPORT_H
