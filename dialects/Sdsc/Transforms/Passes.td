// SPDX-License-Identifier: Apache-2.0
//
// Passes of the phase plan, on kernels: work division, placement of tensors,
// addresses in the scratchpad.

#ifndef SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES
#define SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string", "\"spyre-32\"",
                            "target description: a file or the name of a built-in target">;

def DivideWorkPass : Pass<"sdsc-divide-work", "mlir::func::FuncOp"> {
  let summary = "Choose work slices, tiles and loop order of every kernel";
  let description = [{
    Contract in: kernels without divisions.

    For each kernel in program order the planner enumerates divisions over the
    cores, tiles and loop orders within a step budget and takes the one of least
    predicted time that fits the scratchpad (see `spyre/Cost/KernelPlan.h`). The
    attribute `sdsc.force` of an op (a dictionary with `slices`, `tiles`,
    `loop_order`, `core_order`, `buffers`, `max_cores`, and `placement`, which
    `sdsc-place-tensors` reads) fixes choices; what it fixes is verified like
    any other choice. An elementwise or reduction kernel takes over the slices
    of the kernel that produces its largest input if that costs at most a tenth
    more: then the tensor between can stay in the scratchpad.

    Contract out: every kernel has a `division`.
  }];
  let dependentDialects = ["::spyre::sdsc::SdscDialect"];
  let options = [
    TargetOption,
    Option<"maxCores", "max-cores", "int64_t", "0",
           "use at most this many cores; 0: all of the target">,
    Option<"buffers", "buffers", "int64_t", "0",
           "slots of every staged operand; 0: chosen by the planner">];
}

def PlaceTensorsPass : Pass<"sdsc-place-tensors", "mlir::func::FuncOp"> {
  let summary = "Keep intermediate tensors in the scratchpad where they can stay";
  let description = [{
    Contract in: divided kernels, every `sdsc.alloc` in device memory.

    An intermediate tensor stays in the scratchpads if every kernel that reads
    it has the same slice of it on the same core as the kernel that wrote it, if
    there is no host work between them or on it, and if the slices fit beside the working sets of all kernels while it lives.
    The forced choice `placement = #sdsc.space<lx>` (or `ddr`) of the kernel that
    writes the tensor decides for it; where it cannot be had, that is an error
    (E0403).
    Candidates are taken by saved traffic per byte and lifetime. Any other
    tensor stays in device memory and its `sdsc.alloc` says why.

    Contract out: every `sdsc.alloc` is in LX or carries a reason.
  }];
  let dependentDialects = ["::spyre::sdsc::SdscDialect"];
  let options = [
    TargetOption,
    Option<"residency", "residency", "bool", "true",
           "false: keep every tensor in device memory">];
}

def AllocateScratchpadPass : Pass<"sdsc-allocate-scratchpad", "mlir::func::FuncOp"> {
  let summary = "Give every scratchpad buffer an address";
  let description = [{
    Contract in: placed tensors and divided kernels.

    Staging buffers and accumulators live during their kernel, tensors in LX from
    the kernel that writes them to the last that reads them. Offset packing gives
    each an address, the same on every core, within the planner's budget.

    Contract out: every kernel has `lx`, every `sdsc.alloc` in LX an address.
  }];
  let dependentDialects = ["::spyre::sdsc::SdscDialect"];
  let options = [TargetOption];
}

def VerifyPlannedPass : Pass<"sdsc-verify-planned", "mlir::func::FuncOp"> {
  let summary = "Accept only complete and legal plans";
  let description = [{
    Alias: `--spyre-verify-plan`. Rejects a kernel without division or LX
    addresses (E0452), a division that breaks a rule of the machine (see
    `cost::verifyPlan`), LX buffers that overlap while they live or leave the
    planner's budget or are used before and after host work, host work that does
    not fit its function, and a tensor in device memory without a reason.
  }];
  let options = [TargetOption];
}

#endif // SPYRE_DIALECT_SDSC_TRANSFORMS_PASSES
