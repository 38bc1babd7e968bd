// SPDX-License-Identifier: Apache-2.0
//
// Passes on the graph: linalg, tensor, arith and math on ranked tensors, before
// anything is known of the device. Together they are the phase `normalize`.

#ifndef SPYRE_DIALECT_GRAPH_TRANSFORMS_PASSES
#define SPYRE_DIALECT_GRAPH_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeSoftmaxPass : Pass<"graph-decompose-softmax", "mlir::func::FuncOp"> {
  let summary = "Decompose linalg.softmax into reductions with f32 statistics";
  let description = [{
    Replaces `linalg.softmax` by four `linalg.generic` ops: the maximum along
    the dimension (f32), `exp(x - max)` in the storage type, the sum of the
    exponentials (f32), and the quotient.

    Upstream's decomposition is not used because it accumulates in the storage
    type: an f16 sum of 1024 exponentials loses three bits.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def GeneralizeNamedOpsPass : Pass<"graph-generalize-named-ops", "mlir::func::FuncOp"> {
  let summary = "Rewrite named linalg ops as linalg.generic";
  let description = [{
    Upstream's generalisation, except that `linalg.fill` stays (initial values
    are recognised by it) and that discardable attributes, such as forced
    choices of the planner, stay with the op.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def DropEmptyTensorsPass : Pass<"graph-drop-empty-tensors", "mlir::func::FuncOp"> {
  let summary = "Remove what works on tensors without elements";
  let description = [{
    Inserting an empty tensor changes nothing, reducing one gives the initial
    value, and whatever makes one makes `tensor.empty`.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def FlattenGathersPass : Pass<"graph-flatten-gathers", "mlir::func::FuncOp"> {
  let summary = "Gather by one list of row numbers";
  let description = [{
    A `tensor.gather` of one dim, or of the first dims, by indices of any shape
    becomes one of dim 0 by a list (N x 1) between reshapes, the only form that
    the device has; another dim is transposed to the front. Coordinates of
    several dims become row numbers of the joined dim.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def NarrowTypesPass : Pass<"graph-narrow-types", "mlir::func::FuncOp"> {
  let summary = "Use the element types of the device";
  let description = [{
    Integers of other widths than 1, 8 and 32 bits, and unsigned ones, become
    i32; f64 becomes f32. A constant that does not fit is an error (E0204),
    except the least and the largest value of a wider type, which become those
    of i32; so is a conversion that wraps in a type narrower than 32 bits.
    Arguments and results keep what the caller sees in `spyre.host_type`,
    weights in their host type: the runtime converts, with a range check.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def OutlineConstantsPass : Pass<"graph-outline-constants", "mlir::ModuleOp"> {
  let summary = "Turn dense tensor constants into weights";
  let description = [{
    A constant tensor of one value becomes a `linalg.fill`, any other a
    `stick.weight` whose bytes stand in the module's `stick.constant_bytes`.

    Contract out: `arith.constant` is scalar.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect", "::spyre::stick::StickDialect"];
}

def WidenArithmeticPass : Pass<"graph-widen-arithmetic", "mlir::func::FuncOp"> {
  let summary = "Make accumulation and elementwise arithmetic f32";
  let description = [{
    Contract in: `linalg.generic` ops on f16, bf16 or f32 tensors.

    Bodies compute in f32 whatever the storage type: 16-bit inputs are extended,
    constants are f32, and the value is rounded once, at the yield. An op with
    reduction dims accumulates into an f32 tensor that starts at the neutral
    element of its combiner; a generic that truncates follows. An initial value
    other than the neutral element is combined after the reduction.

    Contract out: no generic accumulates in a 16-bit type; every reduction
    starts from its neutral element.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Pass<"graph-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Fuse elementwise ops and fold pure data movement into consumers";
  let description = [{
    Upstream's elementwise fusion under this rule: a producer that only moves
    data (transpose, broadcast) folds into every consumer, as an indexing map;
    a producer that computes folds into a consumer other than a contraction if
    it has one use and the consumer reads each of its elements once. Inside the
    fused bodies `extf(truncf(x))` becomes `x`: a value is rounded once, where
    it is stored.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect"];
}

def VerifyNormalizedPass : Pass<"graph-verify-normalized", "mlir::func::FuncOp"> {
  let summary = "Accept only what the phase layout can take";
  let description = [{
    Alias: `--spyre-verify-normalize`. Accepts functions on static ranked
    tensors that hold `linalg.generic`, `linalg.fill`, `tensor.empty`,
    `tensor.expand_shape`, `tensor.collapse_shape`, `tensor.extract_slice`,
    `tensor.insert_slice`, `tensor.gather`, `stick.weight`, `stick.host`, scalar
    constants and `return`. Rejects, all at once: any other op (E0201), a dynamic shape
    (E0202), an accumulator of a 16-bit type (E0203), an element type that the
    device does not have (E0204).
  }];
}

#endif // SPYRE_DIALECT_GRAPH_TRANSFORMS_PASSES
