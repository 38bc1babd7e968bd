// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// Result dim i is input dim perm[i]: perm [2, 0, 1] reads (d1, d2, d0).
// CHECK-DAG: #[[PERM:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>

// CHECK-LABEL: func.func @transpose
// CHECK: linalg.generic {indexing_maps = [#[[PERM]], #[[ID]]]
// CHECK-SAME: outs(%{{.*}} : tensor<4x2x3xf16>)
func.func @transpose(%x: tensor<2x3x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Transpose" domain "" version 13(%x) {perm = array<i64: 2, 0, 1>}
      : (tensor<2x3x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Ends are clamped; positions count from the end if negative; a step strides:
// [1, 8) by 3 of dim 1 is 1, 4, 7.

// CHECK-LABEL: func.func @slice
// CHECK-NEXT: tensor.extract_slice %arg0[0, 1] [2, 3] [1, 3] : tensor<4x8xf16> to tensor<2x3xf16>
func.func @slice(%x: tensor<4x8xf16>) -> !onnx.unknown {
  %starts = arith.constant dense<[0, 1]> : tensor<2xi64>
  %ends = arith.constant dense<[-2, 9223372036854775807]> : tensor<2xi64>
  %axes = arith.constant dense<[0, 1]> : tensor<2xi64>
  %steps = arith.constant dense<[1, 3]> : tensor<2xi64>
  %r = onnx.node "Slice" domain "" version 13(%x, %starts, %ends, %axes, %steps) {}
      : (tensor<4x8xf16>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A part without elements (a cache of past length 0) adds nothing.

// CHECK-LABEL: func.func @concat
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK: tensor.insert_slice %arg2 into %[[A]][0, 3] [2, 4] [1, 1]
// CHECK-SAME: tensor<2x4xf16> into tensor<2x7xf16>
// CHECK-NOT: tensor.insert_slice
func.func @concat(%x: tensor<2x3xf16>, %e: tensor<2x0xf16>, %y: tensor<2x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Concat" domain "" version 13(%x, %e, %y) {axis = -1 : i64}
      : (tensor<2x3xf16>, tensor<2x0xf16>, tensor<2x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// CHECK-LABEL: func.func @concat_one
// CHECK-NEXT: return %arg1
func.func @concat_one(%e: tensor<2x0xf16>, %y: tensor<2x4xf16>) -> !onnx.unknown {
  %r = onnx.node "Concat" domain "" version 13(%e, %y) {axis = 1 : i64}
      : (tensor<2x0xf16>, tensor<2x4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// num_outputs does not divide 7: the last part is shorter.

// CHECK-LABEL: func.func @split
// CHECK: tensor.extract_slice %arg0[0] [3] [1]
// CHECK: tensor.extract_slice %arg0[3] [3] [1]
// CHECK: tensor.extract_slice %arg0[6] [1] [1]
func.func @split(%x: tensor<7xf16>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %r:3 = onnx.node "Split" domain "" version 18(%x) {num_outputs = 3 : i64}
      : (tensor<7xf16>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %r#0, %r#1, %r#2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Tile broadcasts a new dim and merges it.

// CHECK-LABEL: func.func @tile
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x5xf16>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x5xf16> into tensor<6x5xf16>
func.func @tile(%x: tensor<3x5xf16>) -> !onnx.unknown {
  %n = arith.constant dense<[2, 1]> : tensor<2xi64>
  %r = onnx.node "Tile" domain "" version 13(%x, %n) {}
      : (tensor<3x5xf16>, tensor<2xi64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Pads in front and behind of each dim; the value is an operand.

// CHECK-LABEL: func.func @pad
// CHECK: %[[V:.*]] = arith.constant 1.000000e+00 : f16
// CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f16) outs(%{{.*}} : tensor<2x8xf16>)
// CHECK: tensor.insert_slice %arg0 into %[[F]][0, 1] [2, 5] [1, 1]
func.func @pad(%x: tensor<2x5xf16>) -> !onnx.unknown {
  %p = arith.constant dense<[0, 1, 0, 2]> : tensor<4xi64>
  %v = arith.constant dense<1.0> : tensor<f16>
  %r = onnx.node "Pad" domain "" version 13(%x, %p, %v) {}
      : (tensor<2x5xf16>, tensor<4xi64>, tensor<f16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
