// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// What a program declares.

sdsc.program @table_of_wrong_size cores(2) {
  // expected-error @+2 {{E0510 [schedule] op sdsc.table: the table has 3 entries of rank 1, the program has 2 cores}}
  // expected-note @+1 {{help: give the table the shape}}
  sdsc.table @t = dense<[0, 1, 2]> : tensor<3xi64>
}

// -----

sdsc.program @second_index_too_large cores(1) {
  // expected-error @+2 {{E0510 [schedule] op sdsc.table: the second index has 257 values, a table takes 2 to 256}}
  // expected-note @+1 {{help}}
  sdsc.table @t = dense<0> : tensor<1x257xi64>
}

// -----

sdsc.program @empty_range cores(1) {
  // expected-error @+2 {{E0518 [schedule] op sdsc.scalar: the range [4, 4) with granule 1 has no value}}
  // expected-note @+1 {{help}}
  sdsc.scalar @s argument(0) range [4, 4)
}

// -----

sdsc.program @half_a_stick cores(1) {
  // expected-error @+2 {{E0506 [schedule] op sdsc.buffer: the last extent is 32, a stick of f16 has 64 elements}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x32xf16, #sdsc.space<lx>> scratch
}

// -----

sdsc.program @no_device_type cores(1) {
  // expected-error @+2 {{E0506 [schedule] op sdsc.buffer: memref<2x16xf64, #sdsc.space<lx>> is not a device shape}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x16xf64, #sdsc.space<lx>> scratch
}

// -----

sdsc.program @no_space cores(1) {
  // expected-error @+2 {{E0515 [schedule] op sdsc.buffer: the memref has no memory space of this dialect}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16> scratch
}

// -----

sdsc.program @unbound cores(1) {
  // expected-error @+2 {{E0515 [schedule] op sdsc.buffer: a buffer in ddr lies in one argument or segment, not in 0}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<ddr>> input
}

// -----

sdsc.program @misaligned cores(1) {
  // expected-error @+2 {{E0508 [schedule] op sdsc.buffer: offset 64 is not a multiple of 128}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch offset(64)
}

// -----

// 2 slots of 8192 sticks take 2 * 8192 * 128 = 2,097,152 bytes, all of LX.
sdsc.program @too_large cores(1) {
  sdsc.buffer @fits : memref<8192x64xf16, #sdsc.space<lx>> scratch queue<slots = 2, load -> [pt]>
  // expected-error @+2 {{E0507 [schedule] op sdsc.buffer: 2097152 bytes at offset 128 do not fit the scratchpad of 2097152 bytes}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<8192x64xf16, #sdsc.space<lx>> scratch offset(128) queue<slots = 2, load -> [pt]>
}

// -----

sdsc.program @producer_consumes cores(1) {
  // expected-error @+2 {{E0509 [schedule] op sdsc.buffer: unit pt stands twice among producer and consumers}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch queue<slots = 1, pt -> [sfu, pt]>
}

// -----

sdsc.program @no_slot cores(1) {
  // expected-error @+2 {{E0509 [schedule] op sdsc.buffer: a queue needs a slot and a consumer, this one has 0 and 1}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch queue<slots = 0, load -> [sfu]>
}

// -----

sdsc.program @unknown_fill cores(1) {
  // expected-error @+2 {{E0500 [schedule] op sdsc.buffer: fill table @row is not declared in the program}}
  // expected-note @+1 {{help: declare the table, scalar or buffer in the program}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch queue<slots = 1, load -> [sfu], fill = @row>
}

// -----

sdsc.program @tile_dim_out_of_range cores(1) {
  // expected-error @+2 {{E0502 [schedule] op sdsc.buffer: tile dim 1 is none of the 1 dims outside of the stick}}
  // expected-note @+1 {{help}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<ddr>> input argument(0) valid(100) tile(1)
}

// -----

sdsc.program @stray_op cores(1) {
  // expected-error @+2 {{E0516 [schedule] op arith.constant: arith.constant stands in sdsc.program, which holds tables, scalars, buffers and phases}}
  // expected-note @+1 {{help}}
  %0 = arith.constant 0 : i32
}

// -----

sdsc.program @resident_in_ddr cores(1) {
  // expected-note @+1 {{declared here}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<ddr>> input argument(0)
  // expected-error @+2 {{E0501 [schedule] op sdsc.phase: resident @a is not a buffer in lx}}
  // expected-note @+1 {{help}}
  sdsc.phase "p" residents [@a] {
  }
}

// -----

sdsc.program @two_lists cores(1) {
  sdsc.phase "p" {
    sdsc.unit load {
    }
    // expected-error @+2 {{E0504 [schedule] op sdsc.unit: phase "p" has two lists for unit load}}
    // expected-note @+1 {{help}}
    sdsc.unit load {
    }
  }
}
