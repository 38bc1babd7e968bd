// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-sdsc-to-launch --verify-diagnostics --split-input-file

// A caller has no tensors of 4 bits.
// expected-error @below {{E0204 [normalize] op func.func: argument 0 has elements of type 'i4', which no host tensor has}}
// expected-note @below {{help}}
func.func @argument(%x: memref<1x256xi4, #sdsc.space<ddr>> {sdsc.tensor = tensor<256xi4, #stick.layout<[d0 floordiv 256, d0 mod 256]>>, sdsc.role = "input", spyre.name = "x"}) {
  return
}

// -----

// 40000 as ui16 would be read as -25536.
func.func @weight(%x: memref<1x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<64xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>, sdsc.role = "input", spyre.name = "x"}) {
  // expected-error @below {{E0204 [normalize] op sdsc.weight: weight "w" has elements of type 'ui16', which no host tensor has}}
  // expected-note @below {{help}}
  %w = sdsc.weight "w" file "f" offset 0 length 64 as ui16 of tensor<32xi32, #stick.layout<[d0 floordiv 32, d0 mod 32]>> : memref<1x32xi32, #sdsc.space<ddr>>
  return
}

// -----

func.func @host_on_nothing(%x: memref<2x0x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<0x90xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>, sdsc.role = "input", spyre.name = "x"},
                           %v: memref<2x0x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<0x70xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>, sdsc.role = "output", spyre.name = "v"},
                           %i: memref<3x0x32xi32, #sdsc.space<ddr>> {sdsc.tensor = tensor<0x70xi32, #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>>, sdsc.role = "output", spyre.name = "i"}) {
  // expected-error @below {{E0205 [normalize] op sdsc.host: the host is to work on a tensor without elements}}
  // expected-note @below {{help}}
  sdsc.host "topk" {axis = 1, k = 70, largest = 1} named "t" ins(%x : memref<2x0x64xf16, #sdsc.space<ddr>>)
      outs(%v, %i : memref<2x0x64xf16, #sdsc.space<ddr>>, memref<3x0x32xi32, #sdsc.space<ddr>>) reason "r"
  return
}
