// SPDX-License-Identifier: Apache-2.0
//
// Softmax on one core: along the stick dimension: maximum and sum reduce inside sticks.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s --target=%source-dir/test/Inputs/one-core.json -o %t/model.spyre
// RUN: spyre-run %t/model.spyre --target=%source-dir/test/Inputs/one-core.json --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t

func.func @main(%x: tensor<512x1024xf16> {spyre.name = "x"})
    -> (tensor<512x1024xf16> {spyre.name = "y"}) {
  %empty = tensor.empty() : tensor<512x1024xf16>
  %y = linalg.softmax dimension(1) ins(%x : tensor<512x1024xf16>)
                                    outs(%empty : tensor<512x1024xf16>) -> tensor<512x1024xf16>
  return %y : tensor<512x1024xf16>
}
