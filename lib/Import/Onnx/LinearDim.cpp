// SPDX-License-Identifier: Apache-2.0

#include "LinearDim.h"

#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

namespace spyre {

std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    return std::nullopt;
  }
  return result;
}

std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    return std::nullopt;
  }
  return result;
}

namespace {

/// A factor of a term, or one of the signs + - *.
struct Token {
  std::string_view text;
  bool isName() const {
    return std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_';
  }
  bool isNumber() const {
    return std::isdigit(static_cast<unsigned char>(text[0]));
  }
};

/// The tokens of the text, or nothing if it has other characters.
std::optional<std::vector<Token>> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) ||
              text[end] == '_' || text[end] == '.')) {
        ++end;
      }
    } else if (c != '+' && c != '-' && c != '*') {
      return std::nullopt;
    }
    tokens.push_back({text.substr(i, end - i)});
    i = end;
  }
  return tokens;
}

std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Adds sign * (product of factors) to `dim`; false if that is not linear.
bool addTerm(LinearDim &dim, const std::vector<Token> &factors, int64_t sign) {
  std::optional<int64_t> coefficient = sign;
  std::string name;
  for (const Token &factor : factors) {
    if (factor.isName() && name.empty()) {
      name = factor.text;
      continue;
    }
    std::optional<int64_t> number =
        factor.isNumber() ? parseNumber(factor.text) : std::nullopt;
    coefficient =
        number && coefficient ? checkedMul(*coefficient, *number) : number;
    if (!number || !coefficient) {
      return false;
    }
  }
  int64_t &sum = name.empty() ? dim.constant : dim.coefficients[name];
  std::optional<int64_t> total = checkedAdd(sum, *coefficient);
  sum = total.value_or(0);
  return total.has_value();
}

/// Reads `[sign] factor {* factor} {sign factor {* factor}}`.
std::optional<LinearDim> parseSum(const std::vector<Token> &tokens) {
  LinearDim dim;
  size_t i = 0;
  while (i < tokens.size()) {
    int64_t sign = 1;
    if (tokens[i].text == "+" || tokens[i].text == "-") {
      sign = tokens[i].text == "-" ? -1 : 1;
      ++i;
    } else if (i > 0) {
      return std::nullopt;
    }
    std::vector<Token> factors;
    do {
      if (i == tokens.size() || !(tokens[i].isName() || tokens[i].isNumber())) {
        return std::nullopt;
      }
      factors.push_back(tokens[i++]);
    } while (i < tokens.size() && tokens[i].text == "*" && ++i);
    if (!addTerm(dim, factors, sign)) {
      return std::nullopt;
    }
  }
  std::erase_if(dim.coefficients,
                [](const auto &entry) { return entry.second == 0; });
  return tokens.empty() ? std::nullopt : std::optional<LinearDim>(dim);
}

} // namespace

LinearDim LinearDim::parse(const std::string &text) {
  if (std::optional<std::vector<Token>> tokens = tokenize(text)) {
    if (std::optional<LinearDim> dim = parseSum(*tokens)) {
      return *dim;
    }
  }
  LinearDim name;
  name.coefficients[text] = 1;
  return name;
}

} // namespace spyre
