// SPDX-License-Identifier: Apache-2.0

#include "KernelBodies.h"

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace spyre {

LogicalResult cloneBody(OpBuilder &builder, linalg::GenericOp op, Block *block,
                        IRMapping &mapping, ValueRange values, Operation *skip,
                        RenameDim rename) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  auto captureConstant = [&](Value value) {
    TypedAttr attr;
    if (mapping.contains(value) || !matchPattern(value, m_Constant(&attr))) {
      return;
    }
    mapping.map(
        value,
        arith::ConstantOp::create(builder, op.getLoc(), attr).getResult());
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (&inner == skip) {
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      int32_t dim = rename(static_cast<int32_t>(index.getDim()));
      mapping.map(index.getResult(),
                  sdsc::PositionOp::create(builder, index.getLoc(),
                                           builder.getIndexType(),
                                           builder.getI64IntegerAttr(dim))
                      .getResult());
      continue;
    }
    if (inner.getNumRegions() > 0) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "its body contains '" + inner.getName().getStringRef() +
                           "', which a kernel cannot hold");
    }
    llvm::for_each(inner.getOperands(), captureConstant);
    for (Value operand : inner.getOperands()) {
      if (!mapping.contains(operand)) {
        return emitCoded(op, ErrorCode::UnsupportedBody,
                         "its body reads a value from outside that is not a "
                         "constant, or its initial value");
      }
    }
    builder.clone(inner, mapping);
  }
  llvm::for_each(values, captureConstant);
  SmallVector<Value> yields;
  for (Value value : values) {
    if (!mapping.contains(value)) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "its body yields a value from outside");
    }
    yields.push_back(mapping.lookup(value));
  }
  sdsc::KernelYieldOp::create(builder, op.getLoc(), yields);
  return success();
}

Block *addBlock(Region &region, TypeRange types, Location loc) {
  Block &block = region.emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), loc));
  return &block;
}

LogicalResult fillElementwise(OpBuilder &builder, linalg::GenericOp op,
                              Region &region, ArrayRef<int64_t> operands,
                              TypeRange argumentTypes, RenameDim rename) {
  Block *block = addBlock(region, argumentTypes, op.getLoc());
  IRMapping mapping;
  for (auto [position, operand] : llvm::enumerate(operands)) {
    mapping.map(op.getBody()->getArgument(operand),
                block->getArgument(position));
  }
  return cloneBody(builder, op, block, mapping,
                   op.getBody()->getTerminator()->getOperands(), nullptr,
                   rename);
}

} // namespace spyre
