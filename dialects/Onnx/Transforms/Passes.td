// SPDX-License-Identifier: Apache-2.0
//
// Passes on ONNX nodes.

#ifndef SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES
#define SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def StoreFloatsAsF16Pass : Pass<"onnx-store-floats-as-f16", "mlir::func::FuncOp"> {
  let summary = "Store the f32 tensors of a model as f16";
  let description = [{
    What `--precision=f16` means for an f32 model. Arguments, results, constants
    and weights of type f32 become f16, and so do the types that nodes name (the
    `to` of a Cast, the value of a ConstantOfShape). Values beyond f16 saturate
    at its largest finite number, so that a mask of -3.4e38 stays finite.
    Arguments and results keep what the caller sees in `spyre.host_type`.

    The nodes' own arithmetic is f32 whatever the storage (see
    `convert-onnx-to-linalg`).
  }];
  let dependentDialects = ["::spyre::onnx::OnnxDialect"];
}

#endif // SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES
