// SPDX-License-Identifier: Apache-2.0
//
// Names, properties, types and tensors.

#include "Parser.h"
#include "Values.h"

#include "spyre/Support/Quote.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spyre::onnxfile::text {
namespace {

constexpr std::array<std::string_view, 13> kReserved = {
    "graph", "function", "type",     "typed", "fill", "arange", "raw",
    "none",  "external", "optional", "seq",   "map",  "sparse"};

/// More elements in one `fill` or `arange` than any test wants.
constexpr int64_t kMaxGenerated = int64_t{1} << 28;

} // namespace

bool isReserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) !=
             kReserved.end() ||
         parseDataType(word).has_value();
}

std::string Parser::name() {
  const TokenKind kind = lexer.peek().kind;
  if (kind != TokenKind::Identifier && kind != TokenKind::String) {
    lexer.fail("expected a name, found " + quote(lexer.peek().text));
  }
  return lexer.take().text;
}

std::string Parser::string() {
  if (lexer.peek().kind != TokenKind::String) {
    lexer.fail("expected a string, found " + quote(lexer.peek().text));
  }
  return lexer.take().text;
}

int64_t Parser::integer() {
  const std::string &text = lexer.peek().text;
  int64_t value = 0;
  const char *end = text.data() + text.size();
  if (lexer.peek().kind != TokenKind::Number ||
      std::from_chars(text.data(), end, value).ptr != end) {
    lexer.fail("expected an integer, found " + quote(text));
  }
  lexer.take();
  return value;
}

double Parser::number() {
  const std::optional<uint64_t> bits =
      lexer.peek().kind == TokenKind::Number
          ? parseValue(lexer.peek().text, DataType::Double)
          : std::nullopt;
  if (!bits) {
    lexer.fail("expected a number, found " + quote(lexer.peek().text));
  }
  lexer.take();
  return std::bit_cast<double>(*bits);
}

std::vector<Property> Parser::properties() {
  std::vector<Property> result;
  lexer.expect("[");
  list("]", [&] {
    Property entry;
    entry.key = string();
    lexer.expect(":");
    entry.value = string();
    result.push_back(std::move(entry));
  });
  return result;
}

std::vector<OpsetImport> Parser::opsets() {
  std::vector<OpsetImport> result;
  lexer.expect("[");
  list("]", [&] {
    OpsetImport import;
    import.domain = string();
    lexer.expect(":");
    import.version = integer();
    result.push_back(std::move(import));
  });
  return result;
}

void Parser::annotations(std::vector<Property> &metadata,
                         std::string &docString) {
  while (lexer.accept("@")) {
    if (lexer.acceptWord("meta")) {
      metadata = properties();
    } else if (lexer.acceptWord("doc")) {
      docString = string();
    } else {
      lexer.fail("expected meta or doc");
    }
  }
}

Dim Parser::dim() {
  Dim result;
  if (lexer.accept("?")) {
    return result;
  }
  if (lexer.peek().kind == TokenKind::Number) {
    result.kind = Dim::Kind::Value;
    result.value = integer();
    return result;
  }
  result.kind = Dim::Kind::Param;
  result.param = name();
  return result;
}

Type Parser::type() {
  Type result;
  const auto element = [&](TypeKind kind) {
    result.kind = kind;
    lexer.expect("(");
    if (kind == TypeKind::Map) {
      const Type key = type();
      result.elemType = key.elemType;
      lexer.expect(",");
    }
    result.element.push_back(type());
    lexer.expect(")");
    return result;
  };
  if (lexer.acceptWord("_")) {
    return result;
  }
  if (lexer.acceptWord("opaque")) {
    result.kind = TypeKind::Opaque;
    return result;
  }
  if (lexer.acceptWord("seq")) {
    return element(TypeKind::Sequence);
  }
  if (lexer.acceptWord("optional")) {
    return element(TypeKind::Optional);
  }
  if (lexer.acceptWord("map")) {
    return element(TypeKind::Map);
  }
  if (lexer.acceptWord("sparse")) {
    result = type();
    result.kind = TypeKind::SparseTensor;
    return result;
  }
  const std::optional<DataType> elemType =
      lexer.peek().kind == TokenKind::Identifier
          ? parseDataType(lexer.peek().text)
          : std::nullopt;
  if (!elemType) {
    lexer.fail("expected a type, found " + quote(lexer.peek().text));
  }
  lexer.take();
  result.kind = TypeKind::Tensor;
  result.elemType = *elemType;
  if (lexer.accept("[")) {
    result.hasShape = true;
    list("]", [&] { result.dims.push_back(dim()); });
  }
  return result;
}

