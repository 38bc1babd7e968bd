// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --fold-onnx-nodes | FileCheck %s

// Shape arithmetic becomes a constant, and values get their types.
// CHECK-LABEL: func @shapes
// CHECK-NOT: "Shape"
// CHECK-NOT: "Gather"
// CHECK: %[[SHAPE:.*]] = arith.constant dense<[2, 12]> : tensor<2xi64>
// CHECK: %[[R:.*]] = onnx.node "Reshape" domain "" version 18(%arg0, %[[SHAPE]]) {} {onnx.decoded} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
// CHECK: onnx.node "Relu" domain "" version 18(%[[R]]) {} : (tensor<2x12xf32>) -> !onnx.unknown
func.func @shapes(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  %zero = arith.constant dense<0> : tensor<1xi64>
  %rest = arith.constant dense<12> : tensor<1xi64>
  %0 = onnx.node "Shape" domain "" version 18(%x) {} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %1 = onnx.node "Gather" domain "" version 18(%0, %zero) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %2 = onnx.node "Concat" domain "" version 18(%1, %rest) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %3 = onnx.node "Reshape" domain "" version 18(%x, %2) {} : (tensor<2x3x4xf32>, !onnx.unknown) -> !onnx.unknown
  // What the function returns keeps the type that the model states.
  %4 = onnx.node "Relu" domain "" version 18(%3) {} : (!onnx.unknown) -> !onnx.unknown
  return %4 : !onnx.unknown
}

// A node that passes its operand on goes; a transposed weight stays a reference.
// CHECK-LABEL: func @identities
// CHECK: %[[W:.*]] = stick.weight "w" file "f" offset 0 length 24 {{.*}}: tensor<3x2xf32>
// CHECK-NOT: "Identity"
// CHECK-NOT: "Dropout"
// CHECK-NOT: "Transpose"
// CHECK: onnx.node "MatMul" domain "" version 18(%arg0, %[[W]])
func.func @identities(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = stick.weight "w" file "f" offset 0 length 24 : tensor<2x3xf32>
  %0 = onnx.node "Identity" domain "" version 18(%x) {} : (tensor<4x3xf32>) -> !onnx.unknown
  %1 = onnx.node "Dropout" domain "" version 18(%0) {} : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.node "Transpose" domain "" version 18(%w) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> !onnx.unknown
  %3 = onnx.node "MatMul" domain "" version 18(%1, %2) {} : (!onnx.unknown, !onnx.unknown) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// What cannot be converted stays, and nothing is reported; what a graph inside of
// a node captures has the type that was found.
// CHECK-LABEL: func @unknown
// CHECK: onnx.node "Bar" domain "com.example"
// CHECK: onnx.node "If"
// CHECK-SAME: captures(%{{.*}}) : (!onnx.unknown, tensor<4xf32>)
// CHECK: ^bb0(%{{.*}}: tensor<4xf32>):
func.func @unknown(%x: tensor<4xf32>) -> !onnx.unknown {
  %0 = onnx.node "Relu" domain "" version 18(%x) {} : (tensor<4xf32>) -> !onnx.unknown
  %1 = onnx.node "Bar" domain "com.example" version 1(%0) {} : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.node "If" domain "" version 16(%1) {} graphs ["then_branch", "else_branch"] captures(%0)
      : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown {
  ^bb0(%a: !onnx.unknown):
    onnx.yield %a : !onnx.unknown
  }, {
  ^bb0(%a: !onnx.unknown):
    onnx.yield %a : !onnx.unknown
  }
  return %2 : !onnx.unknown
}

// What follows a folded value folds with it.
// CHECK-LABEL: func @behind
// CHECK-NOT: "Concat"
// CHECK-NOT: "Identity"
// CHECK: %[[SHAPE:.*]] = arith.constant dense<[6, 1]> : tensor<2xi64>
// CHECK: onnx.node "Reshape" {{.*}}(%arg0, %[[SHAPE]])
func.func @behind(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %six = arith.constant dense<6> : tensor<1xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %0 = onnx.node "Concat" domain "" version 18(%six, %one) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  %1 = onnx.node "Identity" domain "" version 18(%0) {} : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.node "Reshape" domain "" version 18(%x, %1) {} : (tensor<2x3xf32>, !onnx.unknown) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// A node that cannot be converted is reported later, used or not.
// CHECK-LABEL: func @unused
// CHECK: onnx.node "Zeta"
// CHECK-NOT: onnx.node "Neg"
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.node "Zeta" domain "com.example" version 1(%x) {} : (tensor<4xf32>) -> !onnx.unknown
  %1 = onnx.node "Neg" domain "" version 18(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = onnx.node "Relu" domain "" version 18(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
