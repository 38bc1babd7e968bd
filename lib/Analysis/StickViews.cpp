// SPDX-License-Identifier: Apache-2.0

#include "spyre/Analysis/StickViews.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using spyre::layout::DeviceDim;
using spyre::layout::DimKind;
using spyre::layout::StickLayout;

namespace spyre {

namespace {

ElementType elementTypeOf(RankedTensorType type) {
  return *stick::toElementType(type.getElementType());
}

/// The dims of a group that have more than one position.
SmallVector<int64_t> longDims(ArrayRef<int64_t> group,
                              ArrayRef<int64_t> shape) {
  return llvm::to_vector(llvm::make_filter_range(
      group, [&](int64_t dim) { return shape[dim] != 1; }));
}

DeviceDim fullDim(int64_t hostDim) {
  return {DimKind::Full, static_cast<int32_t>(hostDim), 1};
}

/// Makes the stick of a layout hold one element.
void makeSparse(StickLayout &layout, int64_t elements) {
  layout.dims.push_back({DimKind::Unit, -1, elements});
  layout.sparse = true;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Each device dim of a split host dim becomes those of its parts, in order.
std::optional<StickLayout> expand(tensor::ExpandShapeOp op,
                                  const StickLayout &source) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (groups.empty()) {
    return layout::defaultLayout(static_cast<int64_t>(shape.size()), -1,
                                 elementTypeOf(op.getResultType()));
  }
  StickLayout result;
  result.sparse = source.sparse;
  int32_t inStick = -1;
  for (const DeviceDim &dim : source.dims) {
    if (dim.kind == DimKind::Unit) {
      result.dims.push_back(dim);
      continue;
    }
    if (dim.kind == DimKind::Stick) {
      result.dims.push_back({DimKind::Stick, inStick, dim.factor});
      continue;
    }
    ArrayRef<int64_t> group = groups[dim.hostDim];
    int64_t last = -1;
    if (dim.kind == DimKind::Tile) {
      SmallVector<int64_t> parts = longDims(group, shape);
      last = parts.empty() ? group.back() : parts.back();
      if (parts.size() > 1 && shape[last] % dim.factor != 0) {
        return std::nullopt;
      }
      inStick = static_cast<int32_t>(last);
    }
    for (int64_t part : group) {
      if (part != last) {
        result.dims.push_back(fullDim(part));
      }
    }
    if (last >= 0) {
      result.dims.push_back({DimKind::Tile, inStick, dim.factor});
    }
  }
  return result;
}

/// The device dims of joined host dims must stand side by side, in order, the
/// stick's last.
class Collapse {
public:
  Collapse(tensor::CollapseShapeOp op, const StickLayout &source)
      : source(source), shape(op.getSrcType().getShape()),
        groups(op.getReassociationIndices()),
        element(elementTypeOf(op.getSrcType())) {
    groupOf.resize(shape.size());
    for (auto [index, group] : llvm::enumerate(groups)) {
      for (int64_t dim : group) {
        groupOf[dim] = static_cast<int32_t>(index);
      }
    }
  }

