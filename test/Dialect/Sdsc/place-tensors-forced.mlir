// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --spyre-normalize --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work "--sdsc-place-tensors=residency=false" --verify-diagnostics | FileCheck %s

#row = affine_map<(m, n) -> (m, n)>

// The maximum of each row stays in LX by force although residency is off; the
// second value is sent to device memory.
// CHECK-LABEL: func @forced
// CHECK: %[[MAX:.*]] = sdsc.alloc {{.*}} : memref<{{.*}}, #sdsc.space<lx>>
// CHECK: sdsc.alloc {{.*}}reason "forced to device memory"
func.func @forced(%x: tensor<64x128xf16>, %r: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  %a = linalg.add {sdsc.force = {placement = #sdsc.space<lx>}} ins(%x, %r : tensor<64x128xf16>, tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  %b = linalg.mul {sdsc.force = {placement = #sdsc.space<ddr>}} ins(%a, %r : tensor<64x128xf16>, tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  %c = linalg.exp {sdsc.force = {}} ins(%b : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %c : tensor<64x128xf16>
}

// -----

// The reader has another division: what it reads is not on its core.
func.func @other_division(%x: tensor<64x128xf16>, %r: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  // expected-error @below {{E0403 [plan] op sdsc.kernel: the forced placement of the result of kernel "generic" in LX is not possible: written under a different split: "generic" has slices 1x32, its reader "generic_1" has 1x16}}
  // expected-note @below {{help: change or remove the forced choice}}
  %a = linalg.add {sdsc.force = {placement = #sdsc.space<lx>, slices = array<i64: 32, 1>}} ins(%x, %r : tensor<64x128xf16>, tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  %c = linalg.exp {sdsc.force = {slices = array<i64: 16, 1>}} ins(%a : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %c : tensor<64x128xf16>
}

// -----

// The insertion works in place: two kernels write the tensor, and it cannot stay
// in LX.
func.func @two_writers(%x: tensor<128x128xf16>, %y: tensor<64x128xf16>) -> tensor<128x128xf16> {
  %e = tensor.empty() : tensor<128x128xf16>
  // expected-error @below {{E0403 [plan] op sdsc.kernel: the forced placement of the result of kernel "generic" in LX is not possible: written in parts by 2 kernels}}
  // expected-note @below {{help: change or remove the forced choice}}
  %a = linalg.exp {sdsc.force = {placement = #sdsc.space<lx>}} ins(%x : tensor<128x128xf16>) outs(%e : tensor<128x128xf16>) -> tensor<128x128xf16>
  %0 = tensor.insert_slice %y into %a[64, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<128x128xf16>
  %1 = linalg.exp ins(%0 : tensor<128x128xf16>) outs(%e : tensor<128x128xf16>) -> tensor<128x128xf16>
  return %1 : tensor<128x128xf16>
}
