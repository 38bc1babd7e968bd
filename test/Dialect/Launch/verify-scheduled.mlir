// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-normalize --spyre-layout --spyre-plan --convert-sdsc-to-launch -o %t.mlir
// RUN: spyre-opt %t.mlir --launch-verify-scheduled -o /dev/null
// RUN: spyre-opt %t.mlir --spyre-verify-schedule=target=spyre-32 -o /dev/null
//
// A core has 64 / 32 = 2 rows; loading one of them leaves the other undefined.
// RUN: sed 's/dims (1, 2) next \[@generic_in0\]/dims (1, 1) next [@generic_in0]/' %t.mlir > %t.short.mlir
// RUN: not spyre-opt %t.short.mlir --launch-verify-scheduled -o /dev/null 2>&1 | FileCheck %s
// CHECK: E0744 [plan checker]
// CHECK-SAME: input 0 of map reads stick 1 of "generic_in0"

func.func @main(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %y = linalg.exp ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}