  std::optional<StickLayout> run() {
    result.sparse = source.sparse;
    if (groups.empty()) {
      // One element, whatever dims it had.
      return layout::defaultLayout(0, -1, element);
    }
    // Groups of one position first; their place does not matter.
    int32_t stickDim = layout::stickHostDim(source);
    for (auto [index, group] : llvm::enumerate(groups)) {
      bool holdsStick = llvm::is_contained(group, stickDim);
      if (longDims(group, shape).empty() && !holdsStick) {
        result.dims.push_back(fullDim(index));
      }
    }
    SmallVector<DeviceDim> dims =
        llvm::to_vector(llvm::make_filter_range(source.dims, [&](auto &dim) {
          return dim.kind != DimKind::Full || shape[dim.hostDim] != 1;
        }));
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!add(dims, i)) {
        return std::nullopt;
      }
    }
    return result;
  }

private:
  /// Adds the device dim at `i` with those that it is joined with.
  bool add(ArrayRef<DeviceDim> dims, size_t &i) {
    const DeviceDim &dim = dims[i];
    if (dim.kind == DimKind::Unit) {
      result.dims.push_back(dim);
      return true;
    }
    int32_t group = groupOf[dim.hostDim];
    SmallVector<int64_t> parts = longDims(groups[group], shape);
    if (dim.kind == DimKind::Stick) {
      if (dropped) {
        makeSparse(result, dim.factor);
      } else {
        result.dims.push_back({DimKind::Stick, group, dim.factor});
      }
      return true;
    }
    if (dim.kind == DimKind::Tile && !parts.empty() &&
        !llvm::is_contained(parts, dim.hostDim)) {
      // The stick holds the one position of a dim that vanishes.
      dropped = true;
      return true;
    }
    for (size_t part = 0; part < parts.size(); ++part) {
      if (part > 0) {
        ++i;
      }
      bool isLast = part + 1 == parts.size();
      if (i >= dims.size() || dims[i].hostDim != parts[part] ||
          dims[i].kind == DimKind::Stick ||
          (dims[i].kind == DimKind::Tile &&
           (!isLast ||
            (part > 0 && shape[parts[part]] % dims[i].factor != 0)))) {
        return false;
      }
    }
    result.dims.push_back({dims[i].kind, group, dims[i].factor});
    return true;
  }

  const StickLayout &source;
  ArrayRef<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  ElementType element;
  SmallVector<int32_t> groupOf;
  StickLayout result;
  bool dropped = false;
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether dim `dim` of the larger tensor (of extent `extent`) is taken whole.
bool isWhole(OffsetSizeAndStrideOpInterface op, int64_t dim, int64_t extent) {
  return op.getStaticOffset(dim) == 0 && op.getStaticStride(dim) == 1 &&
         op.getStaticSize(dim) == extent;
}

/// The larger tensor of a slice or an insertion.
RankedTensorType wholeType(Operation *op) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    return insert.getDestType();
  }
  return cast<tensor::ExtractSliceOp>(op).getSourceType();
}

bool cutsAtSticks(Operation *op, int64_t dim, int64_t factor) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  int64_t extent = wholeType(op).getDimSize(dim);
  if (isWhole(slice, dim, extent)) {
    return true;
  }
  if (slice.getStaticStride(dim) != 1 ||
      slice.getStaticOffset(dim) % factor != 0) {
    return false;
  }
  // Transfers move whole sticks.
  int64_t end = slice.getStaticOffset(dim) + slice.getStaticSize(dim);
  return end % factor == 0 || end == extent;
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The rows stand outside of the stick: dim 0 of the table and of the result.
std::optional<StickLayout> gatherRows(const StickLayout &table) {
  bool isRowwise = llvm::all_of(table.dims, [](const DeviceDim &dim) {
    return dim.hostDim != 0 || dim.kind == DimKind::Full;
  });
  return isRowwise ? std::optional(table) : std::nullopt;
}

/// Source dims that a view leaves as they are.
SmallVector<int64_t> untouchedDims(Operation *op) {
  SmallVector<int64_t> dims;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (longDims(group, expand.getResultType().getShape()).size() <= 1) {
        dims.push_back(static_cast<int64_t>(dim));
      }
    }
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      SmallVector<int64_t> parts = longDims(group, shape);
      if (parts.size() == 1) {
        dims.push_back(parts.front());
      }
    }
  } else if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    for (int64_t dim = 1; dim < gather.getSourceType().getRank(); ++dim) {
      dims.push_back(dim);
    }
  } else {
    RankedTensorType whole = wholeType(op);
    auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
    for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
      if (isWhole(slice, dim, whole.getDimSize(dim))) {
        dims.push_back(dim);
      }
    }
  }
  return dims;
}

} // namespace

