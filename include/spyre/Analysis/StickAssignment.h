// SPDX-License-Identifier: Apache-2.0
//
// Which layout every tensor of a function gets: a local decision per op, in
// program order, from the layouts that its operands have by then. The result is
// plain data; a pass applies it, another prints it.

#ifndef SPYRE_ANALYSIS_STICKASSIGNMENT_H
#define SPYRE_ANALYSIS_STICKASSIGNMENT_H

#include "spyre/Analysis/OpClass.h"
#include "spyre/Layout/StickLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spyre {

/// One iteration dim that could be in the stick (-1: none, all operands are
/// splats), and the bytes that copies into other layouts would move.
struct StickCandidate {
  int64_t stickDim = -1;
  int64_t restickifiedBytes = 0;
};

/// The decision for one linalg.generic.
struct OpAssignment {
  mlir::linalg::GenericOp op;
  OpClassification classification;
  int64_t stickDim = -1;
  /// Considered candidates in order of preference; the first of least bytes is
  /// taken. One for a contraction.
  std::vector<StickCandidate> candidates;
  /// Layout that the op needs of each input operand.
  std::vector<layout::StickLayout> inputs;
  /// Layout of each result (and of its init).
  std::vector<layout::StickLayout> results;
  /// Why this stick dim, in words.
  std::string reason;
};

/// The decision for a view (see StickViews.h).
struct ViewAssignment {
  mlir::Operation *op = nullptr;
  /// Layout that the view needs of each operand.
  std::vector<layout::StickLayout> inputs;
  layout::StickLayout result;
};

/// The decision for a function.
struct StickAssignment {
  std::vector<OpAssignment> ops;
  std::vector<ViewAssignment> views;
  /// Layout of each argument and result that is not free.
  llvm::DenseMap<mlir::Value, layout::StickLayout> layouts;
};

/// Whether the value can be had in any layout at no cost at run time: a weight,
/// a constant, tensor.empty or a fill. Such a value is made once per layout
/// that is asked of it.
bool hasFreeLayout(mlir::Value value);

/// The layout of a value that nothing constrains: its last dim in the stick.
layout::StickLayout defaultLayoutOf(mlir::RankedTensorType type);

/// Decides for every op of the function, or reports all ops that cannot be laid
/// out, with reasons.
mlir::FailureOr<StickAssignment> assignSticks(mlir::func::FuncOp function);

/// Whether the layout phase knows the op: linalg.generic, linalg.fill,
/// tensor.empty, arith.constant, func.return, stick.weight, stick.restickify,
/// stick.host, the views of StickViews.h, and any op without tensors. If not,
/// `reason` says what to do.
bool isKnownToLayout(mlir::Operation *op, std::string &reason);

/// Text form, one op per paragraph.
void print(const StickAssignment &assignment, llvm::raw_ostream &stream);

} // namespace spyre

#endif // SPYRE_ANALYSIS_STICKASSIGNMENT_H
