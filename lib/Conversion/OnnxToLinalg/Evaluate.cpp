// SPDX-License-Identifier: Apache-2.0

#include "Evaluate.h"

#include "spyre/Reference/Generic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace spyre {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Number toNumber(const APFloat &value) {
  APFloat wide = value;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return {wide.convertToDouble(), 0};
}

static Number toNumber(const APInt &value, Type type) {
  const bool zeroExtend = type.isUnsignedInteger() || type.isSignlessInteger(1);
  return {0, zeroExtend ? static_cast<int64_t>(value.getZExtValue())
                        : value.getSExtValue()};
}

Number readSplat(DenseElementsAttr attr) {
  Type type = attr.getElementType();
  if (isa<FloatType>(type)) {
    return toNumber(attr.getSplatValue<APFloat>());
  }
  return toNumber(attr.getSplatValue<APInt>(), type);
}

std::vector<Number> readNumbers(DenseElementsAttr attr) {
  const auto size = static_cast<size_t>(attr.getNumElements());
  if (attr.isSplat()) {
    return std::vector<Number>(size, readSplat(attr));
  }
  std::vector<Number> numbers;
  numbers.reserve(size);
  Type type = attr.getElementType();
  if (isa<FloatType>(type)) {
    for (const APFloat &value : attr.getValues<APFloat>()) {
      numbers.push_back(toNumber(value));
    }
    return numbers;
  }
  for (const APInt &value : attr.getValues<APInt>()) {
    numbers.push_back(toNumber(value, type));
  }
  return numbers;
}

/// Bitwise, so that -0.0 and 0.0 differ and a NaN equals itself.
static bool sameNumber(const Number &a, const Number &b) {
  return a.integer == b.integer &&
         llvm::bit_cast<uint64_t>(a.real) == llvm::bit_cast<uint64_t>(b.real);
}

DenseElementsAttr writeNumbers(RankedTensorType type,
                               ArrayRef<Number> numbers) {
  Type element = type.getElementType();
  const bool uniform =
      numbers.size() > 1 && llvm::all_of(numbers, [&](const Number &number) {
        return sameNumber(number, numbers.front());
      });
  if (uniform) {
    numbers = numbers.take_front();
  }
  if (auto floatType = dyn_cast<FloatType>(element)) {
    SmallVector<APFloat> values;
    for (const Number &number : numbers) {
      APFloat value(number.real);
      bool losesInfo = false;
      value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      values.push_back(value);
    }
    return DenseElementsAttr::get(type, values);
  }
  const unsigned width = element.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (const Number &number : numbers) {
    values.emplace_back(64, static_cast<uint64_t>(number.integer));
    values.back() = values.back().zextOrTrunc(width);
  }
  return DenseElementsAttr::get(type, values);
}

bool EvaluationBudget::allows(RankedTensorType type) const {
  int64_t elements = 1;
  for (int64_t extent : type.getShape()) {
    if (__builtin_mul_overflow(elements, extent, &elements)) {
      return false;
    }
  }
  const int64_t bytes =
      std::max<int64_t>(type.getElementType().getIntOrFloatBitWidth() / 8, 1);
  return elements <= maxBytes / bytes;
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

/// The elements that a reduction starts from; zeros of an empty tensor, which
/// no body reads.
static std::optional<std::vector<Number>> startValues(Value init) {
  Number start;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Attribute value;
    if (!matchPattern(fill.getInputs()[0], m_Constant(&value))) {
      return std::nullopt;
    }
    if (auto number = dyn_cast<FloatAttr>(value)) {
      start.real = number.getValueAsDouble();
    } else if (auto number = dyn_cast<IntegerAttr>(value)) {
      start = toNumber(number.getValue(), number.getType());
    } else {
      return std::nullopt;
    }
  } else if (!init.getDefiningOp<tensor::EmptyOp>()) {
    return std::nullopt;
  }
  const int64_t size = cast<RankedTensorType>(init.getType()).getNumElements();
  return std::vector<Number>(static_cast<size_t>(size), start);
}

static std::optional<std::vector<Number>> elementsOf(linalg::GenericOp op,
                                                     OpOperand &use) {
  Value value = use.get();
  // An operand that is only a shape: the body does not read it.
  const bool isShape = value.getDefiningOp<tensor::EmptyOp>() &&
                       op.getMatchingBlockArgument(&use).use_empty();
  if (op.isDpsInit(&use) || isShape) {
    return startValues(value);
  }
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant))) {
    return std::nullopt;
  }
  return readNumbers(constant);
}

static bool allowsPoints(linalg::GenericOp op, int64_t maxPoints) {
  int64_t points = 1;
  for (int64_t extent : op.getStaticLoopRanges()) {
    if (extent != 0 && points > maxPoints / extent) {
      return false;
    }
    points *= extent;
  }
  return true;
}

std::optional<Number> exactScalar(linalg::GenericOp op) {
  const auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (op.getNumDpsInputs() > 0 || op.hasIndexSemantics() ||
      type.getNumElements() == 0) {
    return std::nullopt;
  }
  const std::vector<Number> start(static_cast<size_t>(type.getNumElements()));
  Expected<std::vector<Number>> exact = runGeneric(op, &start, Rounding::None);
  return exact ? std::optional(exact->front()) : std::nullopt;
}

/// Whether a computation of scalars alone gives a number for which its 16-bit
/// type is too narrow: rounding would make zero, an infinity or fewer bits of
/// it.
static bool leavesNarrowRange(linalg::GenericOp op) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op.getResult(0)));
  if (!type || type.getWidth() > 16) {
    return false;
  }
  const std::optional<Number> exact = exactScalar(op);
  if (!exact) {
    return false;
  }
  APFloat value(exact->real);
  bool losesInfo = false;
  const APFloat::opStatus status = value.convert(
      type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return (status & (APFloat::opUnderflow | APFloat::opOverflow)) != 0;
}

std::optional<DenseElementsAttr> evaluate(linalg::GenericOp op,
                                          const EvaluationBudget &budget) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (op.getNumResults() != 1 || !budget.allows(type) ||
      !allowsPoints(op, budget.maxPoints) || leavesNarrowRange(op)) {
    return std::nullopt;
  }
  std::vector<std::vector<Number>> elements;
  for (OpOperand &use : op->getOpOperands()) {
    std::optional<std::vector<Number>> numbers = elementsOf(op, use);
    if (!numbers) {
      return std::nullopt;
    }
    elements.push_back(std::move(*numbers));
  }
  SmallVector<const std::vector<Number> *> operands;
  for (const std::vector<Number> &numbers : elements) {
    operands.push_back(&numbers);
  }
  Expected<std::vector<Number>> result =
      runGeneric(op, operands, Rounding::AsTyped);
  if (!result) {
    return std::nullopt;
  }
  return writeNumbers(type, *result);
}

} // namespace spyre
