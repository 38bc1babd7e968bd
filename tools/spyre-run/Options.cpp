// SPDX-License-Identifier: Apache-2.0
//
// Parsing of spyre-run's command line.

#include "Options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <map>

using namespace spyre::tools;

namespace {

constexpr int kWrongCommandLine = 2;

/// Splits NAME=VALUE at "=@", else at the first "=".
std::optional<NamedValue> parseNamed(const std::string &text) {
  const size_t file = text.find("=@");
  const size_t at = file != std::string::npos ? file : text.find('=');
  if (at == std::string::npos || at == 0) {
    return std::nullopt;
  }
  NamedValue value;
  value.name = text.substr(0, at);
  value.isFile = file != std::string::npos;
  value.value = text.substr(at + (value.isFile ? 2 : 1));
  return value;
}

/// Parses every occurrence of one option; false after printing a message.
bool parseAll(const std::string &option, const std::vector<std::string> &texts,
              bool needsFile, std::vector<NamedValue> &values) {
  for (const std::string &text : texts) {
    const std::optional<NamedValue> value = parseNamed(text);
    if (!value || (needsFile && !value->isFile)) {
      fmt::print(stderr, "spyre-run: {}={} is not of the form NAME=@FILE{}\n",
                 option, text, needsFile ? "" : " or NAME=2x2xf32=1,2,3,4");
      return false;
    }
    values.push_back(*value);
  }
  return true;
}

bool checkCombination(const RunOptions &options) {
  const bool needsData =
      !options.outputs.empty() || !options.expectedOutputs.empty();
  if (options.timingOnly && needsData) {
    fmt::print(stderr, "spyre-run: --timing-only computes no values for "
                       "--output and --expected-output\n");
    return false;
  }
  return true;
}

} // namespace

std::optional<RunOptions> spyre::tools::parseOptions(int argc, char **argv,
                                                     int &exitStatus) {
  RunOptions options;
  std::vector<std::string> inputs, outputs, expected;
  double tolerance = 0;
  CLI::App app("Runs a compiled model on the simulator.", "spyre-run");
  app.add_option("model", options.model, "the artifact, model.spyre")
      ->required();
  app.add_option("--input", inputs,
                 "NAME=@FILE (.npy or .pb) or NAME=2x2xf32=1,2,3,4; inputs not "
                 "given are random")
      ->take_all();
  app.add_option("--output", outputs, "NAME=@FILE: write an output as .npy")
      ->take_all();
  app.add_option("--expected-output", expected,
                 "NAME=@FILE: compare an output with a .npy or .pb file")
      ->take_all();
  auto *toleranceOption =
      app.add_option("--tolerance", tolerance,
                     "largest relative L2 error of a row (default: 4e-3 where "
                     "the device stores f16, 2e-5 for f32)")
          ->check(CLI::NonNegativeNumber);
  app.add_option("--iterations", options.iterations, "number of runs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 31));
  app.add_flag("--stats", options.stats, "print use of cores, memory and time");
  app.add_option("--report", options.reportFile,
                 "write the statistics of the last run as JSON");
  app.add_option("--trace", options.traceFile,
                 "write a Chrome trace (JSON) of the last run");
  app.add_option("--trace-analyser", options.analyserFile,
                 "write a trace of the last run for aiu-trace-analyzer");
  app.add_flag("--timing-only", options.timingOnly,
               "predict time without computing values");
  const std::map<std::string, sim::Fidelity> fidelities = {
      {"flow", sim::Fidelity::Flow}, {"stick", sim::Fidelity::Stick}};
  app.add_option("--fidelity", options.fidelity,
                 "how transfers are timed: as flows (flow), or stick by stick "
                 "(stick, for kernels)")
      ->transform(CLI::Transformer(fidelities))
      ->option_text("flow|stick");
  app.add_option("--seed", options.seed, "seed of random inputs");
  app.add_option("--target", options.target,
                 "target file or name (default: the model's)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    exitStatus = app.exit(error) == 0 ? 0 : kWrongCommandLine;
    return std::nullopt;
  }
  if (toleranceOption->count() > 0) {
    options.tolerance = tolerance;
  }
  if (!parseAll("--input", inputs, false, options.inputs) ||
      !parseAll("--output", outputs, true, options.outputs) ||
      !parseAll("--expected-output", expected, true, options.expectedOutputs) ||
      !checkCombination(options)) {
    exitStatus = kWrongCommandLine;
    return std::nullopt;
  }
  return options;
}
