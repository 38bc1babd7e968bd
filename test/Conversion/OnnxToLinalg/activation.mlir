// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK: linalg.softmax dimension(1) ins(%arg0 : tensor<2x3x4xf16>)
func.func @softmax(%x: tensor<2x3x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Softmax" domain "" version 13(%x) {axis = -2 : i64}
      : (tensor<2x3x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Before opset 13 all dims from the axis on (by default 1) are one.

// CHECK-LABEL: func.func @softmax_flat
// CHECK: %[[M:.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<2x12xf16>
// CHECK: linalg.softmax dimension(1) ins(%[[M]] : tensor<2x12xf16>)
// CHECK: tensor.expand_shape {{.*}} into tensor<2x3x4xf16>
func.func @softmax_flat(%x: tensor<2x3x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Softmax" domain "" version 11(%x) {}
      : (tensor<2x3x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// The cube of tanh's approximation is f32: it overflows f16 beyond 40.

// CHECK-LABEL: func.func @gelu
// CHECK: arith.extf
// CHECK: math.tanh %{{.*}} : f32
// CHECK: arith.truncf
// CHECK: math.erf %{{.*}} : f32
func.func @gelu(%x: tensor<4xf16>) -> !onnx.unknown {
  %a = onnx.node "Gelu" domain "" version 20(%x) {approximate = "tanh"}
      : (tensor<4xf16>) -> !onnx.unknown
  %r = onnx.node "Gelu" domain "" version 20(%a) {}
      : (!onnx.unknown) -> !onnx.unknown
  return %r : !onnx.unknown
}

// CHECK-LABEL: func.func @fast_gelu
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x4xf16>, tensor<4xf16>)
// CHECK: arith.addf
// CHECK: math.tanh
func.func @fast_gelu(%x: tensor<2x4xf16>, %b: tensor<4xf16>) -> !onnx.unknown {
  %r = onnx.node "FastGelu" domain "com.microsoft" version 1(%x, %b) {}
      : (tensor<2x4xf16>, tensor<4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
