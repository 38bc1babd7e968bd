// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the text form. A sigil and its name are one token, so that a name
// may look like a number or a keyword.

#ifndef SPYRE_LIB_LAUNCHPLAN_TEXTLEXER_H
#define SPYRE_LIB_LAUNCHPLAN_TEXTLEXER_H

#include "spyre/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch::text {

enum class TokenKind : uint8_t {
  End,
  Identifier,
  Integer,
  Float,
  /// Text in quotes, unescaped.
  String,
  /// %name, $name or @name; `isRaw`: %#7.
  Name,
  /// #7, #-1.
  RawIndex,
  /// One character, or "->".
  Punctuation,
};

struct Token {
  TokenKind kind = TokenKind::End;
  /// Identifier, punctuation, digits of a float, name without its sigil.
  std::string text;
  char sigil = 0;
  bool isRaw = false;
  bool isHex = false;
  /// Integer (unsigned), or the index of a raw name.
  uint64_t value = 0;
  /// RawIndex.
  int64_t index = 0;
  uint32_t line = 1;
  uint32_t column = 1;
};

/// A syntax or name error at a place of the text.
tl::unexpected<Error> errorAt(ErrorCode code, const Token &token,
                              std::string message);

/// The tokens of a text, ended by an End token.
Expected<std::vector<Token>> tokenize(std::string_view text);

} // namespace spyre::launch::text

#endif // SPYRE_LIB_LAUNCHPLAN_TEXTLEXER_H
