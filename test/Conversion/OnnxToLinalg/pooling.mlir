// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Padding of a maximum is minus infinity. ceil_mode: (6 - 3) / 2 rounded up
// gives 3 positions, so that the last window reaches (3 - 1) * 2 + 3 = 7.

// CHECK-LABEL: func.func @max
// CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[INF]] : f32) outs(%{{.*}} : tensor<1x2x7xf32>)
// CHECK: %[[WINDOW:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[WINDOW]] : tensor<1x2x7xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<1x2x3xf32>)
// CHECK: arith.maximumf
func.func @max(%x: tensor<1x2x6xf32>) -> !onnx.unknown {
  %r = onnx.node "MaxPool" domain "" version 12(%x)
      {kernel_shape = array<i64: 3>, strides = array<i64: 2>, ceil_mode = 1 : i64}
      : (tensor<1x2x6xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Padding does not count by default: windows at -1, 1, 3 have 2, 3, 2 elements.

// CHECK-LABEL: func.func @average
// CHECK: arith.addf
// CHECK: arith.constant dense<[2.000000e+00, 3.000000e+00, 2.000000e+00]> : tensor<3xf32>
// CHECK: arith.divf
func.func @average(%x: tensor<1x2x5xf32>) -> !onnx.unknown {
  %r = onnx.node "AveragePool" domain "" version 19(%x)
      {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>}
      : (tensor<1x2x5xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// One window over everything is a reduction.

// CHECK-LABEL: func.func @global
// CHECK-COUNT-1: linalg.fill
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]} ins(%arg0 : tensor<1x2x4x4xf16>)
// CHECK: arith.constant 1.600000e+01 : f32
func.func @global(%x: tensor<1x2x4x4xf16>) -> !onnx.unknown {
  %r = onnx.node "GlobalAveragePool" domain "" version 1(%x) {}
      : (tensor<1x2x4x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
