// SPDX-License-Identifier: Apache-2.0
//
// No extent is a multiple of 64 or of the core count: padding lanes of K and N
// must not leak into the result.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<77x200xf16> {spyre.name = "x"},
                %w: tensor<200x333xf16> {spyre.name = "w"})
    -> (tensor<77x333xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<77x333xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<77x333xf16>) -> tensor<77x333xf16>
  %y = linalg.matmul ins(%x, %w : tensor<77x200xf16>, tensor<200x333xf16>)
                     outs(%init : tensor<77x333xf16>) -> tensor<77x333xf16>
  return %y : tensor<77x333xf16>
}
