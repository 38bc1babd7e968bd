// SPDX-License-Identifier: Apache-2.0
//
// spyre-run: loads an artifact onto the simulator, runs it on given or random
// inputs, and writes, compares and reports what comes out. Exit status 0:
// success; 1: a wrong input, a failed comparison or a trap; 2: a wrong command
// line.

#include "Options.h"
#include "Report.h"
#include "Trace.h"

#include "spyre/Runtime/TensorFile.h"
#include "spyre/Simulator/Simulator.h"
#include "spyre/Support/WriteFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <system_error>

using namespace spyre;
using namespace spyre::tools;

namespace {

int fail(const Error &error) {
  fmt::print(stderr, "{}\n", error.str());
  return 1;
}

/// The target of --target, else the model's own if it is built in (its hash is
/// compared at load).
Expected<target::Target> chooseTarget(const RunOptions &options,
                                      const launch::LaunchPlan &plan) {
  if (!options.target.empty()) {
    return target::loadTarget(options.target);
  }
  const std::vector<std::string> names = target::builtinTargets();
  const bool isBuiltin =
      std::find(names.begin(), names.end(), plan.targetName) != names.end();
  return isBuiltin ? target::loadTarget(plan.targetName)
                   : target::defaultTarget();
}

Expected<uint32_t> findArgument(const rt::Model &model, const std::string &name,
                                launch::ArgumentRole excluded,
                                std::string_view kind) {
  const std::vector<launch::Argument> &arguments = model.plan().arguments;
  const std::optional<uint32_t> found = model.findArgument(name);
  if (found && arguments[*found].role != excluded) {
    return *found;
  }
  std::vector<std::string> notes;
  for (const launch::Argument &argument : arguments) {
    if (argument.role != excluded) {
      notes.push_back(
          fmt::format("{} \"{}\": {}", kind, argument.name,
                      rt::describe(argument.hostType, argument.shape)));
    }
  }
  return makeError(
      ErrorCode::UnknownArgument, fmt::format("{} \"{}\"", kind, name),
      fmt::format("the model has no {} of this name", kind), std::move(notes));
}

Status setInput(rt::Session &session, const rt::Model &model,
                const NamedValue &given) {
  const Expected<uint32_t> argument =
      findArgument(model, given.name, launch::ArgumentRole::Output, "input");
  if (!argument) {
    return tl::unexpected(argument.error());
  }
  Expected<rt::HostTensor> tensor = given.isFile
                                        ? rt::readTensorFile(given.value)
                                        : rt::parseLiteral(given.value);
  if (!tensor) {
    return tl::unexpected(tensor.error());
  }
  return session.setInput(*argument, std::move(*tensor));
}

/// Reports every wrong input before giving up.
bool setInputs(rt::Session &session, const rt::Model &model,
               const RunOptions &options) {
  bool isFine = true;
  for (const NamedValue &given : options.inputs) {
    if (Status status = setInput(session, model, given); !status) {
      fail(status.error());
      isFine = false;
    }
  }
  for (const std::vector<NamedValue> *list :
       {&options.outputs, &options.expectedOutputs}) {
    for (const NamedValue &named : *list) {
      const Expected<uint32_t> argument = findArgument(
          model, named.name, launch::ArgumentRole::Input, "output");
      if (!argument) {
        fail(argument.error());
        isFine = false;
      }
    }
  }
  return isFine;
}

Status writeOutputs(const rt::Session &session, const rt::Model &model,
                    const RunOptions &options) {
  for (const NamedValue &named : options.outputs) {
    const rt::HostTensor *tensor =
        session.output(*model.findArgument(named.name));
    if (Status status = rt::writeNpyFile(named.value, *tensor); !status) {
      return status;
    }
  }
  return {};
}

/// Compares and prints; false if one fails.
Expected<bool> compareOutputs(const rt::Session &session,
                              const rt::Model &model,
                              const RunOptions &options) {
  bool allPassed = true;
  if (!options.expectedOutputs.empty()) {
    fmt::print("expected outputs\n");
  }
  for (const NamedValue &named : options.expectedOutputs) {
    const uint32_t argument = *model.findArgument(named.name);
    const rt::HostTensor &actual = *session.output(argument);
    const Expected<rt::HostTensor> reference = rt::readTensorFile(named.value);
    if (!reference) {
      return tl::unexpected(reference.error());
    }
    const double tolerance = options.tolerance.value_or(
        rt::defaultTolerance(model.plan().arguments[argument].deviceType));
    const Expected<rt::Comparison> comparison =
        rt::compare(actual, *reference, tolerance, named.name);
    if (!comparison) {
      return tl::unexpected(comparison.error());
    }
    fmt::print("{}", formatComparison(named.name, *comparison,
                                      rt::isFloat(actual.type)));
    allPassed &= comparison->passed;
  }
  return allPassed;
}

/// The traces and the report that are asked for.
Status writeFiles(const rt::Model &model, const RunOptions &options,
                  const RunSummary &summary, const rt::LaunchStats &stats) {
  Status status;
  if (!options.traceFile.empty()) {
    status = writeFile(options.traceFile, formatChromeTrace(model, stats),
                       ErrorCode::FileUnwritable);
  }
  if (status && !options.analyserFile.empty()) {
    status = writeFile(options.analyserFile, formatAnalyserTrace(model, stats),
                       ErrorCode::FileUnwritable);
  }
  if (status && !options.reportFile.empty()) {
    status = writeFile(options.reportFile, formatReport(model, summary, stats),
                       ErrorCode::FileUnwritable);
  }
  return status;
}

void printSummary(const rt::Model &model, const rt::LaunchStats &stats,
                  const RunOptions &options, double allSeconds) {
  std::string random;
  for (const launch::Argument &argument : model.plan().arguments) {
    const bool isGiven = std::any_of(
        options.inputs.begin(), options.inputs.end(),
        [&](const NamedValue &given) { return given.name == argument.name; });
    if (argument.role != launch::ArgumentRole::Output && !isGiven) {
      random += (random.empty() ? "" : ", ") + argument.name;
    }
  }
  if (!random.empty() && !options.timingOnly) {
    fmt::print("random inputs (seed {}): {}\n", options.seed, random);
  }
  fmt::print("outputs\n");
  for (const launch::Argument &argument : model.plan().arguments) {
    if (argument.role != launch::ArgumentRole::Input) {
      fmt::print("  {}: {}\n", argument.name,
                 rt::describe(argument.hostType, argument.shape));
    }
  }
  fmt::print("simulated time\n  compute {}{}, with launch and transfers {}\n",
             formatSeconds(stats.computeSeconds),
             stats.hostWorkSeconds > 0
                 ? ", host work " + formatSeconds(stats.hostWorkSeconds)
                 : "",
             formatSeconds(stats.totalSeconds));
  if (options.iterations > 1) {
    fmt::print("  {} iterations {}\n", options.iterations,
               formatSeconds(allSeconds));
  }
}

int runModel(const RunOptions &options, rt::Session &session,
             const rt::Model &model) {
  if (!setInputs(session, model, options)) {
    return 1;
  }
  if (!options.timingOnly) {
    if (Status status = session.fillInputs(options.seed); !status) {
      return fail(status.error());
    }
  }
  rt::LaunchStats stats;
  double allSeconds = 0;
  for (int64_t i = 0; i < options.iterations; ++i) {
    Expected<rt::LaunchStats> result = session.run();
    if (!result) {
      return fail(result.error());
    }
    stats = std::move(*result);
    allSeconds += stats.totalSeconds;
  }
  if (Status status = writeOutputs(session, model, options); !status) {
    return fail(status.error());
  }
  const RunSummary summary = summarize(model, stats);
  if (options.stats) {
    fmt::print("{}", formatStats(summary, stats));
  }
  fmt::print("{}", formatNumerics(stats));
  const Expected<bool> passed = compareOutputs(session, model, options);
  if (!passed) {
    return fail(passed.error());
  }
  printSummary(model, stats, options, allSeconds);
  // Last, so that a file that cannot be written costs nothing else.
  if (Status status = writeFiles(model, options, summary, stats); !status) {
    return fail(status.error());
  }
  return *passed ? 0 : 1;
}

int failToPrint(int reason) {
  fmt::print(stderr, "spyre-run: standard output cannot be written: {}\n",
             std::strerror(reason));
  return 1;
}

int runTool(const RunOptions &options) {
  Expected<launch::Artifact> artifact =
      launch::readArtifact(options.model, {.verifyWeights = false});
  if (!artifact) {
    return fail(artifact.error());
  }
  const Expected<target::Target> machine =
      chooseTarget(options, artifact->plan);
  if (!machine) {
    return fail(machine.error());
  }
  sim::SimulatorOptions simulatorOptions;
  simulatorOptions.fidelity = options.fidelity;
  simulatorOptions.trace = !options.traceFile.empty();
  simulatorOptions.functional = !options.timingOnly;
  sim::Simulator simulator(*machine, simulatorOptions);
  const Expected<std::unique_ptr<rt::Model>> model =
      rt::load(std::move(*artifact), simulator, *machine,
               {.timingOnly = options.timingOnly});
  if (!model) {
    return fail(model.error());
  }
  const Expected<std::unique_ptr<rt::Session>> session =
      rt::Session::create(**model);
  return session ? runModel(options, **session, **model)
                 : fail(session.error());
}

} // namespace

int main(int argc, char **argv) {
  int exitStatus = 0;
  const std::optional<RunOptions> options =
      parseOptions(argc, argv, exitStatus);
  if (!options) {
    return exitStatus;
  }
  try {
    exitStatus = runTool(*options);
  } catch (const std::bad_alloc &) {
    // A well-formed artifact may declare more than this host has.
    fmt::print(stderr, "spyre-run: out of memory\n");
    return 1;
  } catch (const std::system_error &error) {
    return failToPrint(error.code().value());
  }
  if (std::fflush(stdout) != 0) {
    return failToPrint(errno);
  }
  return exitStatus;
}
