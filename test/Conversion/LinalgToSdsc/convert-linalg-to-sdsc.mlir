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
