// SPDX-License-Identifier: Apache-2.0
//
// What quantized weights and values that are quantized at run time share.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_QUANTIZATION_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_QUANTIZATION_H

#include "DecodeContext.h"

namespace spyre {

/// How scales divide a tensor: for the whole, along an axis, or in blocks along
/// it.
struct Granularity {
  /// The scales with the rank of the tensor.
  Shape scales;
  /// Elements of a block along each dim.
  Shape blocks;
  bool isBlocked = false;
};

/// That of QuantizeLinear and DequantizeLinear, of x and its scales. Refuses
/// the node if they do not fit.
mlir::FailureOr<Granularity> granularityOf(DecodeContext &c);

/// DequantizeLinear of an x that is computed.
mlir::LogicalResult dequantizeAtRunTime(DecodeContext &c,
                                        const Granularity &granularity);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_QUANTIZATION_H
