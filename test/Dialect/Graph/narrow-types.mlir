// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --graph-narrow-types --verify-diagnostics | FileCheck %s

#id = affine_map<(m) -> (m)>

// The caller keeps i64 and u8; casts between types that became one vanish.
// CHECK-LABEL: func @integers
// CHECK-SAME: %arg0: tensor<8xi32> {spyre.host_type = i64}, %arg1: tensor<8xi32> {spyre.host_type = ui8}
// CHECK-SAME: -> (tensor<8xi32> {spyre.host_type = i64})
// CHECK: %[[C:.*]] = arith.constant 7 : i32
// CHECK: ^bb0(%[[IN:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[IN]], %[[C]] : i32
// CHECK-NEXT: linalg.yield %[[S]] : i32
func.func @integers(%x: tensor<8xi64>, %y: tensor<8xui8>) -> tensor<8xi64> {
  %c = arith.constant 7 : i64
  %e = tensor.empty() : tensor<8xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%in: i64, %out: i64):
    %n = arith.trunci %in : i64 to i32
    %w = arith.extsi %n : i32 to i64
    %s = arith.addi %w, %c : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// The extremes of i64 become those of i32; a weight says what its file holds.
// CHECK-LABEL: func @constants
// CHECK: arith.constant dense<[-2147483648, 2147483647, 5]> : tensor<3xi32>
// CHECK: stick.weight "w" file "f" offset 0 length 24 as i64 : tensor<3xi32>
// CHECK: arith.constant dense<1.500000e+00> : tensor<2xf32>
func.func @constants() -> (tensor<3xi64>, tensor<3xi64>, tensor<2xf64>) {
  %0 = arith.constant dense<[-9223372036854775808, 9223372036854775807, 5]> : tensor<3xi64>
  %1 = stick.weight "w" file "f" offset 0 length 24 : tensor<3xi64>
  %2 = arith.constant dense<1.5> : tensor<2xf64>
  return %0, %1, %2 : tensor<3xi64>, tensor<3xi64>, tensor<2xf64>
}

// The extremes of a narrower type are what they are.
// CHECK-LABEL: func @short
// CHECK: arith.constant dense<[32767, -32768]> : tensor<2xi32>
func.func @short() -> tensor<2xi16> {
  %0 = arith.constant dense<[32767, -32768]> : tensor<2xi16>
  return %0 : tensor<2xi16>
}

// CHECK-LABEL: func private @outside
func.func private @outside(tensor<4xf16>)

// CHECK-LABEL: func @nothing
// CHECK-SAME: (%arg0: tensor<8xf16>, %arg1: tensor<8xi32>, %arg2: tensor<8xi1>)
func.func @nothing(%x: tensor<8xf16>, %y: tensor<8xi32>, %z: tensor<8xi1>) {
  return
}

// -----

func.func @too_wide() -> tensor<1xi64> {
  // expected-error @below {{E0204 [normalize] op arith.constant: a constant does not fit 32 bits}}
  // expected-note @below {{help:}}
  %0 = arith.constant dense<4294967296> : tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @wraps(%x: tensor<4xi32>) -> tensor<4xi16> {
  %e = tensor.empty() : tensor<4xi16>
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi16>) {
  ^bb0(%in: i32, %out: i16):
    // expected-error @below {{E0204 [normalize] op arith.trunci: a conversion wraps in an integer type that the device does not have}}
    // expected-note @below {{help:}}
    %n = arith.trunci %in : i32 to i16
    linalg.yield %n : i16
  } -> tensor<4xi16>
  return %r : tensor<4xi16>
}

// -----

// CHECK-LABEL: func.func @host
// CHECK: stick.host {{.*}} : (tensor<90xf32>) -> (tensor<70xf32>, tensor<70xi32>)
func.func @host(%x: tensor<90xf64>) -> tensor<70xi64> {
  %v, %i = stick.host "topk" {axis = 0, k = 70, largest = 1} (%x) reason "r" : (tensor<90xf64>) -> (tensor<70xf64>, tensor<70xi64>)
  return %i : tensor<70xi64>
}
