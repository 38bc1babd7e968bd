// SPDX-License-Identifier: Apache-2.0
//
// Splits the text form into tokens. Any bytes are accepted as input; every
// byte is either consumed or reported.

#include "TextLexer.h"

#include <charconv>
#include <fmt/format.h>

namespace spyre::launch::text {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHexDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNameCharacter(char c) { return isLetter(c) || isDigit(c) || c == '.'; }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    do {
      skipSpace();
      Token token;
      token.line = line;
      token.column = static_cast<uint32_t>(position - lineStart) + 1;
      std::string message = lex(token);
      if (!message.empty()) {
        return errorAt(ErrorCode::PlanTextSyntax, token, message);
      }
      tokens.push_back(std::move(token));
    } while (tokens.back().kind != TokenKind::End);
    return tokens;
  }

private:
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  template <typename Predicate> std::string_view take(Predicate predicate) {
    size_t start = position;
    while (position < text.size() && predicate(text[position])) {
      ++position;
    }
    return text.substr(start, position - start);
  }

  void skipSpace() {
    while (position < text.size()) {
      char c = text[position];
      if (c == '\n') {
        ++line;
        lineStart = ++position;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++position;
      } else if (c == '/' && peek(1) == '/') {
        take([](char each) { return each != '\n'; });
      } else {
        return;
      }
    }
  }

  /// Fills in the next token; returns what is wrong, or nothing.
  std::string lex(Token &token) {
    if (position == text.size()) {
      return {};
    }
    char c = peek();
    if (isLetter(c)) {
      token.kind = TokenKind::Identifier;
      token.text =
          take([](char each) { return isLetter(each) || isDigit(each); });
      return {};
    }
    if (isDigit(c)) {
      return lexNumber(token);
    }
    if (c == '"') {
      token.kind = TokenKind::String;
      return lexString(token.text);
    }
    if (c == '#') {
      token.kind = TokenKind::RawIndex;
      ++position;
      return lexRawIndex(token);
    }
    if (c == '%' || c == '$' || (c == '@' && peek(1) != '%')) {
      return lexName(token);
    }
    token.kind = TokenKind::Punctuation;
    if (c == '-' && peek(1) == '>') {
      token.text = "->";
    } else if (std::string_view("{}[]()=,+-*@").find(c) !=
               std::string_view::npos) {
      token.text = std::string(1, c);
    } else {
      return fmt::format("unexpected byte 0x{:02x}",
                         static_cast<unsigned char>(c));
    }
    position += token.text.size();
    return {};
  }

  std::string lexInteger(std::string_view digits, int base, uint64_t &value) {
    std::from_chars_result result = std::from_chars(
        digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || result.ec != std::errc()) {
      return fmt::format("\"{}\" is not a number below 2^64", digits);
    }
    return {};
  }

  std::string lexNumber(Token &token) {
    token.kind = TokenKind::Integer;
    if (peek() == '0' && peek(1) == 'x') {
      position += 2;
      token.isHex = true;
      return lexInteger(take(isHexDigit), 16, token.value);
    }
    size_t start = position;
    std::string_view digits = take(isDigit);
    if (peek() == '.') {
      token.kind = TokenKind::Float;
      ++position;
      take(isDigit);
    }
    size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
    if (peek() == 'e' && isDigit(peek(1 + sign))) {
      token.kind = TokenKind::Float;
      position += 1 + sign;
      take(isDigit);
    }
    token.text = text.substr(start, position - start);
    return token.kind == TokenKind::Float ? std::string()
                                          : lexInteger(digits, 10, token.value);
  }

  std::string lexRawIndex(Token &token) {
    bool negative = peek() == '-';
    position += negative ? 1 : 0;
    std::string message = lexInteger(take(isDigit), 10, token.value);
    if (message.empty() && token.value > uint64_t{1} << 62) {
      return fmt::format("index {} is out of range", token.value);
    }
    token.index = negative ? -static_cast<int64_t>(token.value)
                           : static_cast<int64_t>(token.value);
    return message;
  }

  std::string lexName(Token &token) {
    token.kind = TokenKind::Name;
    token.sigil = text[position++];
    if (peek() == '#') {
      ++position;
      token.isRaw = true;
      return lexInteger(take(isDigit), 10, token.value);
    }
    if (peek() == '"') {
      return lexString(token.text);
    }
    token.text = take(isNameCharacter);
    return token.text.empty() ? fmt::format("'{}' needs a name", token.sigil)
                              : std::string();
  }

  std::string lexString(std::string &result) {
    ++position;
    while (position < text.size() && peek() != '"' && peek() != '\n') {
      char c = text[position++];
      if (c != '\\') {
        result += c;
      } else if (peek() == 'x' && isHexDigit(peek(1)) && isHexDigit(peek(2))) {
        uint64_t byte = 0;
        lexInteger(text.substr(position + 1, 2), 16, byte);
        result += static_cast<char>(byte);
        position += 3;
      } else if (peek() == '"' || peek() == '\\') {
        result += text[position++];
      } else {
        return "an escape is \\\", \\\\ or \\xHH";
      }
    }
    if (peek() != '"') {
      return "a string ends on its line with '\"'";
    }
    ++position;
    return {};
  }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  uint32_t line = 1;
};

} // namespace

tl::unexpected<Error> errorAt(ErrorCode code, const Token &token,
                              std::string message) {
  return makeError(code,
                   fmt::format("line {}, column {}", token.line, token.column),
                   std::move(message));
}

Expected<std::vector<Token>> tokenize(std::string_view text) {
  return Lexer(text).run();
}

} // namespace spyre::launch::text
