// SPDX-License-Identifier: Apache-2.0

#include "spyre/Analysis/StickAccess.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace spyre {

namespace {

bool contains(llvm::ArrayRef<int32_t> dims, int64_t dim) {
  return llvm::is_contained(dims, dim);
}

void insert(std::vector<int32_t> &dims, int32_t dim) {
  if (!contains(dims, dim)) {
    dims.push_back(dim);
  }
}

std::string describe(llvm::ArrayRef<int32_t> dims) {
  std::string text;
  for (int32_t dim : dims) {
    text += (text.empty() ? "d" : ", d") + std::to_string(dim);
  }
  return text.empty() ? "no dim" : text;
}

LogicalResult verifyContract(const OpClassification &op,
                             const std::vector<OperandAccess> &accesses,
                             std::string &reason) {
  const std::vector<int32_t> left = accesses[op.left].stickDims();
  const std::vector<int32_t> right = accesses[op.right].stickDims();
  const std::vector<int32_t> out = accesses.back().stickDims();
  if (left.size() != 1 || !llvm::is_contained(op.k, left[0])) {
    reason = "operand " + std::to_string(op.left) + " of the contraction has " +
             describe(left) + " in its stick, a reduced dim is needed";
    return failure();
  }
  if (right.size() != 1 || !llvm::is_contained(op.n, right[0])) {
    reason = "operand " + std::to_string(op.right) +
             " of the contraction has " + describe(right) +
             " in its stick, a dim that it shares with the result only is "
             "needed";
    return failure();
  }
  if (out != right) {
    reason = "the result of the contraction has " + describe(out) +
             " in its stick, operand " + std::to_string(op.right) + " has " +
             describe(right) + "; they must be the same";
    return failure();
  }
  return success();
}

LogicalResult verifyElementwise(const std::vector<OperandAccess> &accesses,
                                std::string &reason) {
  std::vector<int32_t> inStick;
  size_t stickOperand = 0;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    for (int32_t dim : access.stickDims()) {
      if (inStick.empty()) {
        stickOperand = number;
      }
      insert(inStick, dim);
    }
    if (inStick.size() > 1) {
      reason = "operand " + std::to_string(number) + " has " +
               describe(access.stickDims()) + " in its stick, operand " +
               std::to_string(stickOperand) + " has " +
               describe(accesses[stickOperand].stickDims());
      return failure();
    }
  }
  for (auto [number, access] : llvm::enumerate(accesses)) {
    for (int32_t dim : access.otherDims()) {
      if (contains(inStick, dim)) {
        reason = "operand " + std::to_string(number) + " has d" +
                 std::to_string(dim) + " outside its stick, operand " +
                 std::to_string(stickOperand) + " has it in its stick";
        return failure();
      }
    }
  }
  return success();
}

} // namespace

std::vector<int32_t> OperandAccess::stickDims() const {
  std::vector<int32_t> dims;
  for (const cost::OperandCoord &coord : coords) {
    if (coord.kind == layout::DimKind::Stick && coord.dim >= 0) {
      insert(dims, coord.dim);
    }
  }
  return dims;
}

std::vector<int32_t> OperandAccess::otherDims() const {
  const std::vector<int32_t> inStick = stickDims();
  std::vector<int32_t> dims;
  for (const cost::OperandCoord &coord : coords) {
    for (int32_t dim : {coord.dim, coord.windowDim}) {
      if (coord.kind != layout::DimKind::Stick && dim >= 0 &&
          !contains(inStick, dim)) {
        insert(dims, dim);
      }
    }
  }
  return dims;
}

bool OperandAccess::accepts(int64_t stickDim) const {
  if (!isWalkable) {
    return false;
  }
  const std::vector<int32_t> inStick = stickDims();
  if (inStick.empty()) {
    return !contains(otherDims(), stickDim);
  }
  return inStick.size() == 1 && inStick[0] == stickDim;
}

OperandAccess composeAccess(const layout::StickLayout &layout, AffineMap map) {
  OperandAccess access;
  for (const layout::DeviceDim &dim : layout.dims) {
    cost::OperandCoord coord;
    coord.kind = dim.kind;
    coord.factor = dim.factor;
    std::optional<ResultIndex> index =
        dim.hostDim < 0 ? ResultIndex() : readIndex(map, dim.hostDim);
    if (!index) {
      access.isWalkable = false;
      index = ResultIndex();
    }
    coord.dim = static_cast<int32_t>(index->dim);
    if (dim.kind == layout::DimKind::Full) {
      coord.stride = index->stride;
      coord.offset = index->offset;
      coord.windowDim = static_cast<int32_t>(index->windowDim);
      coord.windowStride = index->windowStride;
    } else if (index->dim >= 0) {
      access.isWalkable &= index->stride == 1 && index->windowDim < 0 &&
                           index->offset % dim.factor == 0;
      coord.offset =
          dim.kind == layout::DimKind::Tile ? index->offset / dim.factor : 0;
    }
    access.coords.push_back(coord);
  }
  return access;
}

FailureOr<std::vector<OperandAccess>> operandAccesses(linalg::GenericOp op,
                                                      std::string &reason) {
  std::vector<OperandAccess> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    stick::LayoutAttr layout = stick::getLayout(operand.get());
    if (!layout) {
      reason = "operand " + std::to_string(operand.getOperandNumber()) +
               " has no layout";
      return failure();
    }
    accesses.push_back(
        composeAccess(layout.getLayout(), op.getMatchingIndexingMap(&operand)));
  }
  return accesses;
}

int64_t stickDimOf(const OpClassification &classification,
                   const std::vector<OperandAccess> &accesses) {
  if (classification.opClass == OpClass::Contract) {
    const std::vector<int32_t> dims = accesses.back().stickDims();
    return dims.empty() ? -1 : dims.front();
  }
  for (const OperandAccess &access : accesses) {
    const std::vector<int32_t> dims = access.stickDims();
    if (!dims.empty()) {
      return dims.front();
    }
  }
  return -1;
}

LogicalResult verifyStickAccess(linalg::GenericOp op, std::string &reason) {
  FailureOr<OpClassification> classification = classify(op, reason);
  if (failed(classification)) {
    return failure();
  }
  FailureOr<std::vector<OperandAccess>> accesses = operandAccesses(op, reason);
  if (failed(accesses)) {
    return failure();
  }
  for (auto [number, access] : llvm::enumerate(*accesses)) {
    if (!access.isWalkable) {
      reason = "operand " + std::to_string(number) +
               " has a stride, a window or an offset inside a stick on the dim "
               "in its stick";
      return failure();
    }
  }
  if (classification->opClass == OpClass::Contract) {
    return verifyContract(*classification, *accesses, reason);
  }
  return verifyElementwise(*accesses, reason);
}

} // namespace spyre
