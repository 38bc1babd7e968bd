// SPDX-License-Identifier: Apache-2.0
//
// The halves of rotary heads are 16 elements, a quarter of a stick: slices and
// a concatenation inside of sticks.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<2x4x10x32xf16> {spyre.name = "x"}) -> (tensor<2x4x10x32xf16> {spyre.name = "y"}) {
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 10, 16] [1, 1, 1, 1] : tensor<2x4x10x32xf16> to tensor<2x4x10x16xf16>
  %hi = tensor.extract_slice %x[0, 0, 0, 16] [2, 4, 10, 16] [1, 1, 1, 1] : tensor<2x4x10x32xf16> to tensor<2x4x10x16xf16>
  %e = tensor.empty() : tensor<2x4x10x16xf16>
  %n = linalg.negf ins(%hi : tensor<2x4x10x16xf16>) outs(%e : tensor<2x4x10x16xf16>) -> tensor<2x4x10x16xf16>
  %d = tensor.empty() : tensor<2x4x10x32xf16>
  %c0 = tensor.insert_slice %n into %d[0, 0, 0, 0] [2, 4, 10, 16] [1, 1, 1, 1] : tensor<2x4x10x16xf16> into tensor<2x4x10x32xf16>
  %c1 = tensor.insert_slice %lo into %c0[0, 0, 0, 16] [2, 4, 10, 16] [1, 1, 1, 1] : tensor<2x4x10x16xf16> into tensor<2x4x10x32xf16>
  return %c1 : tensor<2x4x10x32xf16>
}
