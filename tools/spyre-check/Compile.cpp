// SPDX-License-Identifier: Apache-2.0

#include "Compile.h"

#include "Row.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace spyre;
using namespace spyre::tools;

namespace {

/// Equal for inputs that give the same compilation.
std::string keyOf(const std::vector<NamedTensor> &inputs, Binding binding) {
  std::string key;
  for (const NamedTensor &input : inputs) {
    key +=
        fmt::format("{};", rt::describe(input.tensor.type, input.tensor.shape));
    if (isBound(input.tensor, binding)) {
      key.append("=");
      key.append(reinterpret_cast<const char *>(input.tensor.bytes.data()),
                 input.tensor.bytes.size());
    }
  }
  return key;
}

std::vector<std::string> boundNames(const std::vector<NamedTensor> &inputs,
                                    Binding binding) {
  std::vector<std::string> names;
  for (const NamedTensor &input : inputs) {
    if (isBound(input.tensor, binding)) {
      names.push_back(input.name);
    }
  }
  return names;
}

/// What the command line says, and the data where it says nothing.
CompileOptions bindInputs(const CompileOptions &options,
                          const std::vector<NamedTensor> &inputs,
                          Binding binding) {
  CompileOptions bound = options;
  for (const NamedTensor &input : inputs) {
    if (isBound(input.tensor, binding)) {
      bound.import.constantInputs[input.name] = toConstant(input.tensor);
    } else {
      bound.import.inputShapes.emplace(input.name, input.tensor.shape);
    }
  }
  return bound;
}

std::string failureIn(const std::string &diagnostics) {
  const std::vector<std::string> lines = firstLines(diagnostics);
  return lines.empty()
             ? "it does not compile, and the compiler does not say why"
             : lines.front();
}

} // namespace

ModelCompiler::ModelCompiler(const CompileOptions &options,
                             const target::Target &target,
                             const std::string &artifact)
    : options(options), target(target), artifact(artifact) {}

const CompiledModel &
ModelCompiler::compile(const std::vector<NamedTensor> &inputs) {
  CompiledModel result;
  std::optional<std::string> failedKey;
  for (Binding binding : {Binding::None, Binding::Integers, Binding::All}) {
    const std::string key = keyOf(inputs, binding);
    if (key == failedKey) {
      continue; // It binds nothing more.
    }
    if (key == currentKey && current.isUsable()) {
      current.compileSeconds = 0;
      return current;
    }
    CompiledModel attempt;
    attempt.bound = boundNames(inputs, binding);
    const bool isCompiled =
        !failures.contains(key) && tryCompile(inputs, binding, attempt);
    if (isCompiled) {
      load(attempt);
      return keep(std::move(attempt), key);
    }
    attempt.diagnostics =
        failures.emplace(key, std::move(attempt.diagnostics)).first->second;
    // Where all is constant, another thing than the model's defect may fail.
    if (!failedKey || binding == Binding::Integers) {
      result = std::move(attempt);
    }
    failedKey = key;
  }
  result.failure = failureIn(result.diagnostics);
  return keep(std::move(result), {});
}

const CompiledModel &ModelCompiler::keep(CompiledModel result,
                                         std::string key) {
  // The model frees memory of its device.
  current.model.reset();
  current = std::move(result);
  currentKey = std::move(key);
  return current;
}

bool ModelCompiler::tryCompile(const std::vector<NamedTensor> &inputs,
                               Binding binding, CompiledModel &result) {
  const CompileOptions bound = bindInputs(options, inputs, binding);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> source =
      llvm::MemoryBuffer::getFile(options.sourcePath, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!source) {
    result.diagnostics = Error{
        ErrorCode::OnnxOpen,
        fmt::format("file \"{}\"", options.sourcePath),
        source.getError().message(),
        {},
        {}}.str();
    return false;
  }
  llvm::raw_string_ostream errors(result.diagnostics);
  CompileReport report;
  const auto start = std::chrono::steady_clock::now();
  const bool isCompiled = mlir::succeeded(
      spyre::compile(bound, **source, artifact, errors, report));
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  result.compileSeconds = elapsed.count();
  return isCompiled;
}

/// Takes what the compiler wrote; the file goes.
void ModelCompiler::load(CompiledModel &result) {
  if (options.to == Phase::Normalize) {
    loadGraph(result);
  } else {
    loadModel(result);
  }
  if (!result.isUsable()) {
    result.diagnostics += result.failure + "\n";
    result.failure = failureIn(result.failure);
  }
}

void ModelCompiler::loadGraph(CompiledModel &result) {
  Expected<std::unique_ptr<ReferenceGraph>> graph =
      ReferenceGraph::load(artifact, options.weightsFolder);
  std::error_code ignored;
  std::filesystem::remove(artifact, ignored);
  if (graph) {
    result.graph = std::move(*graph);
  } else {
    result.failure = graph.error().str();
  }
}

void ModelCompiler::loadModel(CompiledModel &result) {
  Expected<launch::Artifact> read =
      launch::readArtifact(artifact, {.verifyWeights = false});
  // The mapping keeps the bytes.
  std::error_code ignored;
  std::filesystem::remove(artifact, ignored);
  Expected<std::unique_ptr<rt::Model>> model;
  result.simulator = std::make_unique<sim::Simulator>(target);
  if (read) {
    model = rt::load(std::move(*read), *result.simulator, target);
  } else {
    model = tl::unexpected(read.error());
  }
  if (model) {
    result.model = std::move(*model);
    return;
  }
  result.failure = model.error().str();
}
