// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --verify-diagnostics --split-input-file

func.func @negative() {
  // expected-error @below {{offset and length must not be negative}}
  %w = sdsc.weight "w" file "f" offset -1 length 1024
      of tensor<8x64xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>> : memref<1x8x64xf16, #sdsc.space<ddr>>
  return
}

// -----

// 8 * 64 elements of f32 are 2048 bytes.
func.func @beyond_dequantized() {
  // expected-error @below {{2048 bytes at offset 4 are no elements of a dequantized tensor of shape [8, 64] in f32}}
  %w = sdsc.weight "w" file #stick.dequantized<dense<1> : tensor<8x64xi8> scales dense<1.0> : tensor<1x1xf32> blocks [8, 64]> offset 4 length 2048 as f32
      of tensor<8x64xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>> : memref<1x8x64xf16, #sdsc.space<ddr>>
  return
}

// -----

func.func @dequantized_as_f16() {
  // expected-error @below {{what is dequantized is f32 in its file}}
  %w = sdsc.weight "w" file #stick.dequantized<dense<1> : tensor<8x64xi8> scales dense<1.0> : tensor<1x1xf32> blocks [8, 64]> offset 0 length 1024
      of tensor<8x64xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>> : memref<1x8x64xf16, #sdsc.space<ddr>>
  return
}
