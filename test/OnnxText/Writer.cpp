// SPDX-License-Identifier: Apache-2.0
//
// A model as the bytes of an .onnx file, with field numbers of its own: what
// the reader misreads, this must not miswrite in the same way.

#include "OnnxText.h"
#include "Values.h"

#include <algorithm>
#include <protozero/pbf_writer.hpp>

namespace spyre::onnxfile::text {
namespace {

using protozero::pbf_writer;

/// Writes the message that `fill(pbf_writer &)` fills in as field `number`. Not
/// in place, because protozero drops a message that stays empty, and an empty
/// shape is a scalar's.
template <typename Fill>
void message(pbf_writer &to, uint32_t number, const Fill &fill) {
  std::string bytes;
  pbf_writer inner(bytes);
  fill(inner);
  to.add_message(number, bytes);
}

void text(pbf_writer &to, uint32_t number, const std::string &value) {
  if (!value.empty()) {
    to.add_string(number, value);
  }
}

void strings(pbf_writer &to, uint32_t number,
             const std::vector<std::string> &values) {
  for (const std::string &value : values) {
    to.add_bytes(number, value);
  }
}

void properties(pbf_writer &to, uint32_t number,
                const std::vector<Property> &values) {
  for (const Property &value : values) {
    message(to, number, [&](pbf_writer &entry) {
      entry.add_string(1, value.key);
      entry.add_string(2, value.value);
    });
  }
}

void opsets(pbf_writer &to, uint32_t number,
            const std::vector<OpsetImport> &values) {
  for (const OpsetImport &value : values) {
    message(to, number, [&](pbf_writer &entry) {
      text(entry, 1, value.domain);
      entry.add_int64(2, value.version);
    });
  }
}

class Writer {
public:
  Writer(std::span<const SourceFile> files, const WriteOptions &options)
      : files(files), options(options) {}

  void model(pbf_writer &to, const Model &model) const;
  void tensor(pbf_writer &to, const Tensor &tensor) const;

private:
  void function(pbf_writer &to, const Function &function) const;
  void graph(pbf_writer &to, const Graph &graph) const;
  void node(pbf_writer &to, const Node &node) const;
  void attribute(pbf_writer &to, const Attribute &attribute) const;
  void value(pbf_writer &to, const ValueInfo &value) const;
  void type(pbf_writer &to, const Type &type) const;
  void typedData(pbf_writer &to, const Tensor &tensor) const;

  template <typename Values, typename Write>
  void each(pbf_writer &to, uint32_t number, const Values &values,
            const Write &write) const {
    for (const auto &entry : values) {
      message(to, number, [&](pbf_writer &inner) { write(inner, entry); });
    }
  }

