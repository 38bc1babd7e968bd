// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// A round for each: the extreme, its first position that is not taken, and what
// is left. Two rounds, three reductions of 3 x 4 each way.
// CHECK-LABEL: func @largest
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%arg0 : tensor<3x4xf32>) outs(%{{.*}} : tensor<3xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.index 1
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%{{.*}} : tensor<3x4xi64>)
// CHECK: arith.minsi
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.maximumf
// CHECK: arith.minsi
// CHECK-NOT: arith.maximumf
// CHECK: return %{{.*}}, %{{.*}} : tensor<3x2xf32>, tensor<3x2xi64>
func.func @largest(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>) {
  %k = arith.constant dense<2> : tensor<1xi64>
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {} : (tensor<3x4xf32>, tensor<1xi64>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return %v#0, %v#1 : tensor<3x2xf32>, tensor<3x2xi64>
}

// -----

func.func @beyond(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %k = arith.constant dense<5> : tensor<1xi64>
  // expected-error @+3 {{E0113 [import] operator TopK (ai.onnx, opset 11): the 5 first of 4 elements are asked for}}
  // expected-note @+2 {{1 node}}
  // expected-note @+1 {{help}}
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {} : (tensor<3x4xf32>, tensor<1xi64>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return %v#0 : tensor<3x5xf32>
}

// -----

// 64 rounds run on the device, 65 do not.
// CHECK-LABEL: func @many
// CHECK: %[[V:.*]]:2 = stick.host "topk" {axis = 0 : i64, k = 65 : i64, largest = 1 : i64}(%arg0)
// CHECK-SAME: reason "TopK of 65 elements: more than 64 rounds of selection" : (tensor<100xf32>) -> (tensor<65xf32>, tensor<65xi64>)
// CHECK: return %[[V]]#0
func.func @many(%x: tensor<100xf32>) -> tensor<65xf32> {
  %k = arith.constant dense<65> : tensor<1xi64>
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {} : (tensor<100xf32>, tensor<1xi64>) -> (tensor<65xf32>, tensor<65xi64>)
  return %v#0 : tensor<65xf32>
}

// -----

// CHECK-LABEL: func @smallest_rows
// CHECK: stick.host "topk" {axis = 0 : i64, k = 70 : i64, largest = 0 : i64}(%arg0) {{.*}} -> (tensor<70x4xf16>, tensor<70x4xi64>)
func.func @smallest_rows(%x: tensor<90x4xf16>) -> tensor<70x4xi64> {
  %k = arith.constant dense<70> : tensor<1xi64>
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {axis = -2 : i64, largest = 0 : i64} : (tensor<90x4xf16>, tensor<1xi64>) -> (tensor<70x4xf16>, tensor<70x4xi64>)
  return %v#1 : tensor<70x4xi64>
}

// -----

// CHECK-LABEL: func @edge
// CHECK-NOT: stick.host
func.func @edge(%x: tensor<100xf32>) -> tensor<64xf32> {
  %k = arith.constant dense<64> : tensor<1xi64>
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {} : (tensor<100xf32>, tensor<1xi64>) -> (tensor<64xf32>, tensor<64xi64>)
  return %v#0 : tensor<64xf32>
}

// -----

// Nothing is picked from nothing: no work for the host.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: stick.host
// CHECK: return %{{.*}} : tensor<0x70xf32>
func.func @no_rows(%x: tensor<0x90xf32>) -> tensor<0x70xf32> {
  %k = arith.constant dense<70> : tensor<1xi64>
  %v:2 = onnx.node "TopK" domain "" version 11(%x, %k) {} : (tensor<0x90xf32>, tensor<1xi64>) -> (tensor<0x70xf32>, tensor<0x70xi64>)
  return %v#0 : tensor<0x70xf32>
}
