// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

sdsc.program @unknown_buffer cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0500 [schedule] op sdsc.move: @b is not declared in program @unknown_buffer}}
    // expected-note @+1 {{help}}
    sdsc.move @a[0, 0] by (0) -> @b[0, 0] by (0) dims (2)
  } }
}

// -----

sdsc.program @table_as_buffer cores(1) {
  // expected-note @+1 {{declared here}}
  sdsc.table @t = dense<0> : tensor<1xi64>
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0501 [schedule] op sdsc.move: @t is not a buffer}}
    // expected-note @+1 {{help}}
    sdsc.move @a[0, 0] by (0) -> @t[0, 0] by (0) dims (2)
  } }
}

// -----

sdsc.program @ranks cores(1) {
  // expected-note @+1 {{declared here}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0502 [schedule] op sdsc.move: the box of @a has 3 offsets and follows 1 dims; the buffer has rank 2 and the command 1 dims}}
    // expected-note @+1 {{help}}
    sdsc.move @a[0, 0, 0] by (0) -> @a[0, 0] by (0) dims (2)
  } }
}

// -----

sdsc.program @wrong_unit cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" {
    // expected-note @+1 {{in this list}}
    sdsc.unit pt {
      // expected-error @+2 {{E0503 [schedule] op sdsc.move: unit pt does not run move commands}}
      // expected-note @+1 {{help}}
      sdsc.move @a[0, 0] by (0) -> @a[0, 0] by (0) dims (2)
    }
  }
}

// -----

sdsc.program @load_from_lx cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit load {
    // expected-error @+2 {{E0517 [schedule] op sdsc.move: unit load reads ddr, but @a lies in lx}}
    // expected-note @+1 {{help}}
    sdsc.move @a[0, 0] by (0) -> @a[0, 0] by (0) dims (2)
  } }
}

// -----

sdsc.program @loop_depth cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    sdsc.loop 2 {
      // expected-error @+2 {{E0505 [schedule] op sdsc.move: d1 is used inside 1 loops}}
      // expected-note @+1 {{help}}
      sdsc.move @a[d0, 0] by (0) -> @a[d1, 0] by (0) dims (1)
    }
  } }
}

// -----

sdsc.program @missing_second_index cores(1) {
  // expected-note @+1 {{declared here}}
  sdsc.table @t = dense<0> : tensor<1x4xi64>
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0514 [schedule] op sdsc.move: table @t needs a second index}}
    // expected-note @+1 {{help}}
    sdsc.move @a[@t, 0] by (0) -> @a[0, 0] by (0) dims (1)
  } }
}

// -----

sdsc.program @loop_bound cores(1) {
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0512 [schedule] op sdsc.loop: the loop runs 65536 times, the bound is 65535}}
    // expected-note @+1 {{help}}
    sdsc.loop 65536 {
    }
  } }
}

// -----

sdsc.program @dims cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit ring {
    // expected-error @+2 {{E0513 [schedule] op sdsc.move: the command has 8 dims, at most 7 are possible}}
    // expected-note @+1 {{help}}
    sdsc.move @a[0, 0] by (0, -, -, -, -, -, -, -) -> @a[0, 0] by (0, -, -, -, -, -, -, -) dims (1, 1, 1, 1, 1, 1, 1, 1)
  } }
}

// -----

sdsc.program @not_its_queue cores(1) {
  // expected-note @+1 {{declared here}}
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch queue<slots = 1, load -> [pt]>
  sdsc.phase "p" { sdsc.unit sfu {
    // expected-error @+2 {{E0509 [schedule] op sdsc.next: unit sfu advances @a twice, or is neither its producer nor a consumer}}
    // expected-note @+1 {{help}}
    sdsc.next [@a]
  } }
}

// -----

sdsc.program @index_type cores(1) {
  sdsc.buffer @A : memref<8x64xf16, #sdsc.space<ddr>> input argument(0)
  sdsc.buffer @i : memref<1x64xf16, #sdsc.space<lx>> scratch
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch offset(128)
  sdsc.phase "p" { sdsc.unit load {
    // expected-error @+2 {{E0519 [schedule] op sdsc.move: an indexed move runs on load or store, with an i32 index buffer in lx}}
    // expected-note @+1 {{help}}
    sdsc.move @A[0, 0] by (0) -> @a[0, 0] by (0) dims (2) indexed dim 0 with @i[0] count 2
  } }
}

// -----

sdsc.program @body_types cores(1) {
  sdsc.buffer @a : memref<2x32xi32, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit sfu {
    // expected-error @+2 {{E0511 [schedule] op sdsc.map: the buffers ask for a body that takes (i32) and yields (i32)}}
    // expected-note @+1 {{help}}
    sdsc.map ins(@a[0, 0] by (0)) outs(@a[0, 0] by (0)) dims (2) stick 32 {
    ^bb0(%x: f32):
      sdsc.yield %x : f32
    }
  } }
}

// -----

sdsc.program @no_leaf cores(1) {
  sdsc.buffer @a : memref<2x64xf16, #sdsc.space<lx>> scratch
  sdsc.phase "p" { sdsc.unit sfu {
    sdsc.map ins(@a[0, 0] by (0)) outs(@a[0, 0] by (0)) dims (2) stick 64 {
    ^bb0(%x: f32):
      // expected-error @+2 {{E0511 [schedule] op sdsc.apply: exp is an operation of arith or math, or none}}
      // expected-note @+1 {{help}}
      %0 = sdsc.apply exp(%x) : f32 -> f32
      sdsc.yield %0 : f32
    }
  } }
}
