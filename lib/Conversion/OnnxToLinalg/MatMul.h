// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices, for the decoders of several operators.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_MATMUL_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_MATMUL_H

#include "DecodeContext.h"

namespace spyre {

/// NumPy's matmul of two values of rank 1 or more and one element type, not
/// rounded: of computeType. Refuses the node if they do not multiply.
mlir::FailureOr<mlir::Value> buildMatMul(DecodeContext &c, mlir::Value lhs,
                                         mlir::Value rhs);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_MATMUL_H
