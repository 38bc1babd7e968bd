// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/MappedFile.h"

#include "spyre/Support/Quote.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spyre {

MappedFile::~MappedFile() {
  if (data) {
    munmap(data, sizeBytes);
  }
}

Expected<std::shared_ptr<const MappedFile>>
MappedFile::open(const std::string &path, ErrorCode code) {
  const std::string subject = "file " + quote(path);
  if (path.find('\0') != std::string::npos) {
    return makeError(code, subject, "a path cannot hold a NUL character");
  }
  // Opening a pipe would otherwise wait for its writer.
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return makeError(code, subject, std::strerror(errno));
  }
  std::shared_ptr<MappedFile> file(new MappedFile());
  struct stat info = {};
  std::string failure;
  if (fstat(descriptor, &info) != 0) {
    failure = std::strerror(errno);
  } else if (!S_ISREG(info.st_mode)) {
    failure = "it is not a regular file";
  } else if (info.st_size > 0) {
    const auto size = static_cast<size_t>(info.st_size);
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      failure = std::strerror(errno);
    } else {
      file->data = data;
      file->sizeBytes = size;
    }
  }
  close(descriptor);
  if (!failure.empty()) {
    return makeError(code, subject, failure);
  }
  return file;
}

} // namespace spyre
