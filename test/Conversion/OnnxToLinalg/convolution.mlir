// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// d0 n, d1 output channel, d2 and d3 position, d4 input channel, d5 and d6
// kernel; strides 2, dilations 1.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// (8 + 1 + 1 - 3) / 2 + 1 = 4 positions.

// CHECK-LABEL: func.func @conv
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 1, 1] [1, 3, 8, 8] [1, 1, 1, 1] : tensor<1x3x8x8xf16> into tensor<1x3x10x10xf16>
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[W]], #[[OUT]]]
// CHECK-SAME: ins(%[[P]], %arg1 : tensor<1x3x10x10xf16>, tensor<16x3x3x3xf16>) outs(%{{.*}} : tensor<1x16x4x4xf32>)
// CHECK: arith.addf
// The bias is added to the f32 sum.
// CHECK: arith.truncf
func.func @conv(%x: tensor<1x3x8x8xf16>, %w: tensor<16x3x3x3xf16>, %b: tensor<16xf16>) -> !onnx.unknown {
  %r = onnx.node "Conv" domain "" version 11(%x, %w, %b)
      {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x3x8x8xf16>, tensor<16x3x3x3xf16>, tensor<16xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Groups are a dim of input, weights and result.

// CHECK-LABEL: func.func @grouped
// CHECK-DAG: tensor.expand_shape %arg0 {{.*}} : tensor<1x4x8xf32> into tensor<1x2x2x8xf32>
// CHECK-DAG: tensor.expand_shape %arg1 {{.*}} : tensor<6x2x3xf32> into tensor<2x3x2x3xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x2x3x6xf32> into tensor<1x6x6xf32>
func.func @grouped(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) -> !onnx.unknown {
  %r = onnx.node "Conv" domain "" version 11(%x, %w) {group = 2 : i64}
      : (tensor<1x4x8xf32>, tensor<6x2x3xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// SAME_UPPER of 5 with stride 2 and a kernel of 4: 3 positions need
// (3 - 1) * 2 + 4 - 5 = 3 pads, the odd one behind.

// CHECK-LABEL: func.func @same
// CHECK-SAME: -> tensor<1x1x3xf32>
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 0, 1] [1, 1, 5] [1, 1, 1] : tensor<1x1x5xf32> into tensor<1x1x8xf32>
func.func @same(%x: tensor<1x1x5xf32>, %w: tensor<1x1x4xf32>) -> !onnx.unknown {
  %r = onnx.node "Conv" domain "" version 11(%x, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2>}
      : (tensor<1x1x5xf32>, tensor<1x1x4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
