// SPDX-License-Identifier: Apache-2.0
//
// A model as text. Written so that what it prints reads back as the same
// model, whatever its names are.

#include "OnnxText.h"
#include "Parser.h"
#include "Values.h"

#include "spyre/Support/Quote.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace spyre::onnxfile::text {
namespace {

std::string quoted(std::string_view text) {
  return quote(text, std::string_view::npos - 1);
}

bool isIdentifier(std::string_view name) {
  const auto isWord = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '_');
  };
  return !name.empty() &&
         std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), isWord) && name != "inf" &&
         name != "nan" && name != "_";
}

std::string nameText(std::string_view name) {
  return isIdentifier(name) && !isReserved(name) ? std::string(name)
                                                 : quoted(name);
}

class Printer {
public:
  Printer(std::span<const SourceFile> files, const PrintOptions &options)
      : files(files), options(options) {}

  void model(const Model &model);
  std::string take() { return std::move(out); }

private:
  void function(const Function &function);
  void graph(const Graph &graph);
  void nodes(const std::vector<Node> &list);
  void node(const Node &node);
  void operatorName(const Node &node);
  void attribute(const Attribute &attribute);
  void attributeValue(const Attribute &attribute);

  void type(const Type &type);
  void value(const ValueInfo &value);
  void tensorType(const Tensor &tensor);
  void tensorData(const Tensor &tensor);
  void properties(const std::vector<Property> &list);
  void opsets(const std::vector<OpsetImport> &list);
  void annotations(const std::vector<Property> &metadata,
                   const std::string &docString);

  void newline() {
    out += '\n' + std::string(2 * static_cast<size_t>(depth), ' ');
  }
  /// The items with commas between them.
  template <typename Items, typename Item>
  void list(const Items &items, const Item &item) {
    bool isFirst = true;
    for (const auto &entry : items) {
      out += isFirst ? "" : ", ";
      isFirst = false;
      item(entry);
    }
  }
  void names(const std::vector<std::string> &list) {
    this->list(list, [&](const std::string &name) { out += nameText(name); });
  }

  std::span<const SourceFile> files;
  const PrintOptions &options;
  std::string out;
  int depth = 0;
};

void Printer::properties(const std::vector<Property> &entries) {
  out += '[';
  list(entries, [&](const Property &entry) {
    out += quoted(entry.key) + " : " + quoted(entry.value);
  });
  out += ']';
}

void Printer::opsets(const std::vector<OpsetImport> &entries) {
  out += '[';
  list(entries, [&](const OpsetImport &entry) {
    out += fmt::format("{} : {}", quoted(entry.domain), entry.version);
  });
  out += ']';
}

void Printer::annotations(const std::vector<Property> &metadata,
                          const std::string &docString) {
  if (!metadata.empty()) {
    out += " @meta ";
    properties(metadata);
  }
  if (!docString.empty()) {
    out += " @doc " + quoted(docString);
  }
}

void Printer::type(const Type &type) {
  const auto element = [&](std::string_view word) {
    out += word;
    out += '(';
    if (type.kind == TypeKind::Map) {
      out += toString(type.elemType);
      out += ", ";
    }
    this->type(type.element.front());
    out += ')';
  };
  switch (type.kind) {
  case TypeKind::None:
    out += '_';
    return;
  case TypeKind::Opaque:
    out += "opaque";
    return;
  case TypeKind::Sequence:
    return element("seq");
  case TypeKind::Optional:
    return element("optional");
  case TypeKind::Map:
    return element("map");
  case TypeKind::SparseTensor:
    out += "sparse ";
    break;
  case TypeKind::Tensor:
    break;
  }
  out += toString(type.elemType);
  if (!type.hasShape) {
    return;
  }
  out += '[';
  list(type.dims, [&](const Dim &dim) {
    out += dim.kind == Dim::Kind::Value   ? fmt::to_string(dim.value)
           : dim.kind == Dim::Kind::Param ? nameText(dim.param)
                                          : "?";
  });
  out += ']';
}

void Printer::value(const ValueInfo &value) {
  type(value.type);
  out += ' ' + nameText(value.name);
  annotations(value.metadata, value.docString);
}

