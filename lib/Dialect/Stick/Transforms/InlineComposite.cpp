// SPDX-License-Identifier: Apache-2.0
//
// A composite that no pass has planned as a whole means its body.

#include "spyre/Dialect/Stick/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::stick {

#define GEN_PASS_DEF_INLINECOMPOSITEPASS
#include "spyre/Dialect/Stick/Transforms/Passes.h.inc"

namespace {

struct InlineCompositePass
    : impl::InlineCompositePassBase<InlineCompositePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Post-order: the innermost composites first.
    getOperation().walk([&](CompositeOp composite) {
      Block &body = composite.getBody().front();
      Operation *yield = body.getTerminator();
      rewriter.inlineBlockBefore(&body, composite, composite.getInputs());
      rewriter.replaceOp(composite, yield->getOperands());
      rewriter.eraseOp(yield);
    });
  }
};

} // namespace

} // namespace spyre::stick
