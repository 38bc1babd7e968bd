// SPDX-License-Identifier: Apache-2.0
//
// GraphProto, NodeProto and AttributeProto.

#include "Decode.h"
#include "Fields.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <fmt/format.h>

namespace spyre::onnxfile {
namespace {

/// The types whose field stands in a message, as bits.
class TypesFound {
public:
  void add(AttributeType type) { bits |= 1U << static_cast<unsigned>(type); }
  /// The only type found; Undefined if there are several or none.
  AttributeType only() const {
    for (int i = 1; i < kNumAttributeTypes; ++i) {
      if (bits == 1U << static_cast<unsigned>(i)) {
        return static_cast<AttributeType>(i);
      }
    }
    return AttributeType::Undefined;
  }
  bool none() const { return bits == 0; }

private:
  unsigned bits = 0;
};

AttributeType attributeType(int64_t number) {
  if (number < 0 || number >= kNumAttributeTypes) {
    fail(ErrorCode::OnnxUnsupported,
         fmt::format("the attribute type {} is unknown", number));
  }
  return static_cast<AttributeType>(number);
}

void refuseSparse(AttributeType type) {
  if (type == AttributeType::SparseTensor ||
      type == AttributeType::SparseTensors) {
    fail(ErrorCode::OnnxUnsupported, "sparse tensors are not supported");
  }
}

void appendFloats(std::string_view elements, std::vector<float> &values) {
  for (size_t i = 0; i < elements.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, elements.data() + i, sizeof(value));
    values.push_back(value);
  }
}

/// Settles the attribute's type from what it states and what stands there.
void settleType(Attribute &attribute, TypesFound found) {
  refuseSparse(attribute.type);
  refuseSparse(found.only());
  if (!attribute.refAttrName.empty()) {
    if (!found.none()) {
      fail(ErrorCode::OnnxMalformed,
           "it refers to an attribute of its function and has a value too");
    }
    return;
  }
  if (attribute.type == AttributeType::Undefined) {
    // Models of IR version 1 state no types.
    attribute.type = found.only();
  }
  if (attribute.type == AttributeType::Undefined) {
    fail(ErrorCode::OnnxMalformed,
         found.none() ? "it has neither a type nor a value"
                      : "it has no type but values of several");
  }
  // A writer may leave out a zero, an empty string or an empty list.
  if (!found.none() && found.only() != attribute.type) {
    fail(ErrorCode::OnnxMalformed,
         fmt::format("its type is {}, it has a value of another type",
                     toString(attribute.type)));
  }
  const bool isMissing =
      (attribute.type == AttributeType::Tensor && attribute.tensors.empty()) ||
      (attribute.type == AttributeType::Graph && attribute.graphs.empty()) ||
      (attribute.type == AttributeType::TypeProto && attribute.types.empty());
  if (isMissing) {
    fail(ErrorCode::OnnxMalformed,
         fmt::format("its type is {}, it has no value",
                     toString(attribute.type)));
  }
  const bool isTwice =
      (attribute.type == AttributeType::Tensor &&
       attribute.tensors.size() > 1) ||
      (attribute.type == AttributeType::Graph && attribute.graphs.size() > 1) ||
      (attribute.type == AttributeType::TypeProto &&
       attribute.types.size() > 1);
  if (isTwice) {
    fail(ErrorCode::OnnxMalformed,
         fmt::format("its type is {}, it has several values",
                     toString(attribute.type)));
  }
}

} // namespace

