// SPDX-License-Identifier: Apache-2.0
//
// f16 storage for a model that was written in f32. Only types and constants
// change: what a node computes follows from the types of its operands.

#include "spyre/Dialect/Onnx/Transforms/Passes.h"

#include "spyre/Dialect/Onnx/IR/Onnx.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace spyre::onnx {
#define GEN_PASS_DEF_STOREFLOATSASF16PASS
#include "spyre/Dialect/Onnx/Transforms/Passes.h.inc"

namespace {

/// onnx.TensorProto.DataType.
constexpr int64_t kFloat = 1;
constexpr int64_t kFloat16 = 10;
/// The least number that rounds to infinity: half a step beyond 65504.
constexpr float kFirstBeyondF16 = 65520;
/// From here on a number stands for infinity: exporters mask with -1e9 or less,
/// and write the type's extreme for a bound that is open.
constexpr float kLeastUnbounded = 1e9F;

Type stored(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && tensor.getElementType().isF32()
             ? Type(tensor.cloneWith(std::nullopt,
                                     Float16Type::get(type.getContext())))
             : type;
}

APFloat toF16(APFloat value) {
  bool losesInfo = false;
  bool wasFinite = value.isFinite();
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wasFinite && value.isInfinity()
             ? APFloat::getLargest(APFloat::IEEEhalf(), value.isNegative())
             : value;
}

/// Whether the value means a number that f16 does not have.
bool isBeyondF16(const APFloat &value) {
  const float magnitude = std::fabs(value.convertToFloat());
  return magnitude >= kFirstBeyondF16 && magnitude < kLeastUnbounded;
}

/// The values as f16; `op` has them.
FailureOr<ElementsAttr> storedElements(Operation *op, ElementsAttr value) {
  auto numbers = dyn_cast<DenseFPElementsAttr>(value);
  if (!numbers || !numbers.getElementType().isF32()) {
    return value;
  }
  int64_t count = 0;
  float first = 0;
  for (const APFloat &number : numbers.getValues<APFloat>()) {
    if (isBeyondF16(number)) {
      first = count++ == 0 ? number.convertToFloat() : first;
    }
  }
  if (count > 0) {
    return emitCoded(op, ErrorCode::ConstantBeyondF16,
                     Twine(count) + " of its " + Twine(numbers.size()) +
                         " values are beyond f16's largest numbers, +-65504; "
                         "the first is " +
                         llvm::formatv("{0:e}", first).str());
  }
  return ElementsAttr(numbers.mapValues(
      Float16Type::get(value.getContext()),
      [](const APFloat &number) { return toF16(number).bitcastToAPInt(); }));
}

class StoreFloatsAsF16
    : public impl::StoreFloatsAsF16PassBase<StoreFloatsAsF16> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto hostType = TypeAttr::get(Float32Type::get(&getContext()));
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (stored(func.getArgument(i).getType()) !=
          func.getArgument(i).getType()) {
        func.setArgAttr(i, "spyre.host_type", hostType);
      }
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      if (stored(func.getResultTypes()[i]) != func.getResultTypes()[i]) {
        func.setResultAttr(i, "spyre.host_type", hostType);
      }
    }
    bool anyFailed = false;
    func.walk([&](Operation *op) { anyFailed |= failed(store(op)); });
    if (anyFailed) {
      return signalPassFailure();
    }
    auto types = [](TypeRange range) {
      return llvm::map_to_vector(range, stored);
    };
    func.setFunctionType(FunctionType::get(&getContext(),
                                           types(func.getArgumentTypes()),
                                           types(func.getResultTypes())));
  }

  LogicalResult store(Operation *op) {
    if (auto weight = dyn_cast<stick::WeightOp>(op)) {
      if (!weight.getHostType() && weight.getType().getElementType().isF32()) {
        weight.setHostType(weight.getType().getElementType());
      }
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto elements = dyn_cast<ElementsAttr>(constant.getValue())) {
        FailureOr<ElementsAttr> value = storedElements(op, elements);
        if (failed(value)) {
          return failure();
        }
        constant.setValueAttr(cast<TypedAttr>(*value));
      }
    } else if (auto node = dyn_cast<NodeOp>(op)) {
      FailureOr<DictionaryAttr> parameters = storedParameters(node);
      if (failed(parameters)) {
        return failure();
      }
      node.setParametersAttr(*parameters);
    }
    for (Value result : op->getResults()) {
      result.setType(stored(result.getType()));
    }
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        argument.setType(stored(argument.getType()));
      }
    }
    return success();
  }

  /// Tensors among the attributes, and the element types that they name.
  FailureOr<DictionaryAttr> storedParameters(NodeOp node) {
    NamedAttrList parameters(node.getParameters());
    for (NamedAttribute entry : node.getParameters()) {
      StringRef name = entry.getName().getValue();
      auto number = dyn_cast<IntegerAttr>(entry.getValue());
      if (auto elements = dyn_cast<ElementsAttr>(entry.getValue())) {
        FailureOr<ElementsAttr> value = storedElements(node, elements);
        if (failed(value)) {
          return failure();
        }
        parameters.set(entry.getName(), *value);
      } else if (number && number.getInt() == kFloat &&
                 (name == "to" || name == "dtype")) {
        parameters.set(entry.getName(),
                       IntegerAttr::get(number.getType(), kFloat16));
      }
    }
    if (node.getOpType() == "ConstantOfShape" && !parameters.get("value")) {
      auto type = RankedTensorType::get({1}, Float16Type::get(&getContext()));
      parameters.set("value", DenseElementsAttr::get(
                                  type, APFloat::getZero(APFloat::IEEEhalf())));
    }
    return parameters.getDictionary(&getContext());
  }
};

} // namespace
} // namespace spyre::onnx
