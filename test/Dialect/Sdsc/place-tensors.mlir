// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-normalize --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work --sdsc-place-tensors | FileCheck %s
// RUN: spyre-opt %s --spyre-normalize --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work --sdsc-place-tensors=residency=false | FileCheck %s --check-prefix=OFF

// All four kernels of a row softmax divide the rows over the cores: the
// maximum, the exponentials and the sum stay in LX. A core has 512 / 32 = 16
// rows of 1024 / 64 = 16 sticks.
// CHECK-LABEL: func @softmax
// CHECK-DAG: sdsc.alloc {{.*}} : memref<16x32xf32, #sdsc.space<lx>>
// CHECK-DAG: sdsc.alloc {{.*}} : memref<16x16x64xf16, #sdsc.space<lx>>
// OFF-LABEL: func @softmax
// OFF-NOT: #sdsc.space<lx>
// OFF: sdsc.alloc {{.*}} reason "residency is switched off"
func.func @softmax(%x: tensor<512x1024xf16>) -> tensor<512x1024xf16> {
  %e = tensor.empty() : tensor<512x1024xf16>
  %y = linalg.softmax dimension(1) ins(%x : tensor<512x1024xf16>) outs(%e : tensor<512x1024xf16>) -> tensor<512x1024xf16>
  return %y : tensor<512x1024xf16>
}