  std::span<const SourceFile> files;
  const WriteOptions &options;
};

/// The field of a type's elements when they are not in raw_data.
uint32_t typedField(DataType component) {
  switch (component) {
  case DataType::Float:
    return 4;
  case DataType::Double:
    return 10;
  case DataType::Int64:
    return 7;
  case DataType::UInt32:
  case DataType::UInt64:
    return 11;
  default:
    return 5;
  }
}

void Writer::typedData(pbf_writer &to, const Tensor &tensor) const {
  const std::span<const std::byte> data = dataOf(tensor, files);
  if (data.empty()) {
    return;
  }
  const DataType component = componentType(tensor.dataType);
  const uint32_t number = typedField(component);
  // An entry holds a byte of elements that are narrower.
  const int width = std::max(8, bitWidth(component));
  const size_t count = data.size() * 8 / static_cast<size_t>(width);
  if (component == DataType::Float || component == DataType::Double) {
    // A packed field is the same bytes as dense data.
    const auto *bytes = reinterpret_cast<const char *>(data.data());
    const size_t step = options.packed ? data.size() : data.size() / count;
    for (size_t i = 0; i < data.size(); i += step) {
      if (options.packed) {
        to.add_bytes(number, bytes, step);
      } else if (component == DataType::Float) {
        to.add_fixed32(number, static_cast<uint32_t>(bitsAt(
                                   data, static_cast<int64_t>(i / step), 32)));
      } else {
        to.add_fixed64(number,
                       bitsAt(data, static_cast<int64_t>(i / step), 64));
      }
    }
    return;
  }
  std::vector<int64_t> values;
  const bool isSigned =
      isInteger(component) && toString(component).starts_with('i');
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = bitsAt(data, static_cast<int64_t>(i), width);
    const int unused = isSigned && bitWidth(component) >= 8 ? 64 - width : 0;
    values.push_back(static_cast<int64_t>(bits << unused) >> unused);
  }
  if (options.packed) {
    to.add_packed_int64(number, values.begin(), values.end());
    return;
  }
  for (int64_t value : values) {
    to.add_int64(number, value);
  }
}

void Writer::tensor(pbf_writer &to, const Tensor &tensor) const {
  to.add_packed_int64(1, tensor.dims.begin(), tensor.dims.end());
  to.add_int32(2, static_cast<int32_t>(tensor.dataType));
  text(to, 8, tensor.name);
  switch (tensor.storage) {
  case Storage::Raw: {
    const std::span<const std::byte> data = dataOf(tensor, files);
    to.add_bytes(9, reinterpret_cast<const char *>(data.data()), data.size());
    break;
  }
  case Storage::Typed:
    strings(to, 6, tensor.strings);
    typedData(to, tensor);
    break;
  case Storage::External:
    properties(to, 13, tensor.externalData);
    to.add_int32(14, 1);
    break;
  }
  text(to, 12, tensor.docString);
  properties(to, 16, tensor.metadata);
}

void Writer::type(pbf_writer &to, const Type &type) const {
  const auto element = [&](uint32_t number) {
    message(to, number, [&](pbf_writer &inner) {
      message(inner, 1, [&](pbf_writer &item) {
        this->type(item, type.element.front());
      });
    });
  };
  switch (type.kind) {
  case TypeKind::None:
    break;
  case TypeKind::Tensor:
  case TypeKind::SparseTensor:
    message(to, type.kind == TypeKind::Tensor ? 1 : 8, [&](pbf_writer &inner) {
      inner.add_int32(1, static_cast<int32_t>(type.elemType));
      if (!type.hasShape) {
        return;
      }
      message(inner, 2, [&](pbf_writer &shape) {
        each(shape, 1, type.dims, [](pbf_writer &entry, const Dim &dim) {
          if (dim.kind == Dim::Kind::Value) {
            entry.add_int64(1, dim.value);
          } else if (dim.kind == Dim::Kind::Param) {
            entry.add_string(2, dim.param);
          }
        });
      });
    });
    break;
  case TypeKind::Sequence:
    element(4);
    break;
  case TypeKind::Optional:
    element(9);
    break;
  case TypeKind::Map:
    message(to, 5, [&](pbf_writer &inner) {
      inner.add_int32(1, static_cast<int32_t>(type.elemType));
      message(inner, 2, [&](pbf_writer &item) {
        this->type(item, type.element.front());
      });
    });
    break;
  case TypeKind::Opaque:
    message(to, 7, [](pbf_writer &) {});
    break;
  }
}

void Writer::value(pbf_writer &to, const ValueInfo &value) const {
  text(to, 1, value.name);
  if (value.type.kind != TypeKind::None) {
    message(to, 2, [&](pbf_writer &inner) { type(inner, value.type); });
  }
  text(to, 3, value.docString);
  properties(to, 4, value.metadata);
}

void Writer::attribute(pbf_writer &to, const Attribute &attribute) const {
  const auto writeTensor = [&](pbf_writer &inner, const Tensor &entry) {
    tensor(inner, entry);
  };
  const auto writeGraph = [&](pbf_writer &inner, const Graph &entry) {
    graph(inner, entry);
  };
  const auto writeType = [&](pbf_writer &inner, const Type &entry) {
    type(inner, entry);
  };
  text(to, 1, attribute.name);
  text(to, 21, attribute.refAttrName);
  if (attribute.type != AttributeType::Undefined) {
    to.add_int32(20, static_cast<int32_t>(attribute.type));
  }
  if (!attribute.refAttrName.empty()) {
    return;
  }
  switch (attribute.type) {
  case AttributeType::Float:
    to.add_float(2, attribute.f);
    break;
  case AttributeType::Int:
    to.add_int64(3, attribute.i);
    break;
  case AttributeType::String:
    to.add_bytes(4, attribute.s);
    break;
  case AttributeType::Tensor:
    each(to, 5, attribute.tensors, writeTensor);
    break;
  case AttributeType::Graph:
    each(to, 6, attribute.graphs, writeGraph);
    break;
  case AttributeType::TypeProto:
    each(to, 14, attribute.types, writeType);
    break;
  case AttributeType::Floats:
    to.add_packed_float(7, attribute.floats.begin(), attribute.floats.end());
    break;
  case AttributeType::Ints:
    to.add_packed_int64(8, attribute.ints.begin(), attribute.ints.end());
    break;
  case AttributeType::Strings:
    strings(to, 9, attribute.strings);
    break;
  case AttributeType::Tensors:
    each(to, 10, attribute.tensors, writeTensor);
    break;
  case AttributeType::Graphs:
    each(to, 11, attribute.graphs, writeGraph);
    break;
  case AttributeType::TypeProtos:
    each(to, 15, attribute.types, writeType);
    break;
  default:
    break;
  }
}

void Writer::node(pbf_writer &to, const Node &node) const {
  strings(to, 1, node.inputs);
  strings(to, 2, node.outputs);
  text(to, 3, node.name);
  text(to, 4, node.opType);
  text(to, 7, node.domain);
  text(to, 8, node.overload);
  each(to, 5, node.attributes, [&](pbf_writer &inner, const Attribute &entry) {
    attribute(inner, entry);
  });
  text(to, 6, node.docString);
  properties(to, 9, node.metadata);
}

void Writer::graph(pbf_writer &to, const Graph &graph) const {
  const auto writeValue = [&](pbf_writer &inner, const ValueInfo &entry) {
    value(inner, entry);
  };
  each(to, 1, graph.nodes,
       [&](pbf_writer &inner, const Node &entry) { node(inner, entry); });
  text(to, 2, graph.name);
  each(to, 5, graph.initializers,
       [&](pbf_writer &inner, const Tensor &entry) { tensor(inner, entry); });
  text(to, 10, graph.docString);
  each(to, 11, graph.inputs, writeValue);
  each(to, 12, graph.outputs, writeValue);
  each(to, 13, graph.valueInfos, writeValue);
  properties(to, 16, graph.metadata);
}

void Writer::function(pbf_writer &to, const Function &function) const {
  text(to, 1, function.name);
  strings(to, 4, function.inputs);
  strings(to, 5, function.outputs);
  strings(to, 6, function.attributes);
  each(to, 7, function.nodes,
       [&](pbf_writer &inner, const Node &entry) { node(inner, entry); });
  text(to, 8, function.docString);
  opsets(to, 9, function.opsetImports);
  text(to, 10, function.domain);
  each(to, 11, function.attributeDefaults,
       [&](pbf_writer &inner, const Attribute &entry) {
         attribute(inner, entry);
       });
  each(to, 12, function.valueInfos,
       [&](pbf_writer &inner, const ValueInfo &entry) { value(inner, entry); });
  text(to, 13, function.overload);
  properties(to, 14, function.metadata);
}

void Writer::model(pbf_writer &to, const Model &model) const {
  to.add_int64(1, model.irVersion);
  opsets(to, 8, model.opsetImports);
  text(to, 2, model.producerName);
  text(to, 3, model.producerVersion);
  text(to, 4, model.domain);
  if (model.modelVersion != 0) {
    to.add_int64(5, model.modelVersion);
  }
  text(to, 6, model.docString);
  message(to, 7, [&](pbf_writer &inner) { graph(inner, model.graph); });
  properties(to, 14, model.metadata);
  each(to, 25, model.functions, [&](pbf_writer &inner, const Function &entry) {
    function(inner, entry);
  });
}

} // namespace

std::string writeModel(const Model &model, const WriteOptions &options) {
  std::string bytes;
  pbf_writer writer(bytes);
  Writer(model.files, options).model(writer, model);
  return bytes;
}

std::string writeTensor(const Tensor &tensor, std::span<const SourceFile> files,
                        const WriteOptions &options) {
  std::string bytes;
  pbf_writer writer(bytes);
  Writer(files, options).tensor(writer, tensor);
  return bytes;
}

} // namespace spyre::onnxfile::text
