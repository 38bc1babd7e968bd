// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-verify-laid-out | FileCheck %s

// The accepted rows of the compatibility table.

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#dense = #stick.layout<[d0 floordiv 64, d0 mod 64]>
#sparse = #stick.layout<[d0, 0 : 64], sparse>
#sparse_wide = #stick.layout<[d0, 0 : 32], sparse>
#scalar = #stick.layout<[0 : 64]>
#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>
#second = affine_map<(m, n) -> (n)>
#nothing = affine_map<(m, n) -> ()>

// Sticks along n everywhere; a row, one value a stick, and a scalar.
// CHECK-LABEL: func.func @map
func.func @map(%x: tensor<4x128xf16, #rows>, %row: tensor<128xf16, #dense>,
               %statistic: tensor<4xf16, #sparse>, %s: tensor<f16, #scalar>) -> tensor<4x128xf16, #rows> {
  %e = tensor.empty() : tensor<4x128xf16, #rows>
  %y = linalg.generic {indexing_maps = [#id, #second, #first, #nothing, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %statistic, %s : tensor<4x128xf16, #rows>, tensor<128xf16, #dense>, tensor<4xf16, #sparse>, tensor<f16, #scalar>)
      outs(%e : tensor<4x128xf16, #rows>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %d: f16, %unused: f16):
    %0 = arith.addf %a, %b : f16
    %1 = arith.addf %0, %c : f16
    %2 = arith.addf %1, %d : f16
    linalg.yield %2 : f16
  } -> tensor<4x128xf16, #rows>
  return %y : tensor<4x128xf16, #rows>
}

// Along the stick into a sparse result. Variables are compared, not widths:
// f16 sticks hold 64 elements, f32 sticks 32.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<4x128xf16, #rows>) -> tensor<4xf32, #sparse_wide> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32, #sparse_wide>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32, #sparse_wide>) -> tensor<4xf32, #sparse_wide>
  %y = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x128xf16, #rows>) outs(%init : tensor<4xf32, #sparse_wide>) {
  ^bb0(%a: f16, %acc: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32, #sparse_wide>
  return %y : tensor<4xf32, #sparse_wide>
}
