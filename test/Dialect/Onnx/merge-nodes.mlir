// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --onnx-merge-nodes | FileCheck %s

// CHECK-LABEL: func @reshapes
// CHECK: %[[SHAPE:.*]] = arith.constant dense<[2, 1, 1, 3]> : tensor<4xi64>
// CHECK: %[[R:.*]] = onnx.node "Reshape" domain "" version 18(%arg0, %[[SHAPE]]) {} : (tensor<2x3xf16>, tensor<4xi64>) -> tensor<2x1x1x3xf16>
// CHECK: return %[[R]], %arg0
func.func @reshapes(%x: tensor<2x3xf16>) -> (tensor<2x1x1x3xf16>, tensor<2x3xf16>) {
  %one = arith.constant dense<1> : tensor<1xi64>
  %0 = onnx.node "Unsqueeze" domain "" version 18(%x, %one) {} {onnx.decoded} : (tensor<2x3xf16>, tensor<1xi64>) -> tensor<2x1x3xf16>
  %1 = onnx.node "Unsqueeze" domain "" version 18(%0, %one) {} {onnx.decoded} : (tensor<2x1x3xf16>, tensor<1xi64>) -> tensor<2x1x1x3xf16>
  %2 = onnx.node "Squeeze" domain "" version 18(%0, %one) {} {onnx.decoded} : (tensor<2x1x3xf16>, tensor<1xi64>) -> tensor<2x3xf16>
  return %1, %2 : tensor<2x1x1x3xf16>, tensor<2x3xf16>
}

// A Transpose that moves dims of extent 1 only is a reshape; another is not, and
// an extent of 0 would mean the source's.
// CHECK-LABEL: func @units
// CHECK: onnx.node "Reshape" domain "" version 18(%arg0, %{{.*}}) {} : (tensor<1x6xf16>, tensor<3xi64>) -> tensor<2x1x3xf16>
// CHECK: onnx.node "Transpose" {{.*}} -> tensor<3x1x2xf16>
// CHECK: onnx.node "Unsqueeze" {{.*}} -> tensor<1x0x1xf16>
func.func @units(%x: tensor<1x6xf16>, %e: tensor<0xf16>) -> (tensor<2x1x3xf16>, tensor<3x1x2xf16>, tensor<1x0x1xf16>) {
  %shape = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %zero = arith.constant dense<0> : tensor<1xi64>
  %two = arith.constant dense<2> : tensor<1xi64>
  %0 = onnx.node "Reshape" domain "" version 18(%x, %shape) {} {onnx.decoded} : (tensor<1x6xf16>, tensor<3xi64>) -> tensor<1x2x3xf16>
  %1 = onnx.node "Transpose" domain "" version 18(%0) {perm = array<i64: 1, 0, 2>} {onnx.decoded} : (tensor<1x2x3xf16>) -> tensor<2x1x3xf16>
  %2 = onnx.node "Transpose" domain "" version 18(%0) {perm = array<i64: 2, 0, 1>} {onnx.decoded} : (tensor<1x2x3xf16>) -> tensor<3x1x2xf16>
  %3 = onnx.node "Unsqueeze" domain "" version 18(%e, %zero) {} {onnx.decoded} : (tensor<0xf16>, tensor<1xi64>) -> tensor<1x0xf16>
  %4 = onnx.node "Unsqueeze" domain "" version 18(%3, %two) {} {onnx.decoded} : (tensor<1x0xf16>, tensor<1xi64>) -> tensor<1x0x1xf16>
  return %1, %2, %4 : tensor<2x1x3xf16>, tensor<3x1x2xf16>, tensor<1x0x1xf16>
}

// Without perm a Transpose reverses; one that undoes another is dropped.
// CHECK-LABEL: func @transposes
// CHECK: %[[T:.*]] = onnx.node "Transpose" domain "" version 18(%arg0) {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf16>) -> tensor<3x4x2xf16>
// CHECK: return %[[T]], %arg0
func.func @transposes(%x: tensor<2x3x4xf16>) -> (tensor<3x4x2xf16>, tensor<2x3x4xf16>) {
  %0 = onnx.node "Transpose" domain "" version 18(%x) {} {onnx.decoded} : (tensor<2x3x4xf16>) -> tensor<4x3x2xf16>
  %1 = onnx.node "Transpose" domain "" version 18(%0) {perm = array<i64: 1, 0, 2>} {onnx.decoded} : (tensor<4x3x2xf16>) -> tensor<3x4x2xf16>
  %2 = onnx.node "Transpose" domain "" version 18(%0) {perm = array<i64: 2, 1, 0>} {onnx.decoded} : (tensor<4x3x2xf16>) -> tensor<2x3x4xf16>
  return %1, %2 : tensor<3x4x2xf16>, tensor<2x3x4xf16>
}

