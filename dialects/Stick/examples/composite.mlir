// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-inline-composite --stick-assign-layouts --stick-verify-laid-out | FileCheck %s

// A composite and its meaning; inlined because no pass plans "double" whole.

#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @main
// CHECK-NOT: stick.composite
// CHECK: linalg.generic
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = stick.composite "double" {} (%x)
      : (tensor<64x128xf32>) -> tensor<64x128xf32> {
  ^bb0(%a: tensor<64x128xf32>):
    %empty = tensor.empty() : tensor<64x128xf32>
    %d = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
    ^bb0(%i: f32, %unused: f32):
      %s = arith.addf %i, %i : f32
      linalg.yield %s : f32
    } -> tensor<64x128xf32>
    stick.yield %d : tensor<64x128xf32>
  }
  return %y : tensor<64x128xf32>
}
