// SPDX-License-Identifier: Apache-2.0
//
// Token handling, names and declarations of the text form.

#include "TextParser.h"

#include <fmt/format.h>
#include <limits>

namespace spyre::launch::text {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

const Token &Parser::peek(size_t ahead) const {
  return tokens[std::min(position + ahead, tokens.size() - 1)];
}

Token Parser::next() {
  Token token = peek();
  if (position + 1 < tokens.size()) {
    ++position;
  }
  return token;
}

bool Parser::fail(const Token &token, std::string message, ErrorCode code) {
  if (!failure) {
    failure = errorAt(code, token, std::move(message)).value();
  }
  return false;
}

bool Parser::unexpected(std::string_view wanted) {
  const Token &token = peek();
  std::string found;
  switch (token.kind) {
  case TokenKind::End:
    found = "the end of the text";
    break;
  case TokenKind::Name:
    found = token.isRaw ? fmt::format("'{}#{}'", token.sigil, token.value)
                        : fmt::format("'{}{}'", token.sigil, token.text);
    break;
  case TokenKind::RawIndex:
    found = fmt::format("'#{}'", token.index);
    break;
  case TokenKind::Integer:
    found = fmt::format("'{}'", token.value);
    break;
  default:
    found = fmt::format("'{}'", token.text);
  }
  return fail(token, fmt::format("expected {}, found {}", wanted, found));
}

bool Parser::isPunctuation(std::string_view text, size_t ahead) const {
  return peek(ahead).kind == TokenKind::Punctuation && peek(ahead).text == text;
}

bool Parser::isIdentifier(std::string_view text) const {
  return peek().kind == TokenKind::Identifier && peek().text == text;
}

bool Parser::accept(std::string_view punctuation) {
  if (!isPunctuation(punctuation)) {
    return false;
  }
  next();
  return true;
}

bool Parser::expect(std::string_view punctuation) {
  return accept(punctuation) || unexpected(fmt::format("'{}'", punctuation));
}

bool Parser::acceptKeyword(std::string_view keyword) {
  if (!isIdentifier(keyword)) {
    return false;
  }
  next();
  return true;
}

bool Parser::expectKeyword(std::string_view keyword) {
  return acceptKeyword(keyword) || unexpected(fmt::format("'{}'", keyword));
}

bool Parser::integer(int64_t &value) {
  bool negative = accept("-");
  if (peek().kind != TokenKind::Integer) {
    return unexpected("an integer");
  }
  Token token = next();
  // Hexadecimal is a bit pattern: masks and bits of floats.
  uint64_t limit = uint64_t{1} << 63;
  if (token.value > limit - (negative ? 0 : 1) && (negative || !token.isHex)) {
    return fail(token,
                fmt::format("{} does not fit 64 bits signed", token.value));
  }
  value = static_cast<int64_t>(negative ? 0 - token.value : token.value);
  return true;
}

bool Parser::list(std::string_view closing, const std::function<bool()> &item) {
  if (accept(closing)) {
    return true;
  }
  do {
    if (!item()) {
      return false;
    }
  } while (accept(","));
  return expect(closing);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool Parser::declare(char sigil, Names &names, std::string &name,
                     size_t index) {
  const Token &token = peek();
  if (token.kind != TokenKind::Name || token.sigil != sigil || token.isRaw) {
    return unexpected(fmt::format("a name with '{}'", sigil));
  }
  name = token.text;
  if (!names.emplace(name, static_cast<uint32_t>(index)).second) {
    return fail(token,
                fmt::format("'{}{}' is declared a second time", sigil, name),
                ErrorCode::PlanTextName);
  }
  next();
  return true;
}

bool Parser::reference(char sigil, const Names &names, std::string_view what,
                       uint32_t &index) {
  if (peek().kind != TokenKind::Name || peek().sigil != sigil) {
    return unexpected(fmt::format("a {} ('{}' and its name)", what, sigil));
  }
  Token token = next();
  if (token.isRaw) {
    if (token.value > std::numeric_limits<uint32_t>::max()) {
      return fail(token, fmt::format("index {} is out of range", token.value));
    }
    index = static_cast<uint32_t>(token.value);
    return true;
  }
  auto found = names.find(token.text);
  if (found == names.end()) {
    return fail(
        token,
        fmt::format("no {} '{}{}' is declared before", what, sigil, token.text),
        ErrorCode::PlanTextName);
  }
  index = found->second;
  return true;
}

bool Parser::bufferReference(uint32_t &index) {
  return reference('%', bufferNames, "buffer", index);
}

bool Parser::tableReference(uint32_t &index) {
  return reference('%', tableNames, "table", index);
}

bool Parser::loopDepth(int32_t &depth) {
  const std::string &text = peek().text;
  if (peek().kind != TokenKind::Identifier || text.size() < 2 ||
      text.size() > 9 || text[0] != 'i' ||
      text.find_first_not_of("0123456789", 1) != std::string::npos) {
    return unexpected("a loop variable (i0, i1, ...)");
  }
  depth = std::stoi(text.substr(1));
  next();
  return true;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

Expected<Program> Parser::parse() {
  Names programNames;
  bool good = expectKeyword("program") &&
              declare('@', programNames, program.name, 0) &&
              expectKeyword("cores") && integerAs(program.numCores);
  while (good && peek().kind != TokenKind::End) {
    good = declaration();
  }
  if (!good) {
    return tl::unexpected<Error>(*failure);
  }
  return std::move(program);
}

bool Parser::declaration() {
  if (acceptKeyword("table")) {
    return table();
  }
  if (acceptKeyword("scalar")) {
    return scalar();
  }
  if (acceptKeyword("buffer")) {
    return buffer();
  }
  if (acceptKeyword("body")) {
    return body();
  }
  if (acceptKeyword("source")) {
    return source();
  }
  if (acceptKeyword("phase")) {
    return phase();
  }
  return unexpected("table, scalar, buffer, body, source or phase");
}

bool Parser::table() {
  Table table;
  if (!declare('%', tableNames, table.name, program.tables.size())) {
    return false;
  }
  if (accept("[") && !(integer(table.innerSize) && expect("]"))) {
    return false;
  }
  if (!expect("=") || !(isPunctuation("[") ? integers(table.values, true)
                                           : formulaTable(table))) {
    return false;
  }
  program.tables.push_back(std::move(table));
  return true;
}

bool Parser::scalar() {
  Scalar scalar;
  if (!declare('$', scalarNames, scalar.name, program.scalars.size()) ||
      !expectKeyword("arg") || !expect("(") || !integerAs(scalar.argument) ||
      !expect(")")) {
    return false;
  }
  while (peek().kind == TokenKind::Identifier) {
    bool good = true;
    if (acceptKeyword("lo")) {
      good = integer(scalar.lo);
    } else if (acceptKeyword("hi")) {
      good = integer(scalar.hi);
    } else if (acceptKeyword("granule")) {
      good = integer(scalar.granule);
    } else {
      break;
    }
    if (!good) {
      return false;
    }
  }
  program.scalars.push_back(std::move(scalar));
  return true;
}

bool Parser::buffer() {
  Buffer buffer;
  if (!declare('%', bufferNames, buffer.name, program.buffers.size()) ||
      !enumName(buffer.space, "a space (ddr, lx)") || !binding(buffer)) {
    return false;
  }
  if (acceptKeyword("at") && !integer(buffer.offset)) {
    return false;
  }
  if (!enumName(buffer.type, "an element type") ||
      !integers(buffer.shape, false) || !bufferAttributes(buffer)) {
    return false;
  }
  program.buffers.push_back(std::move(buffer));
  return true;
}

bool Parser::binding(Buffer &buffer) {
  if (acceptKeyword("arg")) {
    buffer.binding = Binding::Argument;
  } else if (acceptKeyword("seg")) {
    buffer.binding = Binding::Segment;
  } else if (!acceptKeyword("lx")) {
    return true;
  }
  return expect("(") && integerAs(buffer.bindingIndex) && expect(")");
}

bool Parser::queue(Buffer &buffer) {
  Queue queue;
  if (!integerAs(queue.slots) || !enumName(queue.producer, "a unit")) {
    return false;
  }
  if (accept("@")) {
    uint32_t fill = 0;
    if (!tableReference(fill)) {
      return false;
    }
    queue.fillTable = fill;
  }
  if (!expect("->")) {
    return false;
  }
  bool more = peek().kind == TokenKind::Identifier &&
              parseName<Unit>(peek().text).has_value();
  while (more) {
    if (!enumName(queue.consumers.emplace_back(), "a unit")) {
      return false;
    }
    more = accept(",");
  }
  buffer.kind = BufferKind::Queue;
  buffer.queue = std::move(queue);
  return true;
}

bool Parser::bufferAttributes(Buffer &buffer) {
  while (peek().kind == TokenKind::Identifier) {
    bool good = true;
    if (std::optional<BufferRole> role = parseName<BufferRole>(peek().text)) {
      buffer.role = *role;
      next();
    } else if (acceptKeyword("queue")) {
      good = queue(buffer);
    } else if (acceptKeyword("kind")) {
      good = enumName(buffer.kind, "private or queue");
    } else if (acceptKeyword("valid")) {
      good = integer(buffer.validElements);
    } else if (acceptKeyword("along")) {
      good = integerAs(buffer.validTileDim);
    } else if (acceptKeyword("view")) {
      good = integerAs(buffer.viewOf);
    } else {
      return true;
    }
    if (!good) {
      return false;
    }
  }
  return true;
}

bool Parser::source() {
  SourceInfo source;
  auto text = [this](std::string &value) {
    if (peek().kind != TokenKind::String) {
      return unexpected("a text in quotes");
    }
    value = next().text;
    return true;
  };
  if (!text(source.kernel) || (accept("[") && !list("]", [&] {
                                 return text(source.nodes.emplace_back());
                               }))) {
    return false;
  }
  program.sources.push_back(std::move(source));
  return true;
}

} // namespace spyre::launch::text

namespace spyre::launch {

Expected<Program> parseProgram(std::string_view text) {
  Expected<std::vector<text::Token>> tokens = text::tokenize(text);
  if (!tokens) {
    return tl::unexpected<Error>(tokens.error());
  }
  return text::Parser(std::move(*tokens)).parse();
}

} // namespace spyre::launch
