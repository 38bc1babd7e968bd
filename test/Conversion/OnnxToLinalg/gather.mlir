// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// An embedding: computed indices may be negative.

// CHECK-LABEL: func.func @embedding
// CHECK: arith.cmpi slt
// CHECK: arith.constant 100 : i64
// CHECK: %[[I:.*]] = tensor.expand_shape %{{.*}} output_shape [2, 4, 1]
// CHECK: tensor.gather %arg0[%[[I]]] gather_dims([0]) : (tensor<100x8xf16>, tensor<2x4x1xi64>) -> tensor<2x4x8xf16>
func.func @embedding(%t: tensor<100x8xf16>, %i: tensor<2x4xi64>) -> !onnx.unknown {
  %r = onnx.node "Gather" domain "" version 13(%t, %i) {}
      : (tensor<100x8xf16>, tensor<2x4xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Along axis 1 the dims of the indices stand in the place of the axis.

// CHECK-LABEL: func.func @axis
// CHECK: tensor.gather %arg0[%{{.*}}] gather_dims([1]) : (tensor<3x8x5xf16>, tensor<2x1xi64>) -> tensor<2x3x5xf16>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x2x5xf16>)
func.func @axis(%t: tensor<3x8x5xf16>, %i: tensor<2xi64>) -> !onnx.unknown {
  %r = onnx.node "Gather" domain "" version 13(%t, %i) {axis = 1 : i64}
      : (tensor<3x8x5xf16>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A known scalar index drops the dim; -1 is the last row.

// CHECK-LABEL: func.func @last
// CHECK: tensor.extract_slice %arg0[0, 7, 0] [3, 1, 5] [1, 1, 1]
// CHECK: return %{{.*}} : tensor<3x5xf16>
func.func @last(%t: tensor<3x8x5xf16>) -> !onnx.unknown {
  %i = arith.constant dense<-1> : tensor<i64>
  %r = onnx.node "Gather" domain "" version 13(%t, %i) {axis = 1 : i64}
      : (tensor<3x8x5xf16>, tensor<i64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// The padding mask of torch.onnx: a table of all (row, key) is a broadcast.

// CHECK-LABEL: func.func @grid
// CHECK-NOT: tensor.gather
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<2x3xi1>) outs(%{{.*}} : tensor<2x1x3xi1>)
func.func @grid(%m: tensor<2x3xi1>) -> !onnx.unknown {
  %t = arith.constant dense<[[[[0, 0], [0, 1], [0, 2]]], [[[1, 0], [1, 1], [1, 2]]]]> : tensor<2x1x3x2xi64>
  %r = onnx.node "GatherND" domain "" version 13(%m, %t) {}
      : (tensor<2x3xi1>, tensor<2x1x3x2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Element (i, j) is read at (i, index): the other coordinate is the position.

// CHECK-LABEL: func.func @elements
// CHECK: linalg.generic {{.*}} outs(%[[C:.*]] : tensor<2x3x2xi64>)
// CHECK: linalg.index 2
// CHECK: linalg.index 0
// CHECK: arith.select
// CHECK: tensor.gather %arg0[%{{.*}}] gather_dims([0, 1]) : (tensor<2x8xf16>, tensor<2x3x2xi64>) -> tensor<2x3xf16>
func.func @elements(%t: tensor<2x8xf16>, %i: tensor<2x3xi64>) -> !onnx.unknown {
  %r = onnx.node "GatherElements" domain "" version 13(%t, %i) {axis = 1 : i64}
      : (tensor<2x8xf16>, tensor<2x3xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}
