// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A function without nodes stays as it is.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = stick.weight "w"
// CHECK-NEXT: return %arg0, %[[W]]
func.func @main(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<2xf16>) {
  %w = stick.weight "w" file "f" offset 0 length 4 : tensor<2xf16>
  return %x, %w : tensor<4xf16>, tensor<2xf16>
}
