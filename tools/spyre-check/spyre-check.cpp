// SPDX-License-Identifier: Apache-2.0
//
// Runs folders in the shape of ONNX's backend tests. It needs the ONNX front
// end, which this version does not have: it says so rather than pass.

#include "spyre/Support/Error.h"

#include <cstdio>

int main() {
  std::fprintf(
      stderr,
      "error: %s [command line] spyre-check arrives with the import of "
      "ONNX models\n  help: compile .mlir files with spyre-compile and "
      "run them with spyre-run --expected-output\n",
      spyre::errorName(spyre::ErrorCode::CommandLine).c_str());
  return 2;
}
