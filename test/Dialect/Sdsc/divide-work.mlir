// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work | FileCheck %s
// RUN: spyre-opt %s --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work=max-cores=2 | FileCheck %s --check-prefix=TWO

#id = affine_map<(m, n) -> (m, n)>

// 300 = 3 * 64 + 44 lanes: 5 sticks a row, 4 * 5 = 20 sticks in all.
// CHECK-LABEL: func @free
// CHECK: division <slices = [{{.*}}], tiles = [{{.*}}], order = [{{.*}}], cores = [{{.*}}], buffers = 2>
// TWO-LABEL: func @free
// TWO: division <slices = [{{(1, 2|2, 1)}}]
func.func @free(%x: tensor<4x300xf16>) -> tensor<4x300xf16> {
  %e = tensor.empty() : tensor<4x300xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>) {
  ^bb0(%in: f16, %out: f16):
    %w = arith.extf %in : f16 to f32
    %v = math.exp %w : f32
    %r = arith.truncf %v : f32 to f16
    linalg.yield %r : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}

// Forced choices are taken as they are.
// CHECK-LABEL: func @forced
// CHECK: division <slices = [2, 1], tiles = [1, 64], order = [1, 0], cores = [0, 1], buffers = 1>
func.func @forced(%x: tensor<4x300xf16>) -> tensor<4x300xf16> {
  %e = tensor.empty() : tensor<4x300xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>)
      attrs = {sdsc.force = {slices = array<i64: 2, 1>, tiles = array<i64: 1, 64>, loop_order = array<i32: 1, 0>, core_order = array<i32: 0, 1>, buffers = 1 : i32}} {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}
