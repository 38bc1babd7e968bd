// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/Quote.h"

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace spyre {
namespace {

/// Bytes of the well-formed UTF-8 character at the start of `text`, which is
/// not empty; 0 if there is none. Table 3-7 of the Unicode standard.
size_t characterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto isTail = [&](size_t i, int low = 0x80, int high = 0xbf) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const int first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first <= 0xdf) {
    return isTail(1) ? 2 : 0;
  }
  if (first >= 0xe0 && first <= 0xef) {
    const int low = first == 0xe0 ? 0xa0 : 0x80;
    const int high = first == 0xed ? 0x9f : 0xbf;
    return isTail(1, low, high) && isTail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const int low = first == 0xf0 ? 0x90 : 0x80;
    const int high = first == 0xf4 ? 0x8f : 0xbf;
    return isTail(1, low, high) && isTail(2) && isTail(3) ? 4 : 0;
  }
  return 0;
}

/// Bytes of the well-formed UTF-8 text that `text` starts with. Eight ASCII
/// characters at a time, because nearly all text is that.
size_t wellFormedLength(std::string_view text) {
  constexpr uint64_t kNotAscii = 0x8080808080808080;
  size_t done = 0;
  while (done < text.size()) {
    uint64_t next = kNotAscii;
    if (text.size() - done >= sizeof(next)) {
      std::memcpy(&next, text.data() + done, sizeof(next));
    }
    if ((next & kNotAscii) == 0) {
      done += sizeof(next);
      continue;
    }
    const size_t length = characterLength(text.substr(done));
    if (length == 0) {
      break;
    }
    done += length;
  }
  return done;
}

} // namespace

bool isUtf8(std::string_view text) {
  return wellFormedLength(text) == text.size();
}

std::string toUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = wellFormedLength(text);
    result += text.substr(0, length);
    text.remove_prefix(length);
    if (!text.empty()) {
      result += "\xef\xbf\xbd";
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string quote(std::string_view text, size_t maxBytes) {
  std::string result = "\"";
  while (!text.empty()) {
    if (result.size() > maxBytes) {
      result += "...";
      break;
    }
    const size_t length = characterLength(text);
    const char first = text.front();
    if (first == '"' || first == '\\') {
      result += '\\';
      result += first;
    } else if (first == '\n') {
      result += "\\n";
    } else if (first == '\t') {
      result += "\\t";
    } else if (length == 0 ||
               (length == 1 && (first < 0x20 || first == 0x7f))) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}",
                     static_cast<uint8_t>(first));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  result += '"';
  return result;
}

} // namespace spyre
