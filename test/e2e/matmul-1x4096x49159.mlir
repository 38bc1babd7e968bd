// SPDX-License-Identifier: Apache-2.0
//
// One row by a vocabulary of odd size: 49159 = 768 sticks and 7 lanes, and the
// weight of 384 MiB is larger than one core may span.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s --weights-dir=%t -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir
// RUN: rm -rf %t

func.func @main(%x: tensor<1x4096xf16> {spyre.name = "x"})
    -> (tensor<1x49159xf16> {spyre.name = "y"}) {
  %w = stick.weight "w" file "w.weights" offset 0 length 402710528 : tensor<4096x49159xf16>
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<1x49159xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<1x49159xf16>) -> tensor<1x49159xf16>
  %y = linalg.matmul ins(%x, %w : tensor<1x4096xf16>, tensor<4096x49159xf16>)
                     outs(%init : tensor<1x49159xf16>) -> tensor<1x49159xf16>
  return %y : tensor<1x49159xf16>
}
