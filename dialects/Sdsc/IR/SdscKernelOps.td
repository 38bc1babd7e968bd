// SPDX-License-Identifier: Apache-2.0
//
// The kernel level of the sdsc dialect: tensors in device memory or LX and the
// kernels that work on them. A kernel is an iteration space, the device
// coordinates of every operand as affine maps over it, a scalar body, and the
// decision of the planner (work slices, tiles, loop order, LX addresses).

#ifndef SPYRE_DIALECT_SDSC_IR_KERNELOPS
#define SPYRE_DIALECT_SDSC_IR_KERNELOPS

include "Sdsc/IR/SdscAttrs.td"
include "Stick/IR/StickAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdsc_KernelKindAttr
    : Sdsc_EnumAttr<"KernelKind", "kernel_kind", "::spyre::cost::KernelKind">;

def Sdsc_DivisionAttr : Sdsc_Attr<"Division", "division"> {
  let summary = "work division, tiles and loop order of a kernel";
  let description = [{
    One entry per iteration dim in `slices` (work slices over the cores; their
    product is the number of cores that work) and `tiles` (elements per tile, at
    most the largest slice). `order` lists the dims from the outermost loop to
    the innermost. `cores` lists the dims in the order of the core id, slowest
    first: core ids are row-major over the slices in that order. `buffers` is
    the number of slots of every staged operand: 2 is double buffering.

    ```mlir
    #sdsc.division<slices = [4, 8, 1], tiles = [128, 832, 128],
                   order = [0, 1, 2], cores = [0, 1, 2], buffers = 2>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$slices,
    OptionalArrayRefParameter<"int64_t">:$tiles,
    OptionalArrayRefParameter<"int32_t">:$order,
    OptionalArrayRefParameter<"int32_t">:$cores,
    "int32_t":$buffers);
  let assemblyFormat = [{
    `<` `slices` `=` `[` (`]`) : ($slices^ `]`)? `,`
    `tiles` `=` `[` (`]`) : ($tiles^ `]`)? `,`
    `order` `=` `[` (`]`) : ($order^ `]`)? `,`
    `cores` `=` `[` (`]`) : ($cores^ `]`)? `,`
    `buffers` `=` $buffers `>`
  }];
}

def Sdsc_AllocOp : Sdsc_Op<"alloc", []> {
  let summary = "an intermediate tensor in device memory or LX";
  let description = [{
    Declares the buffer of an intermediate value. `tensor` is its graph type
    with the stick layout; the result has the device shape of that layout (for
    LX: the shape of the largest slice of a core) and the memory space. A buffer
    in DDR carries the reason why it could not stay in LX.

    ```mlir
    %t = sdsc.alloc tensor<512x12800xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
        reason "larger than the budget: 409600 bytes needed, 131072 available"
        : memref<200x512x64xf16, #sdsc.space<ddr>>
    ```
  }];
  let arguments = (ins TypeAttr:$tensor, OptionalAttr<StrAttr>:$reason,
                       OptionalAttr<I64Attr>:$address);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    $tensor (`reason` $reason^)? (`address` $address^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdsc_WeightOp : Sdsc_Op<"weight", [Pure]> {
  let summary = "a weight in device memory, by reference";
  let description = [{
    The device image of a weight reference (see `stick.weight`): `length` bytes
    at `offset` of `file`, a dense row-major host tensor with elements of
    `host_type` (if it differs), transposed by `perm`, laid out as `tensor` says. The
    bytes are read when the artifact is written, never before.
  }];
  let arguments = (ins StrAttr:$name, Stick_WeightFile:$file,
                       I64Attr:$offset, I64Attr:$length, TypeAttr:$tensor,
                       OptionalAttr<TypeAttr>:$host_type,
                       OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $name `file` $file `offset` $offset `length` $length
    (`as` $host_type^)? (`perm` $perm^)? `of` $tensor attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdsc_ViewOp : Sdsc_Op<"view", [Pure]> {
  let summary = "the same sticks under another device shape";
  let description = [{
    Renames the sticks of a buffer in device memory: as many sticks, in the same
    order, under the device shape of `tensor`'s layout. It costs nothing.

    ```mlir
    %v = sdsc.view %b of tensor<2x16x4x32xf16, #stick.layout<[d1 floordiv 64, d0, d2, d3, d1 mod 64]>>
        : memref<1x2x128x64xf16, #sdsc.space<ddr>> to memref<1x2x4x32x64xf16, #sdsc.space<ddr>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, TypeAttr:$tensor);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `of` $tensor attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Sdsc_PositionOp : Sdsc_Op<"position", [Pure, HasParent<"KernelOp">]> {
  let summary = "where in the iteration space a scalar is computed";
  let description = [{
    The value of iteration dim `dim`, in the body or epilogue of a kernel.

    ```mlir
    %0 = sdsc.position 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
}

def Sdsc_KernelOp : Sdsc_Op<"kernel", [AttrSizedOperandSegments]> {
  let summary = "one kernel: iteration space, operands, body, division";
  let description = [{
    `extents` is the iteration space; the dims listed in `reductions` are
    reduced. `coords` holds one affine map per operand (inputs, epilogue inputs,
    outputs): from iteration dims to device coordinates, each result being
    `dim * S + window * T + O` (a window is a reduced dim, the taps of a
    convolution; S, T are 1 and O is 0 in most), `dim floordiv E + O`,
    `dim mod E` or 0. `stick` is the iteration
    dim in the stick of the body (-1 if none).

    Kinds:
    - `map`: the body's region maps the scalars of the inputs to those of the
      outputs.
    - `reduce`: the body yields one value, combined (`combine`) over the
      reduction dims in f32 or i32; the epilogue maps it (and the epilogue
      inputs) to the outputs.
    - `contract`: inputs A and B; the sum of products over the reduction dims in
      f32; the epilogue as above; the body is empty.
    - `restickify`: copies the input into another layout; no regions.
    - `gather`: rows of a table (first input) that an i32 index (second input)
      picks; dim 0 runs over the index; no regions.

    `division` and `lx` (LX addresses of the staged inputs, epilogue inputs,
    outputs, then the accumulator; -1 where nothing is staged) are set by the
    planner. `force` holds choices that the user forced.

    ```mlir
    sdsc.kernel contract "fc1" ins(%x, %w : memref<...>, memref<...>)
        outs(%t : memref<...>) extents [512, 12800, 4096] reductions [2] stick 1
        coords [affine_map<(d0, d1, d2) -> (d2 floordiv 64, d0, d2 mod 64)>, ...]
        body {} epilogue { ^bb0(%acc: f32): ... sdsc.kernel_yield %r : f16 }
    ```
  }];
  let arguments = (ins
    Sdsc_KernelKindAttr:$kind, StrAttr:$name,
    Arg<Variadic<AnyMemRef>, "read by the body", [MemRead]>:$inputs,
    Arg<Variadic<AnyMemRef>, "read by the epilogue", [MemRead]>:$epilogue_inputs,
    Arg<Variadic<AnyMemRef>, "written", [MemWrite]>:$outputs,
    DenseI64ArrayAttr:$extents, DenseI32ArrayAttr:$reductions, I32Attr:$stick,
    AffineMapArrayAttr:$coords,
    OptionalAttr<Sdsc_CombineAttr>:$combine,
    OptionalAttr<Sdsc_DivisionAttr>:$division,
    OptionalAttr<DenseI64ArrayAttr>:$lx,
    OptionalAttr<DictionaryAttr>:$force);
  let regions = (region AnyRegion:$body, AnyRegion:$epilogue);
  let assemblyFormat = [{
    `` $kind $name (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`epilogue_ins` `(` $epilogue_inputs^ `:` type($epilogue_inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    `extents` $extents `reductions` $reductions `stick` $stick
    `coords` $coords
    (`combine` `` $combine^)? (`division` $division^)? (`lx` $lx^)?
    (`force` $force^)? attr-dict
    (`body` $body^)? (`epilogue` $epilogue^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// All operands in the order of `coords`.
    ::llvm::SmallVector<::mlir::Value> getAllOperands();
    bool isReduction(int32_t dim);
    /// The planner's view of this kernel. `lxBudgetBytes` is what it may use.
    ::spyre::cost::KernelProblem getProblem(int64_t lxBudgetBytes);
    /// The decision as plain data; only valid if `division` is set.
    ::spyre::cost::KernelPlan getPlan();
    /// The same as an attribute.
    static DivisionAttr toAttr(::mlir::MLIRContext *context,
                               const ::spyre::cost::KernelPlan &plan);
  }];
}

def Sdsc_HostOp : Sdsc_Op<"host", [AttrSizedOperandSegments]> {
  let summary = "what the host does for the device, between kernels";
  let description = [{
    A `stick.host` on buffers in device memory: kernels before and after it are
    of different device programs, so that nothing in LX outlives it.

    ```mlir
    sdsc.host "topk" {axis = 1, k = 100, largest = 1} named "top"
        ins(%x : memref<...>) outs(%v, %i : memref<...>, memref<...>)
        reason "100 rounds of selection, at most 64 run on the device"
    ```
  }];
  let arguments = (ins
    StrAttr:$function, DictionaryAttr:$parameters, StrAttr:$name,
    Arg<Variadic<AnyMemRef>, "read by the host", [MemRead]>:$inputs,
    Arg<Variadic<AnyMemRef>, "written by the host", [MemWrite]>:$outputs,
    StrAttr:$reason);
  let assemblyFormat = [{
    $function $parameters `named` $name `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` `reason` $reason attr-dict
  }];
  let hasVerifier = 1;
}

def Sdsc_KernelYieldOp : Sdsc_Op<"kernel_yield", [Pure, Terminator, ParentOneOf<["KernelOp"]>]> {
  let summary = "the values of a kernel's body or epilogue";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // SPYRE_DIALECT_SDSC_IR_KERNELOPS
