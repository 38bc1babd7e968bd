// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-verify-laid-out --split-input-file --verify-diagnostics

// expected-error @+2 {{E0306 [layout] op func.func: argument 0 of type tensor<4xf32> has no layout}}
// expected-note @+1 {{help: run stick-assign-layouts}}
func.func @argument(%x: tensor<4xf32>) {
  return
}

// -----

func.func @result() {
  // expected-error @+2 {{E0306 [layout] op stick.weight: result 0 of type tensor<4xf32> has no layout}}
  // expected-note @+1 {{help:}}
  %0 = stick.weight "w" file "f" offset 0 length 16 : tensor<4xf32>
  return
}

// -----

#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#columns = #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>

func.func @weight() -> tensor<64x128xf16, #columns> {
  %0 = stick.weight "fc1" file "f" offset 0 length 16384 : tensor<64x128xf16, #rows>
  // expected-error @+2 {{E0308 [layout] op stick.restickify: the weight "fc1" would change its layout on every run}}
  // expected-note @+1 {{help:}}
  %1 = stick.restickify %0 : tensor<64x128xf16, #rows> to tensor<64x128xf16, #columns>
  return %1 : tensor<64x128xf16, #columns>
}

// -----

#rows = #stick.layout<[d0 floordiv 32, d0 mod 32]>

func.func @unknown(%x: tensor<64xf32, #rows>) -> tensor<64xf32, #rows> {
  // expected-error @+2 {{E0304 [layout] op arith.negf: 'arith.negf' has no layout rule}}
  // expected-note @+1 {{help:}}
  %0 = arith.negf %x : tensor<64xf32, #rows>
  return %0 : tensor<64xf32, #rows>
}

// -----

// The table of the compatibility predicate: x stick n and y stick m.
#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#columns = #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>
#id = affine_map<(m, n) -> (m, n)>

func.func @two_sticks(%x: tensor<4x64xf32, #rows>, %y: tensor<4x64xf32, #columns>) -> tensor<4x64xf32, #rows> {
  %e = tensor.empty() : tensor<4x64xf32, #rows>
  // expected-error @+2 {{E0307 [layout] op linalg.generic: operand 1 has d0 in its stick, operand 0 has d1}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x64xf32, #rows>, tensor<4x64xf32, #columns>) outs(%e : tensor<4x64xf32, #rows>) {
  ^bb0(%i: f32, %j: f32, %unused: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32, #rows>
  return %0 : tensor<4x64xf32, #rows>
}

// -----

// x stick n, dense [m] along it.
#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#dense = #stick.layout<[d0 floordiv 32, d0 mod 32]>
#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @dense_along(%x: tensor<4x64xf32, #rows>, %y: tensor<4xf32, #dense>) -> tensor<4x64xf32, #rows> {
  %e = tensor.empty() : tensor<4x64xf32, #rows>
  // expected-error @+2 {{operand 1 has d0 in its stick, operand 0 has d1}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x64xf32, #rows>, tensor<4xf32, #dense>) outs(%e : tensor<4x64xf32, #rows>) {
  ^bb0(%i: f32, %j: f32, %unused: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32, #rows>
  return %0 : tensor<4x64xf32, #rows>
}

// -----

// sparse [m] and dense [m].
#dense = #stick.layout<[d0 floordiv 32, d0 mod 32]>
#sparse = #stick.layout<[d0, 0 : 32], sparse>
#line = affine_map<(m) -> (m)>

func.func @sparse_dense(%x: tensor<64xf32, #dense>, %y: tensor<64xf32, #sparse>) -> tensor<64xf32, #dense> {
  %e = tensor.empty() : tensor<64xf32, #dense>
  // expected-error @+2 {{operand 1 has d0 outside its stick, operand 0 has it in its stick}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32, #dense>, tensor<64xf32, #sparse>) outs(%e : tensor<64xf32, #dense>) {
  ^bb0(%i: f32, %j: f32, %unused: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64xf32, #dense>
  return %0 : tensor<64xf32, #dense>
}

// -----

// A reduction along the stick cannot have a dense result.
#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#dense = #stick.layout<[d0 floordiv 32, d0 mod 32]>
#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>

func.func @dense_reduction(%x: tensor<4x64xf32, #rows>) -> tensor<4xf32, #dense> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32, #dense>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32, #dense>) -> tensor<4xf32, #dense>
  // expected-error @+2 {{operand 1 has d0 in its stick, operand 0 has d1}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32, #rows>) outs(%init : tensor<4xf32, #dense>) {
  ^bb0(%i: f32, %acc: f32):
    %t = arith.addf %acc, %i : f32
    linalg.yield %t : f32
  } -> tensor<4xf32, #dense>
  return %0 : tensor<4xf32, #dense>
}

// -----

// A reduction across sticks cannot have a sparse result.
#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#sparse = #stick.layout<[d0, 0 : 32], sparse>
#id = affine_map<(m, n) -> (m, n)>
#second = affine_map<(m, n) -> (n)>

func.func @sparse_reduction(%x: tensor<4x64xf32, #rows>) -> tensor<64xf32, #sparse> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32, #sparse>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32, #sparse>) -> tensor<64xf32, #sparse>
  // expected-error @+2 {{operand 1 has d1 outside its stick, operand 0 has it in its stick}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#id, #second], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x64xf32, #rows>) outs(%init : tensor<64xf32, #sparse>) {
  ^bb0(%i: f32, %acc: f32):
    %t = arith.addf %acc, %i : f32
    linalg.yield %t : f32
  } -> tensor<64xf32, #sparse>
  return %0 : tensor<64xf32, #sparse>
}

// -----

// E0305: an op without a class is no question of sticks.
#dense = #stick.layout<[d0 floordiv 32, d0 mod 32]>
#line = affine_map<(m) -> (m)>

func.func @unclassified(%x: tensor<64xf32, #dense>) -> tensor<64xf32, #dense> {
  // expected-error @+2 {{E0305 [layout] op linalg.generic: it is elementwise and reads its initial value}}
  // expected-note @+1 {{help:}}
  %0 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32, #dense>) outs(%x : tensor<64xf32, #dense>) {
  ^bb0(%i: f32, %old: f32):
    %t = arith.addf %i, %old : f32
    linalg.yield %t : f32
  } -> tensor<64xf32, #dense>
  return %0 : tensor<64xf32, #dense>
}

// -----

// What is inserted must lie as what it is inserted into.
#rows = #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>
#columns = #stick.layout<[d0 floordiv 32, d1, d0 mod 32]>

func.func @insertion(%x: tensor<32x64xf32, #columns>, %whole: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
  // expected-error @+2 {{E0307 [layout] op tensor.insert_slice: operand}}
  // expected-note @+1 {{help:}}
  %0 = tensor.insert_slice %x into %whole[0, 0] [32, 64] [1, 1] : tensor<32x64xf32, #columns> into tensor<64x64xf32, #rows>
  return %0 : tensor<64x64xf32, #rows>
}
