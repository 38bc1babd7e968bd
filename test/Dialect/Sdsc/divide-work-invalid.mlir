// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-layout --convert-linalg-to-sdsc --sdsc-divide-work --verify-diagnostics --split-input-file

#id = affine_map<(m, n) -> (m, n)>

func.func @unknown_choice(%x: tensor<4x300xf16>) -> tensor<4x300xf16> {
  %e = tensor.empty() : tensor<4x300xf16>
  // expected-error @below {{E0451 [plan] op sdsc.kernel: the forced choice 'colour' is not known}}
  // expected-note @below {{help: use slices, tiles}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>) attrs = {sdsc.force = {colour = 1 : i32}} {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

func.func @placement_type(%x: tensor<4x300xf16>) -> tensor<4x300xf16> {
  %e = tensor.empty() : tensor<4x300xf16>
  // expected-error @below {{E0451 [plan] op sdsc.kernel: the forced choice 'placement' is not known or of a wrong type}}
  // expected-note @below {{help: use slices, tiles}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x300xf16>) outs(%e : tensor<4x300xf16>) attrs = {sdsc.force = {placement = "lx"}} {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x300xf16>
  return %y : tensor<4x300xf16>
}
