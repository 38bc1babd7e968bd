// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-normalize --spyre-layout --convert-linalg-to-sdsc | FileCheck %s

// The truncation of the product runs on its accumulator, as the epilogue. The
// result is written where the caller wants it. [200,333] f16 has
// ceil(333 / 64) = 6 sticks a row, [77,200] has 4.
// CHECK-LABEL: func @matmul
// CHECK-SAME: memref<4x77x64xf16, #sdsc.space<ddr>> {sdsc.role = "input"
// CHECK-SAME: spyre.name = "y"
// CHECK-NOT: sdsc.alloc
// CHECK: sdsc.kernel contract
// CHECK-SAME: outs(%arg2 : memref<6x77x64xf16, #sdsc.space<ddr>>) extents [77, 333, 200] reductions [2] stick 1
// CHECK: epilogue
// CHECK: ^bb0(%[[ACC:.*]]: f32):
// CHECK: arith.truncf %[[ACC]] : f32 to f16
func.func @matmul(%a: tensor<77x200xf16>, %b: tensor<200x333xf16>) -> (tensor<77x333xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<77x333xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<77x333xf16>) -> tensor<77x333xf16>
  %c = linalg.matmul ins(%a, %b : tensor<77x200xf16>, tensor<200x333xf16>) outs(%f : tensor<77x333xf16>) -> tensor<77x333xf16>
  return %c : tensor<77x333xf16>
}

// A result that no kernel computes is copied.
// CHECK-LABEL: func @forward
// CHECK: sdsc.kernel restickify {{.*}} ins(%arg0 {{.*}}) outs(%arg1
func.func @forward(%a: tensor<77x200xf16>) -> tensor<77x200xf16> {
  return %a : tensor<77x200xf16>
}

// An accumulator of integers is i32 as its kernel's result is: the conversion of
// the sums is a kernel of its own.
// CHECK-LABEL: func @integer_sums
// CHECK: sdsc.kernel reduce
// CHECK: } epilogue {
// CHECK-NEXT: ^bb0(%[[S:.*]]: i32):
// CHECK-NEXT: sdsc.kernel_yield %[[S]] : i32
// CHECK: sdsc.kernel map
func.func @integer_sums(%x: tensor<8x100xi32> {spyre.name = "x"}) -> (tensor<8xf32> {spyre.name = "y"}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x100xi32>) outs(%init : tensor<8xi32>) {
  ^bb0(%a: i32, %s: i32):
    %1 = arith.addi %s, %a : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  %f = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sums : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: i32, %o: f32):
    %1 = arith.sitofp %a : i32 to f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
