// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --onnx-store-floats-as-f16 | FileCheck %s

// -3.4e38 stays finite: -65504 is the least number of f16. A Cast to float
// (1) is one to float16 (10); a Cast to int64 (7) stays.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<2x4xf16> {spyre.host_type = f32}, %arg1: tensor<2xi64>
// CHECK-SAME: -> (tensor<2x4xf16> {spyre.host_type = f32})
// CHECK: arith.constant dense<-6.550400e+04> : tensor<1xf16>
// CHECK: stick.weight "w" file "f" offset 0 length 32 as f32 : tensor<2x4xf16>
// CHECK: onnx.node "Cast" {{.*}} {to = 10 : i64} : (tensor<2xi64>) -> tensor<2xf16>
// CHECK: onnx.node "Cast" {{.*}} {to = 7 : i64} : (tensor<2x4xf16>) -> tensor<2x4xi64>
// CHECK: onnx.node "ConstantOfShape" {{.*}} {value = dense<0.000000e+00> : tensor<1xf16>}
// CHECK: onnx.node "Add" {{.*}} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
func.func @main(%x: tensor<2x4xf32>, %n: tensor<2xi64>) -> tensor<2x4xf32> {
  %c = arith.constant dense<-3.4e+38> : tensor<1xf32>
  %w = stick.weight "w" file "f" offset 0 length 32 : tensor<2x4xf32>
  %0 = onnx.node "Cast" domain "" version 13(%n) {to = 1 : i64} : (tensor<2xi64>) -> tensor<2xf32>
  %1 = onnx.node "Cast" domain "" version 13(%x) {to = 7 : i64} : (tensor<2x4xf32>) -> tensor<2x4xi64>
  %2 = onnx.node "ConstantOfShape" domain "" version 9(%n) {} : (tensor<2xi64>) -> tensor<2x4xf32>
  %m = onnx.node "Max" domain "" version 13(%x, %c) {} : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
  %3 = onnx.node "Add" domain "" version 14(%m, %w) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// 65519 rounds to 65504. A magnitude of 1e30 and more and a mask of -1e9 and less
// become f16's extremes, infinities stay.
// CHECK-LABEL: func @beyond
// CHECK: arith.constant dense<[1.000000e+00, 6.550400e+04, 6.550400e+04, -6.550400e+04, -6.550400e+04, 0x7C00]> : tensor<6xf16>
func.func @beyond(%x: tensor<6xf32>) -> tensor<6xf32> {
  %c = arith.constant dense<[1.0, 65519.0, 1.0e+30, -3.4e+38, -1.0e+09, 0x7F800000]> : tensor<6xf32>
  %0 = onnx.node "Mul" domain "" version 14(%x, %c) {} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Scales stay f32, also the one that another node uses as f16; a Cast gives the
// type of what takes it from them.
// CHECK-LABEL: func @scales
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<9.99999997E-7> : tensor<f32>
// CHECK-DAG: %[[HALF:.*]] = onnx.node "Cast" {{.*}}(%{{.*}}) {to = 10 : i64} : (tensor<f32>) -> tensor<f16>
// CHECK: onnx.node "QuantizeLinear" {{.*}}(%{{.*}}, %[[SCALE2:.*]]) {} : (tensor<4xf16>, tensor<f32>) -> tensor<4xui8>
// CHECK: %[[Y:.*]] = onnx.node "DequantizeLinear" {{.*}} : (tensor<4xui8>, tensor<f32>) -> tensor<4xf32>
// CHECK: %[[CAST:.*]] = onnx.node "Cast" {{.*}}(%[[Y]]) {to = 10 : i64} : (tensor<4xf32>) -> tensor<4xf16>
// CHECK: onnx.node "Mul" {{.*}}(%[[CAST]], %[[HALF]]) {} : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
// CHECK: onnx.node "MatMulNBits" {{.*}} : (tensor<4xf16>, tensor<1x1x4xui8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf16>
func.func @scales(%x: tensor<4xf32>, %b: tensor<1x1x4xui8>) -> (tensor<4xf32>, tensor<1xf32>) {
  %s = arith.constant dense<1.0e-06> : tensor<f32>
  %0 = onnx.node "QuantizeLinear" domain "" version 13(%x, %s) {} : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  %1 = onnx.node "DequantizeLinear" domain "" version 13(%0, %s) {} : (tensor<4xui8>, tensor<f32>) -> tensor<4xf32>
  %2 = onnx.node "Mul" domain "" version 14(%1, %s) {} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %t = arith.constant dense<1.0e-07> : tensor<1xf32>
  %z = arith.constant dense<7.25> : tensor<1xf32>
  %3 = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %b, %t, %z)
      {K = 4 : i64, N = 1 : i64, block_size = 8 : i64} : (tensor<4xf32>, tensor<1x1x4xui8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %2, %3 : tensor<4xf32>, tensor<1xf32>
}

// A single number that f16 has only with fewer bits or not at all stays f32; one
// Cast serves all that use it. What nobody uses goes. 2^-14 is f16's least normal number, 2^-24 its least: exact.
// CHECK-LABEL: func @small
// CHECK: %[[EPS:.*]] = arith.constant dense<9.99999996E-13> : tensor<f32>
// CHECK: %[[CAST:.*]] = onnx.node "Cast" {{.*}}(%[[EPS]]) {to = 10 : i64} : (tensor<f32>) -> tensor<f16>
// CHECK-NOT: arith.constant dense<7.000000e+00>
// CHECK: arith.constant dense<9.99999997E-7> : tensor<1xf32>
// CHECK: %[[COUNT:.*]] = arith.constant dense<1.003520e+05> : tensor<2xf32>
// CHECK: onnx.node "Cast" {{.*}}(%[[COUNT]]) {to = 10 : i64} : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: arith.constant dense<6.103520e-05> : tensor<f16>
// CHECK: arith.constant dense<5.960460e-08> : tensor<f16>
// CHECK: arith.constant dense<[0.000000e+00, 5.960460e-08]> : tensor<2xf16>
// CHECK: %[[FILL:.*]] = onnx.node "ConstantOfShape" {{.*}} {value = dense<9.99999996E-13> : tensor<1xf32>} : (tensor<1xi64>) -> tensor<2xf32>
// CHECK: onnx.node "Cast" {{.*}}(%[[FILL]]) {to = 10 : i64} : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: onnx.node "Add" {{.*}}(%{{.*}}, %[[CAST]]) {} : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
// CHECK: onnx.node "Max" {{.*}}(%{{.*}}, %[[CAST]]) {} : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
func.func @small(%x: tensor<2xf32>, %n: tensor<1xi64>) -> tensor<2xf32> {
  %eps = arith.constant dense<1.0e-12> : tensor<f32>
  %few = arith.constant dense<1.0e-06> : tensor<1xf32>
  %unused = arith.constant dense<7.0> : tensor<f32>
  %count = arith.constant dense<100352.0> : tensor<2xf32>
  %normal = arith.constant dense<6.103515625e-05> : tensor<f32>
  %least = arith.constant dense<5.9604644775390625e-08> : tensor<f32>
  %many = arith.constant dense<[1.0e-09, 5.9604644775390625e-08]> : tensor<2xf32>
  %fill = onnx.node "ConstantOfShape" domain "" version 9(%n) {value = dense<1.0e-12> : tensor<1xf32>} : (tensor<1xi64>) -> tensor<2xf32>
  %0 = onnx.node "Add" domain "" version 14(%x, %eps) {} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = onnx.node "Max" domain "" version 13(%0, %eps) {} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = onnx.node "Mul" domain "" version 14(%1, %few) {} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = onnx.node "Mul" domain "" version 14(%2, %normal) {} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = onnx.node "Mul" domain "" version 14(%3, %least) {} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = onnx.node "Mul" domain "" version 14(%4, %many) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = onnx.node "Mul" domain "" version 14(%5, %fill) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = onnx.node "Div" domain "" version 14(%6, %count) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %7 : tensor<2xf32>
}
