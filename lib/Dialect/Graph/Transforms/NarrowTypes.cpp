// SPDX-License-Identifier: Apache-2.0
//
// The element types of the device: integers of other widths than 1, 8 and 32
// bits become i32, f64 becomes f32. What the caller passes and gets keeps its
// type: the arguments say so, and the runtime converts with a range check.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_NARROWTYPESPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

Type narrowedElement(Type type) {
  if (type.isF64()) {
    return Float32Type::get(type.getContext());
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || (integer.isSignless() &&
                   llvm::is_contained({1u, 8u, 32u}, integer.getWidth()))) {
    return type;
  }
  return IntegerType::get(type.getContext(), 32);
}

Type narrowed(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return tensor.clone(narrowedElement(tensor.getElementType()));
  }
  return narrowedElement(type);
}

/// A cast between types that have become one.
bool isIdentityCast(Operation *op) {
  return isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp,
             arith::TruncFOp>(op) &&
         op->getOperand(0).getType() == op->getResult(0).getType();
}

class NarrowTypes : public impl::NarrowTypesPassBase<NarrowTypes> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal()) {
      return;
    }
    bool anyFailed = false;
    func.walk([&](Operation *op) { anyFailed |= failed(refuseWrap(op)); });
    if (anyFailed) {
      return signalPassFailure();
    }
    keepHostTypes(func);
    func.walk([&](Operation *op) { anyFailed |= failed(narrow(op)); });
    SmallVector<Operation *> casts;
    func.walk([&](Operation *op) {
      if (isIdentityCast(op)) {
        casts.push_back(op);
      }
    });
    for (Operation *cast : casts) {
      cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
      cast->erase();
    }
    auto types = [](TypeRange range) {
      return llvm::map_to_vector(range, narrowed);
    };
    func.setFunctionType(FunctionType::get(&getContext(),
                                           types(func.getArgumentTypes()),
                                           types(func.getResultTypes())));
    if (anyFailed) {
      signalPassFailure();
    }
  }

  /// i32 arithmetic does not wrap where a narrower type would.
  static LogicalResult refuseWrap(Operation *op) {
    auto isWidened = [](Type type) {
      auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
      return integer && integer.getWidth() < 32 &&
             narrowedElement(integer) != integer;
    };
    bool wraps =
        (isa<arith::TruncIOp>(op) && isWidened(op->getResult(0).getType())) ||
        (isa<arith::ExtUIOp>(op) && isWidened(op->getOperand(0).getType()));
    if (!wraps) {
      return success();
    }
    return emitCoded(op, ErrorCode::UnsupportedElementType,
                     "a conversion wraps in an integer type that the device "
                     "does not have");
  }

  static void keepHostTypes(func::FuncOp func) {
    auto hostType = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return narrowedElement(element) != element ? TypeAttr::get(element)
                                                 : TypeAttr();
    };
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (TypeAttr type = hostType(func.getArgument(i).getType())) {
        func.setArgAttr(i, "spyre.host_type", type);
      }
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      if (TypeAttr type = hostType(func.getResultTypes()[i])) {
        func.setResultAttr(i, "spyre.host_type", type);
      }
    }
  }

  LogicalResult narrow(Operation *op) {
    if (auto weight = dyn_cast<stick::WeightOp>(op)) {
      Type element = weight.getType().getElementType();
      if (!weight.getHostType() && narrowedElement(element) != element) {
        weight.setHostType(element);
      }
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      FailureOr<TypedAttr> value = narrowConstant(constant);
      if (failed(value)) {
        return failure();
      }
      constant.setValueAttr(*value);
    }
    for (Value result : op->getResults()) {
      result.setType(narrowed(result.getType()));
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments()) {
          argument.setType(narrowed(argument.getType()));
        }
      }
    }
    return success();
  }

  FailureOr<TypedAttr> narrowConstant(arith::ConstantOp op) {
    TypedAttr value = op.getValue();
    Type type = narrowed(value.getType());
    if (type == value.getType()) {
      return value;
    }
    bool inRange = true;
    auto toI32 = [&](const APInt &number) {
      // The extremes of a wider type say "beyond any value" in either width.
      bool isWider = number.getBitWidth() > 32;
      if (isWider && number.isMinSignedValue()) {
        return APInt::getSignedMinValue(32);
      }
      if (isWider && number.isMaxSignedValue()) {
        return APInt::getSignedMaxValue(32);
      }
      inRange &= number.isSignedIntN(32);
      return number.sextOrTrunc(32);
    };
    auto toF32 = [](APFloat number) {
      bool losesInfo = false;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      return number;
    };
    TypedAttr result;
    if (auto integer = dyn_cast<IntegerAttr>(value)) {
      result = IntegerAttr::get(type, toI32(integer.getValue()));
    } else if (auto number = dyn_cast<FloatAttr>(value)) {
      result = FloatAttr::get(type, toF32(number.getValue()));
    } else if (auto integers = dyn_cast<DenseIntElementsAttr>(value)) {
      result = integers.mapValues(getElementTypeOrSelf(type), toI32);
    } else if (auto numbers = dyn_cast<DenseFPElementsAttr>(value)) {
      result = numbers.mapValues(getElementTypeOrSelf(type),
                                 [&](const APFloat &number) {
                                   return toF32(number).bitcastToAPInt();
                                 });
    }
    if (!result) {
      return emitCoded(op, ErrorCode::UnsupportedElementType,
                       "a constant is not dense; larger ones are weights");
    }
    if (!inRange) {
      return emitCoded(op, ErrorCode::UnsupportedElementType,
                       "a constant does not fit 32 bits, the widest integer of "
                       "the device");
    }
    return result;
  }
};

} // namespace
} // namespace spyre::graph
