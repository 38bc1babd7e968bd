// SPDX-License-Identifier: Apache-2.0
//
// From messages to the structs of Model.h, one function a message. A decoder
// reads one file; all of its functions throw DecodeFailure.

#ifndef SPYRE_LIB_ONNXFILE_DECODE_H
#define SPYRE_LIB_ONNXFILE_DECODE_H

#include "Wire.h"

#include "spyre/OnnxFile/Model.h"

namespace spyre::onnxfile {

class ExternalFiles;

class Decoder {
public:
  /// `file` is Model::files[0]. External data is looked up in `external`, or
  /// left as written if that is null.
  Decoder(std::span<const std::byte> file, ExternalFiles *external)
      : file(reinterpret_cast<const char *>(file.data()), file.size()),
        external(external) {}

  Model decodeModel();
  /// The file as one TensorProto.
  Tensor decodeTensor();

private:
  Function function(MessageReader reader);
  OpsetImport opsetImport(MessageReader reader);
  Property property(MessageReader reader);

  // `depth`: number of graphs that the message stands in.
  Graph graph(MessageReader reader, int depth);
  Node node(MessageReader reader, int depth, int64_t index);
  Attribute attribute(MessageReader reader, int depth);

  ValueInfo valueInfo(MessageReader reader);
  Type type(MessageReader reader, int depth);
  Type tensorType(MessageReader reader, TypeKind kind);
  Dim dim(MessageReader reader);

  Tensor tensor(MessageReader reader);
  void readData(Tensor &tensor, MessageReader reader);
  void readTypedData(Tensor &tensor, MessageReader reader);

  /// Decodes a message or string into the last entry of `list`, counted.
  template <typename T> T &append(std::vector<T> &list, T value) {
    countPart();
    list.push_back(std::move(value));
    return list.back();
  }
  void countPart();
  MessageReader wholeFile() const { return {file, file}; }

  std::string_view file;
  ExternalFiles *external;
  int64_t numParts = 0;
};

/// "ai.onnx" and "" name one domain.
inline std::string normalizedDomain(std::string domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// Throws if `dims` or the data of a tensor contradict its type. External data
/// that is not resolved is not looked at.
void checkTensor(const Tensor &tensor);

} // namespace spyre::onnxfile

#endif // SPYRE_LIB_ONNXFILE_DECODE_H
