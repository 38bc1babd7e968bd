// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// The slot of a cache, at run time: a select by position.

// CHECK-LABEL: func.func @slot
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}}, %arg2 :
// CHECK-SAME: outs(%{{.*}} : tensor<1x8x4xf16>)
// CHECK: linalg.index 1
// CHECK: arith.cmpi eq
// CHECK: arith.select
func.func @slot(%c: tensor<1x8x4xf16>, %i: tensor<1x1x4xi64>, %u: tensor<1x1x4xf16>) -> !onnx.unknown {
  %r = onnx.node "ScatterElements" domain "" version 16(%c, %i, %u) {axis = 1 : i64}
      : (tensor<1x8x4xf16>, tensor<1x1x4xi64>, tensor<1x1x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Known indices that make up a block: rows 2 and 3.

// CHECK-LABEL: func.func @block
// CHECK-NEXT: tensor.insert_slice %arg1 into %arg0[2, 0] [2, 3] [1, 1]
func.func @block(%d: tensor<8x3xf16>, %u: tensor<2x3xf16>) -> !onnx.unknown {
  %i = arith.constant dense<[[2], [3]]> : tensor<2x1xi64>
  %r = onnx.node "ScatterND" domain "" version 16(%d, %i, %u) {}
      : (tensor<8x3xf16>, tensor<2x1xi64>, tensor<2x3xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A cache that wraps around: the slot is taken modulo its extent.

// CHECK-LABEL: func.func @circular
// CHECK-COUNT-2: arith.remsi
// CHECK-NOT: arith.remsi
func.func @circular(%c: tensor<2x1x8x4xf16>, %u: tensor<2x1x2x4xf16>, %w: tensor<2xi64>) -> !onnx.unknown {
  %r = onnx.node "TensorScatter" domain "" version 24(%c, %u, %w) {mode = "circular"}
      : (tensor<2x1x8x4xf16>, tensor<2x1x2x4xf16>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
