// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Nodes are gone; what depends on shapes alone is a constant; a node that
// nobody reads makes nothing. One file for each family of operators is beside
// this one.
// CHECK-LABEL: func @main
// CHECK-NOT: onnx.
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<3xf32>)
// CHECK: arith.addf
// CHECK: arith.constant dense<[2, 3]> : tensor<2xi64>
func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xi64>) {
  %0 = onnx.node "Add" domain "" version 14(%x, %b) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = onnx.node "Shape" domain "" version 15(%0) {} : (tensor<2x3xf32>) -> tensor<2xi64>
  %2 = onnx.node "Exp" domain "" version 13(%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2xi64>
}
