// SPDX-License-Identifier: Apache-2.0
//
// The recursive-descent parser: one function a part of the notation.

#ifndef SPYRE_TEST_ONNXTEXT_PARSER_H
#define SPYRE_TEST_ONNXTEXT_PARSER_H

#include "Lexer.h"

#include "spyre/OnnxFile/Model.h"

namespace spyre::onnxfile::text {

/// All functions throw TextError.
class Parser {
public:
  explicit Parser(std::string_view text) : lexer(text) {}

  Model model();
  Tensor namedTensor();
  void end();

  /// The bytes that raw tensors refer to as file 0.
  std::vector<std::byte> takeBytes() { return std::move(bytes); }

private:
  // Parser.cpp
  void header(Model &model);
  Function function();
  Graph graph();
  void nodes(std::vector<Node> &list);
  Node node();
  void operatorName(Node &node);
  Attribute attribute();
  void attributeValue(Attribute &attribute);
  void attributeList(Attribute &attribute);
  void attributeItem(Attribute &attribute);

  // ParseParts.cpp
  std::string name();
  std::string string();
  int64_t integer();
  std::vector<Property> properties();
  std::vector<OpsetImport> opsets();
  void annotations(std::vector<Property> &metadata, std::string &docString);
  Type type();
  Dim dim();
  /// A value, or a tensor if data follows its name.
  bool valueOrTensor(ValueInfo &value, Tensor &tensor);
  void tensorHead(Tensor &tensor, const Type &type);
  void tensorData(Tensor &tensor);
  void elements(Tensor &tensor, std::vector<std::byte> &dense);
  void braced(Tensor &tensor, std::vector<std::byte> &dense);
  double number();

  /// Calls `item` for each of a list up to `close`, separated by commas.
  template <typename Item> void list(std::string_view close, const Item &item) {
    if (lexer.accept(close)) {
      return;
    }
    do {
      item();
    } while (lexer.accept(","));
    lexer.expect(close);
  }

  Lexer lexer;
  std::vector<std::byte> bytes;
};

/// Words that begin something where a name could stand; names equal to them
/// are written in quotes.
bool isReserved(std::string_view word);

} // namespace spyre::onnxfile::text

#endif // SPYRE_TEST_ONNXTEXT_PARSER_H
