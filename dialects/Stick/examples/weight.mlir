// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --stick-verify-laid-out | FileCheck %s

// x * transpose(w): the weight is read transposed, so that its first dim must be
// in the stick. It is laid out so before the run; nothing is copied.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @main
// CHECK-NOT: stick.restickify
// CHECK: stick.weight "fc" {{.*}} : tensor<384x512xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-NOT: stick.restickify
func.func @main(%x: tensor<256x512xf16>) -> tensor<256x384xf32> {
  %w = stick.weight "fc" file "model.weights" offset 0 length 393216 : tensor<384x512xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<256x512xf16>, tensor<384x512xf16>)
      outs(%init : tensor<256x384xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %i32 = arith.extf %i : f16 to f32
    %j32 = arith.extf %j : f16 to f32
    %product = arith.mulf %i32, %j32 : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<256x384xf32>
  return %p : tensor<256x384xf32>
}
