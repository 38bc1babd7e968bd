// SPDX-License-Identifier: Apache-2.0
//
// Reshapes. Dims of extent 1 come and go in a copy, which is an indexing map of
// its consumers; anything else is a collapse, an expansion, or both.

#include "GraphBuilder.h"
#include "WeightViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace spyre {

using stick::WeightOp;

static Shape withoutUnits(ShapeRef shape) {
  Shape result;
  llvm::copy_if(shape, std::back_inserter(result),
                [](int64_t extent) { return extent != 1; });
  return result;
}

/// Insertion and removal of dims of extent 1: a copy, which folds into the
/// indexing maps of its consumers.
Value GraphBuilder::reshapeUnits(Value input, ShapeRef shape) {
  SmallVector<int64_t> targets;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent != 1) {
      targets.push_back(static_cast<int64_t>(dim));
    }
  }
  SmallVector<AffineExpr> exprs;
  size_t next = 0;
  for (int64_t extent : shapeOf(input)) {
    exprs.push_back(extent == 1 ? b.getAffineConstantExpr(0)
                                : b.getAffineDimExpr(targets[next++]));
  }
  const auto rank = static_cast<unsigned>(shape.size());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return generic(
      input, {AffineMap::get(rank, 0, exprs, b.getContext()), identity(rank)},
      iterators, shape, elementOf(input), Value(),
      [](Scalars &, ValueRange v) { return v[0]; });
}

namespace {

/// Consecutive dims of two shapes with equal products.
struct Group {
  ReassociationIndices from;
  ReassociationIndices to;
  int64_t extent = 1;
};

} // namespace

/// The finest groups of dims with equal products; trailing dims of extent 1
/// belong to the last group. Both shapes have one product, which is not zero.
static SmallVector<Group> commonGroups(ShapeRef from, ShapeRef to) {
  SmallVector<Group> groups;
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() || j < to.size()) {
    Group group;
    int64_t left = 1;
    int64_t right = 1;
    if (i < from.size()) {
      left = from[i];
      group.from.push_back(static_cast<int64_t>(i++));
    }
    if (j < to.size()) {
      right = to[j];
      group.to.push_back(static_cast<int64_t>(j++));
    }
    while (left != right) {
      if (left < right) {
        left *= from[i];
        group.from.push_back(static_cast<int64_t>(i++));
      } else {
        right *= to[j];
        group.to.push_back(static_cast<int64_t>(j++));
      }
    }
    group.extent = left;
    if ((group.from.empty() || group.to.empty()) && !groups.empty()) {
      llvm::append_range(groups.back().from, group.from);
      llvm::append_range(groups.back().to, group.to);
      continue;
    }
    groups.push_back(group);
  }
  return groups;
}

/// Collapses to the common factors of both shapes, then expands.
Value GraphBuilder::reshapeView(Value input, ShapeRef shape) {
  Type element = elementOf(input);
  SmallVector<Group> groups = commonGroups(shapeOf(input), shape);
  Shape middle;
  SmallVector<ReassociationIndices> collapse;
  SmallVector<ReassociationIndices> expand;
  for (const Group &group : groups) {
    middle.push_back(group.extent);
    collapse.push_back(group.from);
    expand.push_back(group.to);
  }
  if (middle.size() < shapeOf(input).size()) {
    input = tensor::CollapseShapeOp::create(
        b, loc, RankedTensorType::get(middle, element), input, collapse);
  }
  if (middle.size() < shape.size()) {
    input = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, element), input, expand);
  }
  return input;
}

Value GraphBuilder::reshape(Value input, ShapeRef shape) {
  ShapeRef from = shapeOf(input);
  auto type = RankedTensorType::get(shape, elementOf(input));
  if (from == shape) {
    return input;
  }
  if (DenseElementsAttr attr = constantOf(input)) {
    return constant(attr.reshape(type));
  }
  if (Value scalar = spreadScalar(input, shape)) {
    return scalar;
  }
  if (WeightOp weight = plainWeight(input)) {
    return weightView(b, weight, shape,
                      static_cast<int64_t>(weight.getOffset()),
                      static_cast<int64_t>(weight.getLength()), {});
  }
  if (numElements(shape) == 0) {
    return nothing(shape, elementOf(input));
  }
  if (withoutUnits(from) == withoutUnits(shape)) {
    return reshapeUnits(input, shape);
  }
  return reshapeView(input, shape);
}

Value GraphBuilder::unsqueeze(Value input, ShapeRef dims) {
  Shape shape(shapeOf(input));
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  for (int64_t dim : sorted) {
    shape.insert(shape.begin() + dim, 1);
  }
  return reshape(input, shape);
}

Value GraphBuilder::squeeze(Value input, ShapeRef dims) {
  Shape shape;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(input))) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim))) {
      shape.push_back(extent);
    }
  }
  return reshape(input, shape);
}

} // namespace spyre
