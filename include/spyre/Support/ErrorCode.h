// SPDX-License-Identifier: Apache-2.0
//
// The stable error codes. ErrorCodes.def is the only list; docs/errors.md is
// generated from it and every code has a test.

#ifndef SPYRE_SUPPORT_ERRORCODE_H
#define SPYRE_SUPPORT_ERRORCODE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spyre {

enum class ErrorCode : uint16_t {
#define SPYRE_ERROR(NAME, NUMBER, PHASE, TITLE, HELP) NAME = NUMBER,
#include "spyre/Support/ErrorCodes.def"
};

/// One row of the table.
struct ErrorInfo {
  ErrorCode code;
  /// The enumerator's name, e.g. "WorkingSetTooLarge".
  std::string_view name;
  /// The phase or component that reports it, e.g. "plan".
  std::string_view phase;
  /// One sentence: what is wrong.
  std::string_view title;
  /// One sentence: what to do about it.
  std::string_view help;
};

/// The row of a code.
const ErrorInfo &errorInfo(ErrorCode code);
/// All rows in ascending order of number.
const std::vector<ErrorInfo> &allErrors();
/// "E0312" for number 312.
std::string errorName(ErrorCode code);

} // namespace spyre

#endif // SPYRE_SUPPORT_ERRORCODE_H
