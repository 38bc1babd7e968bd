// SPDX-License-Identifier: Apache-2.0
//
// Words of the textual notation.

#ifndef SPYRE_TEST_ONNXTEXT_LEXER_H
#define SPYRE_TEST_ONNXTEXT_LEXER_H

#include "spyre/Support/Error.h"

#include <string>
#include <string_view>

namespace spyre::onnxfile::text {

enum class TokenKind : uint8_t {
  /// Letters, digits and _, not starting with a digit.
  Identifier,
  /// Between quotes; `text` is what the escapes stand for.
  String,
  /// A number, `inf`, `nan` (with a sign, maybe), or 0x and hex digits.
  Number,
  /// One of the characters and arrows of the notation.
  Punctuation,
  End
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
};

/// Thrown by the parser, caught by the functions of OnnxText.h.
struct TextError {
  std::string message;
  int line;
  int column;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) { advance(); }

  const Token &peek() const { return token; }
  /// Returns the current token and steps to the next one.
  Token take();

  /// True, and steps on, if the current token is this punctuation.
  bool accept(std::string_view punctuation);
  /// True, and steps on, if the current token is this identifier.
  bool acceptWord(std::string_view word);
  void expect(std::string_view punctuation);

  [[noreturn]] void fail(const std::string &message) const;

private:
  void advance();
  void skipBlanks();
  void eat(size_t count);
  std::string readString();

  std::string_view rest;
  Token token;
  int line = 1;
  int column = 1;
  int tokenLine = 1;
  int tokenColumn = 1;
};

} // namespace spyre::onnxfile::text

#endif // SPYRE_TEST_ONNXTEXT_LEXER_H
