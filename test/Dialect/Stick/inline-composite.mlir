// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-inline-composite | FileCheck %s

// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[Y]]
// CHECK-NEXT: %[[A:.*]] = math.absf %[[N]]
// CHECK-NEXT: return %[[A]], %[[X]]
func.func @nested(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = stick.composite "outer" {} (%x, %y)
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = stick.composite "inner" {} (%b) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%c: tensor<4xf32>):
      %2 = arith.negf %c : tensor<4xf32>
      stick.yield %2 : tensor<4xf32>
    }
    %3 = math.absf %1 : tensor<4xf32>
    stick.yield %3, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_op
// CHECK-NEXT: return
func.func @no_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
