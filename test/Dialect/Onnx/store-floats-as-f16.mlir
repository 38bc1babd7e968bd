// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --onnx-store-floats-as-f16 | FileCheck %s

// -3.4e38 stays finite: -65504 is the least number of f16. A Cast to float
// (1) is one to float16 (10); a Cast to int64 (7) stays.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<2x4xf16> {spyre.host_type = f32}, %arg1: tensor<2xi64>
// CHECK-SAME: -> (tensor<2x4xf16> {spyre.host_type = f32})
// CHECK: arith.constant dense<-6.550400e+04> : tensor<1xf16>
// CHECK: stick.weight "w" file "f" offset 0 length 32 as f32 : tensor<2x4xf16>
// CHECK: onnx.node "Cast" {{.*}} {to = 10 : i64} : (tensor<2xi64>) -> tensor<2xf16>
// CHECK: onnx.node "Cast" {{.*}} {to = 7 : i64} : (tensor<2x4xf16>) -> tensor<2x4xi64>
// CHECK: onnx.node "ConstantOfShape" {{.*}} {value = dense<0.000000e+00> : tensor<1xf16>}
// CHECK: onnx.node "Add" {{.*}} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
func.func @main(%x: tensor<2x4xf32>, %n: tensor<2xi64>) -> tensor<2x4xf32> {
  %c = arith.constant dense<-3.4e+38> : tensor<1xf32>
  %w = stick.weight "w" file "f" offset 0 length 32 : tensor<2x4xf32>
  %0 = onnx.node "Cast" domain "" version 13(%n) {to = 1 : i64} : (tensor<2xi64>) -> tensor<2xf32>
  %1 = onnx.node "Cast" domain "" version 13(%x) {to = 7 : i64} : (tensor<2x4xf32>) -> tensor<2x4xi64>
  %2 = onnx.node "ConstantOfShape" domain "" version 9(%n) {} : (tensor<2xi64>) -> tensor<2x4xf32>
  %3 = onnx.node "Add" domain "" version 14(%x, %w) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// 65519 rounds to 65504; numbers that stand for infinity become f16's extremes,
// infinities stay.
// CHECK-LABEL: func @beyond
// CHECK: arith.constant dense<[1.000000e+00, 6.550400e+04, 6.550400e+04, -6.550400e+04, 0x7C00]> : tensor<5xf16>
func.func @beyond(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c = arith.constant dense<[1.0, 65519.0, 1.0e+09, -3.4e+38, 0x7F800000]> : tensor<5xf32>
  %0 = onnx.node "Mul" domain "" version 14(%x, %c) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
