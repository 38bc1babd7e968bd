// SPDX-License-Identifier: Apache-2.0
//
// The maximum of 100,000 values; 100,000 = 1562 sticks and 32 lanes, and a padding
// lane must lose against negative values too.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<100000xf16> {spyre.name = "x"})
    -> (tensor<f16> {spyre.name = "y"}) {
  %neutral = arith.constant 0xFC00 : f16
  %empty = tensor.empty() : tensor<f16>
  %init = linalg.fill ins(%neutral : f16) outs(%empty : tensor<f16>) -> tensor<f16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<100000xf16>) outs(%init : tensor<f16>) {
  ^bb0(%value: f16, %accumulator: f16):
    %next = arith.maximumf %accumulator, %value : f16
    linalg.yield %next : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}
