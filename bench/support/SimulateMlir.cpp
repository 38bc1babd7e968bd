// SPDX-License-Identifier: Apache-2.0

#include "SimulateMlir.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace spyre;

namespace {

Error failure(std::string message) {
  return Error{
      ErrorCode::FileUnwritable, "benchmark", std::move(message), {}, {}};
}

} // namespace

bench::CompiledPlans::~CompiledPlans() {
  for (const auto &[text, path] : paths) {
    llvm::sys::fs::remove(path);
  }
}

Expected<launch::Artifact>
bench::CompiledPlans::compiled(const std::string &text, Phase from) {
  if (const auto found = paths.find(text); found != paths.end()) {
    return launch::readArtifact(found->second);
  }
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("bench", "spyre", path)) {
    return tl::unexpected(failure(error.message()));
  }
  paths[text] = std::string(path);
  CompileOptions options;
  options.sourcePath = "benchmark.mlir";
  options.modelName = "benchmark";
  options.weights = launch::WeightStorage::None;
  options.from = from;
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  CompileReport report;
  const std::unique_ptr<llvm::MemoryBuffer> source =
      llvm::MemoryBuffer::getMemBuffer(text, "benchmark.mlir");
  if (mlir::failed(
          compile(options, *source, std::string(path), errors, report))) {
    return tl::unexpected(failure(messages));
  }
  return launch::readArtifact(std::string(path));
}

Expected<rt::LaunchStats> bench::simulateMlir(const std::string &text,
                                              const Machine &machine,
                                              Phase from) {
  Expected<launch::Artifact> artifact = machine.plans->compiled(text, from);
  if (!artifact) {
    return tl::unexpected(artifact.error());
  }
  artifact->plan.targetHash = machine.target.hash;
  sim::SimulatorOptions options;
  options.fidelity = machine.fidelity;
  options.functional = false;
  sim::Simulator simulator(machine.target, options);
  Expected<std::unique_ptr<rt::Model>> model = rt::load(
      std::move(*artifact), simulator, machine.target, {.timingOnly = true});
  if (!model) {
    return tl::unexpected(model.error());
  }
  Expected<std::unique_ptr<rt::Session>> session = rt::Session::create(**model);
  if (!session) {
    return tl::unexpected(session.error());
  }
  return (*session)->run();
}

std::optional<sim::Fidelity> bench::parseFidelity(std::string_view name) {
  if (name == "flow") {
    return sim::Fidelity::Flow;
  }
  if (name == "stick") {
    return sim::Fidelity::Stick;
  }
  return std::nullopt;
}
