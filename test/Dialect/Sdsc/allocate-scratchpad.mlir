// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work --sdsc-place-tensors --sdsc-allocate-scratchpad | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// Tiles of 1 x 64 elements are one stick of 128 bytes; two slots each for the
// input and the output need 512 bytes, in which the two do not overlap. There
// is no accumulator.
// CHECK: lx [{{(0, 256|256, 0)}}, -1]
func.func @copy(%x: tensor<4x300xf16>) -> tensor<4x300xf16> {
  %e = tensor.empty() : tensor<4x300xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>)
      attrs = {sdsc.force = {slices = array<i64: 2, 1>, tiles = array<i64: 1, 64>, buffers = 2 : i32}} {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}
