// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --canonicalize --stick-verify-laid-out | FileCheck %s

// Elementwise ops and broadcasts.

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>
#second = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m, 0)>
#swap = affine_map<(m, n) -> (n, m)>
#scalar = affine_map<(m, n) -> ()>

// A scalar and a dense row [n] fit as they are.
// CHECK-LABEL: func.func @broadcast_row(
// CHECK-SAME: tensor<3x200xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK-SAME: tensor<200xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>
// CHECK-SAME: tensor<f16, #stick.layout<[0 : 64]>>
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<3x200xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
func.func @broadcast_row(%x: tensor<3x200xf16>, %v: tensor<200xf16>, %s: tensor<f16>) -> tensor<3x200xf16> {
  %e = tensor.empty() : tensor<3x200xf16>
  %y = linalg.generic {indexing_maps = [#id, #second, #scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v, %s : tensor<3x200xf16>, tensor<200xf16>, tensor<f16>) outs(%e : tensor<3x200xf16>) {
  ^bb0(%i: f16, %j: f16, %k: f16, %unused: f16):
    %t = arith.addf %i, %j : f16
    %u = arith.mulf %t, %k : f16
    linalg.yield %u : f16
  } -> tensor<3x200xf16>
  return %y : tensor<3x200xf16>
}

// [m, 1] has its stick on the dim of extent 1, which is read at 0: one value a
// stick, as needed.
// CHECK-LABEL: func.func @broadcast_column(
// CHECK-NOT: stick.restickify
// CHECK: return
func.func @broadcast_column(%x: tensor<300x500xf16>, %v: tensor<300x1xf16>) -> tensor<300x500xf16> {
  %e = tensor.empty() : tensor<300x500xf16>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<300x500xf16>, tensor<300x1xf16>) outs(%e : tensor<300x500xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %t = arith.addf %i, %j : f16
    linalg.yield %t : f16
  } -> tensor<300x500xf16>
  return %y : tensor<300x500xf16>
}

// A dense [m] broadcast along the stick becomes sparse: 300 sticks (38400 bytes)
// against 2 * 300 * 8 sticks if x changed instead.
// CHECK-LABEL: func.func @broadcast_along_stick(
// CHECK-SAME: %{{.*}}: tensor<300x500xf16, {{.*}}>, %[[V:.*]]: tensor<300xf16,
// CHECK: stick.restickify %[[V]] : tensor<300xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>> to tensor<300xf16, #stick.layout<[d0, 0 : 64], sparse>>
// CHECK-NOT: stick.restickify
// CHECK: return
func.func @broadcast_along_stick(%x: tensor<300x500xf16>, %v: tensor<300xf16>) -> tensor<300x500xf16> {
  %e = tensor.empty() : tensor<300x500xf16>
  %y = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<300x500xf16>, tensor<300xf16>) outs(%e : tensor<300x500xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %t = arith.addf %i, %j : f16
    linalg.yield %t : f16
  } -> tensor<300x500xf16>
  return %y : tensor<300x500xf16>
}

// The same with a weight costs nothing: it is laid out sparse.
// CHECK-LABEL: func.func @weight_along_stick(
// CHECK-NOT: stick.restickify
// CHECK: stick.weight "b" {{.*}} : tensor<300xf16, #stick.layout<[d0, 0 : 64], sparse>>
// CHECK-NOT: stick.restickify
// CHECK: return
func.func @weight_along_stick(%x: tensor<300x500xf16>) -> tensor<300x500xf16> {
  %v = stick.weight "b" file "f" offset 0 length 600 : tensor<300xf16>
  %e = tensor.empty() : tensor<300x500xf16>
  %y = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<300x500xf16>, tensor<300xf16>) outs(%e : tensor<300x500xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %t = arith.addf %i, %j : f16
    linalg.yield %t : f16
  } -> tensor<300x500xf16>
  return %y : tensor<300x500xf16>
}

// A residual that is read transposed: x and r disagree, and the op copies the
// one that moves fewer sticks, read and written.
// f16 r [40, 100]: 2 * 40 sticks now, 1 * 100 sticks after: 180.
// f32 x [100, 40]: 2 * 100 sticks now, 4 * 40 after: 360.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME: %{{.*}}: tensor<100x40xf32, {{.*}}>, %[[R:.*]]: tensor<40x100xf16,
// CHECK: stick.restickify %[[R]] : {{.*}} to tensor<40x100xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<100x40xf32, #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>>
func.func @residual(%x: tensor<100x40xf32>, %r: tensor<40x100xf16>) -> tensor<100x40xf32> {
  %e = tensor.empty() : tensor<100x40xf32>
  %y = linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<100x40xf32>, tensor<40x100xf16>) outs(%e : tensor<100x40xf32>) {
  ^bb0(%i: f32, %j: f16, %unused: f32):
    %je = arith.extf %j : f16 to f32
    %t = arith.addf %i, %je : f32
    linalg.yield %t : f32
  } -> tensor<100x40xf32>
  return %y : tensor<100x40xf32>
}

// A transpose alone is a read pattern: the result keeps the stick on the same
// elements, which are those of its first dim now. An argument's own layout, with
// another order of dims, is kept and handed on.
// CHECK-LABEL: func.func @transpose(
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<500x300xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>, tensor<300x500xf32, #stick.layout<[d0, d1 floordiv 32, d1 mod 32]>>
func.func @transpose(%x: tensor<300x500xf16>, %z: tensor<300x500xf16, #stick.layout<[d0, d1 floordiv 64, d1 mod 64]>>)
    -> (tensor<500x300xf16>, tensor<300x500xf32>) {
  %e = tensor.empty() : tensor<500x300xf16>
  %y = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<300x500xf16>) outs(%e : tensor<500x300xf16>) {
  ^bb0(%i: f16, %unused: f16):
    linalg.yield %i : f16
  } -> tensor<500x300xf16>
  %f = tensor.empty() : tensor<300x500xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<300x500xf16, #stick.layout<[d0, d1 floordiv 64, d1 mod 64]>>) outs(%f : tensor<300x500xf32>) {
  ^bb0(%i: f16, %unused: f32):
    %t = arith.extf %i : f16 to f32
    linalg.yield %t : f32
  } -> tensor<300x500xf32>
  return %y, %w : tensor<500x300xf16>, tensor<300x500xf32>
}