void Printer::tensorType(const Tensor &tensor) {
  out += toString(tensor.dataType);
  out += fmt::format("[{}]", fmt::join(tensor.dims, ","));
}

void Printer::tensorData(const Tensor &tensor) {
  if (tensor.storage == Storage::External) {
    out += "external ";
    properties(tensor.externalData);
    return;
  }
  const std::span<const std::byte> data = dataOf(tensor, files);
  const bool isString = tensor.dataType == DataType::String;
  const int64_t count = numElements(tensor.dims).value_or(0);
  if (tensor.storage == Storage::Typed) {
    if (data.empty() && tensor.strings.empty()) {
      out += "none";
      return;
    }
    out += isString ? "" : "typed ";
  }
  if (count > options.maxElements) {
    out += "...";
    return;
  }
  out += '{';
  if (isString) {
    list(tensor.strings, [&](const std::string &text) { out += quoted(text); });
  } else {
    const DataType component = componentType(tensor.dataType);
    for (int64_t i = 0; i < count * numComponents(tensor.dataType); ++i) {
      out += i == 0 ? "" : ", ";
      out += printValue(bitsAt(data, i, bitWidth(component)), component);
    }
  }
  out += '}';
}

void Printer::attributeValue(const Attribute &attribute) {
  const auto tensor = [&](const Tensor &tensor) {
    tensorType(tensor);
    out += ' ';
    if (!tensor.name.empty()) {
      out += nameText(tensor.name) + " = ";
    }
    tensorData(tensor);
    annotations(tensor.metadata, tensor.docString);
  };
  const auto subgraph = [&](const Graph &graph) { this->graph(graph); };
  const auto typeProto = [&](const Type &type) {
    out += "type ";
    this->type(type);
  };
  const auto bracketed = [&](const auto &items, const auto &item) {
    out += '[';
    list(items, item);
    out += ']';
  };
  switch (attribute.type) {
  case AttributeType::Float:
    out += printFloat(attribute.f, true);
    break;
  case AttributeType::Int:
    out += fmt::to_string(attribute.i);
    break;
  case AttributeType::String:
    out += quoted(attribute.s);
    break;
  case AttributeType::Tensor:
    tensor(attribute.tensors.front());
    break;
  case AttributeType::Graph:
    subgraph(attribute.graphs.front());
    break;
  case AttributeType::TypeProto:
    typeProto(attribute.types.front());
    break;
  case AttributeType::Floats:
    bracketed(attribute.floats, [&](float f) { out += printFloat(f, true); });
    break;
  case AttributeType::Ints:
    bracketed(attribute.ints, [&](int64_t i) { out += fmt::to_string(i); });
    break;
  case AttributeType::Strings:
    bracketed(attribute.strings,
              [&](const std::string &s) { out += quoted(s); });
    break;
  case AttributeType::Tensors:
    bracketed(attribute.tensors, tensor);
    break;
  case AttributeType::Graphs:
    bracketed(attribute.graphs, subgraph);
    break;
  case AttributeType::TypeProtos:
    bracketed(attribute.types, typeProto);
    break;
  default:
    break;
  }
}

void Printer::attribute(const Attribute &attribute) {
  out += nameText(attribute.name);
  const bool isReference = !attribute.refAttrName.empty();
  const bool isEmptyList = attribute.floats.empty() && attribute.ints.empty() &&
                           attribute.strings.empty() &&
                           attribute.tensors.empty() &&
                           attribute.graphs.empty() && attribute.types.empty();
  const bool isList = attribute.type >= AttributeType::Floats &&
                      attribute.type != AttributeType::TypeProto;
  const bool statesType = attribute.type != AttributeType::Undefined &&
                          (isReference || (isList && isEmptyList));
  if (statesType) {
    out += ": ";
    out += toString(attribute.type);
  }
  out += " = ";
  if (isReference) {
    out += '@' + nameText(attribute.refAttrName);
  } else {
    attributeValue(attribute);
  }
}

