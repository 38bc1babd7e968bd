// SPDX-License-Identifier: Apache-2.0

#include "Lexer.h"

#include "spyre/Support/Quote.h"

#include <array>
#include <charconv>
#include <utility>

namespace spyre::onnxfile::text {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isWord(char c) { return isWordStart(c) || isDigit(c); }

/// Length of the number at the start of `text`; 0 if there is none.
size_t numberLength(std::string_view text) {
  size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (text.substr(i).starts_with("inf") || text.substr(i).starts_with("nan")) {
    const size_t end = i + 3;
    return end == text.size() || !isWord(text[end]) ? end : 0;
  }
  if (i >= text.size() || !isDigit(text[i])) {
    return 0;
  }
  const bool isHex = text.substr(i).starts_with("0x");
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool isExponentSign =
        !isHex && (c == '-' || c == '+') && (text[i - 1] == 'e');
    if (!isWord(c) && c != '.' && !isExponentSign) {
      break;
    }
  }
  return i;
}

} // namespace

void Lexer::fail(const std::string &message) const {
  throw TextError{message, tokenLine, tokenColumn};
}

void Lexer::eat(size_t count) {
  for (char c : rest.substr(0, count)) {
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
  rest.remove_prefix(count);
}

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    const size_t blanks = rest.find_first_not_of(" \t\r\n");
    if (blanks != 0) {
      eat(blanks == std::string_view::npos ? rest.size() : blanks);
    } else if (rest.starts_with("#") || rest.starts_with("//")) {
      eat(std::min(rest.find('\n'), rest.size()));
    } else {
      return;
    }
  }
}

std::string Lexer::readString() {
  std::string result;
  eat(1);
  while (!rest.starts_with('"')) {
    if (rest.empty()) {
      fail("a string does not end");
    }
    if (rest[0] != '\\') {
      result += rest[0];
      eat(1);
      continue;
    }
    const char escape = rest.size() > 1 ? rest[1] : '\0';
    if (escape == 'n' || escape == 't') {
      result += escape == 'n' ? '\n' : '\t';
      eat(2);
    } else if (escape == '"' || escape == '\\') {
      result += escape;
      eat(2);
    } else if (escape == 'x' && rest.size() >= 4) {
      unsigned code = 0;
      const char *end = rest.data() + 4;
      if (std::from_chars(rest.data() + 2, end, code, 16).ptr != end) {
        fail("\\x is not followed by two hex digits");
      }
      result += static_cast<char>(code);
      eat(4);
    } else {
      fail("a string has an unknown escape");
    }
  }
  eat(1);
  return result;
}

void Lexer::advance() {
  skipBlanks();
  tokenLine = line;
  tokenColumn = column;
  if (rest.empty()) {
    token = {};
    return;
  }
  if (rest[0] == '"') {
    token.kind = TokenKind::String;
    token.text = readString();
    return;
  }
  const auto takeText = [&](TokenKind kind, size_t length) {
    token = {kind, std::string(rest.substr(0, length))};
    eat(length);
  };
  if (const size_t length = numberLength(rest)) {
    takeText(TokenKind::Number, length);
    return;
  }
  if (isWordStart(rest[0])) {
    size_t length = 1;
    while (length < rest.size() && isWord(rest[length])) {
      ++length;
    }
    takeText(TokenKind::Identifier, length);
    return;
  }
  for (std::string_view arrow : {"=>", "..."}) {
    if (rest.starts_with(arrow)) {
      takeText(TokenKind::Punctuation, arrow.size());
      return;
    }
  }
  takeText(TokenKind::Punctuation, 1);
}

Token Lexer::take() {
  Token taken = std::move(token);
  advance();
  return taken;
}

bool Lexer::accept(std::string_view punctuation) {
  if (token.kind != TokenKind::Punctuation || token.text != punctuation) {
    return false;
  }
  advance();
  return true;
}

bool Lexer::acceptWord(std::string_view word) {
  if (token.kind != TokenKind::Identifier || token.text != word) {
    return false;
  }
  advance();
  return true;
}

void Lexer::expect(std::string_view punctuation) {
  if (!accept(punctuation)) {
    fail("expected '" + std::string(punctuation) + "', found " +
         (token.kind == TokenKind::End ? "the end" : quote(token.text)));
  }
}

} // namespace spyre::onnxfile::text
