// SPDX-License-Identifier: Apache-2.0
//
// A batched product with one second operand for the whole batch.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

#lhs = affine_map<(b, m, n, k) -> (b, m, k)>
#rhs = affine_map<(b, m, n, k) -> (k, n)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>

func.func @main(%x: tensor<5x40x130xf16> {spyre.name = "x"},
                %w: tensor<130x70xf16> {spyre.name = "w"})
    -> (tensor<5x40x70xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<5x40x70xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<5x40x70xf16>) -> tensor<5x40x70xf16>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x40x130xf16>, tensor<130x70xf16>)
      outs(%init : tensor<5x40x70xf16>) {
  ^bb0(%a: f16, %b: f16, %accumulator: f16):
    %product = arith.mulf %a, %b : f16
    %next = arith.addf %accumulator, %product : f16
    linalg.yield %next : f16
  } -> tensor<5x40x70xf16>
  return %y : tensor<5x40x70xf16>
}
