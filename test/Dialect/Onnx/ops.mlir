// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s | spyre-opt | FileCheck %s

// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<2x8xf16>) -> !onnx.unknown {
  // CHECK: onnx.node "Op" domain "com.example" version 3(%{{.*}}) {f = 1.500000e+00 : f32, fs = array<f32: 1.000000e+00, 2.000000e+00>, i = 1 : i64, is = array<i64: 1, 2>, s = "text", ss = ["a", "b"], t = dense<1> : tensor<2xi64>} : (tensor<2x8xf16>) -> !onnx.unknown
  %y = onnx.node "Op" domain "com.example" version 3(%x)
      {i = 1 : i64, is = array<i64: 1, 2>, f = 1.5 : f32,
       fs = array<f32: 1.0, 2.0>, s = "text", ss = ["a", "b"],
       t = dense<1> : tensor<2xi64>} : (tensor<2x8xf16>) -> !onnx.unknown
  return %y : !onnx.unknown
}

// CHECK-LABEL: func.func @optional
func.func @optional(%x: tensor<2x8xf16>, %m: tensor<f16>) -> tensor<*xf16> {
  // CHECK: %[[NONE:.*]] = onnx.none
  // CHECK: onnx.node "Clip" domain "" version 13(%{{.*}}, %[[NONE]], %{{.*}}) {} : (tensor<2x8xf16>, none, tensor<f16>) -> (tensor<*xf16>, none)
  %none = onnx.none
  %y:2 = onnx.node "Clip" domain "" version 13(%x, %none, %m) {}
      : (tensor<2x8xf16>, none, tensor<f16>) -> (tensor<*xf16>, none)
  return %y#0 : tensor<*xf16>
}

// CHECK-LABEL: func.func @subgraphs
func.func @subgraphs(%c: tensor<i1>, %x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: onnx.node "If" domain "" version 16(%{{.*}}) {} graphs ["then_branch", "else_branch"] captures(%{{.*}}) : (tensor<i1>, tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf16>):
  // CHECK-NEXT: onnx.yield %[[A]] : tensor<4xf16>
  // CHECK: }, {
  %r = onnx.node "If" domain "" version 16(%c) {}
      graphs ["then_branch", "else_branch"] captures(%x)
      : (tensor<i1>, tensor<4xf16>) -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>):
    onnx.yield %a : tensor<4xf16>
  }, {
  ^bb0(%a: tensor<4xf16>):
    %n = onnx.node "Neg" domain "" version 13(%a) {}
        : (tensor<4xf16>) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  }
  return %r : tensor<4xf16>
}
