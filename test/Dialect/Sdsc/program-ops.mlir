// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --verify-roundtrip | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s

// CHECK-LABEL: sdsc.program @all cores(2) {
sdsc.program @all cores(2) {
  // CHECK: sdsc.table @c = dense<[0, 1]> : tensor<2xi64>
  sdsc.table @c = dense<[0, 1]> : tensor<2xi64>
  // CHECK: sdsc.table @steps = dense<{{.*}}> : tensor<2x3xi64>
  sdsc.table @steps = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  // CHECK: sdsc.scalar @position argument(2) range[0, 4096) granule 64
  sdsc.scalar @position argument(2) range [0, 4096) granule 64
  // CHECK: sdsc.scalar @length argument(3) range[1, 8){{$}}
  sdsc.scalar @length argument(3) range [1, 8) granule 1
  // CHECK: sdsc.buffer @X : memref<4x32x64xf16, #sdsc.space<ddr>> input argument(0) offset(256) valid(250) tile(0)
  sdsc.buffer @X : memref<4x32x64xf16, #sdsc.space<ddr>> input argument(0) offset(256) valid(250) tile(0)
  // CHECK: sdsc.buffer @K : memref<64x!sdsc.dl16, #sdsc.space<ddr>> weight segment(1)
  sdsc.buffer @K : memref<64x!sdsc.dl16, #sdsc.space<ddr>> weight segment(1)
  // CHECK: sdsc.buffer @i : memref<1x32xi32, #sdsc.space<lx>> scratch{{$}}
  sdsc.buffer @i : memref<1x32xi32, #sdsc.space<lx>> scratch
  // CHECK: sdsc.buffer @x : memref<4x32x64xf16, #sdsc.space<lx>> scratch offset(128) queue<slots = 2, load -> [pt, sfu], fill = @c>
  sdsc.buffer @x : memref<4x32x64xf16, #sdsc.space<lx>> scratch offset(128) queue<slots = 2, load -> [pt, sfu], fill = @c>
  // CHECK: sdsc.buffer @acc : memref<8x32x32xf32, #sdsc.space<lx>>
  sdsc.buffer @acc : memref<8x32x32xf32, #sdsc.space<lx>> scratch offset(65536)
  sdsc.buffer @y : memref<4x32x64xf16, #sdsc.space<lx>> scratch offset(131072)

  // CHECK: sdsc.phase "first" residents [@y] {
  sdsc.phase "first" residents [@y] {
    // CHECK: sdsc.unit load {
    sdsc.unit load {
      // CHECK: sdsc.loop @c {
      sdsc.loop @c {
        // CHECK: sdsc.loop 3 kernel("gather") {
        sdsc.loop 3 kernel("gather") {
          // A negative step, a table with a second index, a remainder.
          // CHECK: sdsc.move @X[-2 * d0 + @steps[d1] + @position - 3, 31, 0] by (0, 1 * -1, -) -> @x[0, 0, 0] by (0, 1, -) dims (4, min(16, -16 * d0 + 32), 1) indexed dim 1 with @i[4 * d0] count 16 page 8 cores @steps[d1] when @c next [@x] kernel("gather")
          sdsc.move @X[-2 * d0 + @steps[d1] + @position - 3, 31, 0] by (0, 1 * -1, -) -> @x[0, 0, 0] by (0, 1, -) dims (4, min(16, -16 * d0 + 32), 1) indexed dim 1 with @i[4 * d0] count 16 page 8 cores @steps[d1] when @c next [@x] kernel("gather")
        }
      }
    }
    sdsc.unit ring {
      // CHECK: sdsc.reduce add @acc[0, 0, 0] by (0, 1) -> @acc[4, 0, 0] by (0, 1) dims (4, 32) cores @c
      sdsc.reduce add @acc[0, 0, 0] by (0, 1) -> @acc[4, 0, 0] by (0, 1) dims (4, 32) cores @c
    }
    sdsc.unit pt {
      // CHECK: sdsc.matmul @acc[0, 0, 0] by (1, -) tile 0 += @x[0, 0, 0] by (1, 0) tile 0 * @x[0, 0, 0] by (-, 0) tile 0 row 1 rows 1 dims (32, 2) inner 64 stick 256 next [@x]
      sdsc.matmul @acc[0, 0, 0] by (1, -) tile 0 += @x[0, 0, 0] by (1, 0) tile 0 * @x[0, 0, 0] by (-, 0) tile 0 row 1 rows 1 dims (32, 2) inner 64 stick 256 next [@x]
    }
    sdsc.unit sfu {
      // CHECK: sdsc.map "softmax" ins(@x[0, 0, 0] by (1) tile 0, @x[0, 0, 5] by (1) splat) outs(@y[0, 0, 0] by (1) tile 0, @acc[0, 0, 0] by (-) max lane0 accumulate) dims (32) stick 250 {
      sdsc.map "softmax" ins(@x[0, 0, 0] by (1) tile 0, @x[0, 0, 5] by (1) splat) outs(@y[0, 0, 0] by (1) tile 0, @acc[0, 0, 0] by (-) max lane0 accumulate) dims (32) stick 250 {
      ^bb0(%a: f32, %b: f32):
        // CHECK: sdsc.scalar_value @position
        %p = sdsc.scalar_value @position
        // CHECK: sdsc.index 64 * @c + 1 dims [2] lane 1
        %i = sdsc.index 64 * @c + 1 dims [2] lane 1
        %in = arith.cmpi slt, %i, %p : i32
        // CHECK: sdsc.apply sigmoid(%{{.*}}) : f32 -> f32
        %s = sdsc.apply sigmoid(%a) : f32 -> f32
        // CHECK: sdsc.round_to %{{.*}} as bf16
        %r = sdsc.round_to %s as bf16
        %m = arith.select %in, %r, %b : f32
        // CHECK: sdsc.yield %{{.*}}, %{{.*}} : f32, f32
        sdsc.yield %m, %a : f32, f32
      }
      // CHECK: sdsc.transpose @x[0, 0, 0] by (-) tile 0 row 1 -> @y[0, 0, 0] by (-) tile 0 row 1 dims (1) inner 32 stick 64
      sdsc.transpose @x[0, 0, 0] by (-) tile 0 row 1 -> @y[0, 0, 0] by (-) tile 0 row 1 dims (1) inner 32 stick 64
      // CHECK: sdsc.shift 32 @x[0, 0, 0] by (1), @x[1, 0, 0] by (1) -> @y[0, 0, 0] by (1) dims (@length) stick 64
      sdsc.shift 32 @x[0, 0, 0] by (1), @x[1, 0, 0] by (1) -> @y[0, 0, 0] by (1) dims (@length) stick 64
      // CHECK: sdsc.next [@x]
      sdsc.next [@x]
    }
  }
}
