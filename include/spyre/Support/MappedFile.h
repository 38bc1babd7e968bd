// SPDX-License-Identifier: Apache-2.0
//
// A whole file as bytes, without reading it: the pages come in when they are
// touched. Only regular files can be mapped, so that no pipe or device can
// block or grow under a reader.

#ifndef SPYRE_SUPPORT_MAPPEDFILE_H
#define SPYRE_SUPPORT_MAPPEDFILE_H

#include "spyre/Support/Error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace spyre {

/// Owns a read-only, private mapping of a file. The file must not be truncated
/// while it is mapped.
class MappedFile {
public:
  /// Maps the file that `path` leads to, an empty one too. An Error has the
  /// given code, the subject `file "path"` and the system's reason.
  static Expected<std::shared_ptr<const MappedFile>>
  open(const std::string &path, ErrorCode code);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte *>(data), sizeBytes};
  }

private:
  MappedFile() = default;

  void *data = nullptr;
  size_t sizeBytes = 0;
};

} // namespace spyre

#endif // SPYRE_SUPPORT_MAPPEDFILE_H
