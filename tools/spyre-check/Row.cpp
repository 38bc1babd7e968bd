// SPDX-License-Identifier: Apache-2.0

#include "Row.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace spyre;
using namespace spyre::tools;
using nlohmann::json;

namespace {

/// Errors below a row without -v; the first one stands in the row itself.
constexpr size_t kMaxLines = 5;

constexpr const char *kVerdicts[] = {"PASS", "FAIL", "SKIP"};

const char *nameOf(Verdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)];
}

std::vector<std::string> splitLines(const std::string &text) {
  std::vector<std::string> lines;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string formatMeasures(const std::vector<OutputRow> &outputs) {
  double rowL2 = 0;
  double maxRelative = 0;
  double cosine = 1;
  bool anyFloat = false;
  for (const OutputRow &output : outputs) {
    if (output.isFloat) {
      anyFloat = true;
      rowL2 = std::max(rowL2, output.rowL2);
      maxRelative = std::max(maxRelative, output.maxRelative);
      cosine = std::min(cosine, output.cosine);
    }
  }
  return anyFloat ? fmt::format("row L2 {:.3e}  max rel {:.3e}  cosine {:.7f}",
                                rowL2, maxRelative, cosine)
                  : "no float outputs";
}

std::string formatOutput(const OutputRow &output) {
  const std::string measures =
      output.isFloat ? formatMeasures({output}) : "integers";
  return fmt::format("    output \"{}\": {}  {}\n", output.name, measures,
                     output.failure.empty() ? "passed" : output.failure);
}

/// JSON has no NaN and no infinity: null, which reads as NaN.
double numberAt(const json &object, const char *key) {
  const json &value = object.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                         : value.get<double>();
}

json toObject(const Row &row) {
  json outputs = json::array();
  for (const OutputRow &output : row.outputs) {
    outputs.push_back({{"name", output.name},
                       {"float", output.isFloat},
                       {"row_l2", output.rowL2},
                       {"max_relative", output.maxRelative},
                       {"cosine", output.cosine},
                       {"failure", output.failure}});
  }
  return {{"test", row.test},
          {"folder", row.folder},
          {"set", row.set ? json(*row.set) : json()},
          {"verdict", nameOf(row.verdict)},
          {"reason", row.reason},
          {"bound", row.bound},
          {"outputs", outputs},
          {"compute_seconds", row.computeSeconds},
          {"total_seconds", row.totalSeconds},
          {"compile_seconds", row.compileSeconds},
          {"diagnostics", row.diagnostics}};
}

/// Throws json's exceptions on what is not a row.
Row fromObject(const json &object) {
  Row row;
  object.at("test").get_to(row.test);
  object.at("folder").get_to(row.folder);
  if (!object.at("set").is_null()) {
    row.set = object.at("set").get<int64_t>();
  }
  const std::string verdict = object.at("verdict").get<std::string>();
  row.verdict = verdict == "PASS"   ? Verdict::Pass
                : verdict == "SKIP" ? Verdict::Skip
                                    : Verdict::Fail;
  object.at("reason").get_to(row.reason);
  object.at("bound").get_to(row.bound);
  for (const json &output : object.at("outputs")) {
    row.outputs.push_back(
        {output.at("name").get<std::string>(), output.at("float").get<bool>(),
         numberAt(output, "row_l2"), numberAt(output, "max_relative"),
         numberAt(output, "cosine"), output.at("failure").get<std::string>()});
  }
  row.computeSeconds = numberAt(object, "compute_seconds");
  row.totalSeconds = numberAt(object, "total_seconds");
  row.compileSeconds = numberAt(object, "compile_seconds");
  object.at("diagnostics").get_to(row.diagnostics);
  return row;
}

/// Names in a model may be any bytes; JSON is UTF-8.
std::string dump(const json &object, int indent) {
  return object.dump(indent, ' ', false, json::error_handler_t::replace);
}

int64_t count(std::span<const Row> rows, Verdict verdict) {
  return std::count_if(rows.begin(), rows.end(), [verdict](const Row &row) {
    return row.verdict == verdict;
  });
}

} // namespace

std::string tools::formatRow(const Row &row, bool verbose) {
  std::string text = row.test;
  if (row.set) {
    text += fmt::format(" set {}", *row.set);
  }
  text += fmt::format(": {}", nameOf(row.verdict));
  if (!row.outputs.empty()) {
    text += fmt::format("  {}  time {:.3f} us", formatMeasures(row.outputs),
                        row.computeSeconds * 1e6);
  }
  if (!row.bound.empty()) {
    text += fmt::format("  bound {}", fmt::join(row.bound, ", "));
  }
  text += row.reason.empty() ? "\n" : fmt::format("  {}\n", row.reason);
  if (verbose) {
    for (const OutputRow &output : row.outputs) {
      text += formatOutput(output);
    }
    for (const std::string &line : splitLines(row.diagnostics)) {
      text += fmt::format("    {}\n", line);
    }
    return text;
  }
  const std::vector<std::string> lines = firstLines(row.diagnostics);
  for (size_t i = 1; i < std::min(lines.size(), kMaxLines); ++i) {
    text += fmt::format("    {}\n", lines[i]);
  }
  if (lines.size() > kMaxLines) {
    text += fmt::format("    and {} more; -v prints all\n",
                        lines.size() - kMaxLines);
  }
  return text;
}

std::string tools::formatTotals(std::span<const Row> rows) {
  return fmt::format("{} passed, {} failed, {} skipped\n",
                     count(rows, Verdict::Pass), count(rows, Verdict::Fail),
                     count(rows, Verdict::Skip));
}

bool tools::anyFailed(std::span<const Row> rows) {
  return count(rows, Verdict::Fail) > 0;
}

std::string tools::toJsonLine(const Row &row) {
  return dump(toObject(row), -1) + "\n";
}

std::optional<Row> tools::parseJsonLine(const std::string &line) {
  try {
    return fromObject(json::parse(line));
  } catch (const json::exception &) {
    return std::nullopt;
  }
}

std::string tools::toJson(std::span<const Row> rows) {
  json list = json::array();
  for (const Row &row : rows) {
    list.push_back(toObject(row));
  }
  const json all = {{"rows", list},
                    {"passed", count(rows, Verdict::Pass)},
                    {"failed", count(rows, Verdict::Fail)},
                    {"skipped", count(rows, Verdict::Skip)}};
  return dump(all, 2) + "\n";
}

std::vector<std::string> tools::firstLines(const std::string &diagnostics) {
  constexpr std::string_view kPrefix = "error: ";
  std::vector<std::string> result;
  const std::vector<std::string> lines = splitLines(diagnostics);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(kPrefix)) {
      continue;
    }
    std::string text = lines[i].substr(kPrefix.size());
    // The message has a line of its own.
    if (text.ends_with(':') && i + 1 < lines.size()) {
      const size_t start = lines[i + 1].find_first_not_of(' ');
      text +=
          start == std::string::npos ? "" : " " + lines[i + 1].substr(start);
    }
    result.push_back(std::move(text));
  }
  return result;
}
