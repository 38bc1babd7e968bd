// SPDX-License-Identifier: Apache-2.0
//
// The command line of spyre-run. What is wrong with it is decided here, before
// any file is opened, so that exit status 2 means just that.

#ifndef SPYRE_TOOLS_SPYRE_RUN_OPTIONS_H
#define SPYRE_TOOLS_SPYRE_RUN_OPTIONS_H

#include "spyre/Simulator/Simulator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyre::tools {

/// NAME=VALUE of --input, --output and --expected-output.
struct NamedValue {
  std::string name;
  /// A path if `isFile` (written @PATH), else the text of a tensor.
  std::string value;
  bool isFile = false;
};

struct RunOptions {
  std::string model;
  std::vector<NamedValue> inputs;
  std::vector<NamedValue> outputs;
  std::vector<NamedValue> expectedOutputs;
  std::optional<double> tolerance;
  int64_t iterations = 1;
  bool stats = false;
  std::string reportFile;
  std::string traceFile;
  std::string analyserFile;
  bool timingOnly = false;
  sim::Fidelity fidelity = sim::Fidelity::Flow;
  uint64_t seed = 0;
  /// File or name; empty: the model's target if it is built in.
  std::string target;
};

/// The options, or the exit status with which the tool ends at once (help: 0,
/// a wrong command line: 2); messages have been printed.
std::optional<RunOptions> parseOptions(int argc, char **argv, int &exitStatus);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_RUN_OPTIONS_H
