// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @role target("spyre-32", 0) {
  launch.argument @y output : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0520 [schedule] op launch.d2h: d2h cannot run with role prep}}
  // expected-note @+1 {{help: give host work, compute, d2h, send and recv the role device}}
  launch.d2h @y role(prep)
}

// -----

#line = #stick.layout<[d0 floordiv 64, d0 mod 64]>
#line32 = #stick.layout<[d0 floordiv 32, d0 mod 32]>
launch.plan @host_work_prepares target("spyre-32", 0) {
  launch.segment @s scratch size(1024)
  // expected-error @+2 {{E0520 [schedule] op launch.host_work: host_work cannot run with role prep}}
  // expected-note @+1 {{help}}
  launch.host_work "topk" {axis = 0, k = 2, largest = 0} ins(@s at 0 : tensor<8xf16, #line>) outs(@s at 128 : tensor<2xf16, #line>, @s at 256 : tensor<2xi32, #line32>) reason "r" role(prep)
}

// -----

#line = #stick.layout<[d0 floordiv 64, d0 mod 64]>
#line32 = #stick.layout<[d0 floordiv 32, d0 mod 32]>
launch.plan @host_work_call target("spyre-32", 0) {
  launch.segment @s scratch size(1024)
  // expected-error @+2 {{E0205 [normalize] host function "topk": 9 of the 8 elements along axis 0 are asked for}}
  // expected-note @+1 {{help}}
  launch.host_work "topk" {axis = 0, k = 9, largest = 0} ins(@s at 0 : tensor<8xf16, #line>) outs(@s at 128 : tensor<9xf16, #line>, @s at 256 : tensor<9xi32, #line32>) reason "r" role(device)
}

// -----

#line32 = #stick.layout<[d0 floordiv 32, d0 mod 32]>
launch.plan @host_work_layout target("spyre-32", 0) {
  launch.segment @s scratch size(1024)
  // expected-error @+2 {{E0306 [layout] op launch.host_work: 'tensor<8xf16>' is no tensor with a layout}}
  // expected-note @+1 {{help}}
  launch.host_work "topk" {axis = 0, k = 2, largest = 0} ins(@s at 0 : tensor<8xf16>) outs(@s at 128 : tensor<2xf16>, @s at 256 : tensor<2xi32, #line32>) reason "r" role(device)
}

// -----

#line = #stick.layout<[d0 floordiv 64, d0 mod 64]>
#line32 = #stick.layout<[d0 floordiv 32, d0 mod 32]>
launch.plan @host_work_region target("spyre-32", 0) {
  launch.segment @s scratch size(1024)
  // expected-error @+2 {{E0528 [schedule] op launch.host_work: @t is no argument or segment of the plan}}
  // expected-note @+1 {{help}}
  launch.host_work "topk" {axis = 0, k = 2, largest = 0} ins(@t at 0 : tensor<8xf16, #line>) outs(@s at 128 : tensor<2xf16, #line>, @s at 256 : tensor<2xi32, #line32>) reason "r" role(device)
}

// -----

#line = #stick.layout<[d0 floordiv 64, d0 mod 64]>
#line32 = #stick.layout<[d0 floordiv 32, d0 mod 32]>
launch.plan @host_work_range target("spyre-32", 0) {
  launch.segment @s scratch size(1024)
  // expected-error @+2 {{E0521 [schedule] op launch.host_work: 128 bytes at offset 1024 are not whole sticks inside @s of 1024 bytes}}
  // expected-note @+1 {{help}}
  launch.host_work "topk" {axis = 0, k = 2, largest = 0} ins(@s at 0 : tensor<8xf16, #line>) outs(@s at 128 : tensor<2xf16, #line>, @s at 1024 : tensor<2xi32, #line32>) reason "r" role(device)
}

// -----

// 8 sticks are 1024 bytes.
#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @outside target("spyre-32", 0) {
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0521 [schedule] op launch.h2d: footprint [0, 1152) is not inside @x of 1024 bytes}}
  // expected-note @+1 {{help}}
  launch.h2d @x role(device) writes (@x 0 to 1152)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @broken_stick target("spyre-32", 0) {
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0522 [schedule] op launch.h2d: footprint [64, 1024) of @x does not consist of whole sticks}}
  // expected-note @+1 {{help}}
  launch.h2d @x role(device) writes (@x 64 to 1024)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @card target("spyre-32", 0) {
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0523 [schedule] op launch.h2d: the step runs on card 1, the plan has 1 cards}}
  // expected-note @+1 {{help}}
  launch.h2d @x role(device) card(1)
}

// -----

