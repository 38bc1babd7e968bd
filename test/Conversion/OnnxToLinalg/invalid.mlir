// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg --split-input-file --verify-diagnostics

// All nodes without a lowering are reported, one error for each operator and
// reason, with their number and names. A node after one of them is not blamed.

func.func @all(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Bar (com.example, opset 2): no lowering for it}}
  // expected-note @+2 {{2 nodes}}
  // expected-note @+1 {{help: rewrite the model without it; docs/onnx-ops.md lists what is supported}}
  %a = onnx.node "Bar" domain "com.example" version 2(%x) {} : (tensor<4xf32>) -> !onnx.unknown
  // expected-warning @+4 {{E0110 [import] model: nodes behind these were not judged: the types of their inputs are not known}}
  // expected-note @+3 {{1 node}}
  // expected-note @+2 {{operators: Add (1)}}
  // expected-note @+1 {{help: state the types of these values in the model}}
  %b = onnx.node "Add" domain "" version 14(%a, %x) {} : (!onnx.unknown, tensor<4xf32>) -> !onnx.unknown
  %c = onnx.node "Bar" domain "com.example" version 2(%b) {} : (!onnx.unknown) -> !onnx.unknown
  // expected-error @+3 {{E0110 [import] operator Foo (ai.onnx, opset 14): no lowering for it}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %d = onnx.node "Foo" domain "" version 14(%c) {} : (!onnx.unknown) -> !onnx.unknown
  return %d : !onnx.unknown
}

// -----

// Where the model states the type of what such a node gives, the nodes behind it
// are judged.

func.func @stated(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Bar (com.example, opset 2): no lowering for it}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %a = onnx.node "Bar" domain "com.example" version 2(%x) {} : (tensor<4xf32>) -> tensor<3xf32>
  %b = onnx.node "Relu" domain "" version 14(%a) {} : (tensor<3xf32>) -> !onnx.unknown
  // expected-error @+3 {{E0113 [import] operator Add (ai.onnx, opset 14): shapes 3, 4 do not broadcast}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %c = onnx.node "Add" domain "" version 14(%b, %x) {} : (!onnx.unknown, tensor<4xf32>) -> !onnx.unknown
  return %c : !onnx.unknown
}

// -----

