// SPDX-License-Identifier: Apache-2.0
//
// A batched product whose second operand is shared by the heads of a batch entry
// (grouped attention): w is broadcast along h only.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

#lhs = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#rhs = affine_map<(b, h, m, n, k) -> (b, k, n)>
#out = affine_map<(b, h, m, n, k) -> (b, h, m, n)>

func.func @main(%x: tensor<4x3x48x96xf16> {spyre.name = "x"},
                %w: tensor<4x96x80xf16> {spyre.name = "w"})
    -> (tensor<4x3x48x80xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4x3x48x80xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<4x3x48x80xf16>) -> tensor<4x3x48x80xf16>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x3x48x96xf16>, tensor<4x96x80xf16>)
      outs(%init : tensor<4x3x48x80xf16>) {
  ^bb0(%a: f16, %b: f16, %accumulator: f16):
    %product = arith.mulf %a, %b : f16
    %next = arith.addf %accumulator, %product : f16
    linalg.yield %next : f16
  } -> tensor<4x3x48x80xf16>
  return %y : tensor<4x3x48x80xf16>
}
