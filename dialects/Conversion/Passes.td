// SPDX-License-Identifier: Apache-2.0
//
// Passes that take the IR from one level to the next.

#ifndef SPYRE_DIALECT_CONVERSION_PASSES
#define SPYRE_DIALECT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertOnnxToLinalgPass : Pass<"convert-onnx-to-linalg", "mlir::func::FuncOp"> {
  let summary = "Decode ONNX nodes into linalg on static tensors";
  let description = [{
    Contract in: a function of `onnx.node`, `onnx.none`, `arith.constant` and
    `stick.weight` ops, with arguments of static shape.

    Decodes the nodes in program order. A decoder is chosen by domain, operator
    and opset version; it builds ops on operands whose types are known, which is
    shape inference. What depends on constants alone is evaluated, up to 64 KB a
    value; reshaped, transposed, converted and sliced weights stay references.
    The graph inside of an `If` on a known condition, or of a `Loop` with a known
    trip count, is converted in place.

    All nodes that cannot be converted are reported, one error for each operator
    and reason, sorted, with their number and first names: E0110 (no lowering),
    E0113 (shapes or types do not fit), E0114 (an attribute is wrong). Nodes
    behind one of these are judged by the types that the model states of its
    values; where it states none, one warning lists them. A function marked
    `onnx.zero_dims` all of whose results are empty is E0112.

    Contract out: `linalg`, `tensor`, scalar `arith` and `math` in bodies,
    `arith.constant`, `stick.weight` and `stick.host` on static ranked tensors. Sums and
    statistics are f32; bodies compute in f32 and round once.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
                           "::spyre::onnx::OnnxDialect", "::spyre::stick::StickDialect"];
  let options = [
    Option<"maxEvaluatedBytes", "max-evaluated-bytes", "int64_t", "65536",
           "size of a constant that evaluation may make">,
    Option<"maxEvaluatedPoints", "max-evaluated-points", "int64_t", "1048576",
           "points of one operation that evaluation may compute">];
}

def FoldOnnxNodesPass : Pass<"fold-onnx-nodes", "mlir::func::FuncOp"> {
  let summary = "Fold ONNX nodes whose values decoding knows";
  let description = [{
    Converts the nodes for a trial, as `convert-onnx-to-linalg` does, and keeps
    what that says: a value that depends on constants alone becomes a constant
    or a reference to a weight, a node that passes its operand on (a Dropout, a
    Cast to the same type, a Reshape to the same shape) is replaced by it, and
    any other value gets its static type. Nodes without uses go. Nodes that
    cannot be converted stay as they are; `convert-onnx-to-linalg` reports them.

    Contract in: that of `convert-onnx-to-linalg`. Contract out: the same; nodes
    whose types are those that decoding found are marked `onnx.decoded`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
                           "::spyre::onnx::OnnxDialect", "::spyre::stick::StickDialect"];
  let options = [
    Option<"maxEvaluatedBytes", "max-evaluated-bytes", "int64_t", "65536",
           "size of a constant that evaluation may make">,
    Option<"maxEvaluatedPoints", "max-evaluated-points", "int64_t", "1048576",
           "points of one operation that evaluation may compute">];
}

def ConvertLinalgToSdscPass : Pass<"convert-linalg-to-sdsc", "mlir::func::FuncOp"> {
  let summary = "Form kernels on device buffers from laid-out linalg";
  let description = [{
    Contract in: what `stick-verify-laid-out` accepts.

    Every tensor becomes a buffer in device memory with the device shape of its
    layout: arguments and results become arguments of the function (with their
    graph type as `sdsc.tensor` and their role as `sdsc.role`), weights become
    `sdsc.weight`, other values `sdsc.alloc`. Every `linalg.generic` becomes one
    `sdsc.kernel`; an elementwise op that alone reads the result of a reduction
    or contraction, each element once, becomes the epilogue of its kernel.
    `stick.restickify`, slices and insertions become copies, a gather a copy by
    row numbers. An insertion works in place if nothing else reads the tensor
    that it inserts into. A reshape becomes a `sdsc.view` of its buffer, a
    `stick.host` a `sdsc.host`.

    Contract out: a function of `sdsc.alloc`, `sdsc.weight`, `sdsc.view`,
    `sdsc.host` and `sdsc.kernel` ops without divisions.
  }];
  let dependentDialects = ["::spyre::sdsc::SdscDialect"];
}

def ConvertSdscToLaunchPass : Pass<"convert-sdsc-to-launch", "mlir::ModuleOp"> {
  let summary = "Schedule planned kernels as a device program and launch steps";
  let description = [{
    Contract in: one function that `sdsc-verify-planned` accepts.

    Every kernel becomes a phase of a device program, every buffer in device
    memory gets an address in a segment (weights one after the other, scratch by
    offset packing over the phases in which a buffer lives), and the function
    becomes a launch plan: copy the inputs in, run the program, copy the outputs
    out, with the footprint of each step and the symbols that a launch patches.
    Host work ends a program and becomes a step between two. A program declares
    the buffers that its kernels use.

    Contract out: one `launch.plan` with an `sdsc.program` for each run of
    kernels.
  }];
  let dependentDialects = ["::spyre::sdsc::SdscDialect", "::spyre::launch::LaunchDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"spyre-32\"",
           "target description: a file or the name of a built-in target">,
    Option<"model", "model", "std::string", "\"\"",
           "name of the model in the plan; empty: the function's name">];
}

def VerifyScheduledPass : Pass<"launch-verify-scheduled", "mlir::ModuleOp"> {
  let summary = "Accept only launch plans that the plan checker proves";
  let description = [{
    Alias: `--spyre-verify-schedule`. Exports the plan of the module and runs
    the plan checker on it, as the compiler does before it writes the artifact
    and the runtime when it loads it (docs/PlanChecker.md).
  }];
  let options = [
    Option<"target", "target", "std::string", "\"spyre-32\"",
           "target description: a file or the name of a built-in target">];
}

#endif // SPYRE_DIALECT_CONVERSION_PASSES
