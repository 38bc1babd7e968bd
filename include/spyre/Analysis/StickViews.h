// SPDX-License-Identifier: Apache-2.0
//
// Ops that only rename or pick the elements of a tensor: reshapes, slices,
// insertions and gathers of rows. A layout carries over such an op where the
// dims that it touches are outside of the stick, or cut at whole sticks; a
// reshape then costs nothing at all, and a slice is a choice of coordinates.

#ifndef SPYRE_ANALYSIS_STICKVIEWS_H
#define SPYRE_ANALYSIS_STICKVIEWS_H

#include "spyre/Layout/StickLayout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace spyre {

/// Whether the op is one of tensor.expand_shape, tensor.collapse_shape,
/// tensor.extract_slice, tensor.insert_slice and tensor.gather in the forms
/// that have a rule (slices and insertions keep the rank and have static
/// offsets, sizes and positive strides; a gather has N x 1 indices into dim 0
/// and drops it). If it is one of them in another form, `reason` says why.
bool isStickView(mlir::Operation *op, std::string &reason);

/// The layout of the result of a view if its first operand (insert_slice: both
/// operands) has `source`; nullopt if elements would have to move between
/// sticks.
std::optional<layout::StickLayout>
throughView(mlir::Operation *op, const layout::StickLayout &source);

/// A layout of the first operand that all of the views can take: the longest
/// dim that they leave alone in the stick, or one element a stick if they touch
/// all. Several views are insertions into one tensor.
layout::StickLayout sourceOfView(llvm::ArrayRef<mlir::Operation *> views);

/// The insertion that alone uses the value, as the tensor it inserts into, and
/// therefore can work in place; null if there is none.
mlir::tensor::InsertSliceOp insertionInto(mlir::Value value);

/// Whether an operand holds the row numbers of a gather, and their layout: one
/// after the other.
bool isIndexOfView(mlir::Operation *op, mlir::Value operand);
layout::StickLayout indexOfView(mlir::RankedTensorType type);

} // namespace spyre

#endif // SPYRE_ANALYSIS_STICKVIEWS_H
