// SPDX-License-Identifier: Apache-2.0
//
// The pass. What a node means is its decoder's business (Registry.h).

#include "spyre/Conversion/Passes.h"

#include "Converter.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_CONVERTONNXTOLINALGPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

/// A number that was meant for bodies and is stored after all: an error if it
/// becomes zero or infinite.
LogicalResult verifyStored(linalg::GenericOp op) {
  auto rounding = op.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  FloatAttr number;
  if (!rounding || !matchPattern(rounding.getIn(), m_Constant(&number)) ||
      number.getValue().isZero()) {
    return success();
  }
  APFloat stored = number.getValue();
  bool losesInfo = false;
  stored.convert(cast<FloatType>(rounding.getType()).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  if (stored.isFiniteNonZero() || !number.getValue().isFinite()) {
    return success();
  }
  return emitCoded(op, ErrorCode::ConstantBeyondF16,
                   llvm::formatv("{0:e} becomes {1} where it is stored, for a "
                                 "node that is not elementwise",
                                 number.getValueAsDouble(),
                                 stored.isZero() ? "0" : "infinite")
                       .str());
}

class ConvertOnnxToLinalg
    : public impl::ConvertOnnxToLinalgPassBase<ConvertOnnxToLinalg> {
public:
  using Base = impl::ConvertOnnxToLinalgPassBase<ConvertOnnxToLinalg>;
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const EvaluationBudget budget = {maxEvaluatedBytes, maxEvaluatedPoints};
    if (func.isDeclaration()) {
      return;
    }
    if (failed(Converter(func, budget).run())) {
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
    bool anyFailed = false;
    func.walk(
        [&](linalg::GenericOp op) { anyFailed |= failed(verifyStored(op)); });
    if (anyFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre
