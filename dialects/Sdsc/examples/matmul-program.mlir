// SPDX-License-Identifier: Apache-2.0
//
// C = gelu(A * B) for A 512x4096 and B 4096x4096 on 32 cores, M divided by 4
// and N by 8. A core reads a share of what its row and its column of cores need
// and multicasts it, so that every operand leaves device memory once.

sdsc.program @fc1 cores(32) {
  sdsc.table @m = dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                         2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]> : tensor<32xi64>
  sdsc.table @n = dense<[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
                         0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]> : tensor<32xi64>
  // Masks of the cores with the same m, and with the same n.
  sdsc.table @row = dense<[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                           0xFF00, 0xFF00, 0xFF00, 0xFF00, 0xFF00, 0xFF00, 0xFF00, 0xFF00,
                           0xFF0000, 0xFF0000, 0xFF0000, 0xFF0000, 0xFF0000, 0xFF0000, 0xFF0000, 0xFF0000,
                           0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000]> : tensor<32xi64>
  sdsc.table @col = dense<[0x01010101, 0x02020202, 0x04040404, 0x08080808, 0x10101010, 0x20202020, 0x40404040, 0x80808080,
                           0x01010101, 0x02020202, 0x04040404, 0x08080808, 0x10101010, 0x20202020, 0x40404040, 0x80808080,
                           0x01010101, 0x02020202, 0x04040404, 0x08080808, 0x10101010, 0x20202020, 0x40404040, 0x80808080,
                           0x01010101, 0x02020202, 0x04040404, 0x08080808, 0x10101010, 0x20202020, 0x40404040, 0x80808080]> : tensor<32xi64>

  sdsc.buffer @A : memref<64x512x64xf16, #sdsc.space<ddr>> input argument(0) valid(4096) tile(0)
  sdsc.buffer @B : memref<64x4096x64xf16, #sdsc.space<ddr>> weight segment(0) valid(4096) tile(0)
  sdsc.buffer @C : memref<64x512x64xf16, #sdsc.space<ddr>> output argument(1) valid(4096) tile(0)
  // 2 * 64 KiB, 2 * 256 KiB, 256 KiB, 128 KiB
  sdsc.buffer @a : memref<4x128x64xf16, #sdsc.space<lx>> scratch queue<slots = 2, load -> [pt], fill = @row>
  sdsc.buffer @b : memref<8x256x64xf16, #sdsc.space<lx>> scratch offset(131072) queue<slots = 2, load -> [pt], fill = @col>
  sdsc.buffer @acc : memref<16x128x32xf32, #sdsc.space<lx>> scratch offset(655360) queue<slots = 1, pt -> [sfu]>
  sdsc.buffer @c : memref<8x128x64xf16, #sdsc.space<lx>> scratch offset(917504) queue<slots = 1, sfu -> [store]>

  sdsc.phase "fc1" {
    sdsc.unit load {
      sdsc.loop 16 kernel("fc1") {
        sdsc.move @A[4 * d0, 128 * @m + 16 * @n, 0] by (0, 1) -> @a[0, 16 * @n, 0] by (0, 1)
            dims (4, 16) cores @row next [@a] kernel("fc1")
        sdsc.move @B[8 * @n, 256 * d0 + 64 * @m, 0] by (0, 1) -> @b[0, 64 * @m, 0] by (0, 1)
            dims (8, 64) cores @col next [@b] kernel("fc1")
      }
    }
    sdsc.unit store {
      sdsc.move @c[0, 0, 0] by (0, 1) -> @C[8 * @n, 128 * @m, 0] by (0, 1)
          dims (8, 128) next [@c] kernel("fc1")
    }
    sdsc.unit pt {
      sdsc.loop 16 kernel("fc1") {
        sdsc.matmul @acc[0, 0, 0] by (1) tile 0 += @a[0, 0, 0] by (1) tile 0 * @b[0, 0, 0] by (-) tile 0 row 1
            rows 1 dims (128) inner 256 stick 512 first [0] next [@a, @b] kernel("fc1")
      }
      sdsc.next [@acc] kernel("fc1")
    }
    sdsc.unit sfu {
      sdsc.map "gelu" ins(@acc[0, 0, 0] by (1) tile 0) outs(@c[0, 0, 0] by (1) tile 0)
          dims (128) stick 512 next [@acc, @c] kernel("fc1") {
      ^bb0(%x: f32):
        %half = arith.constant 5.000000e-01 : f32
        %one = arith.constant 1.000000e+00 : f32
        %root = arith.constant 0.707106769 : f32
        %scaled = arith.mulf %x, %root : f32
        %erf = math.erf %scaled : f32
        %plus = arith.addf %erf, %one : f32
        %product = arith.mulf %x, %plus : f32
        %gelu = arith.mulf %product, %half : f32
        sdsc.yield %gelu : f32
      }
    }
  }
}
