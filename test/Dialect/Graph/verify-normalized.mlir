// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-verify-normalize --verify-diagnostics --split-input-file

// Everything that is wrong is reported, not the first op only.
func.func @unknown(%x: tensor<4x8xf16>, %n: index) -> f16 {
  // expected-error @below {{E0201 [normalize] op tensor.extract: 'tensor.extract' cannot be lowered}}
  // expected-note @below {{help:}}
  %a = tensor.extract %x[%n, %n] : tensor<4x8xf16>
  // expected-error @unknown {{E0201 [normalize] node "encoder/add": 'arith.addf' cannot be lowered}}
  // expected-note @unknown {{help:}}
  %b = arith.addf %a, %a : f16 loc("encoder/add")
  return %b : f16
}

// -----

// expected-error @below {{E0202 [normalize] op func.func: the shape of tensor<?x8xf16> is not static}}
// expected-note @below {{help: fix every dimension}}
func.func @dynamic(%x: tensor<?x8xf16>) {
  return
}

// -----

func.func @narrow(%x: tensor<8xf16>, %init: tensor<f16>) -> tensor<f16> {
  // expected-error @below {{E0203 [normalize] op linalg.generic: a reduction accumulates in a 16-bit type; required is f32}}
  // expected-note @below {{help:}}
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf16>) outs(%init : tensor<f16>) {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}

// -----

// expected-error @below {{E0204 [normalize] op func.func: element type f64 does not exist on the device}}
// expected-note @below {{help:}}
func.func @wide(%x: tensor<8xf64>) {
  return
}
