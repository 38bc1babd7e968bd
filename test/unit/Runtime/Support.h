// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the runtime's tests: bytes of values, and the text of an error.

#ifndef SPYRE_TEST_UNIT_RUNTIME_SUPPORT_H
#define SPYRE_TEST_UNIT_RUNTIME_SUPPORT_H

#include "spyre/Runtime/HostTensor.h"

#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spyre::rt::test {

template <typename T>
std::vector<std::byte> bytesOf(const std::vector<T> &values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> bytesOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <typename T>
std::vector<T> valuesOf(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The whole text of the error, or "success".
template <typename Result> std::string textOf(const Result &result) {
  return result ? "success" : result.error().str();
}

/// A fresh folder that is removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "spyre-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::filesystem::path path;
};

} // namespace spyre::rt::test

#endif // SPYRE_TEST_UNIT_RUNTIME_SUPPORT_H
