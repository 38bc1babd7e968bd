// SPDX-License-Identifier: Apache-2.0
//
// Where a node comes from: its name, what it is in the model, and what the
// exporter left about the source.

#ifndef SPYRE_LIB_IMPORT_ONNX_LOCATIONS_H
#define SPYRE_LIB_IMPORT_ONNX_LOCATIONS_H

#include "spyre/OnnxFile/Model.h"

#include "mlir/IR/Builders.h"

namespace spyre {

/// The node's name, or one made of operator and position: `MatMul_17`.
std::string nodeName(const onnxfile::Node &node);

/// `fused<{domain, index, op, module}>["name"("modeling_bert.py":120)]`: the
/// name with the innermost frame of user code, and what the node is.
mlir::Location nodeLocation(mlir::Builder &builder, const onnxfile::Node &node,
                            const std::string &name);

} // namespace spyre

#endif // SPYRE_LIB_IMPORT_ONNX_LOCATIONS_H
