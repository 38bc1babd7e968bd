// SPDX-License-Identifier: Apache-2.0
//
// What a test's data is matched with: the inputs and outputs of its model. The
// k-th tensor of a data set belongs to the k-th graph input that is not an
// initializer, whatever its name.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_SIGNATURE_H
#define SPYRE_TOOLS_SPYRE_CHECK_SIGNATURE_H

#include "TestFolder.h"

#include "spyre/Import/Onnx/Import.h"
#include "spyre/Runtime/HostTensor.h"

#include <optional>
#include <string>
#include <vector>

namespace spyre::tools {

struct Signature {
  /// Graph inputs that are not initializers, and graph outputs.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// The model keeps floats in f16 or bf16: inputs, weights or constants.
  bool hasHalfFloats = false;
  /// An input or output that is no dense tensor, if there is one: what it is.
  std::optional<std::string> nonTensor;
};

/// Reads the graph of a model, not its weights.
Expected<Signature> readSignature(const std::string &modelPath);

struct NamedTensor {
  std::string name;
  rt::HostTensor tensor;
};

/// The inputs of a data set in the signature's order. Errors: a file that is
/// missing, has no input or cannot be read.
Expected<std::vector<NamedTensor>> readInputs(const Signature &signature,
                                              const DataSet &set);

/// Which inputs are compiled in as constants.
enum class Binding : uint8_t {
  None,
  /// Integers of rank 0 and 1: shapes, axes, pads, k.
  Integers,
  /// Everything of rank 0 and 1, such as the scales of Resize.
  All
};

/// True if `binding` covers the tensor. Tensors of more than 64 elements are
/// data, not parameters.
bool isBound(const rt::HostTensor &tensor, Binding binding);

ConstantInput toConstant(const rt::HostTensor &tensor);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_SIGNATURE_H
