// SPDX-License-Identifier: Apache-2.0

#include "spyre/Analysis/OpClass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace mlir;

namespace spyre {

namespace {

template <typename... Parts>
LogicalResult fail(std::string &reason, const Parts &...parts) {
  reason.clear();
  llvm::raw_string_ostream stream(reason);
  (stream << ... << parts);
  return failure();
}

std::optional<Combiner> combinerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
      .Case([](arith::AddFOp) { return Combiner::AddF; })
      .Case([](arith::MulFOp) { return Combiner::MulF; })
      .Case([](arith::MaximumFOp) { return Combiner::MaximumF; })
      .Case([](arith::MinimumFOp) { return Combiner::MinimumF; })
      .Case([](arith::MaxNumFOp) { return Combiner::MaxNumF; })
      .Case([](arith::MinNumFOp) { return Combiner::MinNumF; })
      .Case([](arith::AddIOp) { return Combiner::AddI; })
      .Case([](arith::MulIOp) { return Combiner::MulI; })
      .Case([](arith::MaxSIOp) { return Combiner::MaxSI; })
      .Case([](arith::MinSIOp) { return Combiner::MinSI; })
      .Case([](arith::AndIOp) { return Combiner::AndI; })
      .Case([](arith::OrIOp) { return Combiner::OrI; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `value` does not change what the combiner makes of another value.
bool isNeutralFloat(Combiner combiner, const llvm::APFloat &value) {
  const auto isExtreme = [&](bool negative) {
    return value.isNegative() == negative &&
           (value.isInfinity() || value.isLargest());
  };
  switch (combiner) {
  case Combiner::AddF:
    return value.isZero();
  case Combiner::MulF:
    return value.isExactlyValue(1.0);
  case Combiner::MaximumF:
  case Combiner::MaxNumF:
    return isExtreme(/*negative=*/true);
  case Combiner::MinimumF:
  case Combiner::MinNumF:
    return isExtreme(/*negative=*/false);
  default:
    return false;
  }
}

bool isNeutralInteger(Combiner combiner, const llvm::APInt &value) {
  switch (combiner) {
  case Combiner::AddI:
  case Combiner::OrI:
    return value.isZero();
  case Combiner::MulI:
    return value.isOne();
  case Combiner::AndI:
    return value.isAllOnes();
  case Combiner::MaxSI:
    return value.isMinSignedValue();
  case Combiner::MinSI:
    return value.isMaxSignedValue();
  default:
    return false;
  }
}

/// The one value that fills the tensor, from linalg.fill or a splat constant.
Attribute fillValue(Value tensor) {
  Attribute value;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    matchPattern(fill.getInputs()[0], m_Constant(&value));
    return value;
  }
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat()) {
    return elements.getSplatValue<Attribute>();
  }
  return {};
}

LogicalResult verifyInit(Value init, Combiner combiner, std::string &reason) {
  Attribute value = fillValue(init);
  if (!value) {
    return fail(reason, "its initial value is not a fill with a constant");
  }
  bool neutral = false;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    neutral = isNeutralFloat(combiner, number.getValue());
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    neutral = isNeutralInteger(combiner, number.getValue());
  }
  if (!neutral) {
    return fail(reason, "its initial value ", value,
                " is not the neutral element of ", toString(combiner));
  }
  return success();
}

/// Dims, windows over a reduced dim, and extent-1 constants only, each dim at
/// most once.
LogicalResult verifyMap(linalg::GenericOp op, OpOperand &operand,
                        std::string &reason) {
  const AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type) {
    return fail(reason, "operand ", operand.getOperandNumber(), " of type ",
                operand.get().getType(), " is not a ranked tensor");
  }
  const auto iterators = op.getIteratorTypesArray();
  llvm::SmallVector<bool> seen(map.getNumDims(), false);
  for (unsigned position = 0; position < map.getNumResults(); ++position) {
    std::optional<ResultIndex> index = readIndex(map, position);
    const bool isConstant = index && index->dim < 0;
    const bool windowIsReduced =
        !index || index->windowDim < 0 ||
        (iterators[index->windowDim] == utils::IteratorType::reduction &&
         iterators[index->dim] == utils::IteratorType::parallel);
    if (!index || !windowIsReduced ||
        (isConstant &&
         (index->offset != 0 || type.getDimSize(position) != 1))) {
      return fail(reason, "operand ", operand.getOperandNumber(),
                  " is indexed by ", map,
                  "; only iteration dims with a stride and an offset, windows "
                  "over a reduced dim, and 0 for an extent of 1 are supported");
    }
    for (int64_t dim : {index->dim, index->windowDim}) {
      if (dim < 0) {
        continue;
      }
      if (seen[dim]) {
        return fail(reason, "operand ", operand.getOperandNumber(), " reads d",
                    dim, " twice, by ", map);
      }
      seen[dim] = true;
    }
  }
  return success();
}

LogicalResult verifyOutputMap(linalg::GenericOp op, OpOperand &output,
                              std::string &reason) {
  const AffineMap map = op.getMatchingIndexingMap(&output);
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    const bool parallel = iterator == utils::IteratorType::parallel;
    if (parallel != (resultOfDim(map, dim) >= 0)) {
      return fail(reason, "the result's map ", map,
                  parallel ? " lacks the parallel dim d"
                           : " has the reduction dim d",
                  dim);
    }
  }
  return success();
}

/// The block argument behind an optional extension; null otherwise.
BlockArgument throughExtension(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>()) {
    value = extension.getIn();
  } else if (auto extension = value.getDefiningOp<arith::ExtSIOp>()) {
    value = extension.getIn();
  }
  return dyn_cast<BlockArgument>(value);
}

