// SPDX-License-Identifier: Apache-2.0
//
// The contract of the phase schedule: the plan checker accepts the plan.

#include "spyre/Conversion/Passes.h"
#include "spyre/Export/LaunchPlan/Export.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_VERIFYSCHEDULEDPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

class VerifyScheduled : public impl::VerifyScheduledPassBase<VerifyScheduled> {
  using VerifyScheduledPassBase::VerifyScheduledPassBase;

  void runOnOperation() override {
    EmitOptions options;
    options.target = target;
    if (failed(emitArtifact(getOperation(), /*outputPath=*/"", options))) {
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace spyre
