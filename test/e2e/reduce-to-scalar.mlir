// SPDX-License-Identifier: Apache-2.0
//
// All dims are reduced, across sticks and inside them; 400 leaves 16 of 64 lanes
// of the last stick that must not be counted.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<300x400xf16> {spyre.name = "x"})
    -> (tensor<f16> {spyre.name = "y"}) {
  %neutral = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<f16>
  %init = linalg.fill ins(%neutral : f16) outs(%empty : tensor<f16>) -> tensor<f16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<300x400xf16>) outs(%init : tensor<f16>) {
  ^bb0(%value: f16, %accumulator: f16):
    %next = arith.addf %accumulator, %value : f16
    linalg.yield %next : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}