func.func @too_old(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Gelu (ai.onnx, opset 19): it is supported from opset 20 on}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Gelu" domain "" version 19(%x) {} : (tensor<4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @not_known(%x: tensor<4xf32>, %s: tensor<2xi64>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Reshape (ai.onnx, opset 14): input 1 (shape) must be known when compiling}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Reshape" domain "" version 14(%x, %s) {} : (tensor<4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @mismatch(%x: tensor<4xf32>, %y: tensor<3xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator Add (ai.onnx, opset 14): shapes 4, 3 do not broadcast}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Add" domain "" version 14(%x, %y) {} : (tensor<4xf32>, tensor<3xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @missing(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator Add (ai.onnx, opset 14): input 1 is missing}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Add" domain "" version 14(%x) {} : (tensor<4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0114 [import] operator Softmax (ai.onnx, opset 13): attribute "axis" is not an integer}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Softmax" domain "" version 13(%x) {axis = "last"} : (tensor<4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @axis(%x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0114 [import] operator Softmax (ai.onnx, opset 13): axis 1 is outside of a tensor of rank 1}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Softmax" domain "" version 13(%x) {axis = 1 : i64} : (tensor<4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @index(%x: tensor<4xf32>) -> !onnx.unknown {
  %i = arith.constant dense<4> : tensor<1xi64>
  // expected-error @+3 {{E0113 [import] operator Gather (ai.onnx, opset 13): index 4 is outside of an axis of 4}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Gather" domain "" version 13(%x, %i) {} : (tensor<4xf32>, tensor<1xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @elements(%x: tensor<4xui8>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Relu (ai.onnx, opset 14): input 0 has elements of type ui8}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Relu" domain "" version 14(%x) {} : (tensor<4xui8>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @unused_output(%x: tensor<1x1x4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator MaxPool (ai.onnx, opset 12): the output Indices}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r:2 = onnx.node "MaxPool" domain "" version 12(%x) {kernel_shape = array<i64: 2>}
      : (tensor<1x1x4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %r#1 : !onnx.unknown
}

// -----

func.func @condition(%c: tensor<i1>, %x: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator If (ai.onnx, opset 16): the condition must be known when compiling}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "If" domain "" version 16(%c) {} graphs ["then_branch"] captures(%x)
      : (tensor<i1>, tensor<4xf32>) -> !onnx.unknown {
  ^bb0(%a: tensor<4xf32>):
    onnx.yield %a : tensor<4xf32>
  }
  return %r : !onnx.unknown
}

// -----

// expected-error @+2 {{E0113 [import] op func.func: the type of argument 0, tensor<?xf32>, has no static shape}}
// expected-note @+1 {{help}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = onnx.node "Relu" domain "" version 14(%x) {} : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A dim that was given as 0 leaves nothing to compute.

// expected-error @+3 {{E0112 [import] model: no output has an element: nothing is left for the device}}
// expected-note @+2 {{dim "n" is 0 by --dim=n=0}}
// expected-note @+1 {{help: give the dim a number of at least 1}}
func.func @zero(%x: tensor<0x4xf32>) -> !onnx.unknown attributes {onnx.zero_dims = ["dim \22n\22 is 0 by --dim=n=0"]} {
  %r = onnx.node "Relu" domain "" version 14(%x) {} : (tensor<0x4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @declared(%x: tensor<4xf32>) -> (tensor<5xf32> {spyre.name = "y"}) {
  %r = onnx.node "Relu" domain "" version 14(%x) {} : (tensor<4xf32>) -> tensor<5xf32>
  // expected-error @+2 {{E0113 [import] output "y": the model states the type tensor<5xf32>, its nodes give tensor<4xf32>}}
  // expected-note @+1 {{help}}
  return %r : tensor<5xf32>
}

// -----

func.func @computed_weight(%x: tensor<2x40xf32>, %b: tensor<6x2x16xui8>) -> !onnx.unknown {
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  // expected-error @+3 {{E0110 [import] operator MatMulNBits (com.microsoft, opset 1): its quantized weight or scales are computed}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 40 : i64, N = 6 : i64, block_size = 32 : i64}
      : (tensor<2x40xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @unsigned_input(%q: tensor<4xui8>, %s: tensor<f32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator DequantizeLinear (ai.onnx, opset 13): elements of type ui8 that are read at run time}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "DequantizeLinear" domain "" version 13(%q, %s) {} : (tensor<4xui8>, tensor<f32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @blobs(%x: tensor<2x40xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x1x16xui8>
  %s = arith.constant dense<1.0> : tensor<6x1xf32>
  // expected-error @+3 {{E0113 [import] operator MatMulNBits (com.microsoft, opset 1): A tensor<2x40xf32>, B tensor<6x1x16xui8> and scales tensor<6x1xf32>; needed is a B of 6x2x16}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 40 : i64, N = 6 : i64, block_size = 32 : i64}
      : (tensor<2x40xf32>, tensor<6x1x16xui8>, tensor<6x1xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @mask_form(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>, %m: tensor<8xi32>) -> !onnx.unknown {
  %none = onnx.none
  // expected-error @+3 {{E0110 [import] operator Attention (com.microsoft, opset 1): a mask of shape 8 for scores of 2x2x4x4}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w, %none, %m) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>, none, tensor<8xi32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @heads(%x: tensor<2x4x8xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0114 [import] operator MultiHeadAttention (com.microsoft, opset 1): num_heads 3 does not divide query, key and value}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MultiHeadAttention" domain "com.microsoft" version 1(%x, %x, %x) {num_heads = 3 : i64}
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @table_missing(%i: tensor<2x4xi32>, %w: tensor<9x8xf32>) -> !onnx.unknown {
  %none = onnx.none
  // expected-error @+3 {{E0113 [import] operator EmbedLayerNormalization (com.microsoft, opset 1): input 3 is missing}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "EmbedLayerNormalization" domain "com.microsoft" version 1(%i, %none, %w) {}
      : (tensor<2x4xi32>, none, tensor<9x8xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
