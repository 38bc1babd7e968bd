// SPDX-License-Identifier: Apache-2.0
//
// The last step: check the plan and write it, weights streamed one at a time.

#include "spyre/Export/LaunchPlan/Export.h"

#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/Checker.h"
#include "spyre/Runtime/Conversion.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace spyre {

/// Maps the weight's range of its file and writes its device image.
static Status streamWeight(const launch::Weight &weight,
                           const std::string &folder, launch::ByteSink &sink) {
  std::string subject = "weight \"" + weight.name + "\"";
  std::string path = folder + "/" + weight.file;
  uint64_t fileBytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, fileBytes)) {
    return makeError(ErrorCode::WeightFile, subject,
                     "cannot read its file \"" + path +
                         "\": " + error.message());
  }
  auto length = static_cast<uint64_t>(weight.hostBytes);
  auto offset = static_cast<uint64_t>(weight.fileOffset);
  if (length > fileBytes || offset > fileBytes - length) {
    return makeError(ErrorCode::WeightFile, subject,
                     "its file \"" + path + "\" is too short",
                     {"needs bytes " + std::to_string(offset) + " to " +
                      std::to_string(offset + length) + ", the file has " +
                      std::to_string(fileBytes)});
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
  if (!buffer) {
    return makeError(ErrorCode::WeightFile, subject,
                     "cannot read its file \"" + path +
                         "\": " + buffer.getError().message());
  }
  auto bytes = std::as_bytes(
      std::span((*buffer)->getBufferStart(), (*buffer)->getBufferSize()));
  Expected<std::vector<std::byte>> image =
      rt::packTensor(weight.hostType, bytes, weight.shape, weight.layout,
                     weight.deviceType, subject);
  if (!image) {
    return tl::unexpected(image.error());
  }
  return sink.write(*image);
}

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
  std::vector<Error> errors = launch::checkPlan(*plan, *target);
  for (const Error &error : errors) {
    emitCoded(module, error);
  }
  if (!errors.empty()) {
    return failure();
  }
  Status status = launch::writeArtifact(
      *plan, outputPath, [&](uint32_t index, launch::ByteSink &sink) {
        return streamWeight(plan->weights[index], options.weightsFolder, sink);
      });
  if (!status) {
    return emitCoded(module, status.error());
  }
  return success();
}

} // namespace spyre
