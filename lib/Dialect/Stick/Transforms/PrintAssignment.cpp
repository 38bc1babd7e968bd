// SPDX-License-Identifier: Apache-2.0

#include "spyre/Analysis/StickAssignment.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"

using namespace mlir;

namespace spyre::stick {

#define GEN_PASS_DEF_PRINTASSIGNMENTPASS
#include "spyre/Dialect/Stick/Transforms/Passes.h.inc"

namespace {

struct PrintAssignmentPass
    : impl::PrintAssignmentPassBase<PrintAssignmentPass> {
  void runOnOperation() override {
    if (getOperation().isExternal()) {
      return;
    }
    FailureOr<StickAssignment> assignment = assignSticks(getOperation());
    if (failed(assignment)) {
      signalPassFailure();
      return;
    }
    // One write, so that functions printed in parallel do not mix.
    std::string text =
        "assignment of @" + getOperation().getName().str() + "\n";
    llvm::raw_string_ostream stream(text);
    print(*assignment, stream);
    llvm::outs() << text;
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace spyre::stick
