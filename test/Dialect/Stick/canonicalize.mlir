// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --canonicalize --cse | FileCheck %s

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#columns = #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>
#sparse = #stick.layout<[d0, d1, 0 : 64], sparse>

// A -> B -> C is A -> C.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[R:.*]] = stick.restickify %[[X]] : tensor<64x128xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>> to tensor<64x128xf16, #stick.layout<[d0, d1, 0 : 64], sparse>>
// CHECK-NEXT: return %[[R]]
func.func @chain(%x: tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #sparse> {
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  %1 = stick.restickify %0 : tensor<64x128xf16, #columns> to tensor<64x128xf16, #sparse>
  return %1 : tensor<64x128xf16, #sparse>
}

// A -> B -> A is nothing.
// CHECK-LABEL: func.func @round_trip
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @round_trip(%x: tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #rows> {
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  %1 = stick.restickify %0 : tensor<64x128xf16, #columns> to tensor<64x128xf16, #rows>
  return %1 : tensor<64x128xf16, #rows>
}

// A weight is laid out before the run.
// CHECK-LABEL: func.func @of_weight
// CHECK-NEXT: %[[W:.*]] = stick.weight "w" file "f" offset 0 length 16384 : tensor<64x128xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-NEXT: return %[[W]]
func.func @of_weight() -> tensor<64x128xf16, #columns> {
  %0 = stick.weight "w" file "f" offset 0 length 16384 : tensor<64x128xf16, #rows>
  %1 = stick.restickify %0 : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  return %1 : tensor<64x128xf16, #columns>
}

// An unused weight vanishes, equal ones are one; so are equal copies.
// CHECK-LABEL: func.func @weights
// CHECK-NEXT: %[[W:.*]] = stick.weight "w"
// CHECK-NEXT: return %[[W]], %[[W]]
func.func @weights() -> (tensor<8xf16>, tensor<8xf16>) {
  %0 = stick.weight "unused" file "f" offset 0 length 16 : tensor<8xf16>
  %1 = stick.weight "w" file "f" offset 16 length 16 : tensor<8xf16>
  %2 = stick.weight "w" file "f" offset 16 length 16 : tensor<8xf16>
  return %1, %2 : tensor<8xf16>, tensor<8xf16>
}

// One restickify alone is work, and stays.
// CHECK-LABEL: func.func @no_op
// CHECK-NEXT: stick.restickify
// CHECK-NEXT: return
func.func @no_op(%x: tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #columns> {
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  return %0 : tensor<64x128xf16, #columns>
}
