// SPDX-License-Identifier: Apache-2.0
//
// Models, functions, graphs, nodes and attributes.

#include "Parser.h"
#include "OnnxText.h"
#include "Values.h"

#include "spyre/Support/Quote.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::onnxfile::text {
namespace {

/// Whether a number's text reads as a float where nothing states its type.
bool looksLikeFloat(std::string_view text) {
  return !text.starts_with("0x") &&
         text.find_first_of(".en") != std::string_view::npos;
}

/// The list type whose items have this type.
AttributeType listOf(AttributeType item) {
  switch (item) {
  case AttributeType::Float:
    return AttributeType::Floats;
  case AttributeType::Int:
    return AttributeType::Ints;
  case AttributeType::String:
    return AttributeType::Strings;
  case AttributeType::Tensor:
    return AttributeType::Tensors;
  case AttributeType::Graph:
    return AttributeType::Graphs;
  case AttributeType::TypeProto:
    return AttributeType::TypeProtos;
  default:
    return AttributeType::Undefined;
  }
}

} // namespace

void Parser::header(Model &model) {
  lexer.expect("<");
  list(">", [&] {
    const std::string key = name();
    lexer.expect(":");
    if (key == "ir_version") {
      model.irVersion = integer();
    } else if (key == "model_version") {
      model.modelVersion = integer();
    } else if (key == "opset_import") {
      model.opsetImports = opsets();
    } else if (key == "producer_name") {
      model.producerName = string();
    } else if (key == "producer_version") {
      model.producerVersion = string();
    } else if (key == "domain") {
      model.domain = string();
    } else if (key == "doc_string") {
      model.docString = string();
    } else if (key == "metadata_props") {
      model.metadata = properties();
    } else {
      lexer.fail("unknown key " + quote(key));
    }
  });
}

Model Parser::model() {
  Model result;
  header(result);
  result.graph = graph();
  while (lexer.acceptWord("function")) {
    result.functions.push_back(function());
  }
  return result;
}

Function Parser::function() {
  Function result;
  if (lexer.accept("<")) {
    list(">", [&] {
      const std::string key = name();
      lexer.expect(":");
      if (key == "domain") {
        result.domain = string();
      } else if (key == "opset_import") {
        result.opsetImports = opsets();
      } else {
        lexer.fail("unknown key " + quote(key));
      }
    });
  }
  result.name = name();
  if (lexer.accept(":")) {
    result.overload = name();
  }
  if (lexer.accept("<")) {
    list(">", [&] {
      Attribute parameter = attribute();
      if (parameter.type == AttributeType::Undefined) {
        result.attributes.push_back(std::move(parameter.name));
      } else {
        result.attributeDefaults.push_back(std::move(parameter));
      }
    });
  }
  lexer.expect("(");
  list(")", [&] { result.inputs.push_back(name()); });
  lexer.expect("=>");
  lexer.expect("(");
  list(")", [&] { result.outputs.push_back(name()); });
  if (lexer.accept("<")) {
    list(">", [&] {
      Tensor tensor;
      if (valueOrTensor(result.valueInfos.emplace_back(), tensor)) {
        lexer.fail("a function has no initializers");
      }
    });
  }
  nodes(result.nodes);
  annotations(result.metadata, result.docString);
  return result;
}

Graph Parser::graph() {
  Graph result;
  if (!lexer.acceptWord("graph")) {
    lexer.fail("expected a graph");
  }
  if (lexer.peek().kind != TokenKind::Punctuation) {
    result.name = name();
  }
  lexer.expect("(");
  list(")", [&] {
    Tensor tensor;
    if (valueOrTensor(result.inputs.emplace_back(), tensor)) {
      result.initializers.push_back(std::move(tensor));
    }
  });
  lexer.expect("=>");
  lexer.expect("(");
  list(")", [&] {
    Tensor tensor;
    if (valueOrTensor(result.outputs.emplace_back(), tensor)) {
      lexer.fail("an output has no data");
    }
  });
  if (lexer.accept("<")) {
    list(">", [&] {
      ValueInfo value;
      Tensor tensor;
      if (valueOrTensor(value, tensor)) {
        result.initializers.push_back(std::move(tensor));
      } else {
        result.valueInfos.push_back(std::move(value));
      }
    });
  }
  nodes(result.nodes);
  annotations(result.metadata, result.docString);
  return result;
}

void Parser::nodes(std::vector<Node> &list) {
  lexer.expect("{");
  while (!lexer.accept("}")) {
    list.push_back(node());
    list.back().index = static_cast<int64_t>(list.size()) - 1;
  }
}

void Parser::operatorName(Node &node) {
  node.opType = name();
  while (lexer.accept(".")) {
    node.domain += (node.domain.empty() ? "" : ".") + node.opType;
    node.opType = name();
  }
  if (lexer.accept(":")) {
    node.overload = name();
  }
}

Node Parser::node() {
  Node result;
  if (lexer.accept("[")) {
    result.name = name();
    lexer.expect("]");
  }
  list("=", [&] { result.outputs.push_back(name()); });
  operatorName(result);
  if (lexer.accept("<")) {
    list(">", [&] { result.attributes.push_back(attribute()); });
  }
  lexer.expect("(");
  list(")", [&] { result.inputs.push_back(name()); });
  annotations(result.metadata, result.docString);
  return result;
}

