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

// The exponential is read on both sides of host work: its sum could be in the
// program that writes it, the product that reads both is not.
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: func @across_host_work
// CHECK: sdsc.alloc {{.*}} reason "host work runs between \22{{.*}}\22 and \22{{.*}}\22" : memref<{{.*}}ddr>>
// CHECK: sdsc.alloc {{.*}} reason "the host reads or writes it in \22host\22" : memref<{{.*}}ddr>>
func.func @across_host_work(%x: tensor<64x128xf16>) -> (tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xi32>) {
  %e = tensor.empty() : tensor<64x128xf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) {
  ^bb0(%a: f16, %unused: f16):
    %r = math.exp %a : f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  %zero = arith.constant 0.0 : f16
  %es = tensor.empty() : tensor<64xf16>
  %fs = linalg.fill ins(%zero : f16) outs(%es : tensor<64xf16>) -> tensor<64xf16>
  %s = linalg.reduce { arith.addf } ins(%n : tensor<64x128xf16>) outs(%fs : tensor<64xf16>) dimensions = [1]
  %v, %i = stick.host "topk" {axis = 1, k = 128, largest = 1} (%x) reason "r" : (tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xi32>)
  %y = linalg.mul ins(%n, %v : tensor<64x128xf16>, tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %s, %y, %i : tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xi32>
}
