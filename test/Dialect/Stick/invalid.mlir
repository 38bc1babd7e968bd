// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

func.func @weight_length() {
  // 4 * 8 f16 are 64 bytes.
  // expected-error @+1 {{length is 63 bytes, but 'tensor<4x8xf16>' stored as 'f16' has 64}}
  %0 = stick.weight "w" file "f" offset 0 length 63 : tensor<4x8xf16>
  return
}

// -----

func.func @weight_length_as() {
  // expected-error @+1 {{length is 64 bytes, but 'tensor<4x8xf16>' stored as 'f32' has 128}}
  %0 = stick.weight "w" file "f" offset 0 length 64 as f32 : tensor<4x8xf16>
  return
}

// -----

func.func @weight_offset() {
  // expected-error @+1 {{offset -8 is negative}}
  %0 = stick.weight "w" file "f" offset -8 length 64 : tensor<4x8xf16>
  return
}

// -----

func.func @weight_perm() {
  // expected-error @+1 {{perm [0, 0] is not a permutation of 2 dims}}
  %0 = stick.weight "w" file "f" offset 0 length 64 perm [0, 0] : tensor<4x8xf16>
  return
}

// -----

func.func @weight_perm_rank() {
  // expected-error @+1 {{perm [0] is not a permutation of 2 dims}}
  %0 = stick.weight "w" file "f" offset 0 length 64 perm [0] : tensor<4x8xf16>
  return
}

// -----

func.func @weight_size() {
  // expected-error @+1 {{exceeds 2^63 bits}}
  %0 = stick.weight "w" file "f" offset 0 length 64 : tensor<4611686018427387904x8xf16>
  return
}

// -----

func.func @weight_type() {
  // expected-error @+1 {{elements of type 'index' have no form in a file}}
  %0 = stick.weight "w" file "f" offset 0 length 64 as index : tensor<8xi64>
  return
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>

func.func @restickify_shape(%x: tensor<64x128xf16, #rows>) {
  // expected-error @+1 {{only the layout may differ}}
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<128x64xf16, #rows>
  return
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>

func.func @restickify_same(%x: tensor<64x128xf16, #rows>) {
  // expected-error @+1 {{source and result have the same layout}}
  %0 = stick.restickify %x : tensor<64x128xf16, #rows> to tensor<64x128xf16, #rows>
  return
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>

func.func @restickify_plain(%x: tensor<64x128xf16>) {
  // expected-error @+1 {{needs a #stick.layout on both sides, 'tensor<64x128xf16>' has none}}
  %0 = stick.restickify %x : tensor<64x128xf16> to tensor<64x128xf16, #rows>
  return
}

// -----

func.func @composite_arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{passes operands of types ('tensor<4xf32>') to a body whose arguments are ('tensor<5xf32>')}}
  %0 = stick.composite "c" {} (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    stick.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @composite_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results of types ('tensor<5xf32>') but its body yields ('tensor<4xf32>')}}
  %0 = stick.composite "c" {} (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{yielded here}}
    stick.yield %a : tensor<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{offset -1 is negative}}
#a = #stick.stored<"f", -1 : tensor<4xf32>>

// -----

// expected-error @+1 {{'tensor<?xf32>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<?xf32>>

// -----

// What the reader of files does not know.
// expected-error @+1 {{'tensor<4xi128>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<4xi128>>

// -----

// expected-error @+1 {{'tensor<4xf80>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<4xf80>>

// -----

// expected-error @+1 {{'tensor<4xi5>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<4xi5>>

// -----

// expected-error @+1 {{'tensor<4xi12>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<4xi12>>

// -----

// expected-error @+1 {{'tensor<8xi1>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<8xi1>>

// -----

// expected-error @+1 {{'tensor<4xf8E4M3FN>' has no form in a file}}
#a = #stick.stored<"f", 0 : tensor<4xf8E4M3FN>>

// -----

// expected-error @+1 {{values are no tensor of integers}}
#a = #stick.dequantized<dense<1.0> : tensor<4xf32> scales dense<1.0> : tensor<4xf32> blocks [1]>

// -----

// expected-error @+1 {{blocks [1] do not divide the 2 dims of 'tensor<4x4xi8>'}}
#a = #stick.dequantized<dense<1> : tensor<4x4xi8> scales dense<1.0> : tensor<4x4xf32> blocks [1]>

// -----

// 5 elements have 3 blocks of 2.
// expected-error @+1 {{scales are no tensor of floats with one for each block of 'tensor<5xi8>'}}
#a = #stick.dequantized<dense<1> : tensor<5xi8> scales dense<1.0> : tensor<2xf32> blocks [2]>

// -----

// expected-error @+1 {{zeros are no tensor with one for each block of 'tensor<5xi8>'}}
#a = #stick.dequantized<dense<1> : tensor<5xi8> scales dense<1.0> : tensor<3xf32> zeros dense<1> : tensor<1xi8> blocks [2]>

// -----

func.func @dequantized_as_f16() {
  // expected-error @+1 {{what is dequantized is f32 in its file}}
  %0 = stick.weight "w" file #stick.dequantized<dense<1> : tensor<4xi8> scales dense<1.0> : tensor<4xf32> blocks [1]> offset 0 length 8 : tensor<4xf16>
  return
}

// -----

func.func @beyond_dequantized() {
  // 5 elements are 20 bytes.
  // expected-error @+1 {{16 bytes at offset 8 are no elements of a dequantized tensor of shape [5] in f32}}
  %0 = stick.weight "w" file #stick.dequantized<dense<1> : tensor<5xi8> scales dense<1.0> : tensor<5xf32> blocks [1]> offset 8 length 16 : tensor<4xf32>
  return
}

// -----

func.func @host_unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{host function "sort": does not exist}}
  %0 = stick.host "sort" {} (%x) reason "r" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @host_attribute(%x: tensor<4xf32>) {
  // expected-error @+1 {{host function "topk": needs the integer attribute 'largest'}}
  %0:2 = stick.host "topk" {axis = 0, k = 2} (%x) reason "r" : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @host_attribute_unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{host function "topk": has no attribute 'sorted'}}
  %0:2 = stick.host "topk" {axis = 0, k = 2, largest = 1, sorted = 1} (%x) reason "r" : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @host_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{host function "topk": result 0 is 3xf32, it must be 2xf32}}
  %0:2 = stick.host "topk" {axis = 0, k = 2, largest = 1} (%x) reason "r" : (tensor<4xf32>) -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func @host_element(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{host function "topk": tensor<4xcomplex<f32>> has no image on the device}}
  %0:2 = stick.host "topk" {axis = 0, k = 2, largest = 1} (%x) reason "r" : (tensor<4xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xi32>)
  return
}
