// SPDX-License-Identifier: Apache-2.0
//
// Tensor files on disk: whole-file reads and writes around the format parsers.

#include "spyre/Runtime/TensorFile.h"

#include "spyre/Support/WriteFile.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace spyre;
using namespace spyre::rt;

namespace {

Expected<std::vector<std::byte>> readBytes(const std::string &path) {
  const std::string subject = fmt::format("file \"{}\"", path);
  std::error_code error;
  // A device or a pipe has no size to check a header against.
  if (!std::filesystem::is_regular_file(path, error)) {
    return makeError(ErrorCode::FileUnreadable, subject,
                     error ? error.message() : "it is not a regular file");
  }
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    return makeError(ErrorCode::FileUnreadable, subject, error.message());
  }
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  stream.read(reinterpret_cast<char *>(bytes.data()),
              static_cast<std::streamsize>(size));
  if (!stream || static_cast<uintmax_t>(stream.gcount()) != size) {
    return makeError(
        ErrorCode::FileUnreadable, subject,
        fmt::format("{} of {} bytes could be read", stream.gcount(), size));
  }
  return bytes;
}

} // namespace

Expected<HostTensor> rt::readTensorFile(const std::string &path) {
  const bool isNpy = path.ends_with(".npy");
  if (!isNpy && !path.ends_with(".pb")) {
    return makeError(ErrorCode::FileUnreadable,
                     fmt::format("file \"{}\"", path),
                     "its name ends neither in .npy nor in .pb");
  }
  Expected<std::vector<std::byte>> bytes = readBytes(path);
  if (!bytes) {
    return tl::unexpected(bytes.error());
  }
  return isNpy ? parseNpy(*bytes, path) : parseTensorProto(*bytes, path);
}

Status rt::writeNpyFile(const std::string &path, const HostTensor &tensor) {
  const std::vector<std::byte> bytes = formatNpy(tensor);
  return writeFile(path,
                   {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                   ErrorCode::FileUnwritable);
}
