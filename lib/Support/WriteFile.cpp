// SPDX-License-Identifier: Apache-2.0
//
// Writing a whole file.

#include "spyre/Support/WriteFile.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

using namespace spyre;

Status spyre::writeFile(const std::string &path, std::string_view bytes,
                        ErrorCode code) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) {
    return makeError(
        code, fmt::format("file \"{}\"", path),
        fmt::format("the file could not be written: {}", std::strerror(errno)));
  }
  return {};
}
