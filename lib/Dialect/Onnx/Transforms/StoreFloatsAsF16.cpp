// SPDX-License-Identifier: Apache-2.0
//
// f16 storage for a model that was written in f32. Only types and constants
// change: what a node computes follows from the types of its operands. The
// scales of quantized values are no storage, but factors of integers that are
// far beyond f16: they stay f32, and a Cast follows what takes its type from
// them. So does a single number that f16 does not have, as the epsilon of a
// norm or a count of elements: bodies compute in f32 and take it as it is.

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
/// From this magnitude on nobody means a number: the type's extremes, for a
/// bound that is open.
constexpr float kLeastUnbounded = 1e30F;
/// From here down a number masks: added to a score of attention it hides a key,
/// as -65504 does. Exporters write -1e9 and less.
constexpr float kGreatestMask = -1e9F;
/// The version of Cast that is inserted.
constexpr int64_t kCastVersion = 13;

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
  const float number = value.convertToFloat();
  const float magnitude = std::fabs(number);
  return magnitude >= kFirstBeyondF16 && magnitude < kLeastUnbounded &&
         number > kGreatestMask;
}

/// Whether f16 does not have the number, or has it with fewer bits, and bodies
/// should. A negative one beyond f16 is no factor but a mask, whose sums are
/// stored.
bool leavesF16(APFloat value) {
  if (isBeyondF16(value)) {
    return !value.isNegative();
  }
  bool losesInfo = false;
  const APFloat::opStatus status = value.convert(
      APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return (status & APFloat::opUnderflow) != 0;
}

/// What an operator on quantized values takes as factors of integers.
struct Quantized {
  StringLiteral domain;
  StringLiteral op;
  /// Positions of the scales and of zero points that may be floats.
  SmallVector<unsigned, 2> parameters;
  /// Whether the result has the type of the scales.
  bool givesScaleType;
};

const Quantized *quantizedOperator(NodeOp node) {
  static const Quantized all[] = {
      {"", "DequantizeLinear", {1}, true},
      {"", "QuantizeLinear", {1}, false},
      {"com.microsoft", "GatherBlockQuantized", {2}, true},
      {"com.microsoft", "MatMulNBits", {2, 3}, false}};
  const auto *found = llvm::find_if(all, [&](const Quantized &entry) {
    return entry.domain == node.getDomain() && entry.op == node.getOpType();
  });
  return found == std::end(all) ? nullptr : found;
}

bool isF32Constant(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type && type.getElementType().isF32() &&
         value.getDefiningOp<arith::ConstantOp>();
}

/// A few numbers of a tensor may round to 0; one of which nothing but zeros is
/// left would say something else than the model.
LogicalResult verifySomeRemain(Operation *op, DenseFPElementsAttr numbers) {
  float greatest = 0;
  for (const APFloat &number : numbers.getValues<APFloat>()) {
    if (!toF16(number).isZero()) {
      return success();
    }
    greatest = std::max(greatest, std::fabs(number.convertToFloat()));
  }
  if (greatest == 0) {
    return success();
  }
  return emitCoded(op, ErrorCode::ConstantBeyondF16,
                   "all of its " + Twine(numbers.size()) +
                       " values become 0; the greatest magnitude is " +
                       llvm::formatv("{0:e}", greatest).str());
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
  if (failed(verifySomeRemain(op, numbers))) {
    return failure();
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
    // What folding has left behind need not fit.
    func.walk([](arith::ConstantOp constant) {
      if (constant->use_empty()) {
        constant.erase();
      }
    });
    func.walk([&](NodeOp node) { keepParameters(node); });
    func.walk([&](arith::ConstantOp constant) { keepScalar(constant); });
    func.walk([&](NodeOp node) { keepScalar(node); });
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

  /// Gives a node on quantized values its own f32 copies of constant scales.
  void keepParameters(NodeOp node) {
    const Quantized *quantized = quantizedOperator(node);
    if (!quantized) {
      return;
    }
    bool keepsAny = false;
    for (unsigned index : quantized->parameters) {
      if (index >= node.getInputs().size() ||
          !isF32Constant(node.getInputs()[index])) {
        continue;
      }
      Operation *constant = node.getInputs()[index].getDefiningOp();
      Operation *copy = OpBuilder(constant).clone(*constant);
      kept.insert(copy);
      node.getInputsMutable()[index].assign(copy->getResult(0));
      if (constant->use_empty()) {
        constant->erase();
      }
      keepsAny = true;
    }
    if (keepsAny && quantized->givesScaleType) {
      keepResult(node);
    }
  }

  void keepScalar(arith::ConstantOp constant) {
    auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    if (isF32Constant(constant) && !kept.contains(constant) && numbers &&
        numbers.isSplat() && leavesF16(numbers.getSplatValue<APFloat>())) {
      keepResult(constant);
    }
  }

  /// The value of a ConstantOfShape, likewise.
  void keepScalar(NodeOp node) {
    auto value = dyn_cast_or_null<DenseFPElementsAttr>(
        node.getParameters().get("value"));
    if (node.getOpType() == "ConstantOfShape" && node.getDomain().empty() &&
        value && value.getElementType().isF32() && value.isSplat() &&
        leavesF16(value.getSplatValue<APFloat>())) {
      keepResult(node);
    }
  }

  /// The result stays f32; what uses it takes it through a Cast.
  void keepResult(Operation *op) {
    kept.insert(op);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    auto cast = NodeOp::create(builder, op->getLoc(), stored(result.getType()),
                               "Cast", "", kCastVersion, result,
                               builder.getDictionaryAttr(builder.getNamedAttr(
                                   "to", builder.getI64IntegerAttr(kFloat16))),
                               ArrayAttr(), ValueRange(), 0);
    result.replaceAllUsesExcept(cast.getResult(0), cast);
  }

  LogicalResult store(Operation *op) {
    if (kept.contains(op)) {
      return success();
    }
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

  /// Constants that stay f32, and nodes whose results do.
  DenseSet<Operation *> kept;
};

} // namespace
} // namespace spyre::onnx
