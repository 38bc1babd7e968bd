// SPDX-License-Identifier: Apache-2.0
//
// [n, 1] broadcast along the stick dimension: each stick of x meets one value, which
// lies alone in its stick or has to be brought there.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=b=@%t/b.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

#identity = affine_map<(n, m) -> (n, m)>
#column = affine_map<(n, m) -> (n, 0)>

func.func @main(%x: tensor<300x500xf16> {spyre.name = "x"},
                %b: tensor<300x1xf16> {spyre.name = "b"})
    -> (tensor<300x500xf16> {spyre.name = "y"}) {
  %empty = tensor.empty() : tensor<300x500xf16>
  %y = linalg.generic {indexing_maps = [#identity, #column, #identity],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<300x500xf16>, tensor<300x1xf16>)
      outs(%empty : tensor<300x500xf16>) {
  ^bb0(%value: f16, %bias: f16, %unused: f16):
    %sum = arith.addf %value, %bias : f16
    linalg.yield %sum : f16
  } -> tensor<300x500xf16>
  return %y : tensor<300x500xf16>
}
