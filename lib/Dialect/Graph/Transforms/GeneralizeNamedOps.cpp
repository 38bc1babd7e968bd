// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_GENERALIZENAMEDOPSPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

class GeneralizeNamedOps
    : public impl::GeneralizeNamedOpsPassBase<GeneralizeNamedOps> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op.getOperation())) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      DictionaryAttr attrs = op->getDiscardableAttrDictionary();
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      // What cannot be generalised is reported by the phase's verifier.
      if (succeeded(generic)) {
        (*generic)->setDiscardableAttrs(attrs);
      }
    }
  }
};

} // namespace
} // namespace spyre::graph
