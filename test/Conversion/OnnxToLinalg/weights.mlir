// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A weight that is transposed, converted, reshaped or cut along its outermost
// dim stays a reference.

// CHECK-LABEL: func.func @transpose
// CHECK-NEXT: stick.weight "w" file "f" offset 64 length 65536 as f32 perm [1, 0] : tensor<256x64xf16>
// CHECK-NEXT: return
func.func @transpose() -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 64 length 65536 : tensor<64x256xf32>
  %c = onnx.node "Cast" domain "" version 13(%w) {to = 10 : i64}
      : (tensor<64x256xf32>) -> !onnx.unknown
  %r = onnx.node "Transpose" domain "" version 13(%c) {perm = array<i64: 1, 0>}
      : (!onnx.unknown) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Rows 16 to 32 of 256 f32 begin at 64 + 16 * 256 * 4 = 16448.

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: stick.weight "w" file "f" offset 16448 length 16384 : tensor<16x256xf32>
func.func @rows() -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 64 length 65536 : tensor<64x256xf32>
  %starts = arith.constant dense<16> : tensor<1xi64>
  %ends = arith.constant dense<32> : tensor<1xi64>
  %r = onnx.node "Slice" domain "" version 13(%w, %starts, %ends) {}
      : (tensor<64x256xf32>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: stick.weight "w" file "f" offset 64 length 65536 : tensor<8x8x256xf32>
func.func @reshape() -> !onnx.unknown {
  %w = stick.weight "w" file "f" offset 64 length 65536 : tensor<64x256xf32>
  %s = arith.constant dense<[8, 8, 256]> : tensor<3xi64>
  %r = onnx.node "Reshape" domain "" version 13(%w, %s) {}
      : (tensor<64x256xf32>, tensor<3xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
