// SPDX-License-Identifier: Apache-2.0
//
// Operations of the launch dialect.

#ifndef SPYRE_LAUNCH_OPS
#define SPYRE_LAUNCH_OPS

include "Launch/IR/LaunchDialect.td"
include "Launch/IR/LaunchInterfaces.td"
include "Stick/IR/StickAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

class Launch_Op<string mnemonic, list<Trait> traits = []>
    : Op<Launch_Dialect, mnemonic, traits>;
class Launch_PlanPart<string mnemonic, list<Trait> traits = []>
    : Launch_Op<mnemonic, traits # [HasParent<"PlanOp">]>;

def Launch_PlanOp : Launch_Op<"plan", [IsolatedFromAbove, Symbol, SymbolTable,
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "everything that a runtime needs to run a compiled graph";
  let description = [{
    The plan is made for one target (name and hash of its description) and a
    number of cards. It holds the arguments in the order of the contract, the
    segments, the weights, the device programs, the steps in order and the
    symbols.

    ```mlir
    launch.plan @main target("spyre-32", 42) {
      launch.segment @scratch scratch size(4096)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target,
                       I64Attr:$target_hash, OptionalAttr<StrAttr>:$model,
                       OptionalAttr<StrAttr>:$producer,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$cards);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` `(` $target `,` $target_hash `)`
    (`model` `(` $model^ `)`)? (`producer` `(` $producer^ `)`)?
    (`cards` `(` $cards^ `)`)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Launch_ArgumentOp : Launch_PlanPart<"argument", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the contract of one argument";
  let description = [{
    The type has the device's element type and the layout; `host` is the element
    type of the caller's data. The values of an index tensor lie in
    [0, `bound`). An output with `alias` overwrites that input in place.

    ```mlir
    launch.argument @ids input : tensor<128xi32, #stick.layout<[d0 floordiv 32, d0 mod 32]>> host(i64) bound(50257)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Launch_RoleAttr:$role,
                       TypeAttrOf<AnyRankedTensor>:$type,
                       Launch_HostTypeAttr:$host,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$bound,
                       OptionalAttr<FlatSymbolRefAttr>:$alias);
  let assemblyFormat = [{
    $sym_name custom<Bare>($role) `:` $type `host` `(` custom<Bare>($host) `)`
    (`bound` `(` $bound^ `)`)? (`alias` `(` $alias^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType();
  }];
}

def Launch_SegmentOp : Launch_PlanPart<"segment", [Symbol]> {
  let summary = "a segment of device memory";
  let description = [{
    ```mlir
    launch.segment @weights weights size(104857600)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Launch_SegmentKindAttr:$kind,
                       I64Attr:$size);
  let assemblyFormat = [{
    $sym_name custom<Bare>($kind) `size` `(` $size `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Launch_WeightOp : Launch_PlanPart<"weight",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight's place on the device and in its file";
  let description = [{
    The device image of the type stands at `offset` of the segment. Its bytes
    are a dense row-major tensor of `length` bytes at `at` of `file`, with
    elements of type `host`; dim i of the type is dim perm[i] of the file's
    tensor. They are read when the artifact is written, never before.

    ```mlir
    launch.weight "fc1" in @weights offset(0)
        : tensor<4096x12800xf16, #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>>
        file("mlp.weights", 0, 104857600) host(f16)
    ```
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$segment,
                       I64Attr:$offset, TypeAttrOf<AnyRankedTensor>:$type,
                       Stick_WeightFile:$file, I64Attr:$at, I64Attr:$length,
                       Launch_HostTypeAttr:$host,
                       OptionalAttr<DenseI64ArrayAttr>:$perm);
  let assemblyFormat = [{
    $name `in` $segment `offset` `(` $offset `)` `:` $type
    `file` `(` $file `,` $at `,` $length `)` `host` `(` custom<Bare>($host) `)`
    (`perm` $perm^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType();
    /// Shape of the tensor in the file.
    ::llvm::SmallVector<int64_t> getStoredShape();
  }];
}

def Launch_SymbolOp : Launch_PlanPart<"symbol",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what a launch patches";
  let description = [{
    The address of an argument into a buffer of a program, or its value into a
    scalar. The order of symbols is part of the contract.

    ```mlir
    launch.symbol address @x into @program::@A
    ```
  }];
  let arguments = (ins Launch_SymbolKindAttr:$kind, FlatSymbolRefAttr:$argument,
                       SymbolRefAttr:$into);
  let assemblyFormat =
      "custom<Bare>($kind) $argument `into` $into attr-dict";
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

class Launch_Step<string mnemonic, dag target, string targetFormat,
                  string example>
    : Launch_PlanPart<mnemonic,
        [DeclareOpInterfaceMethods<Launch_StepInterface>,
         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let description = [{
    Footprints that are absent are computed at export.

    ```mlir
    }] # example # [{
    ```
  }];
  let arguments = !con(target, (ins
      OptionalAttr<StrAttr>:$name, Launch_StepRoleAttr:$role,
      DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$card,
      OptionalAttr<TypedArrayAttrBase<Launch_FootprintAttr, "footprints">>:$reads,
      OptionalAttr<TypedArrayAttrBase<Launch_FootprintAttr, "footprints">>:$writes));
  let assemblyFormat = targetFormat # [{ ($name^)? `role` `(` custom<Bare>($role) `)`
    (`card` `(` $card^ `)`)? (`reads` custom<Footprints>($reads)^)?
    (`writes` custom<Footprints>($writes)^)? attr-dict
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      return ::spyre::launch::verifyStep(*this, symbols);
    }
  }];
}

class Launch_SymbolStep<string mnemonic, string example>
    : Launch_Step<mnemonic, (ins FlatSymbolRefAttr:$target), "$target", example>;
class Launch_IndexStep<string mnemonic, string example>
    : Launch_Step<mnemonic, (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$target),
                  "$target", example>;

def Launch_H2DOp : Launch_SymbolStep<"h2d",
    "launch.h2d @x role(device) writes (@x 0 to 4096)"> {
  let summary = "copies an argument to the device";
}
def Launch_D2HOp : Launch_SymbolStep<"d2h",
    "launch.d2h @y role(device) reads (@y 0 to 4096)"> {
  let summary = "copies an argument from the device";
}
def Launch_ComputeOp : Launch_SymbolStep<"compute",
    "launch.compute @program role(device) reads (@x 0 to 4096) writes (@y 0 to 4096)"> {
  let summary = "runs a device program";
}
def Launch_FillOp : Launch_SymbolStep<"fill",
    "launch.fill @scratch role(device) writes (@scratch 0 to 4096)"> {
  let summary = "fills a region with zeros";
}
def Launch_HostWorkOp : Launch_Step<"host_work",
    (ins StrAttr:$function, DictionaryAttr:$parameters,
         TypedArrayAttrBase<Launch_HostOperandAttr, "host operands">:$inputs,
         TypedArrayAttrBase<Launch_HostOperandAttr, "host operands">:$outputs,
         StrAttr:$reason),
    [{ $function $parameters `ins` custom<HostOperands>($inputs)
       `outs` custom<HostOperands>($outputs) `reason` $reason }],
    [{launch.host_work "topk" {axis = 0, k = 100, largest = 1}
        ins (@x at 0 : tensor<500xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>)
        outs (@v at 0 : tensor<100xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>,
              @i at 0 : tensor<100xi32, #stick.layout<[d0 floordiv 32, d0 mod 32]>>)
        reason "100 rounds of selection, at most 64 run on the device"
        "top" role(device)}]> {
  let summary = "what the device cannot do: the host calls a function on tensors in device memory";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The call, but no places; an error if it does not fit the function.
    ::spyre::Expected<::spyre::launch::HostCall> readCall();
  }];
}
def Launch_SignalOp : Launch_IndexStep<"signal", "launch.signal 0 role(prep)"> {
  let summary = "signals an event";
}
def Launch_WaitOp : Launch_IndexStep<"wait", "launch.wait 0 role(device)"> {
  let summary = "waits for an event";
}
def Launch_SendOp : Launch_IndexStep<"send",
    "launch.send 1 role(device) reads (@y 0 to 4096)"> {
  let summary = "sends to another card";
}
def Launch_RecvOp : Launch_IndexStep<"recv",
    "launch.recv 1 role(device) writes (@y 0 to 4096)"> {
  let summary = "receives from another card";
}

#endif // SPYRE_LAUNCH_OPS
