// SPDX-License-Identifier: Apache-2.0
//
// A two-layer MLP at the graph level: y = gelu(x * w1) * w2, in f16. The weights
// are references into a file, never bytes in the IR; examples/make-mlp-weights
// makes that file and an input, and scripts/demo runs it all.

#identity = affine_map<(d0, d1) -> (d0, d1)>

func.func @main(%x: tensor<512x4096xf16> {spyre.name = "x"})
    -> (tensor<512x4096xf16> {spyre.name = "y"}) {
  %w1 = stick.weight "w1" file "mlp.weights" offset 0 length 104857600 : tensor<4096x12800xf16>
  %w2 = stick.weight "w2" file "mlp.weights" offset 104857600 length 104857600 : tensor<12800x4096xf16>
  %zero = arith.constant 0.0 : f16
  %half = arith.constant 0.5 : f16
  %one = arith.constant 1.0 : f16
  %inverse_sqrt2 = arith.constant 0.70710678 : f16

  %h_empty = tensor.empty() : tensor<512x12800xf16>
  %h_init = linalg.fill ins(%zero : f16) outs(%h_empty : tensor<512x12800xf16>) -> tensor<512x12800xf16>
  %h = linalg.matmul ins(%x, %w1 : tensor<512x4096xf16>, tensor<4096x12800xf16>)
                     outs(%h_init : tensor<512x12800xf16>) -> tensor<512x12800xf16>

  // gelu(v) = 0.5 v (1 + erf(v / sqrt 2))
  %g = linalg.generic {indexing_maps = [#identity, #identity],
                       iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<512x12800xf16>) outs(%h_empty : tensor<512x12800xf16>) {
  ^bb0(%v: f16, %unused: f16):
    %scaled = arith.mulf %v, %inverse_sqrt2 : f16
    %erf = math.erf %scaled : f16
    %weight = arith.addf %erf, %one : f16
    %halved = arith.mulf %v, %half : f16
    %gelu = arith.mulf %halved, %weight : f16
    linalg.yield %gelu : f16
  } -> tensor<512x12800xf16>

  %y_empty = tensor.empty() : tensor<512x4096xf16>
  %y_init = linalg.fill ins(%zero : f16) outs(%y_empty : tensor<512x4096xf16>) -> tensor<512x4096xf16>
  %y = linalg.matmul ins(%g, %w2 : tensor<512x12800xf16>, tensor<12800x4096xf16>)
                     outs(%y_init : tensor<512x4096xf16>) -> tensor<512x4096xf16>
  return %y : tensor<512x4096xf16>
}
