// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-fuse-elementwise | FileCheck %s

// CHECK-DAG: #[[BT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>

#id = affine_map<(m, n) -> (m, n)>
#swap = affine_map<(m, n) -> (n, m)>

// Two elementwise ops become one, and the value between is not rounded.
// CHECK-LABEL: func @chain
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: math.exp
// CHECK-NOT: truncf
// CHECK-NOT: extf
// CHECK: math.sqrt
// CHECK: arith.truncf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<8x100xf16>) -> tensor<8x100xf16> {
  %e = tensor.empty() : tensor<8x100xf16>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x100xf16>) outs(%e : tensor<8x100xf16>) {
  ^bb0(%in: f16, %out: f16):
    %w = arith.extf %in : f16 to f32
    %v = math.exp %w : f32
    %r = arith.truncf %v : f32 to f16
    linalg.yield %r : f16
  } -> tensor<8x100xf16>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x100xf16>) outs(%e : tensor<8x100xf16>) {
  ^bb0(%in: f16, %out: f16):
    %w = arith.extf %in : f16 to f32
    %v = math.sqrt %w : f32
    %r = arith.truncf %v : f32 to f16
    linalg.yield %r : f16
  } -> tensor<8x100xf16>
  return %b : tensor<8x100xf16>
}

// A transpose folds into the contraction as an indexing map.
// CHECK-LABEL: func @transposed
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BT]], #{{.*}}]
// CHECK-NOT: linalg.generic
func.func @transposed(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %t = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Forced choices stay on the op that takes a transpose in, and keep an op from
// being taken into another.
// CHECK-LABEL: func @forced
// CHECK: linalg.generic {{.*}}attrs = {sdsc.force = {buffers = 1 : i32}}
// CHECK: linalg.generic {{.*}}attrs = {sdsc.force = {buffers = 2 : i32}}
// CHECK: math.exp
// CHECK-NOT: linalg.generic
func.func @forced(%x: tensor<8x100xf32>) -> tensor<100x8xf32> {
  %e = tensor.empty() : tensor<100x8xf32>
  %a = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x100xf32>) outs(%e : tensor<100x8xf32>) attrs = {sdsc.force = {buffers = 1 : i32}} {
  ^bb0(%in: f32, %out: f32):
    %v = math.sqrt %in : f32
    linalg.yield %v : f32
  } -> tensor<100x8xf32>
  %f = tensor.empty() : tensor<8x100xf32>
  %t = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<100x8xf32>) outs(%f : tensor<8x100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x100xf32>
  %y = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8x100xf32>) outs(%e : tensor<100x8xf32>) attrs = {sdsc.force = {buffers = 2 : i32}} {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<100x8xf32>
  return %y : tensor<100x8xf32>
}