Attribute Decoder::attribute(MessageReader reader, int depth) {
  Attribute result;
  TypesFound found;
  const auto decodeFields = [&] {
    while (reader.next()) {
      switch (reader.field()) {
      case field::Attribute::Name:
        result.name = reader.name();
        break;
      case field::Attribute::RefAttrName:
        result.refAttrName = reader.name();
        break;
      case field::Attribute::DocString:
        result.docString = reader.text();
        break;
      case field::Attribute::Type:
        result.type = attributeType(reader.int64());
        break;
      case field::Attribute::F:
        found.add(AttributeType::Float);
        result.f = reader.float32();
        break;
      case field::Attribute::I:
        found.add(AttributeType::Int);
        result.i = reader.int64();
        break;
      case field::Attribute::S:
        found.add(AttributeType::String);
        result.s = reader.bytes();
        break;
      case field::Attribute::T:
        found.add(AttributeType::Tensor);
        append(result.tensors, tensor(reader.message()));
        break;
      case field::Attribute::G:
        found.add(AttributeType::Graph);
        append(result.graphs, graph(reader.message(), depth));
        break;
      case field::Attribute::Tp:
        found.add(AttributeType::TypeProto);
        append(result.types, type(reader.message(), 0));
        break;
      case field::Attribute::Floats:
        found.add(AttributeType::Floats);
        appendFloats(reader.fixedElements(sizeof(float)), result.floats);
        break;
      case field::Attribute::Ints:
        found.add(AttributeType::Ints);
        reader.forEachInt([&](uint64_t value) {
          result.ints.push_back(static_cast<int64_t>(value));
        });
        break;
      case field::Attribute::Strings:
        found.add(AttributeType::Strings);
        append(result.strings, std::string(reader.bytes()));
        break;
      case field::Attribute::Tensors:
        found.add(AttributeType::Tensors);
        append(result.tensors, tensor(reader.message()));
        break;
      case field::Attribute::Graphs:
        found.add(AttributeType::Graphs);
        append(result.graphs, graph(reader.message(), depth));
        break;
      case field::Attribute::TypeProtos:
        found.add(AttributeType::TypeProtos);
        append(result.types, type(reader.message(), 0));
        break;
      case field::Attribute::SparseTensor:
        found.add(AttributeType::SparseTensor);
        break;
      case field::Attribute::SparseTensors:
        found.add(AttributeType::SparseTensors);
        break;
      default:
        break;
      }
    }
    settleType(result, found);
  };
  within([&] { return "attribute " + quote(result.name); }, decodeFields);
  return result;
}

Node Decoder::node(MessageReader reader, int depth, int64_t index) {
  Node result;
  result.index = index;
  const auto decodeFields = [&] {
    while (reader.next()) {
      switch (reader.field()) {
      case field::Node::Input:
        append(result.inputs, reader.name());
        break;
      case field::Node::Output:
        append(result.outputs, reader.name());
        break;
      case field::Node::Name:
        result.name = reader.name();
        break;
      case field::Node::OpType:
        result.opType = reader.name();
        break;
      case field::Node::Domain:
        result.domain = normalizedDomain(reader.name());
        break;
      case field::Node::Overload:
        result.overload = reader.name();
        break;
      case field::Node::Attribute:
        append(result.attributes, attribute(reader.message(), depth));
        break;
      case field::Node::DocString:
        result.docString = reader.text();
        break;
      case field::Node::MetadataProps:
        append(result.metadata, property(reader.message()));
        break;
      default:
        break;
      }
    }
    if (result.opType.empty()) {
      fail(ErrorCode::OnnxMalformed, "it names no operator");
    }
  };
  within([&] { return describe(result); }, decodeFields);
  return result;
}

Graph Decoder::graph(MessageReader reader, int depth) {
  if (depth >= kMaxGraphDepth) {
    fail(ErrorCode::OnnxLimit,
         fmt::format("graphs stand more than {} deep in each other",
                     kMaxGraphDepth));
  }
  Graph result;
  const auto decodeFields = [&] {
    while (reader.next()) {
      switch (reader.field()) {
      case field::Graph::Node:
        append(result.nodes, node(reader.message(), depth + 1,
                                  static_cast<int64_t>(result.nodes.size())));
        break;
      case field::Graph::Name:
        result.name = reader.name();
        break;
      case field::Graph::Initializer:
        append(result.initializers, tensor(reader.message()));
        break;
      case field::Graph::SparseInitializer:
        fail(ErrorCode::OnnxUnsupported,
             "sparse initializers are not supported");
      case field::Graph::Input:
        append(result.inputs, valueInfo(reader.message()));
        break;
      case field::Graph::Output:
        append(result.outputs, valueInfo(reader.message()));
        break;
      case field::Graph::ValueInfo:
        append(result.valueInfos, valueInfo(reader.message()));
        break;
      case field::Graph::DocString:
        result.docString = reader.text();
        break;
      case field::Graph::MetadataProps:
        append(result.metadata, property(reader.message()));
        break;
      default:
        break;
      }
    }
  };
  within([&] { return "graph " + quote(result.name); }, decodeFields);
  return result;
}

} // namespace spyre::onnxfile
