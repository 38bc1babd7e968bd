// SPDX-License-Identifier: Apache-2.0
//
// Indices: normalisation, and recognition of known ones that form a grid.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_GATHER_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_GATHER_H

#include "DecodeContext.h"
#include "Evaluate.h"

namespace spyre {

/// The indices with negative ones counted from the end of an axis. Refuses the
/// node if a known index is outside of [-extent, extent).
mlir::FailureOr<mlir::Value> normalIndices(DecodeContext &c,
                                           mlir::Value indices, int64_t extent);

/// Coordinates that step by one: coordinate k of a point is begin[k] plus the
/// point's position along dim[k], or begin[k] where dim[k] is -1.
struct Grid {
  Shape begin;
  Shape dim;
};

/// The grid that coordinates form over points of this shape (the coordinates
/// of one point are adjacent), if they form one in which each dim steps at most
/// one coordinate.
std::optional<Grid> gridOf(llvm::ArrayRef<Number> coordinates, ShapeRef shape,
                           int64_t numCoordinates);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_GATHER_H
