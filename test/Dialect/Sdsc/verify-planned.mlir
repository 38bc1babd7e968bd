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
