// SPDX-License-Identifier: Apache-2.0
//
// The frame of a device program: tables, scalars, buffers, phases, units.

#ifndef SPYRE_SDSC_PROGRAM_OPS
#define SPYRE_SDSC_PROGRAM_OPS

include "Sdsc/IR/SdscAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdsc_FrameOp<string mnemonic, string parent, list<Trait> traits = []>
    : Sdsc_Op<mnemonic, traits # [HasParent<parent>]>;

def Sdsc_ProgramOp : Sdsc_Op<"program",
    [IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator,
     NoRegionArguments]> {
  let summary = "a device program: what a compute step runs";
  let description = [{
    One program serves all cores; what differs per core stands in tables.

    ```mlir
    sdsc.program @scale cores(2) {
      sdsc.buffer @x : memref<1x8x64xf16, #sdsc.space<lx>> scratch offset(0)
      sdsc.phase "main" {
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       ConfinedAttr<I32Attr, [IntPositive]>:$cores);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$sym_name `cores` `(` $cores `)` attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Sdsc_TableOp : Sdsc_FrameOp<"table", "ProgramOp", [Symbol]> {
  let summary = "int64 constants per core, optionally with a second index";
  let description = [{
    The value has shape [cores], or [cores, n] (2 <= n <= 256) when an enclosing
    loop variable supplies the second index.

    ```mlir
    sdsc.table @row = dense<[0, 1]> : tensor<2xi64>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64ElementsAttr:$values);
  let assemblyFormat = "$sym_name `=` $values attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Entries per core.
    int64_t getInnerSize();
  }];
}

def Sdsc_ScalarOp : Sdsc_FrameOp<"scalar", "ProgramOp", [Symbol]> {
  let summary = "an integer that the launch patches in";
  let description = [{
    The value of an argument of the plan, in [lo, hi) and a multiple of the
    granule.

    ```mlir
    sdsc.scalar @position argument(2) range [0, 4096) granule 64
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$argument,
                       I64Attr:$lo, I64Attr:$hi,
                       DefaultValuedAttr<I64Attr, "1">:$granule);
  let assemblyFormat = [{
    $sym_name `argument` `(` $argument `)` `range` `[` $lo `,` $hi `)`
    (`granule` $granule^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Sdsc_BufferOp : Sdsc_FrameOp<"buffer", "ProgramOp",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named buffer in LX or device memory";
  let description = [{
    The memref has the device shape, whose last extent is one stick. An LX
    buffer has an offset in the scratchpad, the same on every core; a DDR buffer
    lies in an argument or a segment of the plan. `valid(n)` says which lanes
    carry values: with `tile(t)`, element t * E + lane < n. `view(i)` says that
    it shows the sticks of the i-th buffer of the program under another shape.

    ```mlir
    sdsc.buffer @A : memref<8x64x64xf16, #sdsc.space<ddr>> input argument(0) valid(500) tile(0)
    sdsc.buffer @a : memref<4x16x64xf16, #sdsc.space<lx>> scratch offset(1024) queue<slots = 2, load -> [pt]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyMemRef>:$type,
                       Sdsc_RoleAttr:$role,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$argument,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$segment,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$offset,
                       OptionalAttr<Sdsc_QueueAttr>:$queue,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$valid_elements,
                       DefaultValuedAttr<I32Attr, "-1">:$valid_tile,
                       DefaultValuedAttr<I32Attr, "-1">:$view_of);
  let assemblyFormat = [{
    $sym_name `:` $type custom<Bare>($role) (`argument` `(` $argument^ `)`)?
    (`segment` `(` $segment^ `)`)? (`offset` `(` $offset^ `)`)?
    (`queue` `` $queue^)? (`valid` `(` $valid_elements^ `)`)?
    (`tile` `(` $valid_tile^ `)`)? (`view` `(` $view_of^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType();
    /// The space of the memref; the verifier guarantees that there is one.
    ::spyre::launch::Space getSpace();
    /// The element type on the device, or none if it has no such type.
    std::optional<::spyre::ElementType> getElementType();
    /// Accesses of the unit to the buffer's queue are allowed.
    bool isQueueOf(::spyre::launch::Unit unit);
  }];
}

def Sdsc_PhaseOp : Sdsc_FrameOp<"phase", "ProgramOp",
    [SingleBlock, NoTerminator, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one command list per unit";
  let description = [{
    All cores enter a phase together; queues start empty. LX addresses are
    reused between phases only; `residents` keep their content.

    ```mlir
    sdsc.phase "attention" residents [@keys] {
    }
    ```
  }];
  let arguments = (ins StrAttr:$name,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$residents);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`residents` custom<Symbols>($residents)^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Sdsc_UnitOp : Sdsc_FrameOp<"unit", "PhaseOp",
    [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "the commands of one unit, run in order";
  let description = [{
    ```mlir
    sdsc.unit load {
    }
    ```
  }];
  let arguments = (ins Sdsc_UnitAttr:$unit);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Bare>($unit) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

#endif // SPYRE_SDSC_PROGRAM_OPS
