// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One broken rule of the layout attribute each.

// expected-error @+1 {{E0300 [layout] layout <d1 floordiv 64, d1 mod 64>: host dim d0 is missing}}
func.func private @missing(tensor<4x64xf16, #stick.layout<[d1 floordiv 64, d1 mod 64]>>)

// -----

// expected-error @+1 {{host dim d0 appears more than once}}
func.func private @twice(tensor<4x64xf16, #stick.layout<[d0, d0, d1 floordiv 64, d1 mod 64]>>)

// -----

// expected-error @+1 {{host dim d2 does not exist in a tensor of rank 2}}
func.func private @rank(tensor<4x64xf16, #stick.layout<[d0, d2, d1 floordiv 64, d1 mod 64]>>)

// -----

// expected-error @+1 {{host dim d0 has floordiv 32 but mod 64}}
func.func private @pair(tensor<64xf16, #stick.layout<[d0 floordiv 32, d0 mod 64]>>)

// -----

// expected-error @+1 {{host dim d0 has a mod without its floordiv}}
func.func private @half(tensor<64xf16, #stick.layout<[d0 mod 64]>>)

// -----

// E depends on the element type: 32 elements of f32, 64 of f16.
// expected-error @+1 {{the stick holds 64 elements; a stick of f32 holds 32}}
func.func private @width(tensor<64xf32, #stick.layout<[d0 floordiv 64, d0 mod 64]>>)

// -----

// expected-error @+1 {{the stick dim d1 mod 64 is not at the end}}
func.func private @order(tensor<4x64xf16, #stick.layout<[d1 floordiv 64, d1 mod 64, d0]>>)

// -----

// expected-error @+1 {{is sparse but has a host dim in the stick}}
func.func private @sparse(tensor<64xf16, #stick.layout<[d0 floordiv 64, d0 mod 64], sparse>>)

// -----

// expected-error @+1 {{has no host dim in the stick and is not sparse}}
func.func private @dense(tensor<64xf16, #stick.layout<[d0, 0 : 64]>>)

// -----

// expected-error @+1 {{the arrangement orders 32 elements, the stick holds 64}}
func.func private @arrangement(tensor<64xf16, #stick.layout<[d0 floordiv 64, d0 mod 64], arrangement [32 : 1]>>)

// -----

// expected-error @+1 {{E0302 [layout] element type 'f64' does not exist on the device}}
func.func private @type(tensor<64xf64, #stick.layout<[d0 floordiv 16, d0 mod 16]>>)

// -----

// expected-error @+1 {{a factor is 0, at least 1 is required}}
func.func private @zero(tensor<64xf16, #stick.layout<[d0 floordiv 0, d0 mod 0]>>)

// -----

// expected-error @+1 {{expected a host dim such as d0, or 0 : n}}
func.func private @name(tensor<64xf16, #stick.layout<[x0, d0 mod 64]>>)

// -----

// expected-error @+1 {{a constant device dim is 0, not 1}}
func.func private @constant(tensor<64xf16, #stick.layout<[1 : 64]>>)
