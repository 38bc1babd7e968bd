// SPDX-License-Identifier: Apache-2.0
//
// Text from untrusted files in messages and reports. A name may hold any
// character, so it is shown escaped and never longer than a line can bear.

#ifndef SPYRE_SUPPORT_QUOTE_H
#define SPYRE_SUPPORT_QUOTE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace spyre {

/// True if the bytes are well-formed UTF-8 (no overlong forms, no surrogates).
bool isUtf8(std::string_view text);

/// The text with every byte that is not part of well-formed UTF-8 replaced by
/// U+FFFD.
std::string toUtf8(std::string_view text);

/// The text between double quotes, for a message: `"`, `\` and control
/// characters escaped as in C (`\n`, `\x07`), bytes that are not UTF-8 as
/// `\xff`; after about `maxBytes` bytes it is cut and ends in `..."`.
std::string quote(std::string_view text, size_t maxBytes = 200);

} // namespace spyre

#endif // SPYRE_SUPPORT_QUOTE_H
