// SPDX-License-Identifier: Apache-2.0
// Source of linear-reduce-1.0.spyre. linear-reduce.weights holds the matrix
// (70 x 100) and the bias (100) as f16: element i is ((37 i) mod 101 - 50) / 64.
func.func @main(%x: tensor<5x70xf16>, %r: tensor<100x5xf16>) -> (tensor<5x100xf16>, tensor<100xf16>) {
  %w = stick.weight "w" file "linear-reduce.weights" offset 0 length 14000 : tensor<70x100xf16>
  %b = stick.weight "b" file "linear-reduce.weights" offset 14000 length 200 : tensor<100xf16>
  %zero = arith.constant 0.0 : f16
  %low = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<5x100xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<5x100xf16>) -> tensor<5x100xf16>
  %c = linalg.matmul ins(%x, %w : tensor<5x70xf16>, tensor<70x100xf16>) outs(%f : tensor<5x100xf16>) -> tensor<5x100xf16>
  %t = linalg.transpose ins(%r : tensor<100x5xf16>) outs(%e : tensor<5x100xf16>) permutation = [1, 0]
  %bb = linalg.broadcast ins(%b : tensor<100xf16>) outs(%e : tensor<5x100xf16>) dimensions = [0]
  %d = linalg.add ins(%c, %bb : tensor<5x100xf16>, tensor<5x100xf16>) outs(%e : tensor<5x100xf16>) -> tensor<5x100xf16>
  %y = linalg.add ins(%d, %t : tensor<5x100xf16>, tensor<5x100xf16>) outs(%e : tensor<5x100xf16>) -> tensor<5x100xf16>
  %me = tensor.empty() : tensor<100xf16>
  %mi = linalg.fill ins(%low : f16) outs(%me : tensor<100xf16>) -> tensor<100xf16>
  %m = linalg.reduce { arith.maximumf } ins(%y : tensor<5x100xf16>) outs(%mi : tensor<100xf16>) dimensions = [0]
  return %y, %m : tensor<5x100xf16>, tensor<100xf16>
}