/// Whether `combined` is the product of the two inputs.
bool isProductOfInputs(linalg::GenericOp op, Value combined) {
  Operation *product = combined.getDefiningOp();
  if (op.getNumDpsInputs() != 2 || !product ||
      !isa<arith::MulFOp, arith::MulIOp>(product)) {
    return false;
  }
  BlockArgument a = throughExtension(product->getOperand(0));
  BlockArgument b = throughExtension(product->getOperand(1));
  return a && b && a.getOwner() == op.getBody() &&
         b.getOwner() == op.getBody() &&
         a.getArgNumber() + b.getArgNumber() == 1;
}

/// Sorts the iteration dims into roles; false if the op is no contraction.
bool assignRoles(linalg::GenericOp op, OpClassification &result) {
  const AffineMap a = op.getIndexingMapsArray()[0];
  const AffineMap b = op.getIndexingMapsArray()[1];
  llvm::SmallVector<int64_t> onlyA;
  llvm::SmallVector<int64_t> onlyB;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    const bool inA = a.isFunctionOfDim(dim);
    const bool inB = b.isFunctionOfDim(dim);
    if (iterator == utils::IteratorType::reduction) {
      if (!inA || !inB) {
        return false;
      }
      result.k.push_back(dim);
    } else if (inA && inB) {
      result.batch.push_back(dim);
    } else if (inA) {
      onlyA.push_back(dim);
    } else if (inB) {
      onlyB.push_back(dim);
    } else {
      return false;
    }
  }
  if (onlyA.empty() && onlyB.empty()) {
    return false;
  }
  const bool swap = onlyB.empty();
  // The matrix unit takes windows along the rows of its left operand only.
  const AffineMap left = swap ? b : a;
  const AffineMap right = swap ? a : b;
  const bool rightIsPlain = llvm::all_of(right.getResults(), [](AffineExpr e) {
    return isa<AffineDimExpr, AffineConstantExpr>(e);
  });
  const bool leftHasInner = llvm::any_of(
      result.k, [&](int64_t dim) { return resultOfDim(left, dim) >= 0; });
  if (!rightIsPlain || !leftHasInner) {
    return false;
  }
  result.left = swap ? 1 : 0;
  result.right = swap ? 0 : 1;
  result.m = swap ? onlyB : onlyA;
  result.n = swap ? onlyA : onlyB;
  return true;
}

LogicalResult classifyReduction(linalg::GenericOp op, OpClassification &result,
                                std::string &reason) {
  if (op.getNumDpsInits() != 1) {
    return fail(reason, "it reduces into ", op.getNumDpsInits(),
                " results, only one is supported");
  }
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  const Type type = accumulator.getType();
  if (!type.isF32() && !type.isInteger(32) && !type.isInteger(64)) {
    return fail(reason, "it accumulates in ", type,
                ", only f32 and i32 are supported");
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  Operation *combine = yielded.getDefiningOp();
  std::optional<Combiner> combiner =
      combine ? combinerOf(combine) : std::nullopt;
  if (!combiner || !accumulator.hasOneUse() ||
      *accumulator.getUsers().begin() != combine || !combine->hasOneUse()) {
    return fail(reason, "its body does not combine the accumulator with a "
                        "value of the inputs by add, mul, max, min, and, or");
  }
  result.opClass = OpClass::Reduce;
  result.combiner = *combiner;
  result.combineOp = combine;
  result.combined =
      combine->getOperand(combine->getOperand(0) == accumulator ? 1 : 0);
  const bool sums = *combiner == Combiner::AddF || *combiner == Combiner::AddI;
  if (sums && isProductOfInputs(op, result.combined) &&
      assignRoles(op, result)) {
    result.opClass = OpClass::Contract;
  }
  return verifyInit(op.getDpsInits()[0], *combiner, reason);
}

} // namespace

llvm::StringRef toString(OpClass opClass) {
  switch (opClass) {
  case OpClass::Map:
    return "map";
  case OpClass::Reduce:
    return "reduce";
  case OpClass::Contract:
    return "contract";
  }
  llvm_unreachable("all classes are handled");
}

llvm::StringRef toString(Combiner combiner) {
  static constexpr llvm::StringRef names[] = {
      "addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf",
      "addi", "muli", "maxsi",    "minsi",    "andi",    "ori"};
  return names[static_cast<size_t>(combiner)];
}

int64_t dimOfResult(AffineMap map, unsigned position) {
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(position));
  return dim ? static_cast<int64_t>(dim.getPosition()) : -1;
}

int64_t resultOfDim(AffineMap map, int64_t dim) {
  for (unsigned position = 0; position < map.getNumResults(); ++position) {
    if (dimOfResult(map, position) == dim) {
      return position;
    }
  }
  return -1;
}

FailureOr<OpClassification> classify(linalg::GenericOp op,
                                     std::string &reason) {
  if (!op.hasPureTensorSemantics()) {
    return fail(reason, "it works on memrefs");
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (failed(verifyMap(op, operand, reason))) {
      return failure();
    }
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (failed(verifyOutputMap(op, output, reason))) {
      return failure();
    }
  }
  OpClassification result;
  if (op.getNumReductionLoops() > 0) {
    if (failed(classifyReduction(op, result, reason))) {
      return failure();
    }
    return result;
  }
  for (BlockArgument initial : op.getRegionOutputArgs()) {
    if (!initial.use_empty()) {
      return LogicalResult(
          fail(reason, "it is elementwise and reads its initial value"));
    }
  }
  return result;
}

} // namespace spyre
