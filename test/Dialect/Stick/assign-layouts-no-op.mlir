// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --stick-verify-laid-out | FileCheck %s

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#id = affine_map<(m, n) -> (m, n)>

// A function that is laid out already stays as it is.
// CHECK-LABEL: func.func @laid_out(
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<64x128xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[E]] :
// CHECK-NOT: stick.restickify
func.func @laid_out(%x: tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #rows> {
  %e = tensor.empty() : tensor<64x128xf16, #rows>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf16, #rows>) outs(%e : tensor<64x128xf16, #rows>) {
  ^bb0(%i: f16, %unused: f16):
    %t = arith.negf %i : f16
    linalg.yield %t : f16
  } -> tensor<64x128xf16, #rows>
  return %y : tensor<64x128xf16, #rows>
}

// Nothing to lay out.
// CHECK: func.func private @external(i32)
func.func private @external(i32)
// CHECK-LABEL: func.func @numbers
// CHECK-NEXT: return
func.func @numbers(%x: i32) -> i32 {
  return %x : i32
}

// Values that nothing reads but the caller: a weight, a constant, an argument.
// CHECK-LABEL: func.func @interface(
// CHECK-SAME: -> (tensor<70xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>, tensor<2xf32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>, tensor<f32, #stick.layout<[0 : 32]>>)
// CHECK-DAG: stick.weight "w" {{.*}} : tensor<70xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>
func.func @interface(%x: tensor<f32>) -> (tensor<70xf16>, tensor<2xf32>, tensor<f32>) {
  %w = stick.weight "w" file "f" offset 0 length 140 : tensor<70xf16>
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %w, %c, %x : tensor<70xf16>, tensor<2xf32>, tensor<f32>
}
