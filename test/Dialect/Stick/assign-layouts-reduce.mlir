// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --canonicalize --stick-verify-laid-out | FileCheck %s

// Reductions and what follows them.

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>
#second = affine_map<(m, n) -> (n)>
#scalar = affine_map<(m, n) -> ()>
#line = affine_map<(m) -> (m)>

// Row statistics: the reduced dim is in the stick, so the result is sparse. It
// stays sparse through elementwise ops on it, and fits x when it is broadcast
// back.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: stick.restickify
// CHECK: linalg.fill {{.*}} -> tensor<512xf32, #stick.layout<[d0, 0 : 32], sparse>>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<512xf16, #stick.layout<[d0, 0 : 64], sparse>>)
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<512x1000xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>, tensor<512xf16, #stick.layout<[d0, 0 : 64], sparse>>
func.func @rows(%x: tensor<512x1000xf16>) -> (tensor<512x1000xf16>, tensor<512xf16>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<512xf32>
  %init = linalg.fill ins(%low : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %max = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x1000xf16>) outs(%init : tensor<512xf32>) {
  ^bb0(%i: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %t = arith.maximumf %acc, %ie : f32
    linalg.yield %t : f32
  } -> tensor<512xf32>
  %f = tensor.empty() : tensor<512xf16>
  %m = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%max : tensor<512xf32>) outs(%f : tensor<512xf16>) {
  ^bb0(%i: f32, %unused: f16):
    %t = arith.truncf %i : f32 to f16
    linalg.yield %t : f16
  } -> tensor<512xf16>
  %g = tensor.empty() : tensor<512x1000xf16>
  %y = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<512x1000xf16>, tensor<512xf16>) outs(%g : tensor<512x1000xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %t = arith.subf %i, %j : f16
    linalg.yield %t : f16
  } -> tensor<512x1000xf16>
  return %y, %m : tensor<512x1000xf16>, tensor<512xf16>
}

// Column sums: the stick dim stays, the result is dense.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<1000xf32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>
func.func @columns(%x: tensor<512x1000xf16>) -> tensor<1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %sum = linalg.generic {indexing_maps = [#id, #second], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<512x1000xf16>) outs(%init : tensor<1000xf32>) {
  ^bb0(%i: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %t = arith.addf %acc, %ie : f32
    linalg.yield %t : f32
  } -> tensor<1000xf32>
  return %sum : tensor<1000xf32>
}

// Everything is reduced, and the integer form.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<i32, #stick.layout<[0 : 32]>>
func.func @all(%x: tensor<300x400xi32>) -> tensor<i32> {
  %low = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<i32>
  %init = linalg.fill ins(%low : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %max = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<300x400xi32>) outs(%init : tensor<i32>) {
  ^bb0(%i: i32, %acc: i32):
    %t = arith.maxsi %i, %acc : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  return %max : tensor<i32>
}

// A dot product has no dim that only the result shares: a reduction, not a
// contraction, and both vectors keep their layouts.
// CHECK-LABEL: func.func @dot(
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<f32, #stick.layout<[0 : 32]>>
func.func @dot(%x: tensor<400xf16>, %y: tensor<400xf16>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#line, #line, affine_map<(m) -> ()>], iterator_types = ["reduction"]}
      ins(%x, %y : tensor<400xf16>, tensor<400xf16>) outs(%init : tensor<f32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %ie, %je : f32
    %t = arith.addf %acc, %product : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// The window of a pooling moves along n + w: no layout of x has one of them in
// the stick, even where what x has in its stick is a dim of one position that
// any op can walk as a splat.
#x = affine_map<(m, n, w) -> (m, 0, n + w)>
#window = affine_map<(m, n, w) -> (w)>
#pooled = affine_map<(m, n, w) -> (m, n)>
// CHECK-LABEL: func.func @pooling(
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<2x31xf32, #stick.layout<[d0{{.*}}>>)
// CHECK: return
func.func @pooling(%x: tensor<2x1x33xf16, #stick.layout<[d1 floordiv 64, d0, d2, d1 mod 64]>>) -> tensor<2x31xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3xf16>
  %e = tensor.empty() : tensor<2x31xf32>
  %init = linalg.fill ins(%low : f32) outs(%e : tensor<2x31xf32>) -> tensor<2x31xf32>
  %max = linalg.generic {indexing_maps = [#x, #window, #pooled], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x1x33xf16, #stick.layout<[d1 floordiv 64, d0, d2, d1 mod 64]>>, tensor<3xf16>) outs(%init : tensor<2x31xf32>) {
  ^bb0(%i: f16, %u: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %t = arith.maximumf %acc, %ie : f32
    linalg.yield %t : f32
  } -> tensor<2x31xf32>
  return %max : tensor<2x31xf32>
}
