// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-drop-empty-tensors --canonicalize | FileCheck %s

// A cache of length 0 joined with a new entry is the new entry.
// CHECK-LABEL: func @past
// CHECK-NEXT: return %arg1
func.func @past(%past: tensor<2x0x8xf16>, %new: tensor<2x3x8xf16>) -> tensor<2x3x8xf16> {
  %e = tensor.empty() : tensor<2x3x8xf16>
  %0 = tensor.insert_slice %past into %e[0, 0, 0] [2, 0, 8] [1, 1, 1] : tensor<2x0x8xf16> into tensor<2x3x8xf16>
  %1 = tensor.insert_slice %new into %0[0, 0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x3x8xf16> into tensor<2x3x8xf16>
  return %1 : tensor<2x3x8xf16>
}

// A sum of nothing is the initial value.
// CHECK-LABEL: func @sum
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: return %[[F]]
func.func @sum(%x: tensor<4x0xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x0xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %s : tensor<4xf32>
}

// Nothing is left to do for the host.
// CHECK-LABEL: func @host
// CHECK-NOT: stick.host
func.func @host(%x: tensor<0x9xf32>) -> (tensor<0x2xf32>, tensor<0x2xi32>) {
  %v, %i = stick.host "topk" {axis = 1, k = 2, largest = 1} (%x) reason "r" : (tensor<0x9xf32>) -> (tensor<0x2xf32>, tensor<0x2xi32>)
  return %v, %i : tensor<0x2xf32>, tensor<0x2xi32>
}
