// SPDX-License-Identifier: Apache-2.0

#include "WeightImage.h"

#include "spyre/Runtime/Conversion.h"

#include "llvm/Support/FileSystem.h"

#include <cstring>

namespace spyre {

static std::string subjectOfWeight(const std::string &name) {
  return "weight \"" + name + "\"";
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFileRange(const std::string &path, int64_t offset, int64_t length,
             const std::string &weight) {
  uint64_t fileBytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, fileBytes)) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "cannot read file \"" + path + "\": " + error.message());
  }
  auto size = static_cast<uint64_t>(length);
  auto first = static_cast<uint64_t>(offset);
  if (first > fileBytes || size > fileBytes - first) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "file \"" + path + "\" is too short",
                     {"needs bytes " + std::to_string(first) + " to " +
                      std::to_string(first + size) + ", the file has " +
                      std::to_string(fileBytes)});
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileSlice(path, size, first);
  if (!buffer) {
    return makeError(ErrorCode::WeightFile, subjectOfWeight(weight),
                     "cannot read file \"" + path +
                         "\": " + buffer.getError().message());
  }
  return std::move(*buffer);
}

namespace {

/// One loop of a copy, with its step in the source in elements.
struct CopyDim {
  int64_t extent = 1;
  int64_t stride = 1;
};

template <typename T>
void copyStrided(std::span<const std::byte> source, std::byte *&out,
                 llvm::ArrayRef<CopyDim> dims, int64_t position) {
  if (dims.size() > 1) {
    for (int64_t i = 0; i < dims.front().extent; ++i) {
      copyStrided<T>(source, out, dims.drop_front(),
                     position + i * dims.front().stride);
    }
    return;
  }
  for (int64_t i = 0; i < dims.front().extent; ++i) {
    std::memcpy(out,
                source.data() + (position + i * dims.front().stride) *
                                    static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    out += sizeof(T);
  }
}

} // namespace

std::vector<std::byte> transposeTensor(std::span<const std::byte> source,
                                       llvm::ArrayRef<int64_t> sourceShape,
                                       llvm::ArrayRef<int64_t> perm,
                                       int64_t elementBytes) {
  std::vector<int64_t> strides(sourceShape.size(), 1);
  for (size_t dim = sourceShape.size(); dim-- > 1;) {
    strides[dim - 1] = strides[dim] * sourceShape[dim];
  }
  std::vector<CopyDim> dims;
  for (int64_t dim : perm) {
    dims.push_back({sourceShape[dim], strides[dim]});
  }
  if (dims.empty()) {
    dims.push_back({});
  }
  std::vector<std::byte> result(source.size());
  std::byte *out = result.data();
  switch (elementBytes) {
  case 1:
    copyStrided<uint8_t>(source, out, dims, 0);
    break;
  case 2:
    copyStrided<uint16_t>(source, out, dims, 0);
    break;
  case 4:
    copyStrided<uint32_t>(source, out, dims, 0);
    break;
  default:
    copyStrided<uint64_t>(source, out, dims, 0);
    break;
  }
  return result;
}

Expected<std::vector<std::byte>>
weightImage(const launch::Weight &weight, std::span<const std::byte> stored,
            llvm::ArrayRef<int64_t> storedShape, llvm::ArrayRef<int64_t> perm) {
  std::vector<std::byte> transposed;
  std::span<const std::byte> host = stored;
  if (!perm.empty()) {
    transposed = transposeTensor(stored, storedShape, perm,
                                 launch::sizeOf(weight.hostType));
    host = transposed;
  }
  return rt::packTensor(weight.hostType, host, weight.shape, weight.layout,
                        weight.deviceType, subjectOfWeight(weight.name));
}

} // namespace spyre
