// SPDX-License-Identifier: Apache-2.0
//
// y = x + x: the smallest model, for the packaging test.

#identity = affine_map<(d0, d1) -> (d0, d1)>

func.func @main(%x: tensor<3x5xf16> {spyre.name = "x"})
    -> (tensor<3x5xf16> {spyre.name = "y"}) {
  %empty = tensor.empty() : tensor<3x5xf16>
  %y = linalg.generic {indexing_maps = [#identity, #identity],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x5xf16>) outs(%empty : tensor<3x5xf16>) {
  ^bb0(%v: f16, %unused: f16):
    %sum = arith.addf %v, %v : f16
    linalg.yield %sum : f16
  } -> tensor<3x5xf16>
  return %y : tensor<3x5xf16>
}
