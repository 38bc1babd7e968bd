// SPDX-License-Identifier: Apache-2.0
//
// Tells libFuzzer to mutate messages more often than bytes.

#include "WireMutator.h"

#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

std::string mutateBytes(std::string bytes, size_t maxBytes) {
  const size_t size = bytes.size();
  bytes.resize(maxBytes);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), size,
                                maxBytes));
  return bytes;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 4 == 0) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  const std::string mutated = spyre::fuzz::mutateMessage(
      {reinterpret_cast<const char *>(data), size}, seed, mutateBytes);
  if (mutated.empty() || mutated.size() > maxSize) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
