// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Bytes of the file are elements of 4 bits; the default zero point is their
// middle, 8. A depth of 40 in blocks of 32 is padded to 64 in the file, so the
// rows are cut.

// CHECK-LABEL: func.func @mat_mul
// CHECK: %[[W:.*]] = stick.weight "{{.*}}" file #stick.dequantized<
// CHECK-SAME: #stick.stored<"f", 16 : tensor<6x64xui4>>
// CHECK-SAME: scales #stick.stored<"f", 1024 : tensor<6x2xf32>>
// CHECK-SAME: zeros dense<8> : tensor<6x2xui4> blocks [1, 32]>
// 1536 = 6 * 64 * 4
// CHECK-SAME: offset 0 length 1536 as f32 perm [1, 0] : tensor<64x6xf16>
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[W]][0, 0] [40, 6] [1, 1]
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]} ins(%arg0, %[[ROWS]]
func.func @mat_mul(%x: tensor<3x40xf16>) -> !onnx.unknown {
  %b = stick.weight "b" file "f" offset 16 length 192 : tensor<6x2x16xui8>
  %s = stick.weight "s" file "f" offset 1024 length 48 as f32 : tensor<12xf16>
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s)
      {K = 40 : i64, N = 6 : i64, bits = 4 : i64, block_size = 32 : i64}
      : (tensor<3x40xf16>, tensor<6x2x16xui8>, tensor<12xf16>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Constants are unpacked, the low bits first: 0x21 is 1, 2.

// CHECK-LABEL: func.func @table
// CHECK: #stick.dequantized<dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui4>
// CHECK-SAME: scales dense<{{.*}}> : tensor<2x2xf32>
// CHECK-SAME: zeros dense<{{\[\[}}1, 0], [2, 3]]> : tensor<2x2xui4> blocks [1, 2]>
// CHECK-SAME: tensor<2x4xf32>
// CHECK: tensor.gather
func.func @table(%i: tensor<3xi32>) -> !onnx.unknown {
  %b = arith.constant dense<[[0x21, 0x43], [0x65, 0x87]]> : tensor<2x2xui8>
  %s = arith.constant dense<[[0.5, 1.0], [2.0, 4.0]]> : tensor<2x2xf32>
  %z = arith.constant dense<[[0x01], [0x32]]> : tensor<2x1xui8>
  %r = onnx.node "GatherBlockQuantized" domain "com.microsoft" version 1(%b, %i, %s, %z)
      {block_size = 2 : i64} : (tensor<2x2xui8>, tensor<3xi32>, tensor<2x2xf32>, tensor<2x1xui8>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// One scale for all, one for each column, one for three rows of a column. The
// result has the type of the scales.

// CHECK-LABEL: func.func @linear
// CHECK: scales dense<5.000000e-01> : tensor<1x1xf16> zeros dense<3> : tensor<1x1xi8> blocks [6, 4]> offset 0 length 96 as f32 : tensor<6x4xf16>
// CHECK: scales dense<{{.*}}> : tensor<1x4xf32> blocks [6, 1]> offset 0 length 96 : tensor<6x4xf32>
// CHECK: scales dense<{{.*}}> : tensor<2x4xf32> blocks [3, 1]> offset 0 length 96 : tensor<6x4xf32>
func.func @linear() -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %w = stick.weight "w" file "f" offset 0 length 24 : tensor<6x4xi8>
  %s = arith.constant dense<0.5> : tensor<f16>
  %z = arith.constant dense<3> : tensor<i8>
  %0 = onnx.node "DequantizeLinear" domain "" version 10(%w, %s, %z) {} : (tensor<6x4xi8>, tensor<f16>, tensor<i8>) -> !onnx.unknown
  %columns = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = onnx.node "DequantizeLinear" domain "" version 13(%w, %columns) {axis = 1 : i64} : (tensor<6x4xi8>, tensor<4xf32>) -> !onnx.unknown
  %blocks = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %2 = onnx.node "DequantizeLinear" domain "" version 21(%w, %blocks) {axis = 0 : i64, block_size = 3 : i64} : (tensor<6x4xi8>, tensor<2x4xf32>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Quantized values are i32: a u8 is clamped to 0..255.

// CHECK-LABEL: func.func @quantize
// CHECK: %[[S:.*]] = math.roundeven
// CHECK: %[[Z:.*]] = arith.addf %[[S]], %{{.*}} : f32
// CHECK: arith.maximumf %[[Z]]
// CHECK: arith.minimumf
// CHECK: arith.fptosi %{{.*}} : f32 to i32
func.func @quantize(%x: tensor<4xf16>) -> !onnx.unknown {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<3> : tensor<ui8>
  %q = onnx.node "QuantizeLinear" domain "" version 13(%x, %s, %z) {} : (tensor<4xf16>, tensor<f32>, tensor<ui8>) -> !onnx.unknown
  %r = onnx.node "DequantizeLinear" domain "" version 13(%q, %s, %z) {} : (!onnx.unknown, tensor<f32>, tensor<ui8>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// What accuracy_level 4 asks of A: its blocks of 8 are rounded to 8 bits. Other
// levels ask for nothing.

// CHECK-LABEL: func.func @through_int8
// CHECK: arith.maximumf
// CHECK: arith.constant 1.270000e+02 : f32
// CHECK: math.roundeven
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]}
// CHECK-LABEL: func.func @exact_a
// CHECK-NOT: math.roundeven
// CHECK: return
func.func @through_int8(%x: tensor<3x16xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x4xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 16 : i64, N = 6 : i64, block_size = 8 : i64, accuracy_level = 4 : i64}
      : (tensor<3x16xf32>, tensor<6x2x4xui8>, tensor<6x2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}
func.func @exact_a(%x: tensor<3x16xf32>) -> !onnx.unknown {
  %b = arith.constant dense<1> : tensor<6x2x4xui8>
  %s = arith.constant dense<1.0> : tensor<6x2xf32>
  %r = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %s) {K = 16 : i64, N = 6 : i64, block_size = 8 : i64, accuracy_level = 1 : i64}
      : (tensor<3x16xf32>, tensor<6x2x4xui8>, tensor<6x2xf32>) -> !onnx.unknown
  return %r : !onnx.unknown
}

// Unsigned weights are i32 that a file stores as bytes, for whoever reads them.

// CHECK-LABEL: func.func @cast_bytes
// CHECK: %[[W:.*]] = stick.weight "w" file "f" offset 0 length 8192 as ui8 : tensor<8192xi32>
// CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<8192xi32>)
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: %[[W2:.*]] = stick.weight "w" file "f" offset 0 length 8192 as ui8 : tensor<8192xi32>
// CHECK: linalg.generic {{.*}} ins(%[[W2]], %{{.*}} : tensor<8192xi32>, tensor<1xf32>)
func.func @cast_bytes(%s: tensor<f32>) -> (!onnx.unknown, !onnx.unknown) {
  %w = stick.weight "w" file "f" offset 0 length 8192 : tensor<8192xui8>
  %c = onnx.node "Cast" domain "" version 13(%w) {to = 1 : i64} : (tensor<8192xui8>) -> !onnx.unknown
  %d = onnx.node "DequantizeLinear" domain "" version 13(%w, %s) {} : (tensor<8192xui8>, tensor<f32>) -> !onnx.unknown
  return %c, %d : !onnx.unknown, !onnx.unknown
}
