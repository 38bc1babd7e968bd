// SPDX-License-Identifier: Apache-2.0
//
// Element types of ONNX in terms of MLIR.

#ifndef SPYRE_DIALECT_ONNX_IR_ELEMENTTYPES_H
#define SPYRE_DIALECT_ONNX_IR_ELEMENTTYPES_H

#include "spyre/OnnxFile/DataType.h"

#include "mlir/IR/Types.h"

namespace spyre::onnx {

/// Signless integers for int2 to int64 and bool (i1), unsigned ones for uint2
/// to uint64, floats; null for strings, complex numbers and undefined.
mlir::Type toElementType(mlir::MLIRContext *context, onnxfile::DataType type);

} // namespace spyre::onnx

#endif // SPYRE_DIALECT_ONNX_IR_ELEMENTTYPES_H
