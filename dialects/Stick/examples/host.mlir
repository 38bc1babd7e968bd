// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-verify-normalize --spyre-layout | FileCheck %s

// The 100 largest of 500 elements in each row would be 100 passes over x on the
// device: the host picks them.

// CHECK-LABEL: func.func @main
// CHECK: stick.host "topk" {{.*}}#stick.layout
func.func @main(%x: tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi32>) {
  %v, %i = stick.host "topk" {axis = 1, k = 100, largest = 1} (%x)
      reason "TopK of 100 elements: more than 64 rounds of selection"
      : (tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi32>)
  return %v, %i : tensor<8x100xf16>, tensor<8x100xi32>
}
