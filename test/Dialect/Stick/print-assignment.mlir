// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-print-assignment -o /dev/null | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

// Dense [300] must become sparse: 5 sticks read, 300 written, 305 * 128 bytes.
// The other way round x is read and written: 300 * 8 + 500 * 5 sticks = 627200
// bytes. No stick dim at all: both become sparse, x to 150000 sticks.
// CHECK: assignment of @bias
// CHECK-NEXT: node "Add_3" map stick d1: copies 39040 bytes into other layouts, the fewest of 3 candidates
// CHECK-NEXT: candidate d1: 39040 bytes
// CHECK-NEXT: candidate d0: 627200 bytes
// CHECK-NEXT: candidate none: 19546240 bytes
// CHECK-NEXT: operand 0: <d1 floordiv 64, d0, d1 mod 64>
// CHECK-NEXT: operand 1: <d0, 0 : 64 sparse>
// CHECK-NEXT: result 0: <d1 floordiv 64, d0, d1 mod 64>
func.func @bias(%x: tensor<300x500xf16>, %v: tensor<300xf16>) -> tensor<300x500xf16> {
  %e = tensor.empty() : tensor<300x500xf16>
  %y = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<300x500xf16>, tensor<300xf16>) outs(%e : tensor<300x500xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %t = arith.addf %i, %j : f16
    linalg.yield %t : f16
  } -> tensor<300x500xf16> loc("Add_3")
  return %y : tensor<300x500xf16>
}
