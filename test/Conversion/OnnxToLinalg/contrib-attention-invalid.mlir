// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg --split-input-file --verify-diagnostics

func.func @rotary(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0110 [import] operator Attention (com.microsoft, opset 1): rotary embedding (do_rotary)}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w) {num_heads = 2 : i64, do_rotary = 1 : i64}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @sizes(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0114 [import] operator Attention (com.microsoft, opset 1): qkv_hidden_sizes do not add up to 24}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w) {num_heads = 2 : i64, qkv_hidden_sizes = array<i64: 8, 8, 6>}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

// A bias has a value for each of the 24 columns.
func.func @short_bias(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1.0> : tensor<23xf32>
  // expected-error @+3 {{E0113 [import] operator Attention (com.microsoft, opset 1): a bias of shape 23 for 24 values}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w, %b) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>, tensor<23xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @long_bias(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>, %b: tensor<25xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator Attention (com.microsoft, opset 1): a bias of shape 25 for 24 values}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w, %b) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>, tensor<25xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @scalar_bias(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>, %b: tensor<f32>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator Attention (com.microsoft, opset 1): a bias of shape scalar for 24 values}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w, %b) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<8x24xf32>, tensor<f32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @no_product(%x: tensor<2x4x8xf32>, %w: tensor<9x24xf32>) -> !onnx.unknown {
  // expected-error @+3 {{E0113 [import] operator Attention (com.microsoft, opset 1): shapes 2x4x8 and 9x24 do not multiply}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "Attention" domain "com.microsoft" version 1(%x, %w) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<9x24xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// -----

func.func @past(%x: tensor<2x4x8xf32>, %p: tensor<2x2x3x4xf32>) -> !onnx.unknown {
  %none = onnx.none
  // expected-error @+3 {{E0113 [import] operator MultiHeadAttention (com.microsoft, opset 1): past_key and past_value come together}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %r = onnx.node "MultiHeadAttention" domain "com.microsoft" version 1(%x, %x, %x, %none, %none, %none, %p) {num_heads = 2 : i64}
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, none, none, none, tensor<2x2x3x4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
