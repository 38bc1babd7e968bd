// SPDX-License-Identifier: Apache-2.0
//
// The ops of the stick dialect.

#ifndef SPYRE_DIALECT_STICK_IR_STICKOPS
#define SPYRE_DIALECT_STICK_IR_STICKOPS

include "Stick/IR/StickAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stick_WeightOp : Stick_Op<"weight", [Pure]> {
  let summary = "a constant of the model, by reference";
  let description = [{
    A tensor whose bytes stand in a file: a dense, row-major, little-endian host
    tensor of `length` bytes at `offset`. The bytes are read once, when the
    artifact is written, and never enter the IR. Small constants have none: the
    file "" is the module's attribute `stick.constant_bytes`. A quantized weight
    names a `#stick.dequantized` in the place of a file.

    What happens to the tensor on its way to the device is part of the op, as
    lazy views applied in this order: `as T` says that the file's elements have
    another type than the result and are converted; `perm` transposes, dim i of
    the result being dim perm[i] of the file's tensor; the layout of the result
    type lays it out. So a weight is never rearranged at run time.

    ```mlir
    %w = stick.weight "fc1" file "mlp.weights" offset 0 length 104857600
           : tensor<4096x12800xf16>
    %t = stick.weight "fc2" file "mlp.weights" offset 104857600 length 209715200
           as f32 perm [1, 0]
           : tensor<12800x4096xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
    ```
  }];
  let arguments = (ins StrAttr:$name, Stick_WeightFile:$file, I64Attr:$offset,
                       I64Attr:$length, OptionalAttr<TypeAttr>:$host_type,
                       OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $name `file` $file `offset` $offset `length` $length (`as` $host_type^)?
    (`perm` $perm^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Type of the elements in the file.
    ::mlir::Type getStoredElementType();
    /// Shape of the tensor in the file (before `perm`).
    ::llvm::SmallVector<int64_t> getStoredShape();
    /// The permutation, the identity if there is none.
    ::llvm::SmallVector<int64_t> getPermutation();
  }];
}

def Stick_RestickifyOp : Stick_Op<"restickify", [Pure]> {
  let summary = "copy a tensor into another layout";
  let description = [{
    The same tensor in another layout: other dims in the stick, another order of
    the other dims, or one element a stick (sparse) instead of a full one. It
    costs a pass over the tensor at run time, so `stick-assign-layouts` places
    as few bytes of it as its decision allows, and never one of a weight.

    ```mlir
    %1 = stick.restickify %0
           : tensor<64x128xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
           to tensor<64x128xf16, #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>>
    ```

    Folds: of a restickify reads the first tensor, back to the layout of the
    first tensor is that tensor, and of a weight is the weight in that layout.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Stick_CompositeOp : Stick_Op<"composite", [IsolatedFromAbove,
    SingleBlock, RecursiveMemoryEffects]> {
  let summary = "an operation with its decomposition";
  let description = [{
    An operation that a pass may plan as a whole if it knows the name. The
    region holds what it means, in linalg, on block arguments that stand for the
    operands; any pass that does not know the name inlines it
    (`stick-inline-composite`).

    ```mlir
    %r = stick.composite "silu" {} (%x)
        : (tensor<64x128xf32>) -> tensor<64x128xf32> {
    ^bb0(%a: tensor<64x128xf32>):
      %i = tensor.empty() : tensor<64x128xf32>
      %s = linalg.generic {...} ins(%a : ...) outs(%i : ...) {...}
      stick.yield %s : tensor<64x128xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, DictionaryAttr:$parameters,
                       Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name $parameters `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
}

def Stick_YieldOp : Stick_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"CompositeOp">]> {
  let summary = "results of a composite";
  let description = [{
    Ends the region of a `stick.composite` with its results.

    ```mlir
    stick.yield %r : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def Stick_HostOp : Stick_Op<"host", [Pure]> {
  let summary = "what the host does for the device";
  let description = [{
    A call of a host function on whole tensors. The device cannot do it, or not
    sensibly; `reason` says why, and every report repeats it. The runtime copies
    the operands out of device memory, runs the function and copies the results
    in, between the kernels before and after.

    `parameters` are integers, one for each attribute of the function
    (`spyre/LaunchPlan/HostFunction.h`); the README lists the functions. The
    verifier checks them, and shapes and types of operands and results.

    ```mlir
    %v, %i = stick.host "topk" {axis = 1, k = 100, largest = 1} (%x)
        reason "100 rounds of selection, at most 64 run on the device"
        : (tensor<8x500xf16>) -> (tensor<8x100xf16>, tensor<8x100xi32>)
    ```
  }];
  let arguments = (ins StrAttr:$function, DictionaryAttr:$parameters,
                       Variadic<AnyStaticShapeTensor>:$inputs,
                       StrAttr:$reason);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $function $parameters `(` $inputs `)` `reason` $reason attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The call as plain data; an error if it does not fit the function.
    ::spyre::Expected<::spyre::launch::HostCall> readCall();
  }];
}

#endif // SPYRE_DIALECT_STICK_IR_STICKOPS
