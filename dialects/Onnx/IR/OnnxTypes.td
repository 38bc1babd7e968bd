// SPDX-License-Identifier: Apache-2.0
//
// The types of values at the onnx level: tensors, the type of an absent
// optional value, and the type of a value of which the model says nothing.

#ifndef SPYRE_DIALECT_ONNX_IR_ONNXTYPES
#define SPYRE_DIALECT_ONNX_IR_ONNXTYPES

include "Onnx/IR/OnnxDialect.td"

def Onnx_UnknownType : TypeDef<Onnx_Dialect, "Unknown"> {
  let mnemonic = "unknown";
  let summary = "a value whose type the model does not state";
  let description = [{
    Models rarely state the types of values inside of the graph. The decoder of
    the node that defines the value finds the type from the types of its
    operands; after `convert-onnx-to-linalg` there is none left.

    ```mlir
    %y = onnx.node "Relu" domain "" version 14(%x) {}
        : (tensor<2x3xf32>) -> !onnx.unknown
    ```
  }];
}

def Onnx_Value : AnyTypeOf<[AnyTensor, NoneType, Onnx_UnknownType],
    "tensor, none (an absent optional value) or !onnx.unknown">;

#endif // SPYRE_DIALECT_ONNX_IR_ONNXTYPES
