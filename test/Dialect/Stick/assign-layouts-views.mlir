// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --stick-verify-laid-out | FileCheck %s

// Heads of 64 elements are whole sticks: the tile of the stick dim splits, and
// nothing is copied.
// CHECK-LABEL: func @whole_heads
// CHECK-SAME: tensor<2x16x128xf16, #stick.layout<[d0, d2 floordiv 64, d1, d2 mod 64]>>
// CHECK-NOT: restickify
// CHECK: tensor.expand_shape
// CHECK-SAME: into tensor<2x16x2x64xf16, #stick.layout<[d0, d2, d3 floordiv 64, d1, d3 mod 64]>>
func.func @whole_heads(%x: tensor<2x16x128xf16>) -> tensor<2x16x2x64xf16> {
  %0 = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 16, 2, 64] : tensor<2x16x128xf16> into tensor<2x16x2x64xf16>
  return %0 : tensor<2x16x2x64xf16>
}

// Heads of 32 elements would cut sticks: the longest dim that stays, the 16
// tokens, goes into the stick first.
// CHECK-LABEL: func @half_heads
// CHECK: stick.restickify
// CHECK-SAME: to tensor<2x16x128xf16, #stick.layout<[d1 floordiv 64, d0, d2, d1 mod 64]>>
// CHECK: tensor.expand_shape
// CHECK-SAME: into tensor<2x16x4x32xf16, #stick.layout<[d1 floordiv 64, d0, d2, d3, d1 mod 64]>>
func.func @half_heads(%x: tensor<2x16x128xf16>) -> tensor<2x16x4x32xf16> {
  %0 = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  return %0 : tensor<2x16x4x32xf16>
}

// Every dim is joined: one element a stick.
// CHECK-LABEL: func @flat
// CHECK: stick.restickify
// CHECK-SAME: to tensor<3x5xf16, #stick.layout<[d0, d1, 0 : 64], sparse>>
// CHECK: tensor.collapse_shape
// CHECK-SAME: into tensor<15xf16, #stick.layout<[d0, 0 : 64], sparse>>
func.func @flat(%x: tensor<3x5xf16>) -> tensor<15xf16> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x5xf16> into tensor<15xf16>
  return %0 : tensor<15xf16>
}

// A dim of one position can leave a group whose other dim is in the stick.
// CHECK-LABEL: func @unit
// CHECK-NOT: restickify
// CHECK: into tensor<100xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>
func.func @unit(%x: tensor<1x100xf16>) -> tensor<100xf16> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<1x100xf16> into tensor<100xf16>
  return %0 : tensor<100xf16>
}

// 64 to 128 of 192 is a stick; 16 to 32 is not.
// CHECK-LABEL: func @slices
// CHECK: tensor.extract_slice %{{.*}}[0, 64] [8, 64] [1, 1] : tensor<8x192xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK: %[[R:.*]] = stick.restickify
// CHECK: tensor.extract_slice %[[R]][0, 16] [8, 16] [1, 1] : tensor<8x192xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
func.func @slices(%x: tensor<8x192xf16>) -> (tensor<8x64xf16>, tensor<8x16xf16>) {
  %0 = tensor.extract_slice %x[0, 64] [8, 64] [1, 1] : tensor<8x192xf16> to tensor<8x64xf16>
  %1 = tensor.extract_slice %x[0, 16] [8, 16] [1, 1] : tensor<8x192xf16> to tensor<8x16xf16>
  return %0, %1 : tensor<8x64xf16>, tensor<8x16xf16>
}

// What is inserted takes the layout of the whole.
// CHECK-LABEL: func @insert
// CHECK: %[[A:.*]] = stick.restickify %arg0
// CHECK: tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [8, 16] [1, 1] : tensor<8x16xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>> into tensor<8x32xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK: %[[B:.*]] = stick.restickify %arg1
// CHECK: tensor.insert_slice %[[B]] into
func.func @insert(%a: tensor<8x16xf16>, %b: tensor<8x16xf16>) -> tensor<8x32xf16> {
  %e = tensor.empty() : tensor<8x32xf16>
  %0 = tensor.insert_slice %a into %e[0, 0] [8, 16] [1, 1] : tensor<8x16xf16> into tensor<8x32xf16>
  %1 = tensor.insert_slice %b into %0[0, 16] [8, 16] [1, 1] : tensor<8x16xf16> into tensor<8x32xf16>
  return %1 : tensor<8x32xf16>
}

// The rows stay outside of the stick; the indices lie one after the other.
// CHECK-LABEL: func @gather
// CHECK: %[[I:.*]] = stick.restickify %arg1
// CHECK-SAME: to tensor<42x1xi32, #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>>
// CHECK: tensor.gather %arg0[%[[I]]] gather_dims([0])
// CHECK-SAME: -> tensor<42x96xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
func.func @gather(%t: tensor<500x96xf16>, %i: tensor<42x1xi32>) -> tensor<42x96xf16> {
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<500x96xf16>, tensor<42x1xi32>) -> tensor<42x96xf16>
  return %0 : tensor<42x96xf16>
}

// Insertions one after the other agree: the first could keep the channels in the
// stick, the second begins inside of one. Nothing is copied between them.
// CHECK-LABEL: func @chain
// CHECK: stick.restickify %arg0
// CHECK: %[[FIRST:.*]] = tensor.insert_slice {{.*}} into tensor<97x9xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK: %[[B:.*]] = stick.restickify %arg1
// CHECK: tensor.insert_slice %[[B]] into %[[FIRST]][65, 0]
func.func @chain(%a: tensor<64x9xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>,
                 %b: tensor<32x9xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>) -> tensor<97x9xf16> {
  %e = tensor.empty() : tensor<97x9xf16>
  %0 = tensor.insert_slice %a into %e[0, 0] [64, 9] [1, 1] : tensor<64x9xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>> into tensor<97x9xf16>
  %1 = tensor.insert_slice %b into %0[65, 0] [32, 9] [1, 1] : tensor<32x9xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>> into tensor<97x9xf16>
  return %1 : tensor<97x9xf16>
}
