// SPDX-License-Identifier: Apache-2.0
//
// A body that depends on the position: row and column numbers on every core,
// tile and lane.
//
// RUN: rm -rf %t && %reference make %s %t
// RUN: spyre-compile %s -o %t/model.spyre --dump-phases-to=%t/phases
// RUN: spyre-run %t/model.spyre --input=x=@%t/x.npy --output=y=@%t/y.npy
// RUN: %reference check %s %t
// RUN: %check-roundtrip %t/roundtrip %t/phases/*.mlir

func.func @main(%x: tensor<77x200xf16> {spyre.name = "x"}) -> (tensor<77x200xf16> {spyre.name = "y"}) {
  %e = tensor.empty() : tensor<77x200xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<77x200xf16>) outs(%e : tensor<77x200xf16>) {
  ^bb0(%in: f16, %out: f16):
    %masked = arith.constant -4.0 : f16
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %seen = arith.cmpi sle, %column, %row : index
    %s = arith.select %seen, %in, %masked : f16
    linalg.yield %s : f16
  } -> tensor<77x200xf16>
  return %y : tensor<77x200xf16>
}
