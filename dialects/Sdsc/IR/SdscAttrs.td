// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the sdsc dialect. Affine expressions are linear by
// construction: a sum of terms, each a loop variable, a table entry or a
// launch-time scalar. They are not AffineMaps because upstream reorders and
// merges terms, and because a table's second index belongs to its use.

#ifndef SPYRE_SDSC_ATTRS
#define SPYRE_SDSC_ATTRS

include "Sdsc/IR/SdscDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Sdsc_SpaceAttr : Sdsc_Attr<"Space", "space"> {
  let summary = "memory space of a buffer: ddr or lx";
  let description = [{
    The memory space of a memref: device memory or the scratchpad of a core.

    ```mlir
    memref<4x128x64xf16, #sdsc.space<lx>>
    ```
  }];
  let parameters = (ins PlanEnumParameter<"::spyre::launch::Space">:$value);
  let assemblyFormat = "`<` $value `>`";
}

class Sdsc_EnumAttr<string name, string attrMnemonic, string enumeration>
    : Sdsc_Attr<name, attrMnemonic> {
  let summary = enumeration # " of the launch plan";
  let parameters = (ins PlanEnumParameter<enumeration>:$value);
  let assemblyFormat = "$value";
  let returnType = enumeration;
  let convertFromStorage = "$_self.getValue()";
}

def Sdsc_UnitAttr
    : Sdsc_EnumAttr<"DeviceUnit", "device_unit", "::spyre::launch::Unit">;
def Sdsc_RoleAttr
    : Sdsc_EnumAttr<"Role", "role", "::spyre::launch::BufferRole">;
def Sdsc_CombineAttr
    : Sdsc_EnumAttr<"Combine", "combine_by", "::spyre::launch::Combine">;
def Sdsc_OpcodeAttr
    : Sdsc_EnumAttr<"Opcode", "opcode", "::spyre::launch::BodyOpcode">;
def Sdsc_ElementTypeAttr
    : Sdsc_EnumAttr<"ElementType", "element_type", "::spyre::ElementType">;

def Sdsc_TermAttr : Sdsc_Attr<"Term", "term"> {
  let summary = "one term of an affine expression";
  let description = [{
    `coefficient` times a loop variable (no symbol; `loop` is its depth, 0 the
    outermost loop of the unit), a table's entry on the issuing core (`loop` is
    the depth that supplies the second index, or -1) or a scalar.
  }];
  let parameters = (ins "int64_t":$coefficient, "int32_t":$loop,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$symbol);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_AffineAttr : Sdsc_Attr<"Affine", "affine"> {
  let summary = "a constant plus terms";
  let description = [{
    Example: `4 * d0 + 128 * @row + @start[d1] + 3`.
  }];
  let parameters = (ins "int64_t":$constant,
                        OptionalArrayRefParameter<"TermAttr">:$terms);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_ExtentAttr : Sdsc_Attr<"Extent", "extent"> {
  let summary = "max(0, least of some affine expressions)";
  let description = [{
    Examples: `16`, `min(256, 1000 - 256 * d0)`.
  }];
  let parameters = (ins ArrayRefParameter<"AffineAttr">:$bounds);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Sdsc_TableUseAttr : Sdsc_Attr<"TableUse", "table_use"> {
  let summary = "a table read on the issuing core";
  let description = [{
    Examples: `@row`, `@steps[d0]` (the second index is loop variable d0).
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$table, "int32_t":$loop);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_BoxAttr : Sdsc_Attr<"Box", "box"> {
  let summary = "an affine box of a buffer";
  let description = [{
    A buffer, an offset per device dim, and after `by` how the device
    coordinates follow the command's dims, one entry each: the device dim that
    advances (`-` = none), times its step. `tile d` and `row d` are the device
    dims along which the stick extent and the second element extent advance;
    `splat` reads the one lane given by the last offset for every element.

    Example: `@A[4 * d0, 128 * @m, 0] by (0, 1 * 2, -) tile 0`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer,
                        ArrayRefParameter<"AffineAttr">:$offsets,
                        OptionalArrayRefParameter<"int32_t">:$deviceDims,
                        OptionalArrayRefParameter<"int64_t">:$steps,
                        "int32_t":$tileDim, "int32_t":$rowDim,
                        "::spyre::launch::LaneAccess":$access);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Sdsc_OutputAttr : Sdsc_Attr<"Output", "output"> {
  let summary = "a box that a map writes, and how";
  let description = [{
    After the box: what combines the values (`store` unless said), `lane0` or
    `splat_all` if lanes are combined too, `accumulate` if the output's content
    is continued.

    Example: `@sum[0, 0, 0] by (-, 1) add lane0 accumulate`.
  }];
  let parameters = (ins "BoxAttr":$box, "::spyre::launch::Combine":$combine,
                        "::spyre::launch::MapOutput::Lanes":$lanes,
                        "bool":$accumulate);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_IndexedAttr : Sdsc_Attr<"Indexed", "indexed"> {
  let summary = "data-dependent addressing of one device dim of a DDR box";
  let description = [{
    Coordinate `dim` of the DDR box is the index buffer's element `first + i`,
    for `count` elements; `page P` looks it up in pages of P.

    Example: `dim 1 with @index[16 * d0] count 16 page 64`.
  }];
  let parameters = (ins "int32_t":$deviceDim,
                        "::mlir::FlatSymbolRefAttr":$indexBuffer,
                        "AffineAttr":$first, "ExtentAttr":$count,
                        "int64_t":$pageSize);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_QueueAttr : Sdsc_Attr<"Queue", "queue"> {
  let summary = "the queue discipline of a buffer";
  let description = [{
    Slots, the one unit that fills them, the units that leave them, and the
    table of the cores that fill a core's slots (none: each its own).

    Example: `<slots = 2, load -> [pt, sfu], fill = @row>`.
  }];
  let parameters = (ins "int32_t":$slots,
                        PlanEnumParameter<"::spyre::launch::Unit">:$producer,
                        ArrayRefParameter<"::spyre::launch::Unit">:$consumers,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$fill);
  let hasCustomAssemblyFormat = 1;
}

def Sdsc_DL16Type
    : TypeDef<Sdsc_Dialect, "DL16", [MemRefElementTypeInterface]> {
  let mnemonic = "dl16";
  let summary = "the 1-6-9 floating-point format";
  let description = [{
    A 16-bit format without infinities, which MLIR has no builtin type for.

    ```mlir
    memref<4x128x64x!sdsc.dl16, #sdsc.space<lx>>
    ```
  }];
}

#endif // SPYRE_SDSC_ATTRS
