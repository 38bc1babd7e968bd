// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-widen-arithmetic | FileCheck %s

#id = affine_map<(m) -> (m)>
#none = affine_map<(m) -> ()>

// f16 in, f32 between, rounded once.
// CHECK-LABEL: func @elementwise
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[S:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK: %[[A:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK: arith.truncf %[[A]] : f32 to f16
func.func @elementwise(%x: tensor<100xf16>) -> tensor<100xf16> {
  %e = tensor.empty() : tensor<100xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100xf16>) outs(%e : tensor<100xf16>) {
  ^bb0(%a: f16, %b: f16):
    %s = arith.mulf %a, %a : f16
    %t = arith.addf %s, %a : f16
    linalg.yield %t : f16
  } -> tensor<100xf16>
  return %y : tensor<100xf16>
}

// The accumulator is an f32 tensor that starts at 0; a truncation follows.
// CHECK-LABEL: func @sum
// CHECK: linalg.fill {{.*}} -> tensor<f32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<f16>)
// CHECK-NOT: arith.addf
// CHECK: arith.truncf
func.func @sum(%x: tensor<100xf16>) -> tensor<f16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<f16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<f16>) -> tensor<f16>
  %y = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<100xf16>) outs(%f : tensor<f16>) {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}

// An initial value that is not neutral is combined after the reduction.
// CHECK-LABEL: func @sum_onto
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<f32>, tensor<f16>)
// CHECK: arith.addf
// CHECK: arith.truncf
func.func @sum_onto(%x: tensor<100xf16>, %start: tensor<f16>) -> tensor<f16> {
  %y = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<100xf16>) outs(%start : tensor<f16>) {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}
