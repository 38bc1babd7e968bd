// SPDX-License-Identifier: Apache-2.0
//
// The last step: check the plan and write it. One weight at a time is mapped,
// laid out piece by piece and handed to the writer.

#include "spyre/Export/LaunchPlan/Export.h"
#include "spyre/Export/LaunchPlan/WeightFiles.h"

#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/Checker.h"
#include "spyre/Runtime/Conversion.h"

#include <filesystem>
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;

namespace spyre {

namespace {

std::string subjectOfWeight(const launch::Weight &weight) {
  return "weight \"" + weight.name + "\"";
}

/// Maps the bytes that the weight names.
Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapWeight(const WeightFiles &files, Attribute file,
          const launch::Weight &weight) {
  return files.map(file, weight.fileOffset, weight.hostBytes,
                   subjectOfWeight(weight));
}

/// Writes the weight's device image.
Status streamWeight(const WeightFiles &files, Attribute file,
                    const launch::Weight &weight, launch::ByteSink &sink) {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> range =
      mapWeight(files, file, weight);
  if (!range) {
    return tl::unexpected(range.error());
  }
  return rt::packTensor(
      weight.hostType, bytesOf(**range), weight.shape, weight.layout,
      weight.deviceType, subjectOfWeight(weight),
      [&](std::span<const std::byte> piece) { return sink.write(piece); });
}

/// Refers to the weight's file from the artifact's folder, and hashes its
/// bytes, so that the loader can tell a changed file.
Status referToWeight(const WeightFiles &files, Attribute file,
                     launch::Weight &weight, const std::string &artifact) {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> range =
      mapWeight(files, file, weight);
  if (!range) {
    return tl::unexpected(range.error());
  }
  std::span<const std::byte> bytes = bytesOf(**range);
  weight.hash = XXH3_64bits(bytes.data(), bytes.size());
  std::error_code error;
  std::filesystem::path home =
      std::filesystem::absolute(artifact, error).parent_path();
  weight.file = std::filesystem::absolute(files.pathOf(weight.file), error)
                    .lexically_normal()
                    .lexically_relative(home.lexically_normal())
                    .generic_string();
  return {};
}

/// Checks the plan; each error is a diagnostic.
LogicalResult check(ModuleOp module, const launch::LaunchPlan &plan,
                    const target::Target &target) {
  std::vector<Error> errors = launch::checkPlan(plan, target);
  for (const Error &error : errors) {
    emitCoded(module, error);
  }
  return success(errors.empty());
}

Status write(ModuleOp module, launch::LaunchPlan &plan,
             const std::string &outputPath, const EmitOptions &options) {
  WeightFiles files(options.weightsFolder, module);
  // What the weights of the plan name, in its order.
  SmallVector<Attribute> sources;
  module.walk(
      [&](launch::WeightOp weight) { sources.push_back(weight.getFile()); });
  for (auto [weight, source] : llvm::zip_equal(plan.weights, sources)) {
    if (weight.storage != launch::WeightStorage::External) {
      continue;
    }
    if (Status placed = referToWeight(files, source, weight, outputPath);
        !placed) {
      return placed;
    }
  }
  return launch::writeArtifact(
      plan, outputPath, [&](uint32_t index, launch::ByteSink &sink) {
        return streamWeight(files, sources[index], plan.weights[index], sink);
      });
}

} // namespace

LogicalResult emitArtifact(ModuleOp module, const std::string &outputPath,
                           const EmitOptions &options) {
  Expected<target::Target> target = target::loadTarget(options.target);
  if (!target) {
    return emitCoded(module, target.error());
  }
  FailureOr<launch::LaunchPlan> plan =
      exportLaunchPlan(module, *target, options.weights);
  if (failed(plan)) {
    return failure();
  }
  if (failed(check(module, *plan, *target))) {
    return failure();
  }
  if (outputPath.empty()) {
    return success();
  }
  Status status = write(module, *plan, outputPath, options);
  if (!status) {
    return emitCoded(module, status.error());
  }
  return success();
}

} // namespace spyre
