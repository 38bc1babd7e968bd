// SPDX-License-Identifier: Apache-2.0
//
// y = exp(x) on two cores, a row each: the program, and the plan that copies x
// in, runs it and copies y out.

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>

launch.plan @main target("spyre-32", 0) model("exp") {
  launch.argument @in input : tensor<2x60xf16, #rows> host(f16)
  launch.argument @out output : tensor<2x60xf16, #rows> host(f16)
  sdsc.program @exp cores(2) {
    sdsc.table @row = dense<[0, 1]> : tensor<2xi64>
    sdsc.buffer @X : memref<1x2x64xf16, #sdsc.space<ddr>> input argument(0) valid(60) tile(0)
    sdsc.buffer @Y : memref<1x2x64xf16, #sdsc.space<ddr>> output argument(1) valid(60) tile(0)
    sdsc.buffer @x : memref<1x64xf16, #sdsc.space<lx>> scratch queue<slots = 1, load -> [sfu]>
    sdsc.buffer @y : memref<1x64xf16, #sdsc.space<lx>> scratch offset(128) queue<slots = 1, sfu -> [store]>
    sdsc.phase "exp" {
      sdsc.unit load {
        sdsc.move @X[0, @row, 0] by (1) -> @x[0, 0] by (0) dims (1) next [@x]
      }
      sdsc.unit sfu {
        sdsc.map ins(@x[0, 0] by (0)) outs(@y[0, 0] by (0)) dims (1) stick 60 next [@x, @y] {
        ^bb0(%x: f32):
          %y = math.exp %x : f32
          sdsc.yield %y : f32
        }
      }
      sdsc.unit store {
        sdsc.move @y[0, 0] by (0) -> @Y[0, @row, 0] by (1) dims (1) next [@y]
      }
    }
  }

  launch.h2d @in role(device) writes (@in 0 to 256)
  launch.compute @exp role(device) reads (@in 0 to 256) writes (@out 0 to 256)
  launch.d2h @out role(device) reads (@out 0 to 256)
  launch.symbol address @in into @exp::@X
  launch.symbol address @out into @exp::@Y
}
