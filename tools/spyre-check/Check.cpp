// SPDX-License-Identifier: Apache-2.0

#include "Check.h"

#include "Compile.h"
#include "Gates.h"
#include "Signature.h"

#include "spyre/Runtime/Compare.h"
#include "spyre/Runtime/TensorFile.h"

#include <fmt/format.h>

using namespace spyre;
using namespace spyre::tools;

namespace {

/// "E0800 [runtime] file "x": message", with the notes behind.
std::string oneLine(const Error &error) {
  const std::vector<std::string> lines = firstLines(error.str());
  std::string text = lines.empty() ? error.message : lines.front();
  for (const std::string &note : error.notes) {
    text += "; " + note;
  }
  return text;
}

/// Arguments of a plan that are outputs, in the order of the graph's.
std::vector<uint32_t> outputArguments(const launch::LaunchPlan &plan) {
  std::vector<uint32_t> outputs;
  for (uint32_t i = 0; i < plan.arguments.size(); ++i) {
    if (plan.arguments[i].role != launch::ArgumentRole::Input) {
      outputs.push_back(i);
    }
  }
  return outputs;
}

/// What came out, and the type in which the device held it.
struct Result {
  const rt::HostTensor *tensor = nullptr;
  ElementType deviceType = ElementType::F32;
};

class TestChecker {
public:
  TestChecker(const TestFolder &test, const CheckOptions &checkOptions,
              const std::string &artifact)
      : test(test), options(checkOptions.compile), target(checkOptions.target),
        artifact(artifact), compiler(options, checkOptions.target, artifact) {
    options.sourcePath = test.modelPath();
    options.weightsFolder = test.path;
    options.modelName = test.name;
    if (!checkOptions.hasPrecision) {
      options.floatStorage = FloatStorage::AsGiven;
    }
  }

  Row check(size_t index) {
    Row row = rowFor(test, index);
    const Status status = run(test.sets[index], row);
    if (!status) {
      row.verdict = Verdict::Fail;
      row.reason = oneLine(status.error());
    }
    return row;
  }

private:
  /// Errors are those of the data and of the run.
  Status run(const DataSet &set, Row &row) {
    if (!signature) {
      signature = readSignature(test.modelPath());
    }
    if (!*signature) {
      return tl::unexpected(signature->error());
    }
    if (const std::optional<std::string> &kind = (*signature)->nonTensor) {
      row.verdict = Verdict::Skip;
      row.reason = *kind;
      return {};
    }
    const Expected<std::vector<NamedTensor>> inputs =
        readInputs(**signature, set);
    if (!inputs) {
      return tl::unexpected(inputs.error());
    }
    const CompiledModel &compiled = compiler.compile(*inputs);
    row.bound = compiled.bound;
    row.diagnostics = compiled.diagnostics;
    row.compileSeconds = compiled.compileSeconds;
    if (!compiled.isUsable()) {
      row.reason = compiled.failure;
      return {};
    }
    return compiled.graph ? evaluate(*compiled.graph, *inputs, set, row)
                          : execute(*compiled.model, *inputs, set, row);
  }

  /// The graph in f64, and whether the device computes the same.
  Status evaluate(ReferenceGraph &graph, const std::vector<NamedTensor> &inputs,
                  const DataSet &set, Row &row) {
    if (Status status = graph.run(inputs); !status) {
      return status;
    }
    std::vector<Result> results;
    for (const rt::HostTensor &output : graph.outputs()) {
      results.push_back({&output, deviceFloats()});
    }
    if (Status status = compareOutputs(results, set, row); !status) {
      return status;
    }
    const Expected<std::string> node =
        graph.firstDivergence(options, target, inputs,
                              rt::defaultTolerance(deviceFloats()), artifact);
    if (!node) {
      return tl::unexpected(node.error());
    }
    if (!node->empty() && row.verdict == Verdict::Pass) {
      row.verdict = Verdict::Fail;
      row.reason = "the device first diverges at " + *node;
    }
    return {};
  }

