// SPDX-License-Identifier: Apache-2.0
// Source of matmul-softmax-1.0.spyre.
func.func @main(%a: tensor<13x200xf16>, %b: tensor<200x133xf16>, %r: tensor<13x133xf16>) -> tensor<13x133xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<13x133xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<13x133xf16>) -> tensor<13x133xf16>
  %c = linalg.matmul ins(%a, %b : tensor<13x200xf16>, tensor<200x133xf16>) outs(%f : tensor<13x133xf16>) -> tensor<13x133xf16>
  %d = linalg.add ins(%c, %r : tensor<13x133xf16>, tensor<13x133xf16>) outs(%e : tensor<13x133xf16>) -> tensor<13x133xf16>
  %y = linalg.softmax dimension(1) ins(%d : tensor<13x133xf16>) outs(%e : tensor<13x133xf16>) -> tensor<13x133xf16>
  return %y : tensor<13x133xf16>
}
