// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A body computes in f32 and rounds once. An operand that is repeated along a
// dim is read at 0 there.

// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @add
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ROW]], #[[FULL]]]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<2x1xf16>, tensor<8xf16>)
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK: arith.truncf %[[S]] : f32 to f16
func.func @add(%x: tensor<2x1xf16>, %y: tensor<8xf16>) -> !onnx.unknown {
  %r = onnx.node "Add" domain "" version 14(%x, %y) {}
      : (tensor<2x1xf16>, tensor<8xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A constant of one value is a scalar of the body; its rank still counts.

// CHECK-LABEL: func.func @scalar
// CHECK-SAME: -> tensor<1x4xf32>
// CHECK-NOT: arith.constant dense
// CHECK: linalg.generic {{.*}} ins(%{{[^,]*}} : tensor<4xf32>)
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK: arith.mulf
func.func @scalar(%x: tensor<4xf32>) -> !onnx.unknown {
  %c = arith.constant dense<0.25> : tensor<1x1xf32>
  %r = onnx.node "Mul" domain "" version 14(%x, %c) {}
      : (tensor<4xf32>, tensor<1x1xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// An exponent of 2 is a product; the exponent may have another type.

// CHECK-LABEL: func.func @pow
// CHECK: arith.mulf %[[X:.*]], %[[X]] : f32
// CHECK-NOT: math.powf
func.func @pow(%x: tensor<4xf16>) -> !onnx.unknown {
  %two = arith.constant dense<2> : tensor<i64>
  %r = onnx.node "Pow" domain "" version 15(%x, %two) {}
      : (tensor<4xf16>, tensor<i64>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Comparisons give i1. Where selects in the type of its operands.

// CHECK-LABEL: func.func @where
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.select
func.func @where(%x: tensor<4xf32>, %y: tensor<4xf32>) -> !onnx.unknown {
  %c = onnx.node "Less" domain "" version 13(%x, %y) {}
      : (tensor<4xf32>, tensor<4xf32>) -> !onnx.unknown
  %r = onnx.node "Where" domain "" version 16(%c, %x, %y) {}
      : (!onnx.unknown, tensor<4xf32>, tensor<4xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// One bound of Clip is absent.

// CHECK-LABEL: func.func @clip
// CHECK-NOT: arith.maximumf
// CHECK: %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK: arith.minimumf %{{.*}}, %[[SIX]]
func.func @clip(%x: tensor<4xf32>) -> !onnx.unknown {
  %six = arith.constant dense<6.0> : tensor<f32>
  %none = onnx.none
  %r = onnx.node "Clip" domain "" version 13(%x, %none, %six) {}
      : (tensor<4xf32>, none, tensor<f32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A cast to bool compares with zero (NaN is true).

// CHECK-LABEL: func.func @cast
// CHECK: arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK: arith.uitofp %{{.*}} : i1 to f32
func.func @cast(%x: tensor<4xf32>) -> !onnx.unknown {
  %b = onnx.node "Cast" domain "" version 13(%x) {to = 9 : i64}
      : (tensor<4xf32>) -> !onnx.unknown
  %r = onnx.node "Cast" domain "" version 13(%b) {to = 1 : i64}
      : (!onnx.unknown) -> !onnx.unknown
  return %r : !onnx.unknown
}

// A cast to the same type, Identity and Dropout leave nothing.

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<4xf32>) -> !onnx.unknown {
  %a = onnx.node "Cast" domain "" version 13(%x) {to = 1 : i64}
      : (tensor<4xf32>) -> !onnx.unknown
  %b = onnx.node "Identity" domain "" version 16(%a) {}
      : (!onnx.unknown) -> !onnx.unknown
  %r:2 = onnx.node "Dropout" domain "" version 13(%b) {}
      : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
  return %r#0 : !onnx.unknown
}

// What the device lacks is made of what it has.

// CHECK-LABEL: func.func @tan
// CHECK: %[[S:.*]] = math.sin %[[X:.*]] : f32
// CHECK: %[[C:.*]] = math.cos %[[X]] : f32
// CHECK: arith.divf %[[S]], %[[C]] : f32
func.func @tan(%x: tensor<4xf16>) -> !onnx.unknown {
  %r = onnx.node "Tan" domain "" version 7(%x) {} : (tensor<4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// log1p(x): u = 1 + x; x where u is 1, else log(u) * (x / (u - 1)).

// CHECK-LABEL: func.func @atanh
// CHECK: %[[A:.*]] = math.absf
// CHECK: %[[Q:.*]] = arith.divf
// CHECK: %[[U:.*]] = arith.addf %{{.*}}, %[[Q]] : f32
// CHECK: math.log %[[U]] : f32
// CHECK: arith.subf %[[U]]
// CHECK-NOT: math.atanh
func.func @atanh(%x: tensor<4xf16>) -> !onnx.unknown {
  %r = onnx.node "Atanh" domain "" version 9(%x) {} : (tensor<4xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}
