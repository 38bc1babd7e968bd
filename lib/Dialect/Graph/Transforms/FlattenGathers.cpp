// SPDX-License-Identifier: Apache-2.0
//
// The device loads rows of a table by one list of row numbers. Other gathers
// are that one between reshapes.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_FLATTENGATHERSPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// [0 ... count-1] joined, the other dims alone.
SmallVector<ReassociationIndices> joinFirst(int64_t count, int64_t rank) {
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim >= count) {
      groups.emplace_back();
    }
    groups.back().push_back(dim);
  }
  return groups;
}

/// Reshapes to another shape of as many elements by way of a list.
Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape) {
    return value;
  }
  int64_t count = type.getNumElements();
  if (type.getRank() == 0) {
    value = tensor::ExpandShapeOp::create(builder, loc, type.clone({1}), value,
                                          ArrayRef<ReassociationIndices>());
  } else if (type.getRank() > 1) {
    value = tensor::CollapseShapeOp::create(
        builder, loc, value, joinFirst(type.getRank(), type.getRank()));
  }
  auto rank = static_cast<int64_t>(shape.size());
  if (rank == 0) {
    return tensor::CollapseShapeOp::create(builder, loc, type.clone(shape),
                                           value,
                                           ArrayRef<ReassociationIndices>());
  }
  return shape == ArrayRef<int64_t>(count)
             ? value
             : tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                             value, joinFirst(rank, rank));
}

/// Row numbers among the joined dims `extents` from N x k coordinates.
Value rowNumbers(OpBuilder &builder, Location loc, Value coordinates,
                 ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(coordinates.getType());
  Type element = type.getElementType();
  RankedTensorType listType = type.clone({type.getDimSize(0), 1});
  SmallVector<Value> lists;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    SmallVector<OpFoldResult> offsets = {
        builder.getIndexAttr(0),
        builder.getIndexAttr(static_cast<int64_t>(dim))};
    SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(type.getDimSize(0)),
                                       builder.getIndexAttr(1)};
    SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
    lists.push_back(tensor::ExtractSliceOp::create(
        builder, loc, listType, coordinates, offsets, sizes, strides));
  }
  Value empty =
      tensor::EmptyOp::create(builder, loc, listType.getShape(), element);
  SmallVector<AffineMap> maps(lists.size() + 1,
                              builder.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto sum = linalg::GenericOp::create(
      builder, loc, listType, lists, empty, maps, iterators,
      [&](OpBuilder &b, Location, ValueRange args) {
        auto integer = [&](int64_t value) -> Value {
          return arith::ConstantOp::create(b, loc,
                                           b.getIntegerAttr(element, value));
        };
        Value number = integer(0);
        Value valid;
        for (size_t dim = 0; dim < extents.size(); ++dim) {
          Value extent = integer(extents[dim]);
          number = arith::AddIOp::create(
              b, loc, arith::MulIOp::create(b, loc, number, extent), args[dim]);
          Value inside = arith::AndIOp::create(
              b, loc,
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                    args[dim], integer(0)),
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                    args[dim], extent));
          valid = valid ? arith::AndIOp::create(b, loc, valid, inside)
                        : Value(inside);
        }
        // No row has the number -1: the device refuses it.
        linalg::YieldOp::create(
            b, loc,
            arith::SelectOp::create(b, loc, valid, number, integer(-1))
                .getResult());
      });
  return sum.getResult(0);
}

/// The tensor with dim `dim` first and the others in order.
Value rowsFirst(OpBuilder &builder, Location loc, Value table, int64_t dim) {
  if (dim == 0) {
    return table;
  }
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> order = {dim};
  SmallVector<int64_t> shape = {type.getDimSize(dim)};
  for (int64_t other = 0; other < type.getRank(); ++other) {
    if (other != dim) {
      order.push_back(other);
      shape.push_back(type.getDimSize(other));
    }
  }
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, table, empty, order)
      ->getResult(0);
}

class FlattenGathers : public impl::FlattenGathersPassBase<FlattenGathers> {
  /// The first dims, or one dim, of static tensors, dropped in the result.
  static bool isToFlatten(tensor::GatherOp op) {
    ArrayRef<int64_t> dims = op.getGatherDims();
    RankedTensorType index = op.getIndicesType();
    bool isDone = dims.size() == 1 && dims[0] == 0 && index.getRank() == 2;
    bool isRun = dims.size() == 1 ||
                 llvm::equal(dims, llvm::seq<int64_t>(0, dims.size()));
    return !isDone && isRun && index.hasStaticShape() &&
           op.getSourceType().hasStaticShape() &&
           op.getResultType().getRank() ==
               index.getRank() - 1 + op.getSourceType().getRank() -
                   static_cast<int64_t>(dims.size());
  }

  static void flatten(tensor::GatherOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    RankedTensorType index = op.getIndicesType();
    auto numDims = static_cast<int64_t>(op.getGatherDims().size());
    int64_t count = index.getNumElements() / numDims;
    Value list = reshape(builder, loc, op.getIndices(), {count, numDims});
    Value table = op.getSource();
    ArrayRef<int64_t> tableShape = op.getSourceType().getShape();
    if (numDims == 1) {
      table = rowsFirst(builder, loc, table, op.getGatherDims()[0]);
    } else {
      list = rowNumbers(builder, loc, list, tableShape.take_front(numDims));
      table = tensor::CollapseShapeOp::create(
          builder, loc, table,
          joinFirst(numDims, static_cast<int64_t>(tableShape.size())));
    }
    ArrayRef<int64_t> shape = op.getResultType().getShape();
    SmallVector<int64_t> rowsShape = {count};
    llvm::append_range(rowsShape, shape.drop_front(index.getRank() - 1));
    Value rows = tensor::GatherOp::create(
        builder, loc, op.getResultType().clone(rowsShape), table, list,
        ArrayRef<int64_t>{0}, op.getUnique());
    int64_t indexDims = index.getRank() - 1;
    if (indexDims == 0) {
      SmallVector<ReassociationIndices> groups;
      if (rowsShape.size() > 1) {
        groups = joinFirst(2, static_cast<int64_t>(rowsShape.size()));
      }
      rows = tensor::CollapseShapeOp::create(builder, loc, op.getResultType(),
                                             rows, groups);
    } else if (indexDims > 1) {
      rows = tensor::ExpandShapeOp::create(
          builder, loc, op.getResultType(), rows,
          joinFirst(indexDims, op.getResultType().getRank()));
    }
    op.replaceAllUsesWith(rows);
    op.erase();
  }

  void runOnOperation() override {
    SmallVector<tensor::GatherOp> gathers;
    getOperation().walk([&](tensor::GatherOp op) {
      if (isToFlatten(op)) {
        gathers.push_back(op);
      }
    });
    llvm::for_each(gathers, flatten);
  }
};

} // namespace
} // namespace spyre::graph
