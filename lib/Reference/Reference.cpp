// SPDX-License-Identifier: Apache-2.0

#include "spyre/Reference/Reference.h"

#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Reference/Generic.h"
#include "spyre/Runtime/HostFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>
#include <bit>

using namespace mlir;

namespace spyre {
namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Visits the elements of a slice: their positions in the whole, row-major.
template <typename Visit>
void forEachElement(OffsetSizeAndStrideOpInterface slice,
                    ArrayRef<int64_t> whole, const Visit &visit) {
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  if (llvm::is_contained(sizes, 0)) {
    return;
  }
  SmallVector<int64_t> position(sizes.size(), 0);
  SmallVector<int64_t> outer(sizes.size(), 0);
  do {
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      outer[dim] = slice.getStaticOffsets()[dim] +
                   slice.getStaticStrides()[dim] * position[dim];
    }
    visit(linearPosition(whole, outer));
  } while (advance(position, sizes));
}

Number numberOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    return {number.getValueAsDouble(), 0};
  }
  auto number = cast<IntegerAttr>(value);
  return roundTo({0, number.getValue().getSExtValue()}, number.getType());
}

/// The numbers as f64 or i64, which hold every one of them.
rt::HostTensor toHostTensor(RankedTensorType type,
                            const std::vector<Number> &numbers) {
  const bool isFloat = isa<FloatType>(type.getElementType());
  rt::HostTensor tensor{isFloat ? launch::HostType::F64 : launch::HostType::I64,
                        type.getShape().vec(),
                        {}};
  for (const Number &number : numbers) {
    const auto bytes =
        isFloat ? std::bit_cast<std::array<std::byte, 8>>(number.real)
                : std::bit_cast<std::array<std::byte, 8>>(number.integer);
    tensor.bytes.insert(tensor.bytes.end(), bytes.begin(), bytes.end());
  }
  return tensor;
}

} // namespace

LogicalResult ReferenceRun::run(ArrayRef<std::vector<Number>> arguments) {
  for (auto [argument, numbers] :
       llvm::zip_equal(func.getArguments(), arguments)) {
    set(argument, numbers);
  }
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (failed(evaluate(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ReferenceRun::evaluate(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::GenericOp generic) { return evaluateGeneric(generic); })
      .Case([&](tensor::GatherOp gather) { return evaluateGather(gather); })
      .Case([&](linalg::FillOp fill) { return evaluateFill(fill), success(); })
      .Case([&](tensor::ExtractSliceOp extract) {
        return evaluateExtract(extract), success();
      })
      .Case([&](tensor::InsertSliceOp insert) {
        return evaluateInsert(insert), success();
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        values[reshape.getResult()] = values.at(reshape.getSrc());
        return success();
      })
      .Case([&](tensor::EmptyOp empty) {
        set(empty, std::vector<Number>(static_cast<size_t>(
                       tensorType(empty).getNumElements())));
        return success();
      })
      .Case([&](stick::WeightOp weight) -> LogicalResult {
        FailureOr<std::vector<Number>> numbers = readWeight(weight);
        if (succeeded(numbers)) {
          set(weight, std::move(*numbers));
        }
        return numbers;
      })
      .Case([&](stick::HostOp host) { return evaluateHost(host); })
      // A scalar: whoever uses it reads the attribute.
      .Case([](arith::ConstantOp) { return success(); })
      .Default([](Operation *other) {
        return emitCoded(other, ErrorCode::UnsupportedOp,
                         "'" + other->getName().getStringRef() +
                             "' is not of the level after normalize");
      });
}

LogicalResult ReferenceRun::evaluateGeneric(linalg::GenericOp op) {
  std::vector<const std::vector<Number> *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(values.at(operand).get());
  }
  Expected<std::vector<Number>> result =
      runGeneric(op, operands, Rounding::None);
  if (!result) {
    return emitCoded(op, result.error());
  }
  set(op.getResult(0), std::move(*result));
  return success();
}

LogicalResult ReferenceRun::evaluateHost(stick::HostOp op) {
  const Expected<launch::HostCall> call = op.readCall();
  if (!call) {
    return emitCoded(op, call.error());
  }
  std::vector<rt::HostTensor> operands;
  for (Value input : op.getInputs()) {
    operands.push_back(toHostTensor(tensorType(input), *values.at(input)));
  }
  for (auto [result, tensor] :
       llvm::zip_equal(op.getResults(), rt::runHostCall(*call, operands))) {
    std::vector<Number> numbers;
    for (int64_t i = 0; i < tensorType(result).getNumElements(); ++i) {
      numbers.push_back(rt::isFloat(tensor.type)
                            ? Number{rt::elementAsDouble(tensor, i), 0}
                            : Number{0, rt::elementAsInteger(tensor, i)});
    }
    set(result, std::move(numbers));
  }
  return success();
}

void ReferenceRun::evaluateFill(linalg::FillOp op) {
  Attribute value;
  matchPattern(op.getInputs()[0], m_Constant(&value));
  Value result = op.getResult(0);
  set(result, std::vector<Number>(
                  static_cast<size_t>(tensorType(result).getNumElements()),
                  numberOf(value)));
}

void ReferenceRun::evaluateExtract(tensor::ExtractSliceOp op) {
  const std::vector<Number> &source = *values.at(op.getSource());
  std::vector<Number> result;
  forEachElement(op, op.getSourceType().getShape(),
                 [&](int64_t at) { result.push_back(source[at]); });
  set(op.getResult(), std::move(result));
}

void ReferenceRun::evaluateInsert(tensor::InsertSliceOp op) {
  const std::vector<Number> &source = *values.at(op.getSource());
  std::vector<Number> result = *values.at(op.getDest());
  size_t next = 0;
  forEachElement(op, op.getDestType().getShape(),
                 [&](int64_t at) { result[at] = source[next++]; });
  set(op.getResult(), std::move(result));
}

LogicalResult ReferenceRun::evaluateGather(tensor::GatherOp op) {
  const std::vector<Number> &table = *values.at(op.getSource());
  const std::vector<Number> &rows = *values.at(op.getIndices());
  const int64_t numRows = op.getSourceType().getDimSize(0);
  const int64_t width =
      numRows == 0 ? 0 : static_cast<int64_t>(table.size()) / numRows;
  std::vector<Number> result;
  for (const Number &row : rows) {
    if (row.integer < 0 || row.integer >= numRows) {
      return emitCoded(op, ErrorCode::OnnxShapeMismatch,
                       "row " + Twine(row.integer) + " of " + Twine(numRows) +
                           " is gathered");
    }
    auto first = table.begin() + row.integer * width;
    result.insert(result.end(), first, first + width);
  }
  set(op.getResult(), std::move(result));
  return success();
}

} // namespace spyre
