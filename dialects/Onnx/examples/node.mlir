// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// Two nodes as an importer leaves them: the inner value has no type yet, one
// bound of the Clip is absent. The decoders find the types.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<2x8xf16>
// CHECK-NOT: onnx.
func.func @main(%x: tensor<2x8xf16>) -> !onnx.unknown {
  %max = arith.constant dense<6.0> : tensor<f16>
  %none = onnx.none
  %s = onnx.node "Relu" domain "" version 13(%x) {}
      : (tensor<2x8xf16>) -> !onnx.unknown
  %c = onnx.node "Clip" domain "" version 13(%s, %none, %max) {}
      : (!onnx.unknown, none, tensor<f16>) -> !onnx.unknown
  return %c : !onnx.unknown
}
