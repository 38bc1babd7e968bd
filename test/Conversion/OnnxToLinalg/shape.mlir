// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A reshape collapses to the common factors, then expands: 0 copies an extent,
// -1 is what remains (2 * 16 * 128 / 2 / 16 / 4 = 32).

// CHECK-LABEL: func.func @split_last
// CHECK-NEXT: tensor.expand_shape %arg0 {{\[\[}}0], [1], [2, 3]] output_shape [2, 16, 4, 32]
func.func @split_last(%x: tensor<2x16x128xf16>) -> !onnx.unknown {
  %s = arith.constant dense<[0, 0, 4, -1]> : tensor<4xi64>
  %r = onnx.node "Reshape" domain "" version 14(%x, %s) {}
      : (tensor<2x16x128xf16>, tensor<4xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// 6x4 and 4x6 have no common factor but all of it.

// CHECK-LABEL: func.func @regroup
// CHECK-NEXT: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<6x4xf16> into tensor<24xf16>
// CHECK-NEXT: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [4, 6]
func.func @regroup(%x: tensor<6x4xf16>) -> !onnx.unknown {
  %s = arith.constant dense<[4, 6]> : tensor<2xi64>
  %r = onnx.node "Reshape" domain "" version 14(%x, %s) {}
      : (tensor<6x4xf16>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Dims of extent 1 come and go in a copy that folds into indexing maps.

// CHECK-LABEL: func.func @units
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}]{{.*}} ins(%arg0 : tensor<2x16xf16>) outs(%{{.*}} : tensor<2x1x1x16xf16>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1x16xf16>)
func.func @units(%x: tensor<2x16xf16>) -> !onnx.unknown {
  %axes = arith.constant dense<[1, -2]> : tensor<2xi64>
  %u = onnx.node "Unsqueeze" domain "" version 13(%x, %axes) {}
      : (tensor<2x16xf16>, tensor<2xi64>) -> !onnx.unknown
  %two = arith.constant dense<2> : tensor<1xi64>
  %r = onnx.node "Squeeze" domain "" version 13(%u, %two) {}
      : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Axes as an attribute, before opset 13. Flatten at 0 keeps one row.

// CHECK-LABEL: func.func @attributes
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]]
// CHECK-SAME: into tensor<24xf16>
func.func @attributes(%x: tensor<2x3x4xf16>) -> !onnx.unknown {
  %u = onnx.node "Unsqueeze" domain "" version 11(%x) {axes = array<i64: 0>}
      : (tensor<2x3x4xf16>) -> !onnx.unknown
  %s = onnx.node "Squeeze" domain "" version 11(%u) {axes = array<i64: 0>}
      : (!onnx.unknown) -> !onnx.unknown
  %f = onnx.node "Flatten" domain "" version 13(%s) {axis = 0 : i64}
      : (!onnx.unknown) -> !onnx.unknown
  %m = arith.constant dense<-1> : tensor<1xi64>
  %r = onnx.node "Reshape" domain "" version 14(%f, %m) {}
      : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
