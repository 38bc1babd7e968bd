// SPDX-License-Identifier: Apache-2.0
//
// A product whose K is cut over cores, unevenly: 5 sticks over 4 slices, and
// idle cores beside. The cores of a group add up their sums over the ring.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --input=w=@%t/w.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: spyre-objdump %t/model.spyre | FileCheck %s
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

// Cores 0 to 3 are a group, 4 to 7 the next; the last of each owns the result.
// CHECK: table %reduced_t{{[0-9]+}} = [15 x 4, 240 x 4,
// CHECK: ring {
// CHECK: reduce add [{{.*}}] %[[acc:[a-z_]*]][d0, d1] -> %[[sum:[a-z_]*]][d0, d1] to %reduced
// CHECK: map @{{.*}} %[[sum]][tile, d0] -> {{.*}} if %owner

func.func @main(%x: tensor<40x300xf16> {spyre.name = "x"},
                %w: tensor<300x130xf16> {spyre.name = "w"})
    -> (tensor<40x130xf16> {spyre.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<40x130xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<40x130xf16>) -> tensor<40x130xf16>
  %y = linalg.matmul {sdsc.force = {slices = array<i64: 3, 2, 4>}}
      ins(%x, %w : tensor<40x300xf16>, tensor<300x130xf16>)
      outs(%init : tensor<40x130xf16>) -> tensor<40x130xf16>
  return %y : tensor<40x130xf16>
}
