// SPDX-License-Identifier: Apache-2.0

#include "spyre/Reference/Generic.h"

using namespace mlir;

namespace spyre {

bool advance(SmallVectorImpl<int64_t> &position, ArrayRef<int64_t> extents) {
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (++position[dim] < extents[dim]) {
      return true;
    }
    position[dim] = 0;
  }
  return false;
}

int64_t linearPosition(ArrayRef<int64_t> shape, ArrayRef<int64_t> position) {
  int64_t linear = 0;
  for (auto [extent, index] : llvm::zip(shape, position)) {
    linear = linear * extent + index;
  }
  return linear;
}

namespace {

/// Where the element of a position is. The maps are sums of dims, so that a
/// step along one dim is always the same distance.
class Walk {
public:
  Walk(ArrayRef<int64_t> shape, AffineMap map) {
    SmallVector<int64_t> position(map.getNumDims(), 0);
    offset = linearPosition(shape, map.compose(position));
    for (int64_t &index : position) {
      index = 1;
      steps.push_back(linearPosition(shape, map.compose(position)) - offset);
      index = 0;
    }
  }

  int64_t at(ArrayRef<int64_t> position) const {
    int64_t linear = offset;
    for (auto [step, index] : llvm::zip(steps, position)) {
      linear += step * index;
    }
    return linear;
  }

private:
  int64_t offset = 0;
  SmallVector<int64_t> steps;
};

} // namespace

Expected<std::vector<Number>>
runGeneric(linalg::GenericOp op, ArrayRef<const std::vector<Number> *> operands,
           Rounding rounding) {
  std::optional<ScalarBody> body = ScalarBody::compile(*op.getBody(), rounding);
  if (!body || op.getNumResults() != 1) {
    return makeError(ErrorCode::UnsupportedBodyOp, "",
                     "its body cannot be evaluated");
  }
  SmallVector<Walk> walks;
  for (OpOperand &operand : op->getOpOperands()) {
    walks.emplace_back(
        cast<RankedTensorType>(operand.get().getType()).getShape(),
        op.getMatchingIndexingMap(&operand));
  }
  std::vector<Number> result = *operands.back();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0)) {
    return result;
  }
  std::vector<Number> scalars = body->initialValues();
  SmallVector<int64_t> position(extents.size(), 0);
  do {
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
      scalars[i] = (*operands[i])[walks[i].at(position)];
    }
    Number &out = result[walks.back().at(position)];
    scalars[operands.size() - 1] = out;
    if (!body->run(scalars, position)) {
      return makeError(ErrorCode::UnsupportedBodyOp, "",
                       "an integer is divided by zero");
    }
    out = scalars[body->result()];
  } while (advance(position, extents));
  return result;
}

} // namespace spyre
