// SPDX-License-Identifier: Apache-2.0
//
// Passes of the layout phase: every tensor gets a place for its dims in the
// stick, and copies where two ops want different ones.

#ifndef SPYRE_DIALECT_STICK_TRANSFORMS_PASSES
#define SPYRE_DIALECT_STICK_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def InlineCompositePass : Pass<"stick-inline-composite", "mlir::func::FuncOp"> {
  let summary = "Replace composites by their decomposition";
  let description = [{
    Contract in: `stick.composite` ops of any name.

    Moves the body of each composite to its place, innermost first, with the
    operands for the block arguments.

    Contract out: no composite is left.
  }];
}

def AssignLayoutsPass : Pass<"stick-assign-layouts", "mlir::func::FuncOp"> {
  let summary = "Give every tensor a stick layout";
  let description = [{
    Contract in: a function of one block on static ranked tensors of the
    device's element types, with `linalg.generic`, `linalg.fill`,
    `tensor.empty`, `stick.weight`, `stick.restickify`, `stick.host`, dense
    `arith.constant`, `func.return`, ops without tensors and regions, and views:
    `tensor.expand_shape`, `tensor.collapse_shape`, `tensor.extract_slice` and
    `tensor.insert_slice` (of equal rank, with static offsets, sizes and
    positive strides), and `tensor.gather` of rows (N x 1 i32 indices into dim
    0, which it drops). Tensors have no layouts; an argument that has one, and
    the result of a `stick.restickify`, keep it.

    In program order, each op chooses the iteration dim that lies in the stick
    from what its operands have already (see `stick-print-assignment` for the
    decision as data):

    - a contraction has its stick dims fixed by role: a reduced dim of the left
      operand, a free dim of the right operand and of the result. Of several
      dims of a role it takes the one that is in the stick already, else the
      last;
    - an elementwise op or a reduction takes the dim that copies the fewest
      bytes into another layout, and the last dim of the result (of a reduction:
      of its first operand) where several are equal. If that dim is reduced the
      result is sparse, one element a stick;
    - a view keeps the layout of its operand if the dims that it touches are
      outside of the stick or cut at whole sticks; otherwise the longest dim
      that it leaves alone goes into the stick. An insertion takes the layout of
      the tensor that it inserts into, else of what it inserts; insertions one
      after the other into one tensor agree on one.

    Where an operand's layout is not the one needed, one `stick.restickify` per
    (value, layout) is inserted; a weight, constant, fill or empty tensor is
    made in the layout needed instead, once per layout.

    Contract out: what `stick-verify-laid-out` accepts.
  }];
  let dependentDialects = ["::spyre::stick::StickDialect"];
}

def VerifyLaidOutPass : Pass<"stick-verify-laid-out", "mlir::func::FuncOp"> {
  let summary = "Check that every tensor has a legal stick layout";
  let description = [{
    Rejects a tensor without a layout, an op whose operands cannot be traversed
    together stick by stick, a run-time `stick.restickify` of a weight, and an
    op that the planner does not know. All errors are reported.
  }];
}

def PrintAssignmentPass : Pass<"stick-print-assignment", "mlir::func::FuncOp"> {
  let summary = "Print the layout decision of each op";
  let description = [{
    Runs the analysis of `stick-assign-layouts` and prints, for each op, its
    class, the iteration dim in the stick, why, and the layout that it needs of
    each operand. Changes nothing. Output goes to the standard output.
  }];
}

#endif // SPYRE_DIALECT_STICK_TRANSFORMS_PASSES