void Printer::operatorName(const Node &node) {
  std::string_view domain = node.domain;
  while (!domain.empty()) {
    const size_t dot = domain.find('.');
    out += nameText(domain.substr(0, dot)) + '.';
    domain = dot == std::string_view::npos ? "" : domain.substr(dot + 1);
  }
  out += nameText(node.opType);
  if (!node.overload.empty()) {
    out += ':' + nameText(node.overload);
  }
}

void Printer::node(const Node &node) {
  if (!node.name.empty()) {
    out += '[' + nameText(node.name) + "] ";
  }
  names(node.outputs);
  out += " = ";
  operatorName(node);
  if (!node.attributes.empty()) {
    out += '<';
    list(node.attributes,
         [&](const Attribute &entry) { this->attribute(entry); });
    out += '>';
  }
  out += '(';
  names(node.inputs);
  out += ')';
  annotations(node.metadata, node.docString);
}

void Printer::nodes(const std::vector<Node> &entries) {
  out += '{';
  ++depth;
  for (const Node &entry : entries) {
    newline();
    node(entry);
  }
  --depth;
  newline();
  out += '}';
}

void Printer::graph(const Graph &graph) {
  out += "graph ";
  if (!graph.name.empty()) {
    out += nameText(graph.name) + ' ';
  }
  out += '(';
  list(graph.inputs, [&](const ValueInfo &entry) { value(entry); });
  out += ") => (";
  list(graph.outputs, [&](const ValueInfo &entry) { value(entry); });
  out += ')';
  ++depth;
  std::string_view before = " <";
  const auto separate = [&] {
    out += before;
    before = ",";
    newline();
  };
  for (const Tensor &tensor : graph.initializers) {
    separate();
    tensorType(tensor);
    out += ' ' + nameText(tensor.name) + " = ";
    tensorData(tensor);
    annotations(tensor.metadata, tensor.docString);
  }
  for (const ValueInfo &entry : graph.valueInfos) {
    separate();
    value(entry);
  }
  --depth;
  if (!graph.initializers.empty() || !graph.valueInfos.empty()) {
    newline();
    out += '>';
  }
  out += ' ';
  nodes(graph.nodes);
  annotations(graph.metadata, graph.docString);
}

void Printer::function(const Function &function) {
  out += "function <domain: " + quoted(function.domain) + ", opset_import: ";
  opsets(function.opsetImports);
  out += "> " + nameText(function.name);
  if (!function.overload.empty()) {
    out += ':' + nameText(function.overload);
  }
  if (!function.attributes.empty() || !function.attributeDefaults.empty()) {
    out += '<';
    names(function.attributes);
    out += !function.attributes.empty() && !function.attributeDefaults.empty()
               ? ", "
               : "";
    list(function.attributeDefaults,
         [&](const Attribute &entry) { attribute(entry); });
    out += '>';
  }
  out += '(';
  names(function.inputs);
  out += ") => (";
  names(function.outputs);
  out += ") ";
  if (!function.valueInfos.empty()) {
    out += '<';
    list(function.valueInfos, [&](const ValueInfo &entry) { value(entry); });
    out += "> ";
  }
  nodes(function.nodes);
  annotations(function.metadata, function.docString);
  out += '\n';
}

void Printer::model(const Model &model) {
  out += fmt::format("<ir_version: {}, opset_import: ", model.irVersion);
  opsets(model.opsetImports);
  const auto text = [&](std::string_view key, const std::string &value) {
    if (!value.empty()) {
      out += fmt::format(",\n {}: {}", key, quoted(value));
    }
  };
  text("producer_name", model.producerName);
  text("producer_version", model.producerVersion);
  text("domain", model.domain);
  if (model.modelVersion != 0) {
    out += fmt::format(",\n model_version: {}", model.modelVersion);
  }
  text("doc_string", model.docString);
  if (!model.metadata.empty()) {
    out += ",\n metadata_props: ";
    properties(model.metadata);
  }
  out += ">\n";
  graph(model.graph);
  out += '\n';
  for (const Function &entry : model.functions) {
    function(entry);
  }
}

} // namespace

std::string printModel(const Model &model, const PrintOptions &options) {
  Printer printer(model.files, options);
  printer.model(model);
  return printer.take();
}

} // namespace spyre::onnxfile::text
