// SPDX-License-Identifier: Apache-2.0

#include "spyre/Export/LaunchPlan/WeightFiles.h"

#include "Dequantize.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>

using namespace mlir;

namespace spyre {

WeightFiles::WeightFiles(std::string folder, ModuleOp module)
    : folder(std::move(folder)),
      constants(
          module->getAttrOfType<DenseElementsAttr>(stick::kConstantBytesAttr)) {
}

std::string WeightFiles::pathOf(const std::string &file) const {
  std::filesystem::path path = file;
  return path.is_absolute() ? file
                            : (std::filesystem::path(folder) / path).string();
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
WeightFiles::map(Attribute file, int64_t offset, int64_t bytes,
                 const std::string &subject) const {
  auto dequantized = dyn_cast<stick::DequantizedAttr>(file);
  if (!dequantized) {
    return mapFile(cast<StringAttr>(file).str(), offset, bytes, subject);
  }
  return dequantize(dequantized, offset, bytes, subject,
                    [&](stick::StoredAttr stored, int64_t size) {
                      return mapFile(stored.getFile().str(), stored.getOffset(),
                                     size, subject);
                    });
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
WeightFiles::mapFile(const std::string &file, int64_t offset, int64_t bytes,
                     const std::string &subject) const {
  if (file.empty()) {
    ArrayRef<char> held = constants ? constants.getRawData() : ArrayRef<char>();
    auto start = static_cast<size_t>(offset);
    auto count = static_cast<size_t>(bytes);
    if (start > held.size() || count > held.size() - start) {
      return makeError(ErrorCode::WeightFile, subject,
                       "the module's constants have only " +
                           std::to_string(held.size()) + " bytes");
    }
    return llvm::MemoryBuffer::getMemBuffer(
        StringRef(held.data() + start, count), "",
        /*RequiresNullTerminator=*/false);
  }
  std::string path = pathOf(file);
  uint64_t fileBytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, fileBytes)) {
    return makeError(ErrorCode::WeightFile, subject,
                     "cannot read its file \"" + path +
                         "\": " + error.message());
  }
  auto length = static_cast<uint64_t>(bytes);
  auto start = static_cast<uint64_t>(offset);
  if (length > fileBytes || start > fileBytes - length) {
    return makeError(ErrorCode::WeightFile, subject,
                     "its file \"" + path + "\" is too short",
                     {"needs bytes " + std::to_string(start) + " to " +
                      std::to_string(start + length) + ", the file has " +
                      std::to_string(fileBytes)});
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, start);
  if (!buffer) {
    return makeError(ErrorCode::WeightFile, subject,
                     "cannot read its file \"" + path +
                         "\": " + buffer.getError().message());
  }
  return std::move(*buffer);
}

} // namespace spyre
