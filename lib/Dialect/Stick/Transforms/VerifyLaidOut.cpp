// SPDX-License-Identifier: Apache-2.0
//
// The gate at the end of the layout phase. It does not look at how the layouts
// were found, so that text written by hand is held to the same rules.

#include "spyre/Analysis/StickAccess.h"
#include "spyre/Analysis/StickAssignment.h"
#include "spyre/Analysis/StickViews.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace spyre::stick {

#define GEN_PASS_DEF_VERIFYLAIDOUTPASS
#include "spyre/Dialect/Stick/Transforms/Passes.h.inc"

namespace {

/// Whether all tensors among the types have layouts; reports the first not.
bool haveLayouts(Operation *op, TypeRange types, llvm::StringRef what) {
  for (auto [number, type] : llvm::enumerate(types)) {
    if (isa<TensorType>(type) && !getLayout(type)) {
      emitCoded(op, ErrorCode::MissingLayout,
                what + " " + Twine(number) + " of type " +
                    llvm::to_string(type) + " has no layout");
      return false;
    }
  }
  return true;
}

/// Whether the layouts of a view's operands fit each other, and that of its
/// result follows from them.
bool verifyView(Operation *op) {
  const layout::StickLayout source = getLayout(op->getOperand(0)).getLayout();
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      continue;
    }
    const layout::StickLayout expected =
        isIndexOfView(op, value) ? indexOfView(type) : source;
    if (getLayout(type).getLayout() != expected) {
      emitCoded(
          op, ErrorCode::IncompatibleSticks,
          "operand " + Twine(operand.getOperandNumber()) + " of type " +
              llvm::to_string(type) + " must have the layout " +
              llvm::to_string(LayoutAttr::get(op->getContext(), expected)));
      return false;
    }
  }
  std::optional<layout::StickLayout> result = throughView(op, source);
  if (!result || *result != getLayout(op->getResult(0)).getLayout()) {
    emitCoded(op, ErrorCode::IncompatibleSticks,
              "the layout of its result does not follow from that of its "
              "operand");
    return false;
  }
  return true;
}

bool verifyOp(Operation *op) {
  std::string reason;
  if (!isKnownToLayout(op, reason)) {
    emitCoded(op, ErrorCode::NoLayoutRule, reason);
    return false;
  }
  if (!haveLayouts(op, op->getOperandTypes(), "operand") ||
      !haveLayouts(op, op->getResultTypes(), "result")) {
    return false;
  }
  if (auto copy = dyn_cast<RestickifyOp>(op)) {
    if (auto weight = copy.getSource().getDefiningOp<WeightOp>()) {
      emitCoded(op, ErrorCode::WeightRestickified,
                "the weight \"" + weight.getName() +
                    "\" would change its layout on every run");
      return false;
    }
  }
  if (isStickView(op, reason) && !verifyView(op)) {
    return false;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || succeeded(verifyStickAccess(generic, reason))) {
    return true;
  }
  std::string ignored;
  const ErrorCode code = failed(classify(generic, ignored))
                             ? ErrorCode::UnclassifiedOp
                             : ErrorCode::IncompatibleSticks;
  emitCoded(op, code, reason);
  return false;
}

struct VerifyLaidOutPass : impl::VerifyLaidOutPassBase<VerifyLaidOutPass> {
  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation()))) {
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace

LogicalResult verifyLaidOut(func::FuncOp func) {
  bool valid = haveLayouts(func, func.getArgumentTypes(), "argument");
  for (Block &block : func.getBody()) {
    for (Operation &op : block) {
      valid &= verifyOp(&op);
    }
  }
  return success(valid);
}

} // namespace spyre::stick
