// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-generalize-named-ops | FileCheck %s

// The fill stays; the forced choice stays with the product.
// CHECK-LABEL: func @matmul
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: sdsc.force = {buffers = 1 : i32}
// CHECK-NOT: linalg.matmul
func.func @matmul(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4x16xf16>) -> tensor<4x16xf16>
  %c = linalg.matmul {sdsc.force = {buffers = 1 : i32}} ins(%a, %b : tensor<4x8xf16>, tensor<8x16xf16>) outs(%f : tensor<4x16xf16>) -> tensor<4x16xf16>
  return %c : tensor<4x16xf16>
}
