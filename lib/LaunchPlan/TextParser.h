// SPDX-License-Identifier: Apache-2.0
//
// The parser of the text form: recursive descent over a list of tokens. Every
// function returns false after the first failure, which `failure` holds; no
// input makes it recurse or allocate without bound.

#ifndef SPYRE_LIB_LAUNCHPLAN_TEXTPARSER_H
#define SPYRE_LIB_LAUNCHPLAN_TEXTPARSER_H

#include "TextLexer.h"

#include "spyre/LaunchPlan/Names.h"
#include "spyre/LaunchPlan/Text.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch::text {

class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  Expected<Program> parse();

private:
  using Names = std::map<std::string, uint32_t, std::less<>>;
  /// Where the d0, tile and row of a box's expression go.
  struct BoxTarget {
    Box &box;
    int32_t dim;
    std::vector<bool> &mapped;
  };
  /// Values of a table formula.
  struct FormulaContext {
    int64_t core = 0;
    int64_t inner = 0;
    int depth = 0;
    bool insideMask = false;
  };

  // Tokens (TextParser.cpp)
  const Token &peek(size_t ahead = 0) const;
  Token next();
  bool fail(const Token &token, std::string message,
            ErrorCode code = ErrorCode::PlanTextSyntax);
  bool unexpected(std::string_view wanted);
  bool isPunctuation(std::string_view text, size_t ahead = 0) const;
  bool isIdentifier(std::string_view text) const;
  bool accept(std::string_view punctuation);
  bool expect(std::string_view punctuation);
  bool acceptKeyword(std::string_view keyword);
  bool expectKeyword(std::string_view keyword);
  bool integer(int64_t &value);
  template <typename T> bool integerAs(T &value);
  template <typename E> bool enumName(E &value, std::string_view what);
  /// Calls `item` for each entry of a comma-separated list up to `closing`.
  bool list(std::string_view closing, const std::function<bool()> &item);

  // Names
  bool declare(char sigil, Names &names, std::string &name, size_t index);
  bool reference(char sigil, const Names &names, std::string_view what,
                 uint32_t &index);
  bool bufferReference(uint32_t &index);
  bool tableReference(uint32_t &index);
  bool loopDepth(int32_t &depth);

  // Expressions (TextParseExpressions.cpp)
  bool affine(Affine &affine, BoxTarget *target = nullptr);
  bool summand(Affine &affine, bool negative, BoxTarget *target);
  bool atom(Affine &affine, int64_t coefficient, BoxTarget *target);
  bool boxAtom(const Token &token, int64_t coefficient, BoxTarget &target);
  bool rawTerm(Affine &affine, int64_t coefficient);
  bool extent(Extent &extent);
  bool extents(std::vector<Extent> &extents);
  bool tableRef(TableRef &ref);
  bool integers(std::vector<int64_t> &values, bool runs);
  bool formulaTable(Table &table);
  bool formula(const FormulaContext &context, int64_t &value);
  bool formulaProduct(const FormulaContext &context, int64_t &value);
  bool formulaAtom(const FormulaContext &context, int64_t &value);
  bool formulaMask(const FormulaContext &context, int64_t &value);
  bool combineFormula(const Token &op, int64_t right, int64_t &value);

  // Declarations (TextParser.cpp)
  bool declaration();
  bool table();
  bool scalar();
  bool buffer();
  bool binding(Buffer &buffer);
  bool queue(Buffer &buffer);
  bool bufferAttributes(Buffer &buffer);
  bool source();

  // Bodies (TextParseBody.cpp)
  bool body();
  bool bodyInputs(Body &body);
  bool bodyOp(Body &body);
  bool bodyLiteral(BodyOp &op);
  bool bodyAttributes(BodyOp &op);
  bool value(int32_t &value);

  // Commands (TextParseCommands.cpp)
  bool phase();
  bool unitList(Phase &phase);
  bool commands(std::vector<Command> &commands);
  bool command(Command &command);
  bool attributes(Command &command);
  bool attribute(Command &command, const std::string &keyword);
  bool indexed(Command &command);
  bool boxes(Command &command);
  bool output(MapOutput &output);
  bool box(const Command &command, Box &box);
  bool rawBox(Box &box);

  std::vector<Token> tokens;
  size_t position = 0;
  std::optional<Error> failure;
  Program program;
  Names tableNames;
  Names scalarNames;
  Names bufferNames;
  Names bodyNames;
  /// Values of the body that is being parsed.
  std::map<std::string, int32_t, std::less<>> valueNames;
};

template <typename T> bool Parser::integerAs(T &value) {
  Token token = peek();
  int64_t wide = 0;
  if (!integer(wide)) {
    return false;
  }
  value = static_cast<T>(wide);
  if (static_cast<int64_t>(value) != wide) {
    return fail(token, std::to_string(wide) + " is out of the field's range");
  }
  return true;
}

template <typename E> bool Parser::enumName(E &value, std::string_view what) {
  std::optional<E> found;
  if (peek().kind == TokenKind::Identifier) {
    found = parseName<E>(peek().text);
  }
  if (!found) {
    return unexpected(what);
  }
  next();
  value = *found;
  return true;
}

} // namespace spyre::launch::text

#endif // SPYRE_LIB_LAUNCHPLAN_TEXTPARSER_H