bool Parser::valueOrTensor(ValueInfo &value, Tensor &tensor) {
  value.type = type();
  value.name = name();
  const bool isTensor = lexer.accept("=");
  if (isTensor) {
    tensorHead(tensor, value.type);
    tensor.name = value.name;
    tensorData(tensor);
  }
  annotations(isTensor ? tensor.metadata : value.metadata,
              isTensor ? tensor.docString : value.docString);
  return isTensor;
}

void Parser::tensorHead(Tensor &tensor, const Type &type) {
  tensor.dataType = type.elemType;
  for (const Dim &dim : type.dims) {
    if (dim.kind != Dim::Kind::Value) {
      lexer.fail("the dims of a tensor are numbers");
    }
    tensor.dims.push_back(dim.value);
  }
  if (type.kind != TypeKind::Tensor || !type.hasShape) {
    lexer.fail("a tensor needs a type with dims, such as float[2,3]");
  }
}

void Parser::braced(Tensor &tensor, std::vector<std::byte> &dense) {
  const DataType component = componentType(tensor.dataType);
  BitWriter writer(dense);
  list("}", [&] {
    if (tensor.dataType == DataType::String) {
      tensor.strings.push_back(string());
      return;
    }
    const std::optional<uint64_t> bits =
        parseValue(lexer.peek().text, component);
    if (!bits) {
      lexer.fail("expected a " + std::string(toString(component)) + ", found " +
                 quote(lexer.peek().text));
    }
    lexer.take();
    writer.append(*bits, bitWidth(component));
  });
}

void Parser::elements(Tensor &tensor, std::vector<std::byte> &dense) {
  if (lexer.accept("{")) {
    braced(tensor, dense);
    return;
  }
  const bool isFill = lexer.acceptWord("fill");
  if (!isFill && !lexer.acceptWord("arange")) {
    lexer.fail("expected the data of a tensor, found " +
               quote(lexer.peek().text));
  }
  const double start = number();
  const double step = isFill ? 0 : number();
  const DataType component = componentType(tensor.dataType);
  const std::optional<int64_t> count = numElements(tensor.dims);
  if (!count || *count > kMaxGenerated) {
    lexer.fail("too many elements to generate");
  }
  BitWriter writer(dense);
  for (int64_t i = 0; i < *count * numComponents(tensor.dataType); ++i) {
    const std::optional<uint64_t> bits =
        valueBits(start + static_cast<double>(i) * step, component);
    if (!bits) {
      lexer.fail("the type cannot hold the generated values");
    }
    writer.append(*bits, bitWidth(component));
  }
}

void Parser::tensorData(Tensor &tensor) {
  if (lexer.acceptWord("none")) {
    tensor.storage = Storage::Typed;
    return;
  }
  if (lexer.acceptWord("external")) {
    tensor.storage = Storage::External;
    tensor.externalData = properties();
    return;
  }
  if (tensor.dataType == DataType::String || lexer.acceptWord("typed")) {
    tensor.storage = Storage::Typed;
    elements(tensor, tensor.owned);
    return;
  }
  tensor.storage = Storage::Raw;
  std::vector<std::byte> dense;
  if (lexer.acceptWord("raw")) {
    const std::string data = string();
    const auto *start = reinterpret_cast<const std::byte *>(data.data());
    dense.assign(start, start + data.size());
  } else {
    elements(tensor, dense);
  }
  tensor.range = {0, static_cast<int64_t>(bytes.size()),
                  static_cast<int64_t>(dense.size())};
  bytes.insert(bytes.end(), dense.begin(), dense.end());
}

Tensor Parser::namedTensor() {
  ValueInfo value;
  Tensor tensor;
  if (!valueOrTensor(value, tensor)) {
    lexer.fail("expected '=' and the data of a tensor");
  }
  return tensor;
}

void Parser::end() {
  if (lexer.peek().kind != TokenKind::End) {
    lexer.fail("expected the end, found " + quote(lexer.peek().text));
  }
}

} // namespace spyre::onnxfile::text
