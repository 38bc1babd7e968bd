// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows, as convolution and pooling have them: extents, strides,
// dilations and padding along the spatial dims of [N, C, spatial...].

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_WINDOWS_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_WINDOWS_H

#include "DecodeContext.h"

namespace spyre {

struct Windows {
  Shape kernel;
  Shape strides;
  Shape dilations;
  /// Padding in front and behind; behind includes what a rounded up extent
  /// needs beyond the stated pads.
  Shape begin;
  Shape end;
  /// Padding behind as stated: averages count no more than that.
  Shape statedEnd;
  /// Extents of the result.
  Shape out;

  size_t rank() const { return kernel.size(); }
  bool isPadded() const;
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode of a node whose input
/// 0 has the spatial dims.
mlir::FailureOr<Windows> readWindows(DecodeContext &c, ShapeRef kernel);

/// The input with padding of that value around its spatial dims.
mlir::Value padSpatial(GraphBuilder &g, mlir::Value input,
                       const Windows &windows, mlir::TypedAttr value);

/// position * stride + kernel position * dilation for each spatial dim, where
/// positions are iteration dims from `first` on and kernel positions from
/// `firstKernel` on.
llvm::SmallVector<mlir::AffineExpr> windowExprs(GraphBuilder &g,
                                                const Windows &windows,
                                                int64_t first,
                                                int64_t firstKernel);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_WINDOWS_H
