// SPDX-License-Identifier: Apache-2.0
// Source of topk-add-1.1.spyre: host work between two device programs.
func.func @main(%a: tensor<5x70xf16>, %b: tensor<70x133xf16>, %r: tensor<5x100xf16>) -> (tensor<5x100xf16>, tensor<5x100xi32>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x133xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<5x133xf16>) -> tensor<5x133xf16>
  %c = linalg.matmul ins(%a, %b : tensor<5x70xf16>, tensor<70x133xf16>) outs(%f : tensor<5x133xf16>) -> tensor<5x133xf16>
  %v, %i = stick.host "topk" {axis = 1, k = 100, largest = 1} (%c)
      reason "TopK of 100 elements: more than 64 rounds of selection"
      : (tensor<5x133xf16>) -> (tensor<5x100xf16>, tensor<5x100xi32>)
  %ey = tensor.empty() : tensor<5x100xf16>
  %y = linalg.add ins(%v, %r : tensor<5x100xf16>, tensor<5x100xf16>) outs(%ey : tensor<5x100xf16>) -> tensor<5x100xf16>
  return %y, %i : tensor<5x100xf16>, tensor<5x100xi32>
}
