// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-outline-constants | FileCheck %s

// 1.0 and 2.0 in f16 are 0x3C00 and 0x4000, little-endian; then 3 and 4 in i32;
// a bool is a byte.
// CHECK: stick.constant_bytes = dense<[0, 60, 0, 64, 3, 0, 0, 0, 4, 0, 0, 0, 1, 0]> : tensor<14xi8>
// CHECK-LABEL: func @main
// CHECK: %[[A:.*]] = stick.weight "constant0" file "" offset 0 length 4 : tensor<2xf16>
// CHECK: %[[B:.*]] = stick.weight "constant1" file "" offset 4 length 8 : tensor<1x2xi32>
// CHECK: %[[C:.*]] = stick.weight "constant2" file "" offset 12 length 2 : tensor<2xi1>
// CHECK: %[[S:.*]] = arith.constant 5.000000e-01 : f16
// CHECK: %[[F:.*]] = linalg.fill ins(%[[S]] : f16)
// CHECK: return %[[A]], %[[B]], %[[C]], %[[F]]
func.func @main() -> (tensor<2xf16>, tensor<1x2xi32>, tensor<2xi1>, tensor<3xf16>) {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %1 = arith.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %2 = arith.constant dense<[true, false]> : tensor<2xi1>
  %3 = arith.constant dense<0.5> : tensor<3xf16>
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<1x2xi32>, tensor<2xi1>, tensor<3xf16>
}
