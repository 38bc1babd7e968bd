// SPDX-License-Identifier: Apache-2.0
//
// Parsing of the bodies of maps. Values have names in the text and numbers in
// the struct: inputs first, then the results of the ops in order.

#include "TextParser.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace spyre::launch::text {

bool Parser::body() {
  Body body;
  valueNames.clear();
  if (!declare('@', bodyNames, body.name, program.bodies.size()) ||
      !expect("(") || !bodyInputs(body) || !expect("{")) {
    return false;
  }
  while (!isPunctuation("}") && !isIdentifier("return")) {
    if (!bodyOp(body)) {
      return false;
    }
  }
  if (acceptKeyword("return")) {
    do {
      if (!value(body.results.emplace_back())) {
        return false;
      }
    } while (accept(","));
  }
  if (!expect("}")) {
    return false;
  }
  program.bodies.push_back(std::move(body));
  return true;
}

/// Names, or "#3" for three inputs without names.
bool Parser::bodyInputs(Body &body) {
  if (peek().kind == TokenKind::RawIndex) {
    Token token = next();
    if (token.index < 0 || token.index > std::numeric_limits<uint32_t>::max()) {
      return fail(token,
                  fmt::format("{} inputs are out of range", token.index));
    }
    body.numInputs = static_cast<uint32_t>(token.index);
    return expect(")");
  }
  return list(")", [&] {
    if (peek().kind != TokenKind::Identifier) {
      return unexpected("the name of an input");
    }
    Token token = next();
    int32_t number = static_cast<int32_t>(body.numInputs++);
    return valueNames.emplace(token.text, number).second ||
           fail(token,
                fmt::format("value '{}' is defined a second time", token.text),
                ErrorCode::PlanTextName);
  });
}

bool Parser::value(int32_t &value) {
  Token token = peek();
  if (token.kind == TokenKind::RawIndex) {
    next();
    value = static_cast<int32_t>(token.index);
    return value == token.index ||
           fail(token, fmt::format("value {} is out of range", token.index));
  }
  if (token.kind != TokenKind::Identifier) {
    return unexpected("a value");
  }
  auto found = valueNames.find(token.text);
  if (found == valueNames.end()) {
    return fail(token,
                fmt::format("no value '{}' is defined before", token.text),
                ErrorCode::PlanTextName);
  }
  next();
  value = found->second;
  return true;
}

bool Parser::bodyOp(Body &body) {
  if (peek().kind != TokenKind::Identifier || !isPunctuation("=", 1)) {
    return unexpected("value = opcode, return or '}'");
  }
  Token name = next();
  next();
  BodyOp op;
  if (!enumName(op.opcode, "an opcode")) {
    return false;
  }
  size_t count = 0;
  bool good = !accept("(") || list(")", [&] {
    if (count == op.operands.size()) {
      return fail(peek(), "an operation has at most 3 operands");
    }
    return value(op.operands[count++]);
  });
  if (!good || !bodyLiteral(op) || !bodyAttributes(op)) {
    return false;
  }
  int64_t number =
      int64_t{body.numInputs} + static_cast<int64_t>(body.ops.size());
  body.ops.push_back(std::move(op));
  // Values past int32 cannot be operands: they go without a name.
  if (number <= std::numeric_limits<int32_t>::max() &&
      !valueNames.emplace(name.text, static_cast<int32_t>(number)).second) {
    return fail(name,
                fmt::format("value '{}' is defined a second time", name.text),
                ErrorCode::PlanTextName);
  }
  return true;
}

bool Parser::bodyLiteral(BodyOp &op) {
  switch (op.opcode) {
  case BodyOpcode::ConstI32:
  case BodyOpcode::ConstBool:
    return integer(op.immediate);
  case BodyOpcode::ScalarValue: {
    if (isIdentifier("imm")) {
      return true;
    }
    uint32_t index = 0;
    if (!reference('$', scalarNames, "scalar", index)) {
      return false;
    }
    op.immediate = index;
    return true;
  }
  case BodyOpcode::RoundTo: {
    if (isIdentifier("imm")) {
      return true;
    }
    ElementType type = ElementType::F16;
    if (!enumName(type, "an element type")) {
      return false;
    }
    op.immediate = static_cast<int64_t>(type);
    return true;
  }
  case BodyOpcode::ConstF32: {
    if (peek().kind == TokenKind::Integer && peek().isHex) {
      return integer(op.immediate);
    }
    bool negative = accept("-");
    const Token &token = peek();
    if ((token.kind != TokenKind::Float && token.kind != TokenKind::Integer) ||
        token.isHex) {
      return unexpected("a number");
    }
    float value = 0;
    std::from_chars_result result = std::from_chars(
        token.text.data(), token.text.data() + token.text.size(), value);
    if (result.ec != std::errc()) {
      return fail(token, fmt::format("{} does not fit f32", token.text));
    }
    op.immediate = std::bit_cast<uint32_t>(negative ? -value : value);
    next();
    return true;
  }
  default:
    return true;
  }
}

bool Parser::bodyAttributes(BodyOp &op) {
  // A keyword before '=' is the name of the next value.
  while (peek().kind == TokenKind::Identifier && !isPunctuation("=", 1)) {
    bool good = true;
    if (acceptKeyword("imm")) {
      good = integer(op.immediate);
    } else if (acceptKeyword("base")) {
      good = affine(op.index);
    } else if (acceptKeyword("dims")) {
      good = integers(op.dimCoefficients, false);
    } else if (acceptKeyword("lane")) {
      good = integer(op.laneCoefficient);
    } else {
      return true;
    }
    if (!good) {
      return false;
    }
  }
  return true;
}

} // namespace spyre::launch::text
