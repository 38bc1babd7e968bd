// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --graph-decompose-softmax | FileCheck %s

// The statistics are f32 although the tensor is f16.
// CHECK-LABEL: func @rows
// CHECK-NOT: linalg.softmax
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.maximumf
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] : tensor<8x100xf16>, tensor<8xf32>) outs(%{{.*}} : tensor<8x100xf16>)
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]]
// CHECK: arith.divf
func.func @rows(%x: tensor<8x100xf16>) -> tensor<8x100xf16> {
  %e = tensor.empty() : tensor<8x100xf16>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x100xf16>) outs(%e : tensor<8x100xf16>) -> tensor<8x100xf16>
  return %y : tensor<8x100xf16>
}

// CHECK-LABEL: func @columns
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} outs(%{{.*}} : tensor<100xf32>)
func.func @columns(%x: tensor<8x100xf16>) -> tensor<8x100xf16> {
  %e = tensor.empty() : tensor<8x100xf16>
  %y = linalg.softmax dimension(0) ins(%x : tensor<8x100xf16>) outs(%e : tensor<8x100xf16>) -> tensor<8x100xf16>
  return %y : tensor<8x100xf16>
}
