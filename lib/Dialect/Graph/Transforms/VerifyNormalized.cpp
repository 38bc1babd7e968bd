// SPDX-License-Identifier: Apache-2.0
//
// The contract of the phase normalize: what may stand in the IR after it.
// Reports everything that violates it, not the first op only.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_VERIFYNORMALIZEDPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

bool isAllowed(Operation *op) {
  if (isa<linalg::GenericOp, linalg::FillOp, tensor::EmptyOp, func::ReturnOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::GatherOp>(
          op)) {
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    return !isa<ShapedType>(constant.getType());
  }
  StringRef name = op->getName().getStringRef();
  return name == "stick.weight" || name == "stick.composite" ||
         name == "stick.host";
}

/// Element types that the device stores; i64 is narrowed to i32 at the
/// interface, which this level does not do.
bool isDeviceType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(32) ||
         type.isInteger(1) || type.isInteger(8);
}

class VerifyNormalized
    : public impl::VerifyNormalizedPassBase<VerifyNormalized> {
  bool failedOnce = false;

  void report(Operation *op, ErrorCode code, const Twine &message) {
    emitCoded(op, code, message);
    failedOnce = true;
  }

  void checkType(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      if (isa<ShapedType>(type)) {
        report(op, ErrorCode::DynamicShape,
               "the type of a value is not a ranked tensor");
      }
      return;
    }
    if (!tensor.hasStaticShape()) {
      std::string text;
      llvm::raw_string_ostream(text) << tensor;
      report(op, ErrorCode::DynamicShape,
             "the shape of " + text + " is not static");
    }
    if (!isDeviceType(tensor.getElementType())) {
      std::string text;
      llvm::raw_string_ostream(text) << tensor.getElementType();
      report(op, ErrorCode::UnsupportedElementType,
             "element type " + text + " does not exist on the device");
    }
  }

  void checkAccumulators(linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0) {
      return;
    }
    for (Value output : op.getOutputs()) {
      Type type = getElementTypeOrSelf(output.getType());
      if (type.isF16() || type.isBF16()) {
        report(op, ErrorCode::NarrowAccumulator,
               "a reduction accumulates in a 16-bit type; required is f32");
      }
    }
  }

  /// A trial of what the schedule does with the body much later.
  void checkBody(linalg::GenericOp op) {
    launch::Body trial;
    sdsc::BodyBuilder builder(
        trial, [](Operation *inner) -> std::optional<launch::BodyOp> {
          if (!isa<linalg::IndexOp>(inner)) {
            return std::nullopt;
          }
          launch::BodyOp index;
          index.opcode = launch::BodyOpcode::Index;
          return index;
        });
    for (BlockArgument argument : op.getBody()->getArguments()) {
      builder.addInput(argument);
    }
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegion(), captured);
    for (Value value : captured) {
      auto constant = value.getDefiningOp<arith::ConstantOp>();
      if (constant && failed(builder.convert(constant))) {
        failedOnce = true;
        return;
      }
    }
    failedOnce |= failed(builder.convertBlock(*op.getBody()));
  }

  void runOnOperation() override {
    failedOnce = false;
    func::FuncOp func = getOperation();
    for (Type type : func.getFunctionType().getInputs()) {
      checkType(func, type);
    }
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isAllowed(op)) {
        report(op, ErrorCode::UnsupportedOp,
               "'" + op->getName().getStringRef() +
                   "' cannot be lowered to the device");
        return WalkResult::skip();
      }
      for (Type type : op->getResultTypes()) {
        checkType(op, type);
      }
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        checkAccumulators(generic);
        checkBody(generic);
      }
      return op->getNumRegions() > 0 ? WalkResult::skip()
                                     : WalkResult::advance();
    });
    if (failedOnce) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre::graph
