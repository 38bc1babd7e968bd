// SPDX-License-Identifier: Apache-2.0
//
// Heads of 32 elements: the hidden dim of 128 is split inside of sticks, and
// joined again.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=q=@%t/q.npy --input=k=@%t/k.npy --input=v=@%t/v.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%q: tensor<2x16x128xf16> {spyre.name = "q"}, %k: tensor<2x16x128xf16> {spyre.name = "k"}, %v: tensor<2x16x128xf16> {spyre.name = "v"}) -> (tensor<2x16x128xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  %es = tensor.empty() : tensor<2x4x16x16xf16>
  %fs = linalg.fill ins(%zero : f16) outs(%es : tensor<2x4x16x16xf16>) -> tensor<2x4x16x16xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, d) -> (b, m, h, d)>, affine_map<(b, h, m, n, d) -> (b, n, h, d)>, affine_map<(b, h, m, n, d) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q4, %k4 : tensor<2x16x4x32xf16>, tensor<2x16x4x32xf16>) outs(%fs : tensor<2x4x16x16xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %p = arith.mulf %a, %b : f16
    %r = arith.addf %c, %p : f16
    linalg.yield %r : f16
  } -> tensor<2x4x16x16xf16>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x16x16xf16>) outs(%es : tensor<2x4x16x16xf16>) -> tensor<2x4x16x16xf16>
  %eo = tensor.empty() : tensor<2x16x4x32xf16>
  %fo = linalg.fill ins(%zero : f16) outs(%eo : tensor<2x16x4x32xf16>) -> tensor<2x16x4x32xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, h, d, n) -> (b, h, m, n)>, affine_map<(b, m, h, d, n) -> (b, n, h, d)>, affine_map<(b, m, h, d, n) -> (b, m, h, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v4 : tensor<2x4x16x16xf16>, tensor<2x16x4x32xf16>) outs(%fo : tensor<2x16x4x32xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %m = arith.mulf %a, %b : f16
    %r = arith.addf %c, %m : f16
    linalg.yield %r : f16
  } -> tensor<2x16x4x32xf16>
  %y = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x16x4x32xf16> into tensor<2x16x128xf16>
  return %y : tensor<2x16x128xf16>
}
