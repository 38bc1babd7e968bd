// SPDX-License-Identifier: Apache-2.0
//
// Passes on ONNX nodes.

#ifndef SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES
#define SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def StoreFloatsAsF16Pass : Pass<"onnx-store-floats-as-f16", "mlir::func::FuncOp"> {
  let summary = "Store the f32 tensors of a model as f16";
  let description = [{
    What `--precision=f16` means for an f32 model. Arguments, results, constants
    and weights of type f32 become f16, and so do the types that nodes name (the
    `to` of a Cast, the value of a ConstantOfShape).
    Arguments and results keep what the caller sees in `spyre.host_type`.

    Constants beyond f16 are errors (E0116), except those that cannot be meant
    as numbers. These become f16's largest finite number of their sign:

    - a magnitude of 1e30 and more: the type's extreme, for an open bound;
    - -1e9 and less: what hides a key of attention, as -65504 does.

    Infinities stay. So do the f32 constants that are scales (and float zero
    points) of operators on quantized values: they multiply integers that are
    far beyond f16, and a scale of 1e-8 would be 0. Where the result of such an
    operator has the type of the scales, a Cast to f16 follows. So it is with a
    number, alone or at every position, that f16 has with fewer bits, as 0 only
    or, if positive, not at all, such as an epsilon of 1e-12 or a count: bodies
    read through the Cast. Several numbers of which only zeros would be left are
    an error (E0116).

    Before it, `fold-onnx-nodes` computes what is known in f32.

    The nodes' own arithmetic is f32 whatever the storage (see
    `convert-onnx-to-linalg`).
  }];
  let dependentDialects = ["::spyre::onnx::OnnxDialect"];
}

def MergeNodesPass : Pass<"onnx-merge-nodes", "mlir::func::FuncOp"> {
  let summary = "Make one node of several that only rename elements";
  let description = [{
    A reshape of a reshape (Reshape, Unsqueeze, Squeeze, Flatten, a Transpose
    that moves only dims of extent 1) becomes one Reshape, a Transpose of a
    Transpose one Transpose, also across a Reshape that joins dims and one that
    parts them again; what gives its source back is dropped, and so is a float
    that a Cast widens and another brings back.

    Contract in: what `fold-onnx-nodes` leaves. Only nodes that it marks as
    decoded are looked at: their types are true. Contract out: the same without
    the marks.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "::spyre::onnx::OnnxDialect"];
}

#endif // SPYRE_DIALECT_ONNX_TRANSFORMS_PASSES