// Keys: batch and heads are joined around the Transpose. Parts in another order
// are other elements.
// CHECK-LABEL: func @parts
// CHECK: onnx.node "Transpose" domain "" version 18(%arg0) {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x5x7xf16>) -> tensor<2x3x7x5xf16>
// CHECK: onnx.node "Reshape" {{.*}} -> tensor<3x2x7x5xf16>
func.func @parts(%x: tensor<2x3x5x7xf16>) -> (tensor<2x3x7x5xf16>, tensor<3x2x7x5xf16>) {
  %joined = arith.constant dense<[6, 5, 7]> : tensor<3xi64>
  %parted = arith.constant dense<[2, 3, 7, 5]> : tensor<4xi64>
  %other = arith.constant dense<[3, 2, 7, 5]> : tensor<4xi64>
  %0 = onnx.node "Reshape" domain "" version 18(%x, %joined) {} {onnx.decoded} : (tensor<2x3x5x7xf16>, tensor<3xi64>) -> tensor<6x5x7xf16>
  %1 = onnx.node "Transpose" domain "" version 18(%0) {perm = array<i64: 0, 2, 1>} {onnx.decoded} : (tensor<6x5x7xf16>) -> tensor<6x7x5xf16>
  %2 = onnx.node "Reshape" domain "" version 18(%1, %parted) {} {onnx.decoded} : (tensor<6x7x5xf16>, tensor<4xi64>) -> tensor<2x3x7x5xf16>
  %3 = onnx.node "Reshape" domain "" version 18(%1, %other) {} {onnx.decoded} : (tensor<6x7x5xf16>, tensor<4xi64>) -> tensor<3x2x7x5xf16>
  return %2, %3 : tensor<2x3x7x5xf16>, tensor<3x2x7x5xf16>
}

// f16 to f32 and back is nothing; f32 to f16 and back rounds, f16 has not the
// range of bf16.
// CHECK-LABEL: func @casts
// CHECK-DAG: %[[A:.*]] = onnx.node "Cast" {{.*}} : (tensor<4xf16>) -> tensor<4xf32>
// CHECK-DAG: %[[B:.*]] = onnx.node "Cast" {{.*}} : (tensor<4xbf16>) -> tensor<4xf16>
// CHECK-DAG: %[[C:.*]] = onnx.node "Cast" {{.*}} : (tensor<4xf16>) -> tensor<4xbf16>
// CHECK: return %arg0, %[[A]], %[[C]]
func.func @casts(%x: tensor<4xf16>, %y: tensor<4xf32>, %z: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>) {
  %0 = onnx.node "Cast" domain "" version 18(%x) {to = 1 : i64} {onnx.decoded} : (tensor<4xf16>) -> tensor<4xf32>
  %1 = onnx.node "Cast" domain "" version 18(%0) {to = 10 : i64} {onnx.decoded} : (tensor<4xf32>) -> tensor<4xf16>
  %2 = onnx.node "Cast" domain "" version 18(%y) {to = 10 : i64} {onnx.decoded} : (tensor<4xf32>) -> tensor<4xf16>
  %3 = onnx.node "Cast" domain "" version 18(%2) {to = 1 : i64} {onnx.decoded} : (tensor<4xf16>) -> tensor<4xf32>
  %4 = onnx.node "Cast" domain "" version 18(%z) {to = 10 : i64} {onnx.decoded} : (tensor<4xbf16>) -> tensor<4xf16>
  %5 = onnx.node "Cast" domain "" version 18(%4) {to = 16 : i64} {onnx.decoded} : (tensor<4xf16>) -> tensor<4xbf16>
  return %1, %3, %5 : tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>
}

// Nothing is known of a node that was not decoded, whatever the model states.
// CHECK-LABEL: func @unknown
// CHECK: onnx.node "Reshape"
// CHECK: onnx.node "Reshape"
// CHECK: onnx.node "Transpose" {{.*}} {perm = array<i64: 0, 90000000>}
// CHECK: onnx.node "Transpose"
func.func @unknown(%x: tensor<6xf16>, %s: tensor<2xi64>) -> (tensor<2x3xf16>, tensor<3x2xf16>) {
  %one = arith.constant dense<[1, 6]> : tensor<2xi64>
  %0 = onnx.node "Reshape" domain "" version 18(%x, %one) {} {onnx.decoded} : (tensor<6xf16>, tensor<2xi64>) -> tensor<1x6xf16>
  %1 = onnx.node "Reshape" domain "" version 18(%0, %s) {} : (tensor<1x6xf16>, tensor<2xi64>) -> tensor<2x3xf16>
  %2 = onnx.node "Transpose" domain "" version 18(%1) {perm = array<i64: 0, 90000000>} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %3 = onnx.node "Transpose" domain "" version 18(%2) {perm = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>
  return %1, %3 : tensor<2x3xf16>, tensor<3x2xf16>
}

// Reshape takes its shape as an input from opset 5 on.
// CHECK-LABEL: func @old
// CHECK: onnx.node "Reshape" domain "" version 5(%arg0
func.func @old(%x: tensor<2x3x1xf16>) -> tensor<6x1xf16> {
  %0 = onnx.node "Squeeze" domain "" version 4(%x) {axes = array<i64: 2>} {onnx.decoded} : (tensor<2x3x1xf16>) -> tensor<2x3xf16>
  %1 = onnx.node "Flatten" domain "" version 4(%0) {axis = 2 : i64} {onnx.decoded} : (tensor<2x3xf16>) -> tensor<6x1xf16>
  return %1 : tensor<6x1xf16>
}
