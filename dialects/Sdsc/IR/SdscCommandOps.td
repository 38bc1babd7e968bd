// SPDX-License-Identifier: Apache-2.0
//
// The commands of a unit's list, and the leaves of a map's body that arith and
// math do not have. A command's location leads to the graph's nodes; `kernel`
// names the kernel that it belongs to.

#ifndef SPYRE_SDSC_COMMAND_OPS
#define SPYRE_SDSC_COMMAND_OPS

include "Sdsc/IR/SdscProgramOps.td"
include "Sdsc/IR/SdscInterfaces.td"

class Sdsc_CommandOp<string mnemonic, list<Trait> traits = []>
    : Sdsc_Op<mnemonic, traits # [
        ParentOneOf<["UnitOp", "LoopOp"]>,
        DeclareOpInterfaceMethods<Sdsc_CommandInterface>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      return ::spyre::sdsc::verifyCommand(*this, symbols);
    }
  }];
}

def Sdsc_Extents : TypedArrayAttrBase<Sdsc_ExtentAttr, "extents">;
def Sdsc_Boxes : TypedArrayAttrBase<Sdsc_BoxAttr, "boxes">;
def Sdsc_Outputs : TypedArrayAttrBase<Sdsc_OutputAttr, "outputs">;

def Sdsc_LoopOp : Sdsc_CommandOp<"loop",
    [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "repeats commands";
  let description = [{
    The trip count is a constant or a table. The variable of the n-th loop,
    counted from the outside, is `dn` in expressions.

    ```mlir
    sdsc.loop 16 {
    }
    ```
  }];
  let arguments = (ins Sdsc_ExtentAttr:$trip, OptionalAttr<StrAttr>:$kernel);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Bare>($trip) (`kernel` `(` $kernel^ `)`)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Sdsc_MoveOp : Sdsc_CommandOp<"move"> {
  let summary = "copies whole sticks between boxes";
  let description = [{
    load: DDR to LX; store: LX to DDR; ring: LX to LX. `cores` is the set of
    receivers (none: the issuing core).

    ```mlir
    sdsc.move @A[4 * d0, 16 * @n, 0] by (0, 1) -> @a[0, 0, 0] by (0, 1) dims (4, 16) cores @row next [@a]
    ```
  }];
  let arguments = (ins Sdsc_BoxAttr:$source, Sdsc_BoxAttr:$destination,
                       Sdsc_Extents:$dims,
                       OptionalAttr<Sdsc_IndexedAttr>:$indexed,
                       OptionalAttr<Sdsc_TableUseAttr>:$cores,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    custom<Bare>($source) `->` custom<Bare>($destination) `dims` custom<Extents>($dims)
    (`indexed` custom<Bare>($indexed)^)? (`cores` custom<Bare>($cores)^)? (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

def Sdsc_ReduceOp : Sdsc_CommandOp<"reduce"> {
  let summary = "combines a box over cores, on the ring";
  let description = [{
    The cores of `cores`, in ascending order, each combine their f32 box with
    their predecessor's stream; the last owns the result.

    ```mlir
    sdsc.reduce add @part[0, 0, 0] by (0, 1) -> @sum[0, 0, 0] by (0, 1) dims (4, 8) cores @group next [@part]
    ```
  }];
  let arguments = (ins Sdsc_CombineAttr:$combine, Sdsc_BoxAttr:$source,
                       Sdsc_BoxAttr:$destination, Sdsc_Extents:$dims,
                       OptionalAttr<Sdsc_TableUseAttr>:$cores,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    custom<Bare>($combine) custom<Bare>($source) `->` custom<Bare>($destination) `dims` custom<Extents>($dims)
    (`cores` custom<Bare>($cores)^)? (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

def Sdsc_MatmulOp : Sdsc_CommandOp<"matmul"> {
  let summary = "accumulates a matrix product";
  let description = [{
    acc[row, n] += sum over k of lhs[row, k] * rhs[k, n]. The first `rows` dims
    are rows, the others outer K dims; `inner` is the K extent and `stick` the N
    extent, in elements. The accumulator is cleared when the variables of all
    loops in `first` are 0.

    ```mlir
    sdsc.matmul @acc[0, 0, 0] by (1) tile 0 += @a[0, 0, 0] by (1) tile 0 * @b[0, 0, 0] by (-) tile 0 row 1 rows 1 dims (128) inner 256 stick 512 first [0] next [@a, @b]
    ```
  }];
  let arguments = (ins Sdsc_BoxAttr:$acc, Sdsc_BoxAttr:$lhs, Sdsc_BoxAttr:$rhs,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$rows,
                       Sdsc_Extents:$dims, Sdsc_ExtentAttr:$inner,
                       Sdsc_ExtentAttr:$stick,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$first,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    custom<Bare>($acc) `+` `` `=` custom<Bare>($lhs) `*` custom<Bare>($rhs) `rows` $rows
    `dims` custom<Extents>($dims) `inner` custom<Bare>($inner) `stick` custom<Bare>($stick)
    (`first` $first^)? (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

def Sdsc_MapOp : Sdsc_CommandOp<"map",
    [SingleBlock, IsolatedFromAbove]> {
  let summary = "computes elementwise, and combines";
  let description = [{
    The body is a function of one element of every input, in f32, i32 or i1;
    it rounds once, at the store. An output stores, or combines over the dims
    that its box does not follow.

    ```mlir
    sdsc.map ins(@x[0, 0, 0] by (1) tile 0) outs(@y[0, 0, 0] by (1) tile 0) dims (16) stick 500 next [@x, @y] {
    ^bb0(%x: f32):
      %0 = math.exp %x : f32
      sdsc.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins Sdsc_Boxes:$inputs, Sdsc_Outputs:$outputs,
                       Sdsc_Extents:$dims, Sdsc_ExtentAttr:$stick,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$first,
                       OptionalAttr<StrAttr>:$body_name,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($body_name^)? `ins` `` custom<Boxes>($inputs) `outs` `` custom<Outputs>($outputs)
    `dims` custom<Extents>($dims) `stick` custom<Bare>($stick)
    (`first` $first^)? (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)?
    attr-dict-with-keyword $body
  }];
}

def Sdsc_TransposeOp : Sdsc_CommandOp<"transpose"> {
  let summary = "transposes blocks of sticks within LX";
  let description = [{
    Row i (i < `inner`), element j (j < `stick`) of the source becomes row j,
    element i of the destination.

    ```mlir
    sdsc.transpose @x[0, 0, 0] by (-) tile 0 row 1 -> @y[0, 0, 0] by (-) tile 0 row 1 dims (1) inner 64 stick 128
    ```
  }];
  let arguments = (ins Sdsc_BoxAttr:$source, Sdsc_BoxAttr:$destination,
                       Sdsc_Extents:$dims, Sdsc_ExtentAttr:$inner,
                       Sdsc_ExtentAttr:$stick,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    custom<Bare>($source) `->` custom<Bare>($destination) `dims` custom<Extents>($dims) `inner` custom<Bare>($inner)
    `stick` custom<Bare>($stick) (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

def Sdsc_ShiftOp : Sdsc_CommandOp<"shift"> {
  let summary = "shifts lanes across two sticks";
  let description = [{
    Lane l of the destination is lane l + `by lanes` of `lo` followed by `hi`;
    lanes below `stick` are written.

    ```mlir
    sdsc.shift 32 @x[0, 0, 0] by (1), @x[1, 0, 0] by (1) -> @y[0, 0, 0] by (1) dims (16) stick 64
    ```
  }];
  let arguments = (ins I64Attr:$lanes, Sdsc_BoxAttr:$lo, Sdsc_BoxAttr:$hi,
                       Sdsc_BoxAttr:$destination, Sdsc_Extents:$dims,
                       Sdsc_ExtentAttr:$stick,
                       OptionalAttr<Sdsc_TableUseAttr>:$predicate,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    $lanes custom<Bare>($lo) `,` custom<Bare>($hi) `->` custom<Bare>($destination) `dims` custom<Extents>($dims)
    `stick` custom<Bare>($stick) (`when` custom<Bare>($predicate)^)?
    (`next` custom<Symbols>($next)^)? (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

def Sdsc_NextOp : Sdsc_CommandOp<"next"> {
  let summary = "delivers or leaves queue slots, without work";
  let description = [{
    ```mlir
    sdsc.next [@acc]
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$next,
                       OptionalAttr<StrAttr>:$kernel);
  let assemblyFormat = [{
    custom<Symbols>($next) (`kernel` `(` $kernel^ `)`)? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// What a body computes with.
def Sdsc_BodyValue : AnyTypeOf<[F32, I32, I1]>;

def Sdsc_YieldOp : Sdsc_Op<"yield", [Terminator, Pure, HasParent<"MapOp">]> {
  let summary = "the values of a map's outputs";
  let description = [{
    ```mlir
    sdsc.yield %0 : f32
    ```
  }];
  let arguments = (ins Variadic<Sdsc_BodyValue>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Sdsc_ApplyOp : Sdsc_Op<"apply", [Pure]> {
  let summary = "a body operation that arith and math do not have";
  let description = [{
    Sign, reciprocal, sigmoid, not, and the tests for non-zero.

    ```mlir
    %1 = sdsc.apply sigmoid(%0) : f32 -> f32
    ```
  }];
  let arguments = (ins Sdsc_OpcodeAttr:$opcode, Sdsc_BodyValue:$operand);
  let results = (outs Sdsc_BodyValue:$result);
  let assemblyFormat = [{
    custom<Bare>($opcode) `(` $operand `)` attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Sdsc_RoundToOp : Sdsc_Op<"round_to", [Pure]> {
  let summary = "rounds an f32 to a storage type and back";
  let description = [{
    ```mlir
    %1 = sdsc.round_to %0 as f16
    ```
  }];
  let arguments = (ins F32:$operand, Sdsc_ElementTypeAttr:$storage);
  let results = (outs F32:$result);
  let assemblyFormat = "$operand `as` custom<Bare>($storage) attr-dict";
}

def Sdsc_ScalarValueOp : Sdsc_Op<"scalar_value", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a launch-time scalar";
  let description = [{
    ```mlir
    %0 = sdsc.scalar_value @position
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scalar);
  let results = (outs I32:$result);
  let assemblyFormat = "$scalar attr-dict";
}

def Sdsc_IndexOp : Sdsc_Op<"index", [Pure, HasParent<"MapOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a position as a value";
  let description = [{
    `base` + sum of `dims[d]` * position of command dim d + `lane` * element of
    the stick extent: masks, ranges and positions without a table.

    ```mlir
    %0 = sdsc.index 64 * d0 dims [0, 1] lane 2
    ```
  }];
  let arguments = (ins Sdsc_AffineAttr:$base,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dims,
                       DefaultValuedAttr<I64Attr, "0">:$lane);
  let results = (outs I32:$result);
  let assemblyFormat = "custom<Bare>($base) (`dims` $dims^)? (`lane` $lane^)? attr-dict";
}

#endif // SPYRE_SDSC_COMMAND_OPS
