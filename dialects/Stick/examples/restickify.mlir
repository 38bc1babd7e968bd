// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-verify-laid-out | FileCheck %s

// A residual is added that lies with the other dim in its stick. The copy is
// explicit; without it stick-verify-laid-out refuses the sum.

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#columns = #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @main
// CHECK: stick.restickify
func.func @main(%x: tensor<256x384xf16, #rows>, %r: tensor<256x384xf16, #columns>)
    -> tensor<256x384xf16, #rows> {
  %residual = stick.restickify %r
      : tensor<256x384xf16, #columns> to tensor<256x384xf16, #rows>
  %empty = tensor.empty() : tensor<256x384xf16, #rows>
  %y = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %residual : tensor<256x384xf16, #rows>, tensor<256x384xf16, #rows>)
      outs(%empty : tensor<256x384xf16, #rows>) {
  ^bb0(%a: f16, %b: f16, %unused: f16):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %sum = arith.addf %a32, %b32 : f32
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<256x384xf16, #rows>
  return %y : tensor<256x384xf16, #rows>
}
