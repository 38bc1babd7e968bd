// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-layout --spyre-plan --spyre-schedule | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// CHECK: launch.plan @main_plan target("spyre-32"
// CHECK: launch.argument @x input
// CHECK: launch.argument @y output
// CHECK: sdsc.program @main_program
// CHECK: sdsc.unit load
// CHECK: sdsc.move
// CHECK: sdsc.unit store
// CHECK: sdsc.unit sfu
// CHECK: sdsc.map
// CHECK: launch.h2d @x
// CHECK: launch.compute @main_program
// CHECK: launch.d2h @y
// CHECK: launch.symbol address @x into @main_program::@x
// CHECK: launch.symbol address @y into @main_program::@y
func.func @main(%x: tensor<4x300xf16> {spyre.name = "x"}) -> (tensor<4x300xf16> {spyre.name = "y"}) {
  %e = tensor.empty() : tensor<4x300xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}
