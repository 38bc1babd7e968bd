// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --stick-assign-layouts --stick-verify-laid-out --canonicalize --stick-verify-laid-out | FileCheck %s

// COLS: last dim in the stick. ROWS: first dim in the stick.

#id = affine_map<(m, n) -> (m, n)>
#first = affine_map<(m, n) -> (m)>
#second = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m, 0)>
#swap = affine_map<(m, n) -> (n, m)>
#scalar = affine_map<(m, n) -> ()>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A matmul needs K in the stick of A, N in those of B and C: with default
// layouts of [m, k], [k, n] nothing is copied. The epilogue keeps its layout and
// is 64 wide instead of 32.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<512x4096xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>)
// CHECK-SAME: -> tensor<512x1024xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK-NOT: stick.restickify
// CHECK: stick.weight "w" {{.*}} : tensor<4096x1024xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK: linalg.fill {{.*}} -> tensor<512x1024xf32, #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>>
// CHECK-NOT: stick.restickify
// CHECK: return
func.func @matmul(%x: tensor<512x4096xf16>) -> tensor<512x1024xf16> {
  %w = stick.weight "w" file "f" offset 0 length 8388608 : tensor<4096x1024xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<512x4096xf16>, tensor<4096x1024xf16>) outs(%init : tensor<512x1024xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %ie, %je : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<512x1024xf32>
  %out = tensor.empty() : tensor<512x1024xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<512x1024xf32>) outs(%out : tensor<512x1024xf16>) {
  ^bb0(%i: f32, %unused: f16):
    %t = arith.truncf %i : f32 to f16
    linalg.yield %t : f16
  } -> tensor<512x1024xf16>
  return %y : tensor<512x1024xf16>
}

// A weight read transposed is laid out for the matmul, [n, k] with n in the
// stick; the second reader of the same weight wants the other layout, so there
// are two references and no copy.
// CHECK-LABEL: func.func @transposed_weight(
// CHECK-NOT: stick.restickify
// CHECK-DAG: stick.weight "w" {{.*}} : tensor<384x512xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-DAG: stick.weight "w" {{.*}} : tensor<384x512xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK-NOT: stick.restickify
// CHECK: return
func.func @transposed_weight(%x: tensor<256x512xf16>, %r: tensor<384x512xf16>)
    -> (tensor<256x384xf32>, tensor<384x512xf16>) {
  %w = stick.weight "w" file "f" offset 0 length 393216 : tensor<384x512xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  %p = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<256x512xf16>, tensor<384x512xf16>) outs(%init : tensor<256x384xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %ie, %je : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<256x384xf32>
  %e = tensor.empty() : tensor<384x512xf16>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %r : tensor<384x512xf16>, tensor<384x512xf16>) outs(%e : tensor<384x512xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %s = arith.addf %i, %j : f16
    linalg.yield %s : f16
  } -> tensor<384x512xf16>
  return %p, %y : tensor<256x384xf32>, tensor<384x512xf16>
}

// Activations on both sides, B transposed: B [n, k] has k in its stick and must
// get n there. One copy, which the second product shares.
// CHECK-LABEL: func.func @shared_copy(
// CHECK-SAME: %{{.*}}: tensor<256x512xf16, {{.*}}>, %[[B:.*]]: tensor<384x512xf16
// CHECK: %[[COPY:.*]] = stick.restickify %[[B]] : {{.*}} to tensor<384x512xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-NOT: stick.restickify
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[COPY]] :
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[COPY]] :
func.func @shared_copy(%x: tensor<256x512xf16>, %b: tensor<384x512xf16>)
    -> (tensor<256x384xf32>, tensor<256x384xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  %p = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<256x512xf16>, tensor<384x512xf16>) outs(%init : tensor<256x384xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %ie, %je : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<256x384xf32>
  %q = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<256x512xf16>, tensor<384x512xf16>) outs(%init : tensor<256x384xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %je, %ie : f32
    %sum = arith.addf %product, %acc : f32
    linalg.yield %sum : f32
  } -> tensor<256x384xf32>
  return %p, %q : tensor<256x384xf32>, tensor<256x384xf32>
}

// A vector times a matrix on the right: operand 0 has the dim that only the
// result shares, so it is the B of the product (needs m in the stick), and the
// vector is A.
// CHECK-LABEL: func.func @swapped_roles(
// CHECK-SAME: %[[M:.*]]: tensor<384x512xf16
// CHECK: stick.restickify %[[M]] : {{.*}} to tensor<384x512xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
// CHECK-NOT: stick.restickify
// CHECK: return {{.*}} : tensor<384xf32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>
func.func @swapped_roles(%a: tensor<384x512xf16>, %v: tensor<512xf16>) -> tensor<384xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<384xf32>) -> tensor<384xf32>
  %p = linalg.generic {indexing_maps = [#id, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%a, %v : tensor<384x512xf16>, tensor<512xf16>) outs(%init : tensor<384xf32>) {
  ^bb0(%i: f16, %j: f16, %acc: f32):
    %ie = arith.extf %i : f16 to f32
    %je = arith.extf %j : f16 to f32
    %product = arith.mulf %ie, %je : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<384xf32>
  return %p : tensor<384xf32>
}

// The host takes an operand as it lies, here by columns, and a weight in the
// default layout; what it gives has the default layout.
// CHECK-LABEL: func.func @host(
// CHECK: stick.host {{.*}}(%arg0) {{.*}} : (tensor<90x80xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>) -> (tensor<90x70xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>, tensor<90x70xi32, #stick.layout<[d1 floordiv 32, d0, d1 mod 32]>>)
// CHECK: %[[W:.*]] = stick.weight {{.*}} : tensor<90x80xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
// CHECK: stick.host {{.*}}(%[[W]])
func.func @host(%x: tensor<90x80xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>) -> (tensor<90x70xf16>, tensor<90x70xi32>, tensor<90x70xf16>) {
  %w = stick.weight "w" file "f" offset 0 length 14400 : tensor<90x80xf16>
  %v, %i = stick.host "topk" {axis = 1, k = 70, largest = 1} (%x) reason "r" : (tensor<90x80xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>) -> (tensor<90x70xf16>, tensor<90x70xi32>)
  %vw, %iw = stick.host "topk" {axis = 1, k = 70, largest = 1} (%w) reason "r" : (tensor<90x80xf16>) -> (tensor<90x70xf16>, tensor<90x70xi32>)
  return %v, %i, %vw : tensor<90x70xf16>, tensor<90x70xi32>, tensor<90x70xf16>
}
