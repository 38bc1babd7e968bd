// SPDX-License-Identifier: Apache-2.0
//
// Opens ONNX files. They are untrusted: every length, name and path is checked
// before it is used, and whatever is wrong gives one Error, never a crash. The
// file is mapped and walked once; weights are noted as ranges and not touched.

#ifndef SPYRE_ONNXFILE_READER_H
#define SPYRE_ONNXFILE_READER_H

#include "spyre/OnnxFile/Model.h"
#include "spyre/Support/Error.h"

namespace spyre::onnxfile {

/// Limits of the reader; beyond them an Error with code OnnxLimit (IR version:
/// OnnxVersion) says both numbers.
inline constexpr int64_t kMaxIrVersion = 13;
/// Graphs inside of each other, the model's own included.
inline constexpr int kMaxGraphDepth = 32;
inline constexpr int kMaxRank = 64;
/// Messages and strings of a model. They bound memory: a hostile file can
/// state an empty node in 2 bytes.
inline constexpr int64_t kMaxParts = int64_t{1} << 22;
/// Nodes after expanding every call of a function, counted without expanding.
inline constexpr int64_t kMaxExpandedNodes = 1'000'000;

struct ReadOptions {
  /// Further folders in which files of external data may lie once symbolic
  /// links are resolved; the folder of the model's path and that of the file
  /// it leads to always count.
  std::vector<std::string> allowedExternalDirs;
  /// False: external data stays as written (Tensor::externalData) and
  /// Tensor::range is empty. For tools that only look at the graph.
  bool resolveExternal = true;
};

/// Maps and reads the model at `path`, and validates it (Validate.h). Errors:
/// OnnxOpen, OnnxMalformed, OnnxVersion, OnnxUnsupported, OnnxTensor,
/// OnnxExternalData, OnnxGraph, OnnxLimit; the subject names the file, notes
/// name the graph, node and tensor.
Expected<Model> openModel(const std::string &path,
                          const ReadOptions &options = {});

/// The same for bytes in memory, which the caller keeps alive as long as the
/// model. `origin` stands for the path, in messages and for external data.
Expected<Model> parseModel(std::span<const std::byte> bytes,
                           const std::string &origin,
                           const ReadOptions &options = {});

/// A tensor of a file of its own, and the files that hold its data.
struct TensorFile {
  Tensor tensor;
  std::vector<SourceFile> files;

  std::span<const std::byte> data() const { return dataOf(tensor, files); }
};

/// Maps and reads a serialised TensorProto (`input_0.pb`). Errors as openModel.
Expected<TensorFile> readTensorFile(const std::string &path,
                                    const ReadOptions &options = {});

/// The same for bytes in memory, which the caller keeps alive.
Expected<TensorFile> parseTensor(std::span<const std::byte> bytes,
                                 const std::string &origin,
                                 const ReadOptions &options = {});

} // namespace spyre::onnxfile

#endif // SPYRE_ONNXFILE_READER_H
