// SPDX-License-Identifier: Apache-2.0

#include "Signature.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Runtime/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace spyre;
using namespace spyre::tools;
using launch::HostType;
using onnxfile::DataType;
using onnxfile::TypeKind;

namespace {

constexpr int64_t kMaxBoundElements = 64;

bool isHalf(DataType type) {
  return type == DataType::Float16 || type == DataType::BFloat16;
}

/// Null for a dense tensor, and for a type that the model does not state.
const char *nonTensorKind(TypeKind kind) {
  switch (kind) {
  case TypeKind::None:
  case TypeKind::Tensor:
    return nullptr;
  case TypeKind::SparseTensor:
    return "a sparse tensor";
  case TypeKind::Sequence:
    return "a sequence";
  case TypeKind::Optional:
    return "an optional";
  case TypeKind::Map:
    return "a map";
  case TypeKind::Opaque:
    return "an opaque value";
  }
  return nullptr;
}

void noteValue(const onnxfile::ValueInfo &value, const char *role,
               Signature &signature) {
  const char *kind = nonTensorKind(value.type.kind);
  if (kind != nullptr && !signature.nonTensor) {
    signature.nonTensor =
        fmt::format("{} \"{}\" is {}", role, value.name, kind);
  }
}

bool hasHalfConstants(const onnxfile::Graph &graph) {
  for (const onnxfile::Node &node : graph.nodes) {
    for (const onnxfile::Attribute &attribute : node.attributes) {
      for (const onnxfile::Tensor &tensor : attribute.tensors) {
        if (isHalf(tensor.dataType)) {
          return true;
        }
      }
    }
  }
  return std::any_of(
      graph.initializers.begin(), graph.initializers.end(),
      [](const onnxfile::Tensor &tensor) { return isHalf(tensor.dataType); });
}

tl::unexpected<Error> badData(const DataSet &set, std::string message) {
  return makeError(ErrorCode::FileUnreadable,
                   fmt::format("folder \"{}\"", set.folder), std::move(message),
                   {}, "give one input_k.pb or input_k.npy for each input");
}

DataType dataTypeOf(HostType type) {
  switch (type) {
  case HostType::F16:
    return DataType::Float16;
  case HostType::F32:
    return DataType::Float;
  case HostType::F64:
    return DataType::Double;
  case HostType::I8:
    return DataType::Int8;
  case HostType::U8:
    return DataType::UInt8;
  case HostType::I16:
    return DataType::Int16;
  case HostType::I32:
    return DataType::Int32;
  case HostType::I64:
    return DataType::Int64;
  case HostType::Bool:
    return DataType::Bool;
  case HostType::BF16:
    return DataType::BFloat16;
  }
  return DataType::Undefined;
}

} // namespace

Expected<Signature> tools::readSignature(const std::string &modelPath) {
  onnxfile::ReadOptions options;
  options.resolveExternal = false;
  Expected<onnxfile::Model> model = onnxfile::openModel(modelPath, options);
  if (!model) {
    return tl::unexpected(model.error());
  }
  const onnxfile::Graph &graph = model->graph;
  std::set<std::string> initializers;
  for (const onnxfile::Tensor &tensor : graph.initializers) {
    initializers.insert(tensor.name);
  }
  Signature signature;
  signature.hasHalfFloats = hasHalfConstants(graph);
  for (const onnxfile::ValueInfo &input : graph.inputs) {
    if (!initializers.contains(input.name)) {
      signature.inputs.push_back(input.name);
      signature.hasHalfFloats |= isHalf(input.type.elemType);
      noteValue(input, "input", signature);
    }
  }
  for (const onnxfile::ValueInfo &output : graph.outputs) {
    signature.outputs.push_back(output.name);
    noteValue(output, "output", signature);
  }
  return signature;
}

Expected<std::vector<NamedTensor>> tools::readInputs(const Signature &signature,
                                                     const DataSet &set) {
  const auto numInputs = static_cast<int64_t>(signature.inputs.size());
  for (const auto &[k, path] : set.inputs) {
    if (k >= numInputs) {
      return badData(set, fmt::format("there is data for input {}, the model "
                                      "has {} inputs",
                                      k, numInputs));
    }
  }
  std::vector<NamedTensor> inputs;
  for (int64_t k = 0; k < numInputs; ++k) {
    const std::string &name = signature.inputs[static_cast<size_t>(k)];
    const auto file = set.inputs.find(k);
    if (file == set.inputs.end()) {
      return badData(
          set, fmt::format("there is no input_{} for input \"{}\"", k, name));
    }
    Expected<rt::HostTensor> tensor = rt::readTensorFile(file->second);
    if (!tensor) {
      return tl::unexpected(tensor.error());
    }
    inputs.push_back({name, std::move(*tensor)});
  }
  return inputs;
}

bool tools::isBound(const rt::HostTensor &tensor, Binding binding) {
  if (binding == Binding::None || tensor.shape.size() > 1 ||
      rt::numElements(tensor.shape).value_or(0) > kMaxBoundElements) {
    return false;
  }
  return binding == Binding::All || !rt::isFloat(tensor.type);
}

ConstantInput tools::toConstant(const rt::HostTensor &tensor) {
  return {dataTypeOf(tensor.type), tensor.shape, tensor.bytes};
}
