// SPDX-License-Identifier: Apache-2.0
//
// Parsing of affine expressions, extents, lists and table formulas.

#include "TextParser.h"

#include <fmt/format.h>

namespace spyre::launch::text {

namespace {

/// The number of "i3" or "d3", if `text` is that letter and a number.
std::optional<int32_t> numbered(const std::string &text, char letter) {
  if (text.size() < 2 || text.size() > 9 || text[0] != letter ||
      text.find_first_not_of("0123456789", 1) != std::string::npos) {
    return std::nullopt;
  }
  return std::stoi(text.substr(1));
}

constexpr size_t kMaxListEntries = size_t{1} << 20;

} // namespace

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

bool Parser::affine(Affine &affine, BoxTarget *target) {
  bool negative = accept("-");
  while (summand(affine, negative, target)) {
    if (accept("+")) {
      negative = false;
    } else if (accept("-")) {
      negative = true;
    } else {
      return true;
    }
  }
  return false;
}

bool Parser::summand(Affine &affine, bool negative, BoxTarget *target) {
  // 16, 16*%m, %m or %m*16.
  Token first = peek();
  uint64_t magnitude = 1;
  bool isConstant = first.kind == TokenKind::Integer;
  size_t resume = position;
  if (isConstant) {
    magnitude = next().value;
    isConstant = !accept("*");
  } else if (first.kind == TokenKind::Name && isPunctuation("*", 1)) {
    // The factor behind a plain name.
    if (peek(2).kind != TokenKind::Integer) {
      return fail(peek(2), "expected an integer after '*'");
    }
    magnitude = peek(2).value;
  }
  uint64_t limit = uint64_t{1} << 63;
  if (magnitude > limit - (negative ? 0 : 1)) {
    return fail(first,
                fmt::format("{} does not fit 64 bits signed", magnitude));
  }
  int64_t signedValue =
      static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  if (isConstant) {
    return !__builtin_add_overflow(affine.constant, signedValue,
                                   &affine.constant) ||
           fail(first, "the constants' sum does not fit 64 bits");
  }
  bool factorBehind = resume == position && isPunctuation("*", 1);
  if (!atom(affine, signedValue, target)) {
    return false;
  }
  if (factorBehind) {
    next();
    next();
  }
  return true;
}

bool Parser::atom(Affine &affine, int64_t coefficient, BoxTarget *target) {
  const Token &token = peek();
  Term term;
  term.coefficient = coefficient;
  if (token.kind == TokenKind::Name && token.sigil == '%') {
    TableRef ref;
    Token start = token;
    if (!tableRef(ref)) {
      return false;
    }
    term.kind = TermKind::Table;
    term.index = static_cast<int32_t>(ref.table);
    term.loopDepth = ref.loopDepth;
    if (term.index < 0) {
      return fail(start, fmt::format("index {} is out of range", ref.table));
    }
  } else if (token.kind == TokenKind::Name && token.sigil == '$') {
    uint32_t index = 0;
    Token start = token;
    if (!reference('$', scalarNames, "scalar", index)) {
      return false;
    }
    term.kind = TermKind::Scalar;
    term.index = static_cast<int32_t>(index);
    if (term.index < 0) {
      return fail(start, fmt::format("index {} is out of range", index));
    }
  } else if (isIdentifier("term")) {
    return rawTerm(affine, coefficient);
  } else if (token.kind == TokenKind::Identifier) {
    std::optional<int32_t> depth = numbered(token.text, 'i');
    if (!depth) {
      return target ? boxAtom(token, coefficient, *target)
                    : unexpected("a loop variable, %table or $scalar");
    }
    term.index = *depth;
    next();
  } else {
    return unexpected("an integer, a loop variable, %table or $scalar");
  }
  affine.terms.push_back(term);
  return true;
}

bool Parser::boxAtom(const Token &token, int64_t coefficient,
                     BoxTarget &target) {
  bool isTile = token.text == "tile";
  if (isTile || token.text == "row") {
    int32_t &dim = isTile ? target.box.tileDim : target.box.rowDim;
    if (dim != -1 || coefficient != 1) {
      return fail(token, fmt::format("'{}' stands once in a box, without a "
                                     "factor",
                                     token.text));
    }
    dim = target.dim;
    next();
    return true;
  }
  std::optional<int32_t> index = numbered(token.text, 'd');
  if (!index) {
    return unexpected("i0, d0, tile, row, %table or $scalar");
  }
  if (static_cast<size_t>(*index) >= target.box.dims.size()) {
    return fail(token, fmt::format("'{}': the command has {} dims", token.text,
                                   target.box.dims.size()));
  }
  if (target.mapped[*index]) {
    return fail(token,
                fmt::format("'{}' stands a second time in a box", token.text));
  }
  target.mapped[*index] = true;
  target.box.dims[*index] = {target.dim, coefficient};
  next();
  return true;
}

/// term(kind, index, depth): terms without a pleasant form.
bool Parser::rawTerm(Affine &affine, int64_t coefficient) {
  Term term;
  term.coefficient = coefficient;
  next();
  if (!expect("(") || !enumName(term.kind, "loop, table or scalar") ||
      !expect(",") || !integerAs(term.index) || !expect(",") ||
      !integerAs(term.loopDepth) || !expect(")")) {
    return false;
  }
  affine.terms.push_back(term);
  return true;
}

bool Parser::extent(Extent &extent) {
  extent.bounds.clear();
  if (!acceptKeyword("min")) {
    return affine(extent.bounds.emplace_back());
  }
  return expect("(") &&
         list(")", [&] { return affine(extent.bounds.emplace_back()); });
}

bool Parser::extents(std::vector<Extent> &extents) {
  return expect("[") &&
         list("]", [&] { return extent(extents.emplace_back()); });
}

bool Parser::tableRef(TableRef &ref) {
  if (acceptKeyword("ref")) {
    return expect("(") && integerAs(ref.table) && expect(",") &&
           integerAs(ref.loopDepth) && expect(")");
  }
  if (!tableReference(ref.table)) {
    return false;
  }
  return !accept("[") || (loopDepth(ref.loopDepth) && expect("]"));
}

bool Parser::integers(std::vector<int64_t> &values, bool runs) {
  return expect("[") && list("]", [&] {
           Token token = peek();
           int64_t value = 0;
           int64_t count = 1;
           if (!integer(value) ||
               (runs && acceptKeyword("x") && !integer(count))) {
             return false;
           }
           size_t room = kMaxListEntries - values.size();
           if (count < 1 || static_cast<uint64_t>(count) > room) {
             return fail(token,
                         fmt::format("{} entries after {}, a list has "
                                     "at most {}",
                                     count, values.size(), kMaxListEntries));
           }
           values.insert(values.end(), static_cast<size_t>(count), value);
           return true;
         });
}

//===----------------------------------------------------------------------===//
// Table formulas: the tokens are evaluated once per entry
//===----------------------------------------------------------------------===//

bool Parser::formulaTable(Table &table) {
  constexpr int64_t maxCores = 64;
  constexpr int64_t maxInner = 256;
  if (program.numCores < 1 || program.numCores > maxCores ||
      table.innerSize < 1 || table.innerSize > maxInner) {
    return fail(peek(), fmt::format("a formula needs 1 to {} cores and 1 to {} "
                                    "inner entries, not {} and {}",
                                    maxCores, maxInner, program.numCores,
                                    table.innerSize));
  }
  size_t start = position;
  for (int64_t core = 0; core < program.numCores; ++core) {
    for (int64_t inner = 0; inner < table.innerSize; ++inner) {
      position = start;
      int64_t value = 0;
      if (!formula({core, inner, 0, false}, value)) {
        return false;
      }
      table.values.push_back(value);
    }
  }
  return true;
}

bool Parser::combineFormula(const Token &op, int64_t right, int64_t &value) {
  bool overflow = false;
  int64_t left = value;
  if (op.text == "+") {
    overflow = __builtin_add_overflow(left, right, &value);
  } else if (op.text == "-") {
    overflow = __builtin_sub_overflow(left, right, &value);
  } else if (op.text == "*") {
    overflow = __builtin_mul_overflow(left, right, &value);
  } else {
    if (right <= 0 || left < 0) {
      return fail(op, fmt::format("{} of {} by {}: the operands are not "
                                  "negative and the divisor is not 0",
                                  op.text, left, right));
    }
    value = op.text == "div" ? left / right : left % right;
  }
  return !overflow || fail(op, "the value does not fit 64 bits");
}

bool Parser::formula(const FormulaContext &context, int64_t &value) {
  if (!formulaProduct(context, value)) {
    return false;
  }
  while (isPunctuation("+") || isPunctuation("-")) {
    Token op = next();
    int64_t right = 0;
    if (!formulaProduct(context, right) || !combineFormula(op, right, value)) {
      return false;
    }
  }
  return true;
}

bool Parser::formulaProduct(const FormulaContext &context, int64_t &value) {
  if (!formulaAtom(context, value)) {
    return false;
  }
  while (isPunctuation("*") || isIdentifier("div") || isIdentifier("mod")) {
    Token op = next();
    int64_t right = 0;
    if (!formulaAtom(context, right) || !combineFormula(op, right, value)) {
      return false;
    }
  }
  return true;
}

bool Parser::formulaAtom(const FormulaContext &context, int64_t &value) {
  constexpr int maxDepth = 32;
  if (context.depth > maxDepth) {
    return fail(peek(),
                fmt::format("a formula nests at most {} levels", maxDepth));
  }
  FormulaContext nested = context;
  ++nested.depth;
  if (acceptKeyword("core")) {
    value = context.core;
    return true;
  }
  if (acceptKeyword("inner")) {
    value = context.inner;
    return true;
  }
  if (isIdentifier("mask")) {
    return formulaMask(nested, value);
  }
  if (accept("(")) {
    return formula(nested, value) && expect(")");
  }
  return integer(value);
}

/// mask(f): the cores d for which f(d) equals f(core).
bool Parser::formulaMask(const FormulaContext &context, int64_t &value) {
  if (context.insideMask) {
    return fail(peek(), "a mask stands inside a mask");
  }
  next();
  if (!expect("(")) {
    return false;
  }
  FormulaContext nested = context;
  nested.insideMask = true;
  size_t start = position;
  int64_t own = 0;
  if (!formula(nested, own)) {
    return false;
  }
  uint64_t mask = 0;
  for (int64_t core = 0; core < program.numCores; ++core) {
    position = start;
    nested.core = core;
    int64_t other = 0;
    if (!formula(nested, other)) {
      return false;
    }
    mask |= static_cast<uint64_t>(other == own) << core;
  }
  value = static_cast<int64_t>(mask);
  return expect(")");
}

} // namespace spyre::launch::text
