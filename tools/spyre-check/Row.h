// SPDX-License-Identifier: Apache-2.0
//
// What became of one data set of a test: a line of the report, and an object
// of --json. A child process sends its rows to its parent as JSON lines.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_ROW_H
#define SPYRE_TOOLS_SPYRE_CHECK_ROW_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spyre::tools {

enum class Verdict : uint8_t { Pass, Fail, Skip };

/// One output against its reference.
struct OutputRow {
  std::string name;
  bool isFloat = true;
  double rowL2 = 0;
  double maxRelative = 0;
  double cosine = 1;
  /// Empty if it passed.
  std::string failure;
};

struct Row {
  std::string test;
  std::string folder;
  /// N of test_data_set_N; none if the test as a whole is meant.
  std::optional<int64_t> set;
  Verdict verdict = Verdict::Fail;
  /// Why it failed or was skipped: one line.
  std::string reason;
  /// Inputs that were compiled in as constants.
  std::vector<std::string> bound;
  std::vector<OutputRow> outputs;
  /// Simulated time of the compute steps, and with launch and transfers.
  double computeSeconds = 0;
  double totalSeconds = 0;
  /// The host's time for the compilation, or 0 where an earlier one served.
  double compileSeconds = 0;
  /// Everything that the compiler (or a crashed child) said.
  std::string diagnostics;
};

/// The line of a row, and below it what else there is to say: some lines of the
/// diagnostics, or with `verbose` all of them and a line for each output.
std::string formatRow(const Row &row, bool verbose);

/// "2 passed, 1 failed, 0 skipped".
std::string formatTotals(std::span<const Row> rows);
bool anyFailed(std::span<const Row> rows);

/// One JSON object on one line, and back; nothing if the text is not a row.
std::string toJsonLine(const Row &row);
std::optional<Row> parseJsonLine(const std::string &line);
/// The file of --json: all rows and the totals.
std::string toJson(std::span<const Row> rows);

/// "E0304 [layout] node "x": message" for each error of a diagnostics text.
std::vector<std::string> firstLines(const std::string &diagnostics);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_ROW_H
