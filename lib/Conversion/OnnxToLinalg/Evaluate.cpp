// SPDX-License-Identifier: Apache-2.0

#include "Evaluate.h"

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

namespace {

/// Elements of one operand and its linear position: offset + sum over the
/// iteration dims of step * position. The maps of this conversion are linear.
struct Operand {
  std::vector<Number> numbers;
  int64_t offset = 0;
  SmallVector<int64_t> steps;
};

int64_t linearPosition(AffineMap map, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> position) {
  int64_t linear = 0;
  for (auto [extent, index] : llvm::zip(shape, map.compose(position))) {
    linear = linear * extent + index;
  }
  return linear;
}

void setPositions(Operand &operand, AffineMap map, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> position(map.getNumDims(), 0);
  operand.offset = linearPosition(map, shape, position);
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
    position[dim] = 1;
    operand.steps.push_back(linearPosition(map, shape, position) -
                            operand.offset);
    position[dim] = 0;
  }
}

/// The elements that a reduction starts from; zeros of an empty tensor, which
/// no body reads.
std::optional<std::vector<Number>> startValues(Value init, int64_t size) {
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
  return std::vector<Number>(static_cast<size_t>(size), start);
}

bool advance(SmallVectorImpl<int64_t> &position, ArrayRef<int64_t> extents) {
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (++position[dim] < extents[dim]) {
      return true;
    }
    position[dim] = 0;
  }
  return false;
}

class Evaluator {
public:
  static std::optional<DenseElementsAttr> run(linalg::GenericOp op,
                                              int64_t maxPoints) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    std::optional<ScalarBody> body =
        ScalarBody::compile(*op.getBody(), Rounding::AsTyped);
    Evaluator evaluator;
    if (!body || !evaluator.prepare(op) ||
        !evaluator.loop(op, *body, maxPoints)) {
      return std::nullopt;
    }
    return writeNumbers(type, evaluator.operands.back().numbers);
  }

private:
  bool prepare(linalg::GenericOp op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      auto type = cast<RankedTensorType>(value.getType());
      Operand &operand = operands.emplace_back();
      setPositions(operand, op.getMatchingIndexingMap(&use), type.getShape());
      if (op.isDpsInit(&use)) {
        std::optional<std::vector<Number>> start =
            startValues(value, type.getNumElements());
        if (!start) {
          return false;
        }
        operand.numbers = std::move(*start);
        continue;
      }
      // An operand that is only a shape: the body does not read it.
      if (value.getDefiningOp<tensor::EmptyOp>() &&
          op.getMatchingBlockArgument(&use).use_empty()) {
        operand.numbers.resize(static_cast<size_t>(type.getNumElements()));
        continue;
      }
      DenseElementsAttr constant;
      if (!matchPattern(value, m_Constant(&constant))) {
        return false;
      }
      operand.numbers = readNumbers(constant);
    }
    return true;
  }

  bool loop(linalg::GenericOp op, const ScalarBody &body, int64_t maxPoints) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    int64_t points = 1;
    for (int64_t extent : extents) {
      if (extent == 0) {
        return true;
      }
      if (points > maxPoints / extent) {
        return false;
      }
      points *= extent;
    }
    std::vector<Number> values = body.initialValues();
    SmallVector<int64_t> position(extents.size(), 0);
    SmallVector<int64_t> linear(operands.size());
    do {
      for (auto [index, operand] : llvm::enumerate(operands)) {
        linear[index] = operand.offset;
        for (auto [step, at] : llvm::zip(operand.steps, position)) {
          linear[index] += step * at;
        }
        values[index] = operand.numbers[linear[index]];
      }
      if (!body.run(values, position)) {
        return false;
      }
      operands.back().numbers[linear.back()] = values[body.result()];
    } while (advance(position, extents));
    return true;
  }

  std::vector<Operand> operands;
};

} // namespace

std::optional<DenseElementsAttr> evaluate(linalg::GenericOp op,
                                          const EvaluationBudget &budget) {
  if (op.getNumResults() != 1 ||
      !budget.allows(cast<RankedTensorType>(op.getResult(0).getType()))) {
    return std::nullopt;
  }
  return Evaluator::run(op, budget.maxPoints);
}

} // namespace spyre