Attribute Parser::attribute() {
  Attribute result;
  result.name = name();
  if (lexer.accept(":")) {
    const std::optional<AttributeType> stated = parseAttributeType(name());
    if (!stated) {
      lexer.fail("unknown attribute type");
    }
    result.type = *stated;
  }
  if (!lexer.accept("=")) {
    // The parameter of a function, without a default; its type is a comment.
    result.type = AttributeType::Undefined;
    return result;
  }
  if (lexer.accept("@")) {
    result.refAttrName = name();
  } else if (lexer.accept("[")) {
    attributeList(result);
  } else {
    attributeItem(result);
    if (listOf(result.type) == AttributeType::Undefined) {
      lexer.fail("a list stands in brackets");
    }
  }
  return result;
}

void Parser::attributeItem(Attribute &attribute) {
  const auto settle = [&](AttributeType type) {
    if (attribute.type == AttributeType::Undefined) {
      attribute.type = type;
    }
    if (attribute.type != type && attribute.type != listOf(type)) {
      lexer.fail(fmt::format("a {} where a {} should be", toString(type),
                             toString(attribute.type)));
    }
  };
  const Token &token = lexer.peek();
  if (token.kind == TokenKind::String) {
    settle(AttributeType::String);
    attribute.s = lexer.take().text;
  } else if (token.kind == TokenKind::Number) {
    const bool isFloat = attribute.type == AttributeType::Undefined
                             ? looksLikeFloat(token.text)
                             : attribute.type == AttributeType::Float ||
                                   attribute.type == AttributeType::Floats;
    settle(isFloat ? AttributeType::Float : AttributeType::Int);
    if (isFloat) {
      attribute.f = static_cast<float>(number());
    } else {
      attribute.i = integer();
    }
  } else if (token.text == "graph") {
    settle(AttributeType::Graph);
    attribute.graphs.push_back(graph());
  } else if (lexer.acceptWord("type")) {
    settle(AttributeType::TypeProto);
    attribute.types.push_back(type());
  } else {
    settle(AttributeType::Tensor);
    Tensor tensor;
    tensorHead(tensor, type());
    const Token &next = lexer.peek();
    if (next.kind == TokenKind::String ||
        (next.kind == TokenKind::Identifier && !isReserved(next.text))) {
      tensor.name = name();
      lexer.expect("=");
    }
    tensorData(tensor);
    annotations(tensor.metadata, tensor.docString);
    attribute.tensors.push_back(std::move(tensor));
  }
}

void Parser::attributeList(Attribute &attribute) {
  const bool isStated = attribute.type != AttributeType::Undefined;
  list("]", [&] {
    attributeItem(attribute);
    if (attribute.type == AttributeType::Float) {
      attribute.type = AttributeType::Floats;
    } else if (attribute.type == AttributeType::Int) {
      attribute.type = AttributeType::Ints;
    }
    switch (attribute.type) {
    case AttributeType::Floats:
      attribute.floats.push_back(attribute.f);
      break;
    case AttributeType::Ints:
      attribute.ints.push_back(attribute.i);
      break;
    case AttributeType::String:
    case AttributeType::Strings:
      attribute.strings.push_back(std::move(attribute.s));
      break;
    default:
      break;
    }
  });
  if (!isStated) {
    if (attribute.type == AttributeType::Undefined) {
      lexer.fail("state the type of an empty list, as in axes: ints = []");
    }
    const AttributeType whole = listOf(attribute.type);
    attribute.type = whole == AttributeType::Undefined ? attribute.type : whole;
  }
  attribute.f = 0;
  attribute.i = 0;
  attribute.s.clear();
}

namespace {

/// Runs the parser; its error becomes that of an Expected.
template <typename Parse>
auto parseAll(std::string_view text, const std::string &origin,
              std::vector<SourceFile> &files, const Parse &parse)
    -> Expected<decltype(parse(std::declval<Parser &>()))> {
  try {
    Parser parser(text);
    auto result = parse(parser);
    parser.end();
    const auto bytes =
        std::make_shared<const std::vector<std::byte>>(parser.takeBytes());
    files = {SourceFile{origin, *bytes, bytes}};
    return result;
  } catch (const TextError &error) {
    return makeError(ErrorCode::InvalidInput,
                     fmt::format("{}:{}:{}", origin, error.line, error.column),
                     error.message);
  }
}

} // namespace

Expected<Model> parseModelText(std::string_view text,
                               const std::string &origin) {
  std::vector<SourceFile> files;
  Expected<Model> model = parseAll(
      text, origin, files, [](Parser &parser) { return parser.model(); });
  if (model) {
    model->files = std::move(files);
  }
  return model;
}

Expected<TextTensor> parseTensorText(std::string_view text,
                                     const std::string &origin) {
  TextTensor result;
  Expected<Tensor> tensor =
      parseAll(text, origin, result.files,
               [](Parser &parser) { return parser.namedTensor(); });
  if (!tensor) {
    return tl::unexpected<Error>(std::move(tensor.error()));
  }
  result.tensor = std::move(*tensor);
  return result;
}

} // namespace spyre::onnxfile::text
