// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table by i64 indices, which the device holds as i32.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=ids=@%t/ids.npy --input=table=@%t/table.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%ids: tensor<2x21xi64> {spyre.name = "ids"},
                %t: tensor<500x96xf16> {spyre.name = "table"})
    -> (tensor<2x21x96xf16> {spyre.name = "y"}) {
  %f = tensor.collapse_shape %ids [[0, 1]] : tensor<2x21xi64> into tensor<42xi64>
  %i = tensor.expand_shape %f [[0, 1]] output_shape [42, 1] : tensor<42xi64> into tensor<42x1xi64>
  %g = tensor.gather %t[%i] gather_dims([0]) : (tensor<500x96xf16>, tensor<42x1xi64>) -> tensor<42x96xf16>
  %y = tensor.expand_shape %g [[0, 1], [2]] output_shape [2, 21, 96] : tensor<42x96xf16> into tensor<2x21x96xf16>
  return %y : tensor<2x21x96xf16>
}
