// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Mean and variance are f32 tensors; the epsilon of 1e-12 would be 0 in f16.

// CHECK-LABEL: func.func @layer_norm
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x8xf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.constant 1.250000e-01 : f32
// The variance, from differences:
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<4x8xf16>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: %[[D:.*]] = arith.subf
// CHECK: arith.mulf %[[D]], %[[D]] : f32
// CHECK: arith.constant 9.99999996E-13 : f32
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}}, %{{.*}}, %arg1, %arg2 :
// CHECK: arith.truncf
func.func @layer_norm(%x: tensor<4x8xf16>, %s: tensor<8xf16>, %b: tensor<8xf16>) -> !onnx.unknown {
  %r = onnx.node "LayerNormalization" domain "" version 17(%x, %s, %b) {epsilon = 1.0e-12 : f32}
      : (tensor<4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// The sum of input and skip is output 3, the normalised one output 0.

// CHECK-LABEL: func.func @skip
// CHECK-SAME: -> (tensor<4x8xf16>, tensor<4x8xf16>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x8xf16>, tensor<4x8xf16>)
// CHECK-NOT: arith.subf
// CHECK: return %{{.*}}, %[[SUM]]
func.func @skip(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>, %s: tensor<8xf16>) -> (!onnx.unknown, !onnx.unknown) {
  %r:4 = onnx.node "SkipSimplifiedLayerNormalization" domain "com.microsoft" version 1(%x, %y, %s)
      {epsilon = 1.0e-5 : f32}
      : (tensor<4x8xf16>, tensor<4x8xf16>, tensor<8xf16>) -> (!onnx.unknown, none, none, !onnx.unknown)
  return %r#0, %r#3 : !onnx.unknown, !onnx.unknown
}

// Known statistics become one factor and one offset per channel:
// 2 / sqrt(3 + 1) = 1 and 5 - 4 * 1 = 1.

// CHECK-LABEL: func.func @batch_norm
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<1x2x4xf32>)
// CHECK: arith.constant 1.000000e+00 : f32
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @batch_norm(%x: tensor<1x2x4xf32>) -> !onnx.unknown {
  %s = arith.constant dense<2.0> : tensor<2xf32>
  %b = arith.constant dense<5.0> : tensor<2xf32>
  %m = arith.constant dense<4.0> : tensor<2xf32>
  %v = arith.constant dense<3.0> : tensor<2xf32>
  %r = onnx.node "BatchNormalization" domain "" version 15(%x, %s, %b, %m, %v) {epsilon = 1.0 : f32}
      : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
