// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg --split-input-file --verify-diagnostics

func.func @groups(%x: tensor<2x40xf32>, %g: tensor<40xi32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x16xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  %none = onnx.none
  // expected-error @+3 {{E0110 [import] operator MatMulNBits (com.microsoft, opset 1): an order of its groups (g_idx)}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s, %none, %g) {K = 40 : i64, N = 6 : i64, block_size = 32 : i64}
      : (tensor<2x40xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>, none, tensor<40xi32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

// Each of the 6 rows needs a byte for its two zero points.
func.func @zeros(%x: tensor<2x40xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x16xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  %z = arith.constant dense<1> : tensor<5xui8>
  // expected-error @+3 {{E0113 [import] operator MatMulNBits (com.microsoft, opset 1): zero points of shape 5 for scales of 6x2}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s, %z) {K = 40 : i64, N = 6 : i64, block_size = 32 : i64}
      : (tensor<2x40xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>, tensor<5xui8>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @bits(%x: tensor<2x40xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x16xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  // expected-error @+3 {{E0114 [import] operator MatMulNBits (com.microsoft, opset 1): N 6, K 40, bits 3 and block_size 32}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 40 : i64, N = 6 : i64, block_size = 32 : i64, bits = 3 : i64}
      : (tensor<2x40xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @block(%x: tensor<2x40xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x16xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  // expected-error @+3 {{E0114 [import] operator MatMulNBits (com.microsoft, opset 1): N 6, K 40, bits 4 and block_size 12}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 40 : i64, N = 6 : i64, block_size = 12 : i64}
      : (tensor<2x40xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @table_scales(%i: tensor<3xi32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<4x16xui8>
  %s = arith.constant dense<1.0> : tensor<4x1xf32>
  // expected-error @+3 {{E0113 [import] operator GatherBlockQuantized (com.microsoft, opset 1): scales of shape 4x1, needed is 4x2}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "GatherBlockQuantized" domain "com.microsoft" version 1(%b, %i, %s) {block_size = 16 : i64}
      : (tensor<4x16xui8>, tensor<3xi32>, tensor<4x1xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @multiply(%x: tensor<2x5xi8>, %y: tensor<4x3xi8>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator MatMulInteger (ai.onnx, opset 10): shapes 2x5 and 4x3 do not multiply}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MatMulInteger" domain "" version 10(%x, %y) {}
      : (tensor<2x5xi8>, tensor<4x3xi8>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @negative_block() -> !onnx.unknown {
  %q = arith.constant dense<1> : tensor<4x6xi8>
  %s = arith.constant dense<1.0> : tensor<6xf32>
  // expected-error @+3 {{E0114 [import] operator DequantizeLinear (ai.onnx, opset 21): block_size is -1}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "DequantizeLinear" domain "" version 21(%q, %s) {block_size = -1 : i64}
      : (tensor<4x6xi8>, tensor<6xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @great_block(%x: tensor<4x6xf32>) -> !onnx.unknown {
  %s = arith.constant dense<1.0> : tensor<4x1xf32>
  // expected-error @+3 {{E0114 [import] operator QuantizeLinear (ai.onnx, opset 21): block_size is 9223372036854775807}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "QuantizeLinear" domain "" version 21(%x, %s) {block_size = 9223372036854775807 : i64}
      : (tensor<4x6xf32>, tensor<4x1xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

// A run-time scale leaves the weight to the device, which has no such type.
func.func @unsigned_16(%s: tensor<f32>) -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 0 length 8 : tensor<4xui16>
  // expected-error @+3 {{E0110 [import] operator DequantizeLinear (ai.onnx, opset 21): elements of type ui16 that are read at run time}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "DequantizeLinear" domain "" version 21(%w, %s) {}
      : (tensor<4xui16>, tensor<f32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @signed_4(%s: tensor<f32>) -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 0 length 2 : tensor<4xi4>
  // expected-error @+3 {{E0110 [import] operator DequantizeLinear (ai.onnx, opset 21): elements of type i4 that are read at run time}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "DequantizeLinear" domain "" version 21(%w, %s) {}
      : (tensor<4xi4>, tensor<f32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @cast_16() -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 0 length 8 : tensor<4xui16>
  // expected-error @+3 {{E0110 [import] operator Cast (ai.onnx, opset 13): unsigned integers are converted only if they are known when compiling}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Cast" domain "" version 13(%w) {to = 1 : i64}
      : (tensor<4xui16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
