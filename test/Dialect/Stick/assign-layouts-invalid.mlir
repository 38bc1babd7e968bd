// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --split-input-file --verify-diagnostics

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

// All unknown ops are reported, not the first only.
func.func @concat(%x: tensor<6x64xf16>) -> tensor<12x64xf16> {
  // expected-error @+2 {{E0304 [layout] op tensor.concat: 'tensor.concat' has no layout rule}}
  // expected-note @+1 {{help: express the op as linalg.generic}}
  %0 = tensor.concat dim(0) %x, %x : (tensor<6x64xf16>, tensor<6x64xf16>) -> tensor<12x64xf16>
  // expected-error @+2 {{'tensor.concat' has no layout rule}}
  // expected-note @+1 {{help:}}
  %1 = tensor.concat dim(0) %x, %x : (tensor<6x64xf16>, tensor<6x64xf16>) -> tensor<12x64xf16>
  return %1 : tensor<12x64xf16>
}

// -----

func.func @slice(%x: tensor<6x64xf16>) -> tensor<32xf16> {
  // expected-error @+2 {{'tensor.extract_slice' has no layout rule in this form: it must keep the rank and have static offsets, sizes and positive strides}}
  // expected-note @+1 {{help:}}
  %0 = tensor.extract_slice %x[0, 32] [1, 32] [1, 1] : tensor<6x64xf16> to tensor<32xf16>
  return %0 : tensor<32xf16>
}

// -----

func.func @gather(%x: tensor<6x64xf16>, %i: tensor<4x2xi32>) -> tensor<4xf16> {
  // expected-error @+2 {{'tensor.gather' has no layout rule in this form: its indices must be N x 1 i32 into dim 0, which it drops}}
  // expected-note @+1 {{help:}}
  %0 = tensor.gather %x[%i] gather_dims([0, 1]) : (tensor<6x64xf16>, tensor<4x2xi32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @named(%x: tensor<6x64xf16>, %i: tensor<64x6xf16>) -> tensor<64x6xf16> {
  // expected-error @+2 {{'linalg.transpose' is a named op; generalize it}}
  // expected-note @+1 {{help:}}
  %0 = linalg.transpose ins(%x : tensor<6x64xf16>) outs(%i : tensor<64x6xf16>) permutation = [1, 0]
  return %0 : tensor<64x6xf16>
}

// -----

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{run stick-inline-composite first}}
  // expected-note @+1 {{help:}}
  %0 = stick.composite "c" {} (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    stick.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'arith.negf' has no layout rule}}
  // expected-note @+1 {{help:}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+2 {{E0303 [layout] op func.func: the tensor type tensor<?xf32> has dynamic extents}}
// expected-note @+1 {{help: fix every dimension}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+2 {{E0302 [layout] op func.func: element type f64 of tensor<4xf64> does not exist on the device}}
// expected-note @+1 {{help:}}
func.func @wide(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @not_neutral(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{E0305 [layout] op linalg.generic: its initial value 1.000000e+00 : f32 is not the neutral element of addf}}
  // expected-note @+1 {{help: run the normalize phase first}}
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%i: f32, %acc: f32):
    %t = arith.addf %acc, %i : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @not_a_fill(%x: tensor<4x64xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{its initial value is not a fill with a constant}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%i: f32, %acc: f32):
    %t = arith.addf %acc, %i : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @narrow(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  // expected-error @+2 {{it accumulates in f16, only f32 and i32 are supported}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%i: f16, %acc: f16):
    %t = arith.addf %acc, %i : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @no_combiner(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{its body does not combine the accumulator}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%i: f32, %acc: f32):
    %t = arith.subf %acc, %i : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

func.func @reads_init(%x: tensor<4x64xf32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+2 {{it is elementwise and reads its initial value}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4x64xf32>) {
  ^bb0(%i: f32, %old: f32):
    %t = arith.addf %old, %i : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#window = affine_map<(m, n) -> (m + n)>

func.func @window(%x: tensor<67xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-error @+2 {{operand 0 is indexed by (d0, d1) -> (d0 + d1); only iteration dims with a stride and an offset, windows over a reduced dim, and 0 for an extent of 1 are supported}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#window, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<67xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%i: f32, %old: f32):
    linalg.yield %i : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

#diagonal = affine_map<(m) -> (m, m)>
#line = affine_map<(m) -> (m)>

func.func @diagonal(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-error @+2 {{operand 0 reads d0 twice}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#diagonal, #line], iterator_types = ["parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %old: f32):
    linalg.yield %i : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @resource() -> tensor<4xf32> {
  // expected-error @+2 {{only dense constants can be laid out}}
  // expected-note @+1 {{help:}}
  %0 = arith.constant dense_resource<unknown> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @region(%n: index) {
  // expected-error @+2 {{'scf.for' has no layout rule}}
  // expected-note @+1 {{help:}}
  scf.for %i = %n to %n step %n {
    %0 = tensor.empty() : tensor<4xf32>
  }
  return
}

// -----

// expected-error @+2 {{E0304 [layout] op func.func: the function has control flow between blocks}}
// expected-note @+1 {{help:}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^unreachable:
  return %x : tensor<4xf32>
}
