// SPDX-License-Identifier: Apache-2.0
//
// The last step: check the plan and write it. One weight at a time is mapped,
// laid out piece by piece and handed to the writer.

#include "spyre/Export/LaunchPlan/Export.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/Checker.h"
#include "spyre/Runtime/Conversion.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;

namespace spyre {

namespace {

/// A mapped range of a file.
using FileRange = std::unique_ptr<llvm::MemoryBuffer>;

std::span<const std::byte> bytesOf(const llvm::MemoryBuffer &buffer) {
  return std::as_bytes(
      std::span(buffer.getBufferStart(), buffer.getBufferSize()));
}

class WeightFiles {
public:
  WeightFiles(std::string folder, ModuleOp module)
      : folder(std::move(folder)),
        constants(module->getAttrOfType<DenseElementsAttr>(
            stick::kConstantBytesAttr)) {}

  /// Maps the bytes that the weight names.
  Expected<FileRange> map(const launch::Weight &weight) const;
  /// Writes the weight's device image.
  Status stream(const launch::Weight &weight, launch::ByteSink &sink) const;
  /// Refers to the weight's file from the artifact's folder, and hashes its
  /// bytes, so that the loader can tell a changed file.
  Status reference(launch::Weight &weight, const std::string &artifact) const;

private:
  std::string pathOf(const launch::Weight &weight) const {
    std::filesystem::path file = weight.file;
    return file.is_absolute() ? weight.file
                              : (std::filesystem::path(folder) / file).string();
  }

  std::string folder;
  /// Bytes of the weights without a file, or null.
  DenseElementsAttr constants;
};

std::string subjectOfWeight(const launch::Weight &weight) {
  return "weight \"" + weight.name + "\"";
}

Expected<FileRange> WeightFiles::map(const launch::Weight &weight) const {
  if (weight.file.empty()) {
    ArrayRef<char> bytes =
        constants ? constants.getRawData() : ArrayRef<char>();
    auto start = static_cast<size_t>(weight.fileOffset);
    auto count = static_cast<size_t>(weight.hostBytes);
    if (start > bytes.size() || count > bytes.size() - start) {
      return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                       "the module's constants have only " +
                           std::to_string(bytes.size()) + " bytes");
    }
    return llvm::MemoryBuffer::getMemBuffer(
        StringRef(bytes.data() + start, count), "",
        /*RequiresNullTerminator=*/false);
  }
  std::string path = pathOf(weight);
  uint64_t fileBytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, fileBytes)) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "cannot read its file \"" + path +
                         "\": " + error.message());
  }
  auto length = static_cast<uint64_t>(weight.hostBytes);
  auto offset = static_cast<uint64_t>(weight.fileOffset);
  if (length > fileBytes || offset > fileBytes - length) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "its file \"" + path + "\" is too short",
                     {"needs bytes " + std::to_string(offset) + " to " +
                      std::to_string(offset + length) + ", the file has " +
                      std::to_string(fileBytes)});
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
  if (!buffer) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "cannot read its file \"" + path +
                         "\": " + buffer.getError().message());
  }
  return std::move(*buffer);
}

Status WeightFiles::stream(const launch::Weight &weight,
                           launch::ByteSink &sink) const {
  Expected<FileRange> range = map(weight);
  if (!range) {
    return tl::unexpected(range.error());
  }
  return rt::packTensor(
      weight.hostType, bytesOf(**range), weight.shape, weight.layout,
      weight.deviceType, subjectOfWeight(weight),
      [&](std::span<const std::byte> piece) { return sink.write(piece); });
}

Status WeightFiles::reference(launch::Weight &weight,
                              const std::string &artifact) const {
  Expected<FileRange> range = map(weight);
  if (!range) {
    return tl::unexpected(range.error());
  }
  std::span<const std::byte> bytes = bytesOf(**range);
  weight.hash = XXH3_64bits(bytes.data(), bytes.size());
  std::error_code error;
  std::filesystem::path home =
      std::filesystem::absolute(artifact, error).parent_path();
  weight.file = std::filesystem::absolute(pathOf(weight), error)
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
  for (launch::Weight &weight : plan.weights) {
    if (weight.file.empty()) {
      // There is no file to refer to.
      weight.storage = launch::WeightStorage::Embedded;
    }
    if (weight.storage != launch::WeightStorage::External) {
      continue;
    }
    if (Status placed = files.reference(weight, outputPath); !placed) {
      return placed;
    }
  }
  return launch::writeArtifact(plan, outputPath,
                               [&](uint32_t index, launch::ByteSink &sink) {
                                 return files.stream(plan.weights[index], sink);
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
