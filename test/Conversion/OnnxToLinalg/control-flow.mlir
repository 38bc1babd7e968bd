// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// The branch that is taken replaces the node; the other is not looked at.

// CHECK-LABEL: func.func @if
// CHECK: linalg.generic
// CHECK: arith.negf
func.func @if(%x: tensor<4xf32>) -> !onnx.unknown {
  %c = arith.constant dense<false> : tensor<i1>
  %r = onnx.node "If" domain "" version 16(%c) {}
      graphs ["then_branch", "else_branch"] captures(%x)
      : (tensor<i1>, tensor<4xf32>) -> !onnx.unknown {
  ^bb0(%a: tensor<4xf32>):
    %n = onnx.node "NoSuchOperator" domain "" version 16(%a) {}
        : (tensor<4xf32>) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  }, {
  ^bb0(%a: tensor<4xf32>):
    %n = onnx.node "Neg" domain "" version 13(%a) {}
        : (tensor<4xf32>) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  }
  return %r : !onnx.unknown
}

// Three trips: the carried value is doubled in each, the trip is stacked.

// CHECK-LABEL: func.func @loop
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// CHECK: arith.constant dense<[0, 1, 2]> : tensor<3xi64>
func.func @loop(%x: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %n = arith.constant dense<3> : tensor<i64>
  %none = onnx.none
  %r:2 = onnx.node "Loop" domain "" version 16(%n, %none, %x) {} graphs ["body"]
      : (tensor<i64>, none, tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: !onnx.unknown):
    %d = onnx.node "Add" domain "" version 14(%a, %a) {}
        : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
    onnx.yield %c, %d, %i : tensor<i1>, !onnx.unknown, tensor<i64>
  }
  return %r#0, %r#1 : !onnx.unknown, !onnx.unknown
}
