// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --onnx-store-floats-as-f16 --split-input-file --verify-diagnostics

// 65520 is half a step beyond 65504, the largest number of f16.
func.func @constant(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{E0116 [import] op arith.constant: 2 of its 3 values are beyond f16's largest numbers, +-65504; the first is -6.552000e+04}}
  // expected-note @below {{help: compile with --precision=f32, or scale the model}}
  %c = arith.constant dense<[1.0, -65520.0, 1.0e+06]> : tensor<3xf32>
  %0 = onnx.node "Mul" domain "" version 14(%x, %c) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @attribute(%n: tensor<1xi64>) -> tensor<4xf32> {
  // expected-error @below {{E0116 [import] op onnx.node: 1 of its 1 values are beyond f16's largest numbers, +-65504; the first is -9.000000e+05}}
  // expected-note @below {{help: compile with --precision=f32, or scale the model}}
  %0 = onnx.node "ConstantOfShape" domain "" version 9(%n) {value = dense<-9.0e+05> : tensor<1xf32>} : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// No mask, and no type's extreme.
func.func @great(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{E0116 [import] op arith.constant: 2 of its 2 values are beyond f16's largest numbers, +-65504; the first is 1.000000e+10}}
  // expected-note @below {{help: compile with --precision=f32, or scale the model}}
  %c = arith.constant dense<[1.0e+10, -9.0e+08]> : tensor<2xf32>
  %0 = onnx.node "Mul" domain "" version 14(%x, %c) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Half of f16's least number, 2^-24, rounds to even: to 0.
func.func @nothing_left(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{E0116 [import] op arith.constant: all of its 3 values become 0; the greatest magnitude is 2.980232e-08}}
  // expected-note @below {{help: compile with --precision=f32, or scale the model}}
  %c = arith.constant dense<[1.0e-09, -2.98023223876953125e-08, 0.0]> : tensor<3xf32>
  %0 = onnx.node "Mul" domain "" version 14(%x, %c) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
