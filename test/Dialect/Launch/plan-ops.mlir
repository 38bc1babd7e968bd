// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --verify-roundtrip | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#rows32 = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#ids = #stick.layout<[d0 floordiv 32, d0 mod 32]>

// CHECK: launch.plan @main target("spyre-32", -1) model("tiny") producer("test") cards(2) {
launch.plan @main target("spyre-32", -1) model("tiny") producer("test") cards(2) {
  // CHECK: launch.argument @x input : tensor<8x64xf16, #{{.*}}> host(f32)
  launch.argument @x input : tensor<8x64xf16, #rows> host(f32)
  // CHECK: launch.argument @ids input : tensor<10xi32, #{{.*}}> host(i64) bound(50257)
  launch.argument @ids input : tensor<10xi32, #ids> host(i64) bound(50257)
  // CHECK: launch.argument @y output : tensor<8x64xf16, #{{.*}}> host(f16) alias(@x)
  launch.argument @y output : tensor<8x64xf16, #rows> host(f16) alias(@x)
  // CHECK: launch.segment @weights weights size(2048)
  launch.segment @weights weights size(2048)
  // CHECK: launch.segment @scratch scratch size(1536)
  launch.segment @scratch scratch size(1536)
  // CHECK: launch.weight "w" in @weights offset(1024) : tensor<8x64xf16, #{{.*}}> file("w.bin", 16, 2048) host(f32) perm [1, 0]
  launch.weight "w" in @weights offset(1024) : tensor<8x64xf16, #rows> file("w.bin", 16, 2048) host(f32) perm [1, 0]
  // CHECK: sdsc.program @k
  sdsc.program @k cores(1) {
    sdsc.scalar @position argument(1) range [0, 64)
    sdsc.buffer @A : memref<1x8x64xf16, #sdsc.space<ddr>> input argument(0) valid(64) tile(0)
  }
  // CHECK: launch.host_work "topk" {axis = 0 : i64, k = 4 : i64, largest = 0 : i64} ins (@x at 0 : tensor<8x64xf16, #{{.*}}>) outs (@scratch at 0 : tensor<4x64xf16, #{{.*}}>, @scratch at 512 : tensor<4x64xi32, #{{.*}}>) reason "for the test" "pick" role(device)
  launch.host_work "topk" {axis = 0, k = 4, largest = 0} ins(@x at 0 : tensor<8x64xf16, #rows>)
      outs(@scratch at 0 : tensor<4x64xf16, #rows>, @scratch at 512 : tensor<4x64xi32, #rows32>)
      reason "for the test" "pick" role(device)
  // CHECK: launch.signal 0 role(prep)
  launch.signal 0 role(prep)
  // CHECK: launch.wait 0 role(device)
  launch.wait 0 role(device)
  // CHECK: launch.h2d @x role(device) writes (@x 0 to 1024)
  launch.h2d @x role(device) writes (@x 0 to 1024)
  // CHECK: launch.fill @scratch role(device) writes (@scratch 0 to 1024)
  launch.fill @scratch role(device) writes (@scratch 0 to 1024)
  // CHECK: launch.compute @k "step" role(device) card(1) reads (@x 0 to 1024, @weights 1024 to 2048) writes (@y 0 to 1024)
  launch.compute @k "step" role(device) card(1) reads (@x 0 to 1024, @weights 1024 to 2048) writes (@y 0 to 1024)
  // CHECK: launch.send 1 role(device) reads (@y 0 to 128)
  launch.send 1 role(device) reads (@y 0 to 128)
  // CHECK: launch.recv 0 role(device) card(1) writes (@y 0 to 128)
  launch.recv 0 role(device) card(1) writes (@y 0 to 128)
  // CHECK: launch.d2h @y role(device)
  launch.d2h @y role(device)
  // CHECK: launch.symbol address @x into @k::@A
  launch.symbol address @x into @k::@A
  // CHECK: launch.symbol value @ids into @k::@position
  launch.symbol value @ids into @k::@position
}
