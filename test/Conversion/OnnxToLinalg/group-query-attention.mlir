// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --convert-onnx-to-linalg | FileCheck %s

// A prompt: the total length is that of the query, so positions begin at 0 and
// the past, of length 0, is dropped. Query, key and value are packed in 2 + 1 +
// 1 heads of 8.

// CHECK-LABEL: func.func @prompt
// CHECK-SAME: -> (tensor<1x3x16xf16>, tensor<1x1x3x8xf16>)
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 16] [1, 3, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 24] [1, 3, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0] [1, 3, 16] [1, 1, 1]
// CHECK-NOT: tensor.gather
// CHECK: linalg.softmax
func.func @prompt(%x: tensor<1x3x32xf16>, %pk: tensor<1x1x0x8xf16>, %pv: tensor<1x1x0x8xf16>,
                  %l: tensor<1xi32>, %cos: tensor<16x4xf16>, %sin: tensor<16x4xf16>)
    -> (!onnx.unknown, !onnx.unknown) {
  %none = onnx.none
  %total = arith.constant dense<3> : tensor<i32>
  %r:3 = onnx.node "GroupQueryAttention" domain "com.microsoft" version 1
      (%x, %none, %none, %pk, %pv, %l, %total, %cos, %sin)
      {do_rotary = 1 : i64, kv_num_heads = 1 : i64, num_heads = 2 : i64}
      : (tensor<1x3x32xf16>, none, none, tensor<1x1x0x8xf16>, tensor<1x1x0x8xf16>,
         tensor<1xi32>, tensor<i32>, tensor<16x4xf16>, tensor<16x4xf16>)
      -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %r#0, %r#1 : !onnx.unknown, !onnx.unknown
}

// One more token. Each row has its own length: the token's position (seqlens_k
// + 1 - 1) chooses the angles and the slot of the cache.

// CHECK-LABEL: func.func @decode
// CHECK: arith.constant 0 : i32
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xi32>)
// CHECK: tensor.gather %arg6
// CHECK: tensor.gather %arg7
// CHECK: tensor.insert_slice %arg3 into %{{.*}}[0, 0, 0, 0] [2, 1, 4, 8]
// CHECK: linalg.index 2
// CHECK: arith.select
func.func @decode(%q: tensor<2x1x16xf16>, %k: tensor<2x1x8xf16>, %v: tensor<2x1x8xf16>,
                  %pk: tensor<2x1x4x8xf16>, %pv: tensor<2x1x4x8xf16>,
                  %l: tensor<2xi32>, %cos: tensor<16x4xf16>, %sin: tensor<16x4xf16>)
    -> (!onnx.unknown, !onnx.unknown) {
  %total = arith.constant dense<5> : tensor<i32>
  %r:3 = onnx.node "GroupQueryAttention" domain "com.microsoft" version 1
      (%q, %k, %v, %pk, %pv, %l, %total, %cos, %sin)
      {do_rotary = 1 : i64, kv_num_heads = 1 : i64, num_heads = 2 : i64}
      : (tensor<2x1x16xf16>, tensor<2x1x8xf16>, tensor<2x1x8xf16>, tensor<2x1x4x8xf16>, tensor<2x1x4x8xf16>,
         tensor<2xi32>, tensor<i32>, tensor<16x4xf16>, tensor<16x4xf16>)
      -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %r#0, %r#1 : !onnx.unknown, !onnx.unknown
}
