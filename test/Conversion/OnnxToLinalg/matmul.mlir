// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// Batch dims broadcast; f16 products are summed in f32 and rounded once.

// CHECK-LABEL: func.func @batch
// CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<3x4x8xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]]
// CHECK-SAME: ins(%arg0, %arg1 : tensor<3x4x16xf16>, tensor<1x16x8xf16>) outs(%[[F]] : tensor<3x4x8xf32>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf
func.func @batch(%a: tensor<3x4x16xf16>, %b: tensor<1x16x8xf16>) -> !onnx.unknown {
  %r = onnx.node "MatMul" domain "" version 13(%a, %b) {}
      : (tensor<3x4x16xf16>, tensor<1x16x8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Vectors lose their dim.

// CHECK-LABEL: func.func @dot
// CHECK-SAME: -> tensor<f32>
func.func @dot(%a: tensor<16xf32>, %b: tensor<16xf32>) -> !onnx.unknown {
  %r = onnx.node "MatMul" domain "" version 13(%a, %b) {}
      : (tensor<16xf32>, tensor<16xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// alpha, beta and C are applied to the f32 sum.

// CHECK-LABEL: func.func @gemm
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<16x4xf16>, tensor<8x16xf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 : tensor<4x8xf32>, tensor<8xf16>)
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK: arith.addf
// CHECK: arith.truncf
func.func @gemm(%a: tensor<16x4xf16>, %b: tensor<8x16xf16>, %c: tensor<8xf16>) -> !onnx.unknown {
  %r = onnx.node "Gemm" domain "" version 13(%a, %b, %c)
      {alpha = 0.5 : f32, beta = 2.0 : f32, transA = 1 : i64, transB = 1 : i64}
      : (tensor<16x4xf16>, tensor<8x16xf16>, tensor<8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// CHECK-LABEL: func.func @einsum
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: outs(%{{.*}} : tensor<2x5x7xf32>)
func.func @einsum(%a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>) -> !onnx.unknown {
  %r = onnx.node "Einsum" domain "" version 12(%a, %b) {equation = "bik,bkj->bij"}
      : (tensor<2x5x3xf32>, tensor<2x3x7xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
