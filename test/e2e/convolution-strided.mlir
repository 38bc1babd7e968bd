// SPDX-License-Identifier: Apache-2.0
//
// A 3 x 3 convolution with stride 2 and padding: the taps are windows of a
// contraction on the matrix unit.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<2x5x9x11xf16> {spyre.name = "x"}, %w: tensor<7x5x3x3xf16> {spyre.name = "w"}) -> (tensor<2x7x5x6xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %ep = tensor.empty() : tensor<2x5x11x13xf16>
  %fp = linalg.fill ins(%zero : f16) outs(%ep : tensor<2x5x11x13xf16>) -> tensor<2x5x11x13xf16>
  %xp = tensor.insert_slice %x into %fp[0, 0, 1, 1] [2, 5, 9, 11] [1, 1, 1, 1] : tensor<2x5x9x11xf16> into tensor<2x5x11x13xf16>
  %eo = tensor.empty() : tensor<2x7x5x6xf16>
  %fo = linalg.fill ins(%zero : f16) outs(%eo : tensor<2x7x5x6xf16>) -> tensor<2x7x5x6xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, co, oh, ow, ci, kh, kw) -> (b, ci, oh * 2 + kh, ow * 2 + kw)>, affine_map<(b, co, oh, ow, ci, kh, kw) -> (co, ci, kh, kw)>, affine_map<(b, co, oh, ow, ci, kh, kw) -> (b, co, oh, ow)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xp, %w : tensor<2x5x11x13xf16>, tensor<7x5x3x3xf16>) outs(%fo : tensor<2x7x5x6xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %m = arith.mulf %a, %b : f16
    %r = arith.addf %c, %m : f16
    linalg.yield %r : f16
  } -> tensor<2x7x5x6xf16>
  return %o : tensor<2x7x5x6xf16>
}
