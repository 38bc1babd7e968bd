// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A whole factor of nearest elements is a broadcast of a new dim.

// CHECK-LABEL: func.func @nearest
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x3x2xf16>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x1x3x2xf16> into tensor<1x1x6xf16>
func.func @nearest(%x: tensor<1x1x3xf16>) -> !onnx.unknown {
  %none = onnx.none
  %s = arith.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %r = onnx.node "Resize" domain "" version 13(%x, %none, %s)
      {coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"}
      : (tensor<1x1x3xf16>, none, tensor<3xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Linear at half pixels, 2 to 4: positions -0.25, 0.25, 0.75, 1.25, where those
// outside of the input read its edge.

// CHECK-LABEL: func.func @linear
// CHECK: %[[W:.*]] = arith.constant
// CHECK-SAME{LITERAL}: dense<[[1.000000e+00, 0.000000e+00], [7.500000e-01, 2.500000e-01], [2.500000e-01, 7.500000e-01], [0.000000e+00, 1.000000e+00]]> : tensor<4x2xf16>
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[W]] : tensor<1x1x2xf16>, tensor<4x2xf16>) outs(%{{.*}} : tensor<1x1x4xf32>)
func.func @linear(%x: tensor<1x1x2xf16>) -> !onnx.unknown {
  %none = onnx.none
  %s = arith.constant dense<[1, 1, 4]> : tensor<3xi64>
  %r = onnx.node "Resize" domain "" version 13(%x, %none, %none, %s) {mode = "linear"}
      : (tensor<1x1x2xf16>, none, none, tensor<3xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
