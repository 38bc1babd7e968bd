// SPDX-License-Identifier: Apache-2.0
//
// The pass. What a node means is its decoder's business (Registry.h).

#include "spyre/Conversion/Passes.h"

#include "Converter.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_CONVERTONNXTOLINALGPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

class ConvertOnnxToLinalg
    : public impl::ConvertOnnxToLinalgPassBase<ConvertOnnxToLinalg> {
public:
  using Base = impl::ConvertOnnxToLinalgPassBase<ConvertOnnxToLinalg>;
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const EvaluationBudget budget = {maxEvaluatedBytes, maxEvaluatedPoints};
    if (!func.isDeclaration() && failed(Converter(func, budget).run())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre
