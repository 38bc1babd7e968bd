// SPDX-License-Identifier: Apache-2.0
//
// ModelProto, FunctionProto and the small messages that all others use.

#include "Decode.h"
#include "Fields.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <fmt/format.h>

namespace spyre::onnxfile {

void Decoder::countPart() {
  if (++numParts > kMaxParts) {
    fail(ErrorCode::OnnxLimit,
         fmt::format("it has more than {} parts (nodes, tensors, names)",
                     kMaxParts));
  }
}

Property Decoder::property(MessageReader reader) {
  Property result;
  while (reader.next()) {
    switch (reader.field()) {
    case field::StringStringEntry::Key:
      result.key = reader.name();
      break;
    case field::StringStringEntry::Value:
      result.value = reader.text();
      break;
    default:
      break;
    }
  }
  return result;
}

OpsetImport Decoder::opsetImport(MessageReader reader) {
  OpsetImport result;
  while (reader.next()) {
    switch (reader.field()) {
    case field::OperatorSetId::Domain:
      result.domain = normalizedDomain(reader.name());
      break;
    case field::OperatorSetId::Version:
      result.version = reader.int64();
      break;
    default:
      break;
    }
  }
  return result;
}

Function Decoder::function(MessageReader reader) {
  Function result;
  while (reader.next()) {
    switch (reader.field()) {
    case field::Function::Name:
      result.name = reader.name();
      break;
    case field::Function::Domain:
      result.domain = normalizedDomain(reader.name());
      break;
    case field::Function::Overload:
      result.overload = reader.name();
      break;
    case field::Function::Input:
      append(result.inputs, reader.name());
      break;
    case field::Function::Output:
      append(result.outputs, reader.name());
      break;
    case field::Function::Attribute:
      append(result.attributes, reader.name());
      break;
    case field::Function::AttributeProto:
      append(result.attributeDefaults, attribute(reader.message(), 1));
      break;
    case field::Function::Node:
      append(result.nodes, node(reader.message(), 1,
                                static_cast<int64_t>(result.nodes.size())));
      break;
    case field::Function::OpsetImport:
      append(result.opsetImports, opsetImport(reader.message()));
      break;
    case field::Function::ValueInfo:
      append(result.valueInfos, valueInfo(reader.message()));
      break;
    case field::Function::DocString:
      result.docString = reader.text();
      break;
    case field::Function::MetadataProps:
      append(result.metadata, property(reader.message()));
      break;
    default:
      break;
    }
  }
  return result;
}

Model Decoder::decodeModel() {
  Model model;
  bool hasGraph = false;
  MessageReader reader = wholeFile();
  while (reader.next()) {
    switch (reader.field()) {
    case field::Model::IrVersion:
      model.irVersion = reader.int64();
      break;
    case field::Model::OpsetImport:
      append(model.opsetImports, opsetImport(reader.message()));
      break;
    case field::Model::ProducerName:
      model.producerName = reader.text();
      break;
    case field::Model::ProducerVersion:
      model.producerVersion = reader.text();
      break;
    case field::Model::Domain:
      model.domain = reader.name();
      break;
    case field::Model::ModelVersion:
      model.modelVersion = reader.int64();
      break;
    case field::Model::DocString:
      model.docString = reader.text();
      break;
    case field::Model::Graph:
      if (hasGraph) {
        fail(ErrorCode::OnnxMalformed, "the model has more than one graph");
      }
      hasGraph = true;
      model.graph = graph(reader.message(), 0);
      break;
    case field::Model::Functions: {
      const auto index = model.functions.size();
      within([&] { return fmt::format("function {}", index); },
             [&] { append(model.functions, function(reader.message())); });
      break;
    }
    case field::Model::MetadataProps:
      append(model.metadata, property(reader.message()));
      break;
    default:
      break;
    }
  }
  if (!hasGraph) {
    fail(ErrorCode::OnnxMalformed, "there is no graph in it");
  }
  return model;
}

Tensor Decoder::decodeTensor() { return tensor(wholeFile()); }

} // namespace spyre::onnxfile
