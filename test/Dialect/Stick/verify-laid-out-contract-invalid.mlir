// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-verify-laid-out --split-input-file --verify-diagnostics

// The stick dims of a contraction, one wrong each.

#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#columns = #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @left(%x: tensor<8x16xf32, #columns>, %y: tensor<16x24xf32, #rows>) -> tensor<8x24xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32, #rows>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32, #rows>) -> tensor<8x24xf32, #rows>
  // expected-error @+2 {{E0307 [layout] op linalg.generic: operand 0 of the contraction has d0 in its stick, a reduced dim is needed}}
  // expected-note @+1 {{help:}}
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<8x16xf32, #columns>, tensor<16x24xf32, #rows>) outs(%init : tensor<8x24xf32, #rows>) {
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %product = arith.mulf %i, %j : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<8x24xf32, #rows>
  return %p : tensor<8x24xf32, #rows>
}

// -----

#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#columns = #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @right(%x: tensor<8x16xf32, #rows>, %y: tensor<16x24xf32, #columns>) -> tensor<8x24xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32, #rows>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32, #rows>) -> tensor<8x24xf32, #rows>
  // expected-error @+2 {{operand 1 of the contraction has d2 in its stick, a dim that it shares with the result only is needed}}
  // expected-note @+1 {{help:}}
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<8x16xf32, #rows>, tensor<16x24xf32, #columns>) outs(%init : tensor<8x24xf32, #rows>) {
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %product = arith.mulf %i, %j : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<8x24xf32, #rows>
  return %p : tensor<8x24xf32, #rows>
}

// -----

#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#columns = #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @result(%x: tensor<8x16xf32, #rows>, %y: tensor<16x24xf32, #rows>) -> tensor<8x24xf32, #columns> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32, #columns>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32, #columns>) -> tensor<8x24xf32, #columns>
  // expected-error @+2 {{the result of the contraction has d0 in its stick, operand 1 has d1; they must be the same}}
  // expected-note @+1 {{help:}}
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<8x16xf32, #rows>, tensor<16x24xf32, #rows>) outs(%init : tensor<8x24xf32, #columns>) {
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %product = arith.mulf %i, %j : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<8x24xf32, #columns>
  return %p : tensor<8x24xf32, #columns>
}
