// SPDX-License-Identifier: Apache-2.0

#include "WeightViews.h"

using namespace mlir;

namespace spyre {

using stick::WeightOp;

Value weightView(OpBuilder &b, WeightOp weight, ShapeRef shape, int64_t offset,
                 int64_t length, DenseI64ArrayAttr permutation) {
  auto type = RankedTensorType::get(
      shape, weight.getResult().getType().getElementType());
  return WeightOp::create(b, weight.getLoc(), type, weight.getNameAttr(),
                          weight.getFileAttr(), b.getI64IntegerAttr(offset),
                          b.getI64IntegerAttr(length), weight.getHostTypeAttr(),
                          permutation);
}

WeightOp plainWeight(Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  return weight && !weight.getPerm() ? weight : WeightOp();
}

Value weightSlice(OpBuilder &b, Value input, ShapeRef offsets, ShapeRef sizes) {
  WeightOp weight = plainWeight(input);
  const unsigned bits =
      weight ? weight.getStoredElementType().getIntOrFloatBitWidth() : 0;
  if (!weight || bits < 8) {
    return {};
  }
  ShapeRef from = shapeOf(input);
  int64_t rowBytes = bits / 8;
  int64_t start = 0;
  for (size_t dim = from.size(); dim-- > 0;) {
    if (sizes[dim] != from[dim]) {
      // All dims outside of this one are 1.
      if (llvm::any_of(from.take_front(dim),
                       [](int64_t extent) { return extent != 1; })) {
        return {};
      }
      start = offsets[dim] * rowBytes;
    }
    rowBytes *= sizes[dim];
  }
  return weightView(b, weight, sizes,
                    static_cast<int64_t>(weight.getOffset()) + start, rowBytes,
                    {});
}

} // namespace spyre
