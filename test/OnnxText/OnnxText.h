// SPDX-License-Identifier: Apache-2.0
//
// Models as text, for tests: a notation close to ONNX's own textual syntax
// that can state every part of a model, broken ones too. Text becomes a Model,
// a Model becomes bytes or text again. Nothing here checks a model; the reader
// does.
//
//   <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
//   graph name (float[1,N] x) => (float[1,N] y)
//   <float[2] w = {1, 2}, float[N,?] inner>
//   {
//     ["/node name"] inner, "" = com.microsoft.Op:overload<axis = 1>(x, "", w)
//       @meta ["key" : "value"] @doc "text"
//     y = Identity(inner)
//   }
//
// README.md has the whole notation.

#ifndef SPYRE_TEST_ONNXTEXT_ONNXTEXT_H
#define SPYRE_TEST_ONNXTEXT_ONNXTEXT_H

#include "spyre/OnnxFile/Model.h"
#include "spyre/Support/Error.h"

namespace spyre::onnxfile::text {

/// Parses a model. `origin` names the text in messages, as in `m.txt:3:14`
/// (line and column). The bytes of its tensors are in the model's first file,
/// which it owns. External data is not resolved. Error code: InvalidInput.
Expected<Model> parseModelText(std::string_view text,
                               const std::string &origin);

/// Parses one tensor, `float[2] name = {1, 2}`; `files` as of a Model.
struct TextTensor {
  Tensor tensor;
  std::vector<SourceFile> files;
};
Expected<TextTensor> parseTensorText(std::string_view text,
                                     const std::string &origin);

struct PrintOptions {
  /// Tensors with more elements are printed as `...`, which does not parse.
  int64_t maxElements = INT64_MAX;
};

/// The text of a model; parsing it gives the same model. Nodes are printed in
/// their order in the model. Captures, docs of attributes and the like that
/// the notation does not have are left out.
std::string printModel(const Model &model, const PrintOptions &options = {});

struct WriteOptions {
  /// False: each entry of a typed field in a field of its own, as writers of
  /// proto2 do.
  bool packed = true;
};

/// The bytes of the .onnx file.
std::string writeModel(const Model &model, const WriteOptions &options = {});
/// The bytes of a TensorProto file.
std::string writeTensor(const Tensor &tensor, std::span<const SourceFile> files,
                        const WriteOptions &options = {});

} // namespace spyre::onnxfile::text

#endif // SPYRE_TEST_ONNXTEXT_ONNXTEXT_H