launch.plan @peer target("spyre-32", 0) cards(2) {
  // expected-error @+2 {{E0523 [schedule] op launch.send: the step runs on card 1 with peer 1, the plan has 2 cards}}
  // expected-note @+1 {{help}}
  launch.send 1 role(device) card(1)
}

// -----

launch.plan @segment target("spyre-32", 0) {
  // expected-error @+2 {{E0524 [schedule] op launch.segment: size 100 is not a multiple of 128}}
  // expected-note @+1 {{help}}
  launch.segment @s scratch size(100)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @weight_outside target("spyre-32", 0) {
  // expected-note @+1 {{declared here}}
  launch.segment @w weights size(1024)
  // expected-error @+2 {{E0525 [schedule] op launch.weight: 1024 bytes at offset 128 do not lie, stick by stick, in weight segment @w of 1024 bytes}}
  // expected-note @+1 {{help}}
  launch.weight "w" in @w offset(128) : tensor<8x64xf16, #rows> file("w", 0, 1024) host(f16)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @beyond_dequantized target("spyre-32", 0) {
  launch.segment @w weights size(1024)
  // 8 * 64 elements from the second on are one too many.
  // expected-error @+2 {{E0525 [schedule] op launch.weight: 2048 bytes at offset 4 are no elements of a dequantized tensor of shape [8, 64] in f32}}
  // expected-note @+1 {{help}}
  launch.weight "w" in @w offset(0) : tensor<8x64xf16, #rows> file(#stick.dequantized<dense<1> : tensor<8x64xi8> scales dense<1.0> : tensor<1x1xf32> blocks [8, 64]>, 4, 2048) host(f32)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @dequantized_as_f16 target("spyre-32", 0) {
  launch.segment @w weights size(1024)
  // expected-error @+2 {{E0525 [schedule] op launch.weight: what is dequantized is f32 in its file}}
  // expected-note @+1 {{help}}
  launch.weight "w" in @w offset(0) : tensor<8x64xf16, #rows> file(#stick.dequantized<dense<1> : tensor<8x64xi8> scales dense<1.0> : tensor<1x1xf32> blocks [8, 64]>, 0, 1024) host(f16)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @weight_length target("spyre-32", 0) {
  launch.segment @w weights size(1024)
  // expected-error @+2 {{E0525 [schedule] op launch.weight: 1024 bytes of the file are named, 512 elements of f32 take 2048}}
  // expected-note @+1 {{help}}
  launch.weight "w" in @w offset(0) : tensor<8x64xf16, #rows> file("w", 0, 1024) host(f32)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @alias target("spyre-32", 0) {
  // expected-note @+1 {{declared here}}
  launch.argument @x input : tensor<16x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0526 [schedule] op launch.argument: @y cannot overwrite @x: it must be an input of the same type}}
  // expected-note @+1 {{help}}
  launch.argument @y output : tensor<8x64xf16, #rows> host(f16) alias(@x)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @input_alias target("spyre-32", 0) {
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0526 [schedule] op launch.argument: @z is an input; only an output overwrites another argument}}
  // expected-note @+1 {{help}}
  launch.argument @z input : tensor<8x64xf16, #rows> host(f16) alias(@x)
}

// -----

launch.plan @no_layout target("spyre-32", 0) {
  // expected-error @+2 {{E0527 [schedule] type tensor<8x64xf16>: has no device image}}
  // expected-note @+1 {{help}}
  launch.argument @x input : tensor<8x64xf16> host(f16)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @bound_of_floats target("spyre-32", 0) {
  // expected-error @+2 {{E0527 [schedule] op launch.argument: @x has index bound 7 but holds no integers}}
  // expected-note @+1 {{help}}
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16) bound(7)
}

// -----

launch.plan @unknown_program target("spyre-32", 0) {
  // expected-error @+2 {{E0528 [schedule] op launch.compute: @k is no device program of the plan}}
  // expected-note @+1 {{help}}
  launch.compute @k role(device)
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
launch.plan @unknown_buffer target("spyre-32", 0) {
  sdsc.program @k cores(1) {
  }
  launch.argument @x input : tensor<8x64xf16, #rows> host(f16)
  // expected-error @+2 {{E0528 [schedule] op launch.symbol: @k::@A is no sdsc.buffer of a program of the plan}}
  // expected-note @+1 {{help}}
  launch.symbol address @x into @k::@A
}

// -----

launch.plan @stray_op target("spyre-32", 0) {
  // expected-error @+2 {{E0529 [schedule] op arith.constant: 'arith.constant' is no part of a launch plan}}
  // expected-note @+1 {{help}}
  %0 = arith.constant 0 : i32
}
