// SPDX-License-Identifier: Apache-2.0
//
// How the device coordinates of each operand follow from the iteration dims of
// an op (its layout composed with its indexing map), and which combinations
// can be walked stick by stick.

#ifndef SPYRE_ANALYSIS_STICKACCESS_H
#define SPYRE_ANALYSIS_STICKACCESS_H

#include "spyre/Analysis/OpClass.h"
#include "spyre/Cost/KernelPlan.h"
#include "spyre/Layout/StickLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spyre {

/// The access of one operand.
struct OperandAccess {
  /// One coordinate per device dim, outermost first. `dim` is the iteration
  /// dim, or -1 where the coordinate is a constant (0).
  std::vector<cost::OperandCoord> coords;
  /// False if an index with a stride, a window or an offset inside a stick
  /// falls on the dim in the stick: no op can walk the operand so.
  bool isWalkable = true;

  /// The iteration dims in the stick; none for a splat (sparse, scalar, or a
  /// constant stick coordinate).
  std::vector<int32_t> stickDims() const;
  /// The iteration dims of the other coordinates that are not in the stick.
  std::vector<int32_t> otherDims() const;
  /// Whether an op with iteration dim `stickDim` in the stick (-1: none) can
  /// walk this operand: stick-wise along it, or as a splat that does not move
  /// along it.
  bool accepts(int64_t stickDim) const;
};

/// Composes a layout with an indexing map that `classify` accepts.
OperandAccess composeAccess(const layout::StickLayout &layout,
                            mlir::AffineMap map);

/// The access of each operand, inits included, in operand order; or why there
/// is none (a tensor without a layout).
mlir::FailureOr<std::vector<OperandAccess>>
operandAccesses(mlir::linalg::GenericOp op, std::string &reason);

/// The iteration dim in the stick of an op with legal accesses: of the result
/// for Contract; for Map and Reduce the one that any operand has in its stick;
/// -1 if every access is a splat.
int64_t stickDimOf(const OpClassification &classification,
                   const std::vector<OperandAccess> &accesses);

/// Whether the operands can be walked together, else why not. With A the dims
/// in the stick of any operand and B the other dims of each operand that are
/// not in its stick: Map and Reduce need |A| <= 1 and A and B disjoint (so a
/// reduction along the stick has a sparse result, and no other has). Contract
/// needs a K dim in the stick of its left operand and the same N dim in that of
/// its right operand and of its result.
mlir::LogicalResult verifyStickAccess(mlir::linalg::GenericOp op,
                                      std::string &reason);

} // namespace spyre

#endif // SPYRE_ANALYSIS_STICKACCESS_H
