// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-verify-plan --verify-diagnostics --split-input-file

#map = affine_map<(d0) -> (d0 floordiv 64, d0 mod 64)>
func.func @undivided(%x: memref<2x64xf16, #sdsc.space<ddr>>, %y: memref<2x64xf16, #sdsc.space<ddr>>) {
  // expected-error @below {{E0452 [plan] op sdsc.kernel: kernel "copy" has no division}}
  // expected-note @below {{help: run the passes of --spyre-plan in order}}
  sdsc.kernel map "copy" ins(%x : memref<2x64xf16, #sdsc.space<ddr>>) outs(%y : memref<2x64xf16, #sdsc.space<ddr>>)
      extents [100] reductions [] stick 0 coords [#map, #map] body {
  ^bb0(%a: f16):
    sdsc.kernel_yield %a : f16
  }
  return
}

// -----

func.func @host_call(%x: memref<2x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<100xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>},
                     %v: memref<2x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<90xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>},
                     %i: memref<3x32xi32, #sdsc.space<ddr>> {sdsc.tensor = tensor<80xi32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>}) {
  // expected-error @below {{E0205 [normalize] host function "topk": result 1 is 80xi32, it must be 90xi32}}
  // expected-note @below {{help:}}
  sdsc.host "topk" {axis = 0, k = 90, largest = 1} named "t" ins(%x : memref<2x64xf16, #sdsc.space<ddr>>)
      outs(%v, %i : memref<2x64xf16, #sdsc.space<ddr>>, memref<3x32xi32, #sdsc.space<ddr>>) reason "r"
  return
}

// -----

func.func @host_unknown_tensor(%x: memref<2x64xf16, #sdsc.space<ddr>>) {
  // expected-error @below {{E0452 [plan] op sdsc.host: host work on a buffer whose tensor and layout are not known}}
  // expected-note @below {{help:}}
  sdsc.host "topk" {axis = 0, k = 90, largest = 1} named "t" ins(%x : memref<2x64xf16, #sdsc.space<ddr>>)
      outs(%x, %x : memref<2x64xf16, #sdsc.space<ddr>>, memref<2x64xf16, #sdsc.space<ddr>>) reason "r"
  return
}

// -----

func.func @host_in_lx(%x: memref<2x64xf16, #sdsc.space<lx>>) {
  // expected-error @below {{the host reaches device memory, not 'memref<2x64xf16, #sdsc.space<lx>>'}}
  sdsc.host "topk" {axis = 0, k = 90, largest = 1} named "t" ins(%x : memref<2x64xf16, #sdsc.space<lx>>)
      outs(%x, %x : memref<2x64xf16, #sdsc.space<lx>>, memref<2x64xf16, #sdsc.space<lx>>) reason "r"
  return
}

// -----

// A tensor in LX that a kernel before host work writes and one after it reads.
#id = affine_map<(d0) -> (d0 floordiv 64, d0 mod 64)>
#one = #sdsc.division<slices = [1], tiles = [128], order = [0], cores = [0], buffers = 1>
func.func @outlives(%x: memref<2x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<128xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>},
                    %v: memref<2x64xf16, #sdsc.space<ddr>> {sdsc.tensor = tensor<90xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>},
                    %i: memref<3x32xi32, #sdsc.space<ddr>> {sdsc.tensor = tensor<90xi32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>},
                    %y: memref<2x64xf16, #sdsc.space<ddr>>) {
  // expected-error @below {{E0452 [plan] op sdsc.alloc: a tensor in LX is used by "first" and, after host work, by "second"}}
  // expected-note @below {{help:}}
  %t = sdsc.alloc tensor<128xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>> address 1024 : memref<2x64xf16, #sdsc.space<lx>>
  sdsc.kernel map "first" ins(%x : memref<2x64xf16, #sdsc.space<ddr>>) outs(%t : memref<2x64xf16, #sdsc.space<lx>>)
      extents [128] reductions [] stick 0 coords [#id, #id] division #one lx [0, -1, -1] body {
  ^bb0(%a: f16):
    sdsc.kernel_yield %a : f16
  }
  sdsc.host "topk" {axis = 0, k = 90, largest = 1} named "t" ins(%x : memref<2x64xf16, #sdsc.space<ddr>>)
      outs(%v, %i : memref<2x64xf16, #sdsc.space<ddr>>, memref<3x32xi32, #sdsc.space<ddr>>) reason "r"
  sdsc.kernel map "second" ins(%t : memref<2x64xf16, #sdsc.space<lx>>) outs(%y : memref<2x64xf16, #sdsc.space<ddr>>)
      extents [128] reductions [] stick 0 coords [#id, #id] division #one lx [-1, 0, -1] body {
  ^bb0(%a: f16):
    sdsc.kernel_yield %a : f16
  }
  return
}
