// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry point for the ONNX reader: bytes as a model and as a
// tensor. Whatever is accepted must hold the invariants.

#include "Invariants.h"

#include "spyre/OnnxFile/Reader.h"

#include <cstdio>
#include <cstdlib>

using namespace spyre;
using namespace spyre::onnxfile;

namespace {

void require(const std::string &broken) {
  if (!broken.empty()) {
    std::fprintf(stderr, "broken invariant: %s\n", broken.c_str());
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span<const std::byte> bytes(
      reinterpret_cast<const std::byte *>(data), size);
  // No file may be opened because of what the fuzzer wrote.
  const ReadOptions options{{}, false};
  const Expected<Model> model = parseModel(bytes, "fuzzed", options);
  if (model) {
    require(text::brokenInvariant(*model, false));
  } else {
    (void)model.error().str();
  }
  const Expected<TensorFile> tensor = parseTensor(bytes, "fuzzed", options);
  if (tensor) {
    require(text::brokenInvariant(tensor->tensor, tensor->files, false));
  }
  return 0;
}
