// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre {

const std::vector<ErrorInfo> &allErrors() {
  static const std::vector<ErrorInfo> table = [] {
    std::vector<ErrorInfo> rows = {
#define SPYRE_ERROR(NAME, NUMBER, PHASE, TITLE, HELP)                          \
  {ErrorCode::NAME, #NAME, PHASE, TITLE, HELP},
#include "spyre/Support/ErrorCodes.def"
    };
    std::sort(
        rows.begin(), rows.end(),
        [](const ErrorInfo &a, const ErrorInfo &b) { return a.code < b.code; });
    return rows;
  }();
  return table;
}

const ErrorInfo &errorInfo(ErrorCode code) {
  const std::vector<ErrorInfo> &table = allErrors();
  auto it = std::lower_bound(
      table.begin(), table.end(), code,
      [](const ErrorInfo &row, ErrorCode wanted) { return row.code < wanted; });
  return *it;
}

std::string errorName(ErrorCode code) {
  return fmt::format("E{:04}", static_cast<unsigned>(code));
}

std::string Error::str() const {
  const ErrorInfo &row = errorInfo(code);
  std::string text = fmt::format("error: {} [{}]", errorName(code), row.phase);
  if (!subject.empty()) {
    text += fmt::format(" {}:\n  {}", subject, message);
  } else {
    text += fmt::format(" {}", message);
  }
  for (const std::string &note : notes) {
    text += fmt::format("\n  note: {}", note);
  }
  text +=
      fmt::format("\n  help: {}", help.empty() ? std::string(row.help) : help);
  return text;
}

} // namespace spyre