bool isStickView(Operation *op, std::string &reason) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    return true;
  }
  if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    RankedTensorType index = gather.getIndicesType();
    bool isRows =
        index.getRank() == 2 && index.getDimSize(1) == 1 &&
        gather.getGatherDims() == ArrayRef<int64_t>{0} &&
        gather.getResultType().getRank() == gather.getSourceType().getRank() &&
        index.getElementType().isInteger(32);
    if (!isRows) {
      reason = "its indices must be N x 1 i32 into dim 0, which it drops";
    }
    return isRows;
  }
  if (!isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op)) {
    return false;
  }
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  int64_t rank = insert ? insert.getSourceType().getRank()
                        : cast<tensor::ExtractSliceOp>(op).getType().getRank();
  bool isStatic =
      !llvm::is_contained(slice.getStaticOffsets(), ShapedType::kDynamic) &&
      !llvm::is_contained(slice.getStaticSizes(), ShapedType::kDynamic) &&
      !llvm::is_contained(slice.getStaticStrides(), ShapedType::kDynamic);
  if (!isStatic || rank != wholeType(op).getRank() ||
      llvm::any_of(slice.getStaticStrides(),
                   [](int64_t stride) { return stride < 1; })) {
    reason =
        "it must keep the rank and have static offsets, sizes and positive "
        "strides";
    return false;
  }
  return true;
}

std::optional<StickLayout> throughView(Operation *op,
                                       const StickLayout &source) {
  if (!source.arrangement.empty()) {
    return std::nullopt;
  }
  std::optional<StickLayout> result;
  if (auto reshape = dyn_cast<tensor::ExpandShapeOp>(op)) {
    result = expand(reshape, source);
  } else if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op)) {
    result = Collapse(reshape, source).run();
  } else if (isa<tensor::GatherOp>(op)) {
    result = gatherRows(source);
  } else if (llvm::all_of(source.dims, [&](const DeviceDim &dim) {
               return dim.kind != DimKind::Tile ||
                      cutsAtSticks(op, dim.hostDim, dim.factor);
             })) {
    result = source;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (result && !layout::verify(*result, type.getRank(), elementTypeOf(type))) {
    return std::nullopt;
  }
  return result;
}

StickLayout sourceOfView(ArrayRef<Operation *> views) {
  auto type = cast<RankedTensorType>(views.front()->getOperand(0).getType());
  SmallVector<int64_t> untouched = untouchedDims(views.front());
  for (Operation *view : views.drop_front()) {
    SmallVector<int64_t> others = untouchedDims(view);
    llvm::erase_if(untouched, [&](int64_t dim) {
      return !llvm::is_contained(others, dim);
    });
  }
  int64_t stickDim = -1;
  for (int64_t dim : untouched) {
    if (stickDim < 0 || type.getDimSize(dim) >= type.getDimSize(stickDim)) {
      stickDim = dim;
    }
  }
  ElementType element = elementTypeOf(type);
  if (stickDim < 0) {
    return layout::defaultLayout(type.getRank(), -1, element);
  }
  // The tile outermost, so that the other dims stand side by side.
  const auto inStick = static_cast<int32_t>(stickDim);
  int64_t elements = elementsPerStick(element);
  StickLayout layout;
  layout.dims.push_back({DimKind::Tile, inStick, elements});
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim != stickDim) {
      layout.dims.push_back(fullDim(dim));
    }
  }
  layout.dims.push_back({DimKind::Stick, inStick, elements});
  return layout;
}

tensor::InsertSliceOp insertionInto(Value value) {
  if (!value.getDefiningOp() || !value.hasOneUse() ||
      isa<stick::WeightOp>(value.getDefiningOp())) {
    return nullptr;
  }
  auto insert = dyn_cast<tensor::InsertSliceOp>(*value.getUsers().begin());
  return insert && insert.getDest() == value ? insert : tensor::InsertSliceOp();
}

bool isIndexOfView(Operation *op, Value operand) {
  auto gather = dyn_cast<tensor::GatherOp>(op);
  return gather && operand == gather.getIndices();
}

StickLayout indexOfView(RankedTensorType type) {
  return layout::defaultLayout(type.getRank(), 0, elementTypeOf(type));
}

} // namespace spyre