  Status execute(const rt::Model &model, const std::vector<NamedTensor> &inputs,
                 const DataSet &set, Row &row) {
    const Expected<std::unique_ptr<rt::Session>> session =
        rt::Session::create(model);
    if (!session) {
      return tl::unexpected(session.error());
    }
    for (const NamedTensor &input : inputs) {
      // Absent: a constant, or nothing uses it.
      const std::optional<uint32_t> argument = model.findArgument(input.name);
      if (!argument || model.plan().arguments[*argument].role ==
                           launch::ArgumentRole::Output) {
        continue;
      }
      if (Status status = (*session)->setInput(*argument, input.tensor);
          !status) {
        return status;
      }
    }
    const Expected<rt::LaunchStats> stats = (*session)->run();
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    row.computeSeconds = stats->computeSeconds;
    row.totalSeconds = stats->totalSeconds;
    std::vector<Result> results;
    for (uint32_t argument : outputArguments(model.plan())) {
      results.push_back({(*session)->output(argument),
                         model.plan().arguments[argument].deviceType});
    }
    return compareOutputs(results, set, row);
  }

  Status compareOutputs(const std::vector<Result> &results, const DataSet &set,
                        Row &row) {
    const std::vector<std::string> &names = (*signature)->outputs;
    if (results.size() != names.size()) {
      return makeError(ErrorCode::UnknownArgument,
                       fmt::format("model \"{}\"", test.name),
                       fmt::format("the plan has {} outputs, the graph {}",
                                   results.size(), names.size()));
    }
    row.verdict = Verdict::Pass;
    for (size_t k = 0; k < names.size(); ++k) {
      const Expected<OutputRow> output =
          compareOutput(results[k], names[k], k, set);
      if (!output) {
        return tl::unexpected(output.error());
      }
      if (!output->failure.empty() && row.verdict == Verdict::Pass) {
        row.verdict = Verdict::Fail;
        row.reason =
            fmt::format("output \"{}\": {}", output->name, output->failure);
      }
      row.outputs.push_back(*output);
    }
    return {};
  }

  /// Values are measured against the golden if there is one, the type against
  /// output_k.
  Expected<OutputRow> compareOutput(const Result &result,
                                    const std::string &name, size_t k,
                                    const DataSet &set) {
    const rt::HostTensor &actual = *result.tensor;
    OutputRow row;
    row.name = name;
    row.isFloat = rt::isFloat(actual.type);
    std::optional<rt::HostTensor> reference;
    std::optional<launch::HostType> wantedType;
    for (const NumberedFiles *files : {&set.outputs, &set.goldens}) {
      const auto file = files->find(static_cast<int64_t>(k));
      if (file == files->end()) {
        continue;
      }
      Expected<rt::HostTensor> tensor = rt::readTensorFile(file->second);
      if (!tensor) {
        return tl::unexpected(tensor.error());
      }
      wantedType = files == &set.outputs ? tensor->type : wantedType;
      reference = std::move(*tensor);
    }
    if (!reference) {
      return makeError(
          ErrorCode::FileUnreadable, fmt::format("folder \"{}\"", set.folder),
          fmt::format("there is no output_{} for output \"{}\"", k, name));
    }
    if (wantedType && *wantedType != actual.type) {
      row.failure = fmt::format("the result is {}, the reference {}",
                                launch::toString(actual.type),
                                launch::toString(*wantedType));
      return row;
    }
    const rt::Gates gates = chooseGates(
        {test.isNodeTest, isHalfModel(), result.deviceType, actual.type});
    const Expected<rt::Comparison> comparison =
        rt::compare(actual, *reference, gates, name);
    if (!comparison) {
      row.failure = oneLine(comparison.error());
      return row;
    }
    row.rowL2 = comparison->rowL2;
    row.maxRelative = comparison->maxRelative();
    row.cosine = comparison->cosine;
    row.failure = comparison->failure;
    return row;
  }

  /// What the device stores the model's floats as.
  ElementType deviceFloats() const {
    return isHalfModel() ? ElementType::F16 : ElementType::F32;
  }

  bool isHalfModel() const {
    return (*signature)->hasHalfFloats ||
           options.floatStorage == FloatStorage::F16;
  }

  const TestFolder &test;
  CompileOptions options;
  const target::Target &target;
  const std::string &artifact;
  ModelCompiler compiler;
  std::optional<Expected<Signature>> signature;
};

} // namespace

Row tools::rowFor(const TestFolder &test, size_t set) {
  Row row;
  row.test = test.name;
  row.folder = test.path;
  row.set = test.sets[set].number;
  return row;
}

void tools::checkTest(const TestFolder &test, const CheckOptions &options,
                      size_t first, const std::string &artifact,
                      const std::function<void(Row)> &emit) {
  TestChecker checker(test, options, artifact);
  for (size_t set = first; set < test.sets.size(); ++set) {
    emit(checker.check(set));
  }
}
