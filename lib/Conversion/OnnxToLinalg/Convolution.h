// SPDX-License-Identifier: Apache-2.0
//
// What convolution and transposed convolution share.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVOLUTION_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVOLUTION_H

#include "Windows.h"

namespace spyre {

/// Input [N, G, C, spatial], weights [G, O, C, kernel], result [N, G, O, out].
/// With one group there is no dim G.
struct WindowContraction {
  mlir::Value input;
  mlir::Value weights;
  int64_t groups = 1;
};

/// The products summed over C and the kernel, in computeType.
mlir::Value contractWindows(GraphBuilder &g, const WindowContraction &problem,
                            const Windows &w);

/// Sum, [N, channels, spatial], plus a bias of each channel if that input is
/// present, rounded to the element type of input 0.
mlir::Value addBias(DecodeContext &c, mlir::Value sum, size_t biasIndex);

/// Whether input 2, if present, has one value for each channel.
mlir::LogicalResult checkBias(DecodeContext &c, int64_t channels);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_CONVOLUTION_H
