// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Sums are f32 and rounded once, after the division.

// CHECK-LABEL: func.func @mean
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%arg0 : tensor<4x8xf16>)
// CHECK: arith.extf
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[N:.*]] = arith.constant 8.000000e+00 : f32
// CHECK: arith.divf %{{.*}}, %[[N]] : f32
// CHECK: arith.truncf
// CHECK-SAME: f32 to f16
// CHECK: return %{{.*}} : tensor<4x1xf16>
func.func @mean(%x: tensor<4x8xf16>) -> !onnx.unknown {
  %r = onnx.node "ReduceMean" domain "" version 13(%x) {axes = array<i64: -1>}
      : (tensor<4x8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Axes are an operand; without axes all dims are reduced, or none.

// CHECK-LABEL: func.func @all
// CHECK-SAME: -> (tensor<f32>, tensor<4x8xf32>)
// CHECK: arith.maximumf
// CHECK: return %{{.*}}, %arg0
func.func @all(%x: tensor<4x8xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %a = onnx.node "ReduceMax" domain "" version 18(%x) {keepdims = 0 : i64}
      : (tensor<4x8xf32>) -> !onnx.unknown
  %none = arith.constant dense<> : tensor<0xi64>
  %b = onnx.node "ReduceSum" domain "" version 18(%x, %none) {noop_with_empty_axes = 1 : i64}
      : (tensor<4x8xf32>, tensor<0xi64>) -> !onnx.unknown
  return %a, %b : !onnx.unknown, !onnx.unknown
}

// The first position whose element is the maximum: the least of the positions
// where they are equal, and the extent elsewhere.

// CHECK-LABEL: func.func @argmax
// CHECK: arith.maximumf
// CHECK: arith.cmpf oeq
// CHECK: linalg.index 1
// CHECK: arith.constant 8 : i64
// CHECK: arith.select
// CHECK: arith.minsi %{{.*}}, %{{.*}} : i64
func.func @argmax(%x: tensor<4x8xf32>) -> !onnx.unknown {
  %r = onnx.node "ArgMax" domain "" version 13(%x) {axis = 1 : i64, keepdims = 0 : i64}
      : (tensor<4x8xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
