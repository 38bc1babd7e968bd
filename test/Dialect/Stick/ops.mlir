// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s | spyre-opt | FileCheck %s

// Every form of the layout attribute survives printing and parsing.

// CHECK-LABEL: func.func @layouts(
func.func @layouts(
    // CHECK-SAME: tensor<512x4096xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
    %columns: tensor<512x4096xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>,
    // CHECK-SAME: tensor<8x16x32xf32, #stick.layout<[d0, d2 floordiv 32, d1, d2 mod 32]>>
    %batched: tensor<8x16x32xf32, #stick.layout<[d0, d2 floordiv 32, d1, d2 mod 32]>>,
    // CHECK-SAME: tensor<512xf32, #stick.layout<[d0, 0 : 32], sparse>>
    %sparse: tensor<512xf32, #stick.layout<[d0, 0 : 32], sparse>>,
    // CHECK-SAME: tensor<f16, #stick.layout<[0 : 64]>>
    %scalar: tensor<f16, #stick.layout<[0 : 64]>>,
    // CHECK-SAME: tensor<128xf16, #stick.layout<[d0 floordiv 64, d0 mod 64], arrangement [32 : 1, 2 : 32]>>
    %staggered: tensor<128xf16, #stick.layout<[d0 floordiv 64, d0 mod 64], arrangement [32 : 1, 2 : 32]>>,
    // Two dims in the stick: 2 * 64 = 128 one-byte elements.
    // CHECK-SAME: tensor<6x128xf8E4M3FN, #stick.layout<[d0 floordiv 2, d1 floordiv 64, d0 mod 2, d1 mod 64]>>
    %pairs: tensor<6x128xf8E4M3FN, #stick.layout<[d0 floordiv 2, d1 floordiv 64, d0 mod 2, d1 mod 64]>>,
    // A bool is stored in 16 bits, an i64 in 32.
    // CHECK-SAME: tensor<64xi1, #stick.layout<[d0 floordiv 64, d0 mod 64]>>
    %bool: tensor<64xi1, #stick.layout<[d0 floordiv 64, d0 mod 64]>>,
    // CHECK-SAME: tensor<64xi64, #stick.layout<[d0 floordiv 32, d0 mod 32]>>
    %wide: tensor<64xi64, #stick.layout<[d0 floordiv 32, d0 mod 32]>>) {
  return
}

// CHECK-LABEL: func.func @weights
func.func @weights() -> (tensor<4096x12800xf16>, tensor<10x3xf16>, tensor<3xi1>) {
  // CHECK: stick.weight "fc1" file "mlp.weights" offset 0 length 104857600 : tensor<4096x12800xf16>
  %0 = stick.weight "fc1" file "mlp.weights" offset 0 length 104857600 : tensor<4096x12800xf16>
  // Stored as f32 [3, 10]: 3 * 10 * 4 = 120 bytes.
  // CHECK: stick.weight "fc2" file "mlp.weights" offset 64 length 120 as f32 perm [1, 0] : tensor<10x3xf16>
  %1 = stick.weight "fc2" file "mlp.weights" offset 64 length 120 as f32 perm [1, 0] : tensor<10x3xf16>
  // A byte per bool.
  // CHECK: stick.weight "mask" file "m" offset 0 length 3 : tensor<3xi1>
  %2 = stick.weight "mask" file "m" offset 0 length 3 : tensor<3xi1>
  return %0, %1, %2 : tensor<4096x12800xf16>, tensor<10x3xf16>, tensor<3xi1>
}

// Rows 2 and 3 of a dequantized tensor: 2 * 64 * 4 = 512 bytes of f32 each.
// CHECK-LABEL: func.func @dequantized
func.func @dequantized() -> tensor<2x64xf16> {
  // CHECK: stick.weight "w" file #stick.dequantized<#stick.stored<"q", 8 : tensor<4x64xui4>> scales #stick.stored<"s", 0 : tensor<4x2xf32>> zeros dense<8> : tensor<4x2xui4> blocks [1, 32]> offset 512 length 512 as f32 : tensor<2x64xf16>
  %0 = stick.weight "w" file #stick.dequantized<#stick.stored<"q", 8 : tensor<4x64xui4>> scales #stick.stored<"s", 0 : tensor<4x2xf32>> zeros dense<8> : tensor<4x2xui4> blocks [1, 32]> offset 512 length 512 as f32 : tensor<2x64xf16>
  return %0 : tensor<2x64xf16>
}

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#columns = #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>

// CHECK-LABEL: func.func @restickify
func.func @restickify(%x: tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #columns> {
  // CHECK: stick.restickify %{{.*}} : tensor<64x128xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>> to tensor<64x128xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  return %0 : tensor<64x128xf16, #columns>
}

// CHECK-LABEL: func.func @composite
func.func @composite(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stick.composite "second" {scale = 2 : i64}(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ^bb0(%{{.*}}: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>):
  // CHECK: stick.yield %[[Y]] : tensor<4xf32>
  %0 = stick.composite "second" {scale = 2 : i64} (%x, %y)
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stick.yield %b : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @host
func.func @host(%x: tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi64>) {
  // CHECK: stick.host "topk" {axis = 1 : i64, k = 100 : i64, largest = 1 : i64}(%{{.*}}) reason "many rounds" : (tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi64>)
  %v, %i = stick.host "topk" {axis = 1, k = 100, largest = 1} (%x) reason "many rounds"
      : (tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi64>)
  return %v, %i : tensor<8x100xf16>, tensor<8x100xi64>
}
