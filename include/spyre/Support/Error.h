// SPDX-License-Identifier: Apache-2.0
//
// How a library without MLIR reports a failure: a value with a stable code, a
// message in the user's words and a way out. Nothing throws across a library
// boundary and nothing returns -1 or an empty string for "failed".

#ifndef SPYRE_SUPPORT_ERROR_H
#define SPYRE_SUPPORT_ERROR_H

#include "spyre/Support/ErrorCode.h"

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace spyre {

/// A failure that a user can cause. It prints as
///
///   error: E0312 [plan] node "encoder/MatMul":
///     the working set does not fit the scratchpad
///     note: needs 1795162 bytes per core, 1625216 available (excess 169946)
///     help: split M by 2 or more
struct Error {
  ErrorCode code = ErrorCode::Internal;
  /// What the message is about: `node "x"`, `argument "y"`, `file "z"`, or
  /// empty.
  std::string subject;
  /// What is wrong, in the user's words.
  std::string message;
  /// Numbers and places: required, available, where.
  std::vector<std::string> notes;
  /// What would fix it. Empty: the table's default help of the code is used.
  std::string help;

  /// The text form shown above, without a trailing newline.
  std::string str() const;
};

template <typename T> using Expected = tl::expected<T, Error>;
/// The result of an operation that yields nothing: success or an Error.
using Status = tl::expected<void, Error>;

/// Builds the unexpected side of an Expected or a Status.
inline tl::unexpected<Error> makeError(ErrorCode code, std::string subject,
                                       std::string message,
                                       std::vector<std::string> notes = {},
                                       std::string help = {}) {
  return tl::unexpected<Error>(Error{code, std::move(subject),
                                     std::move(message), std::move(notes),
                                     std::move(help)});
}

} // namespace spyre

#endif // SPYRE_SUPPORT_ERROR_H
