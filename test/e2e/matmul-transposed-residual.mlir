// SPDX-License-Identifier: Apache-2.0
//
// A product whose second operand is stored transposed, plus a residual that is
// added transposed: r has its stick on the dim that the sum has across sticks, so
// one of them needs a restickify.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --input=r=@%t/r.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs_transposed = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#identity = affine_map<(m, n) -> (m, n)>
#transposed = affine_map<(m, n) -> (n, m)>

func.func @main(%x: tensor<256x512xf16> {spyre.name = "x"},
                %w: tensor<384x512xf16> {spyre.name = "w"},
                %r: tensor<384x256xf16> {spyre.name = "r"})
    -> (tensor<256x384xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<256x384xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<256x384xf16>) -> tensor<256x384xf16>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs_transposed, #out]
      ins(%x, %w : tensor<256x512xf16>, tensor<384x512xf16>)
      outs(%init : tensor<256x384xf16>) -> tensor<256x384xf16>
  %y = linalg.generic {indexing_maps = [#identity, #transposed, #identity],
                       iterator_types = ["parallel", "parallel"]}
      ins(%product, %r : tensor<256x384xf16>, tensor<384x256xf16>)
      outs(%empty : tensor<256x384xf16>) {
  ^bb0(%p: f16, %residual: f16, %unused: f16):
    %sum = arith.addf %p, %residual : f16
    linalg.yield %sum : f16
  } -> tensor<256x384xf16>
  return %y : tensor<256x384xf16>
}
