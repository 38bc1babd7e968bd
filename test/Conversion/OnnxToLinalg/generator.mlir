// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// What depends on the position is a body that asks for it.

// CHECK-LABEL: func.func @lower
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: arith.cmpi sle
// CHECK: arith.select
func.func @lower(%x: tensor<4x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Trilu" domain "" version 14(%x) {upper = 0 : i64}
      : (tensor<4x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A running sum is a product with a triangle of ones.

// CHECK-LABEL: func.func @cumsum
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x8xi64>)
// CHECK-DAG: linalg.index 2
// CHECK-DAG: linalg.index 1
// CHECK: arith.cmpi sle
// CHECK: arith.addi
func.func @cumsum(%x: tensor<2x8xi64>) -> !onnx.unknown {
  %axis = arith.constant dense<1> : tensor<i64>
  %r = onnx.node "CumSum" domain "" version 14(%x, %axis) {}
      : (tensor<2x8xi64>, tensor<i64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A range beyond the budget of evaluation (65536 bytes are 8192 i64) is
// computed.

// CHECK-LABEL: func.func @range
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8193xi64>)
// CHECK: linalg.index 0
func.func @range() -> !onnx.unknown {
  %zero = arith.constant dense<0> : tensor<i64>
  %end = arith.constant dense<8193> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r = onnx.node "Range" domain "" version 11(%zero, %end, %one) {}
      : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
