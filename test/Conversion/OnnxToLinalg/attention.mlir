// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Four query heads share two key heads: the group is a dim that keys and values
// are read along, without a copy. d0 batch, d1 key head, d2 group, d3 query,
// d4 key, d5 head.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>

// CHECK-LABEL: func.func @grouped
// CHECK: %[[G:.*]] = tensor.expand_shape %arg0 {{.*}} output_shape [1, 2, 2, 3, 8]
// CHECK: linalg.generic {indexing_maps = [#[[Q]], #[[K]], #{{.*}}]
// CHECK-SAME: ins(%[[G]], %arg1 :
// CHECK-SAME: outs(%{{.*}} : tensor<1x2x2x3x5xf32>)
// The scale, 1 / sqrt(8) by default, is f32.
// CHECK: arith.constant 0.353553385 : f32
// CHECK: linalg.softmax dimension(4)
// CHECK: arith.truncf
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x4x3x8xf16>
func.func @grouped(%q: tensor<1x4x3x8xf16>, %k: tensor<1x2x5x8xf16>, %v: tensor<1x2x5x8xf16>) -> !onnx.unknown {
  %r = onnx.node "Attention" domain "" version 23(%q, %k, %v) {}
      : (tensor<1x4x3x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// With a past of 4 the first query stands at position 4: it sees 5 keys.

// CHECK-LABEL: func.func @causal
// CHECK: tensor.insert_slice %arg3 into %{{.*}}[0, 0, 0, 0] [1, 2, 4, 8]
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[0, 0, 4, 0] [1, 2, 3, 8]
// CHECK: linalg.index 2
// CHECK: arith.constant 4 : i64
// CHECK: linalg.index 3
// CHECK: arith.cmpi sle
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.select
func.func @causal(%q: tensor<1x2x3x8xf16>, %k: tensor<1x2x3x8xf16>, %v: tensor<1x2x3x8xf16>,
                  %pk: tensor<1x2x4x8xf16>, %pv: tensor<1x2x4x8xf16>) -> !onnx.unknown {
  %none = onnx.none
  %r = onnx.node "Attention" domain "" version 23(%q, %k, %v, %none, %pk, %pv) {is_causal = 1 : i64}
      : (tensor<1x2x3x8xf16>, tensor<1x2x3x8xf16>, tensor<1x2x3x8xf16>, none,
         tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Softcap comes before the mask. A row that is hidden entirely has sum 0, which
// is replaced by 1.

// CHECK-LABEL: func.func @masked
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x2x3x5xf32>, tensor<1x1x3x5xi1>)
// CHECK: arith.select
// CHECK: math.exp
// CHECK: arith.cmpf oeq
// CHECK: arith.divf
func.func @masked(%q: tensor<1x2x3x8xf16>, %k: tensor<1x2x5x8xf16>, %v: tensor<1x2x5x8xf16>,
                  %m: tensor<3x5xi1>) -> !onnx.unknown {
  %r = onnx.node "Attention" domain "" version 23(%q, %k, %v, %m) {softcap = 30.0 : f32}
      : (tensor<1x2x3x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<3x5xi1>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Halves of the head are rotated against each other; 4 of 8 dims here.

// CHECK-LABEL: func.func @rotary
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 2, 3, 2] [1, 1, 1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %arg0[0, 0, 0, 2] [1, 2, 3, 2] [1, 1, 1, 1]
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: tensor.extract_slice %arg0[0, 0, 0, 4] [1, 2, 3, 4] [1, 1, 1, 1]
func.func @rotary(%x: tensor<1x2x3x8xf16>, %c: tensor<1x3x2xf16>, %s: tensor<1x3x2xf16>) -> !onnx.unknown {
  %r = onnx.node "RotaryEmbedding" domain "" version 23(%x, %c, %s) {rotary_embedding_dim = 4 : i64}
      : (tensor<1x2x3x8xf16>, tensor<1x3x2xf16>, tensor<1x3x2xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
