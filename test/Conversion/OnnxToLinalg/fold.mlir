// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// What depends on constants and shapes only is evaluated.

// The batch of the input, then 2 * 3 elements: Shape, Gather, Mul, Concat.

// CHECK-LABEL: func.func @dims
// CHECK-NEXT: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]]
// CHECK-SAME: tensor<4x2x3xf32> into tensor<4x6xf32>
func.func @dims(%x: tensor<4x2x3xf32>) -> !onnx.unknown {
  %s = onnx.node "Shape" domain "" version 15(%x) {}
      : (tensor<4x2x3xf32>) -> !onnx.unknown
  %zero = arith.constant dense<0> : tensor<1xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %two = arith.constant dense<-1> : tensor<1xi64>
  %n = onnx.node "Gather" domain "" version 13(%s, %zero) {}
      : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %a = onnx.node "Gather" domain "" version 13(%s, %one) {}
      : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %b = onnx.node "Gather" domain "" version 13(%s, %two) {}
      : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %p = onnx.node "Mul" domain "" version 14(%a, %b) {}
      : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %t = onnx.node "Concat" domain "" version 13(%n, %p) {axis = 0 : i64}
      : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %r = onnx.node "Reshape" domain "" version 14(%x, %t) {}
      : (tensor<4x2x3xf32>, !onnx.unknown) -> !onnx.unknown
  return %r : !onnx.unknown
}

// expand(-1): Where(Equal(s, -1), ones, s) with s = [2, -1] is [2, 1].

// CHECK-LABEL: func.func @expand
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<1x5xf32>) outs(%{{.*}} : tensor<2x5xf32>)
func.func @expand(%x: tensor<1x5xf32>) -> !onnx.unknown {
  %s = arith.constant dense<[2, -1]> : tensor<2xi64>
  %two = arith.constant dense<2> : tensor<1xi64>
  %minus = arith.constant dense<-1> : tensor<i64>
  %ones = onnx.node "ConstantOfShape" domain "" version 9(%two) {value = dense<1> : tensor<1xi64>}
      : (tensor<1xi64>) -> !onnx.unknown
  %e = onnx.node "Equal" domain "" version 13(%s, %minus) {}
      : (tensor<2xi64>, tensor<i64>) -> !onnx.unknown
  %t = onnx.node "Where" domain "" version 9(%e, %ones, %s) {}
      : (!onnx.unknown, !onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  %r = onnx.node "Expand" domain "" version 13(%x, %t) {}
      : (tensor<1x5xf32>, !onnx.unknown) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Integers divide towards zero: -7 / 2 = -3. Python's modulo: -7 mod 3 = 2.
// Ranges and slices with negative steps: 4, 3, 2, 1, 0.

// CHECK-LABEL: func.func @integers
// CHECK-DAG: %[[D:.*]] = arith.constant dense<-3> : tensor<i64>
// CHECK-DAG: %[[M:.*]] = arith.constant dense<2> : tensor<i64>
// CHECK-DAG: %[[R:.*]] = arith.constant dense<[4, 3, 2, 1, 0]> : tensor<5xi64>
// CHECK: return %[[D]], %[[M]], %[[R]]
func.func @integers() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %m7 = arith.constant dense<-7> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  %d = onnx.node "Div" domain "" version 14(%m7, %two) {}
      : (tensor<i64>, tensor<i64>) -> !onnx.unknown
  %m = onnx.node "Mod" domain "" version 13(%m7, %three) {}
      : (tensor<i64>, tensor<i64>) -> !onnx.unknown
  %zero = arith.constant dense<0> : tensor<i64>
  %five = arith.constant dense<5> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %range = onnx.node "Range" domain "" version 11(%zero, %five, %one) {}
      : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  %starts = arith.constant dense<-1> : tensor<1xi64>
  %ends = arith.constant dense<-9223372036854775807> : tensor<1xi64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %steps = arith.constant dense<-1> : tensor<1xi64>
  %r = onnx.node "Slice" domain "" version 13(%range, %starts, %ends, %axes, %steps) {}
      : (!onnx.unknown, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return %d, %m, %r : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// A splat stays a splat, however large: 64 * 3 * 7 * 7 elements of 0.02.

// CHECK-LABEL: func.func @splat
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.000000e-02> : tensor<64x3x7x7xf32>
// CHECK-NEXT: return %[[C]]
func.func @splat() -> !onnx.unknown {
  %shape = arith.constant dense<[64, 3, 7, 7]> : tensor<4xi64>
  %r = onnx.node "ConstantOfShape" domain "" version 9(%shape) {value = dense<2.0e-2> : tensor<1xf32>}
      : (tensor<4xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// An f16 causal mask of 4 positions: a triangle of -inf above the diagonal.

// CHECK-LABEL: func.func @mask
// CHECK-NEXT: %[[C:.*]] = arith.constant
// CHECK-SAME{LITERAL}: dense<[[0.000000e+00, 0xFC00, 0xFC00], [0.000000e+00, 0.000000e+00, 0xFC00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]>
// CHECK-NEXT: return %[[C]]
func.func @mask() -> !onnx.unknown {
  %shape = arith.constant dense<[3, 3]> : tensor<2xi64>
  %one = arith.constant dense<1> : tensor<i64>
  %full = onnx.node "ConstantOfShape" domain "" version 9(%shape) {value = dense<0xFC00> : tensor<1xf16>}
      : (tensor<2xi64>) -> !onnx.unknown
  %r = onnx.node "Trilu" domain "" version 14(%full, %one) {upper = 1 : i64}
      : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
