// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-layout --convert-linalg-to-sdsc --verify-diagnostics

#id = affine_map<(m) -> (m)>
func.func @branch(%x: tensor<100xf16>) -> tensor<100xf16> {
  %e = tensor.empty() : tensor<100xf16>
  // expected-error @below {{E0450 [plan] op linalg.generic: its body contains 'scf.if', which a kernel cannot hold}}
  // expected-note @below {{help:}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100xf16>) outs(%e : tensor<100xf16>) {
  ^bb0(%in: f16, %out: f16):
    %zero = arith.constant 0.0 : f16
    %positive = arith.cmpf ogt, %in, %zero : f16
    %f = scf.if %positive -> f16 {
      scf.yield %in : f16
    } else {
      scf.yield %zero : f16
    }
    linalg.yield %f : f16
  } -> tensor<100xf16>
  return %y : tensor<100xf16>
}
