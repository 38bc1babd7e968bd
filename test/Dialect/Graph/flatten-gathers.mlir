// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-flatten-gathers | FileCheck %s

// 2 x 21 indices are a list of 42.
// CHECK-LABEL: func @embedding
// CHECK: %[[I:.*]] = tensor.expand_shape %{{.*}} into tensor<42x1xi32>
// CHECK: %[[G:.*]] = tensor.gather %arg0[%[[I]]] gather_dims([0]) : (tensor<500x96xf16>, tensor<42x1xi32>) -> tensor<42x96xf16>
// CHECK: tensor.expand_shape %[[G]] {{\[}}[0, 1], [2]] {{.*}} into tensor<2x21x96xf16>
func.func @embedding(%t: tensor<500x96xf16>, %i: tensor<2x21x1xi32>) -> tensor<2x21x96xf16> {
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<500x96xf16>, tensor<2x21x1xi32>) -> tensor<2x21x96xf16>
  return %0 : tensor<2x21x96xf16>
}

// (a, b) of 4 x 6 is row 6 a + b; outside of the table it is row -1.
// CHECK-LABEL: func @coordinates
// CHECK: tensor.extract_slice %arg1[0, 0] [7, 1] [1, 1]
// CHECK: tensor.extract_slice %arg1[0, 1] [7, 1] [1, 1]
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32):
// CHECK: %[[SIX:.*]] = arith.constant 6 : i32
// CHECK: %[[P:.*]] = arith.muli %{{.*}}, %[[SIX]]
// CHECK: %[[N:.*]] = arith.addi %[[P]], %[[B]]
// CHECK: arith.cmpi slt, %[[B]], %[[SIX]]
// CHECK: arith.select %{{.*}}, %[[N]],
// CHECK: tensor.collapse_shape %arg0 {{\[}}[0, 1], [2]] : tensor<4x6x5xf16> into tensor<24x5xf16>
// CHECK: tensor.gather {{.*}} gather_dims([0]) : (tensor<24x5xf16>, tensor<7x1xi32>) -> tensor<7x5xf16>
func.func @coordinates(%t: tensor<4x6x5xf16>, %i: tensor<7x2xi32>) -> tensor<7x5xf16> {
  %0 = tensor.gather %t[%i] gather_dims([0, 1]) : (tensor<4x6x5xf16>, tensor<7x2xi32>) -> tensor<7x5xf16>
  return %0 : tensor<7x5xf16>
}

// Columns become rows.
// CHECK-LABEL: func @columns
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<4x6xf16>) outs(%{{.*}} : tensor<6x4xf16>) permutation = [1, 0]
// CHECK: tensor.gather %[[T]][%arg1] gather_dims([0]) : (tensor<6x4xf16>, tensor<7x1xi32>) -> tensor<7x4xf16>
func.func @columns(%t: tensor<4x6xf16>, %i: tensor<7x1xi32>) -> tensor<7x4xf16> {
  %0 = tensor.gather %t[%i] gather_dims([1]) : (tensor<4x6xf16>, tensor<7x1xi32>) -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// CHECK-LABEL: func @already
// CHECK-NEXT: tensor.gather %arg0[%arg1]
// CHECK-NEXT: return
func.func @already(%t: tensor<6x4xf16>, %i: tensor<7x1xi32>) -> tensor<7x4xf16> {
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<6x4xf16>, tensor<7x1xi32>) -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}
