// SPDX-License-Identifier: Apache-2.0
//
// The layout attribute. It holds the project's layout structure itself, so that
// the dialect, the planner and the run time cannot disagree about a layout.

#ifndef SPYRE_DIALECT_STICK_IR_STICKATTRS
#define SPYRE_DIALECT_STICK_IR_STICKATTRS

include "Stick/IR/StickDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/TensorEncoding.td"

def Stick_LayoutAttr : AttrDef<Stick_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "how a ranked tensor lies in sticks";
  let description = [{
    The device dims, outermost first. A device dim is a whole dim of the tensor
    (`d0`), the tile of one (`d1 floordiv 64`), the position inside the stick
    (`d1 mod 64`), or a constant (`0 : n`, n positions of which only the first is
    used). The attribute holds no extents: they come from the tensor's type, so
    a slice of the tensor has the same layout.

    Rules, checked when the attribute encodes a tensor type:

    - every dim of the tensor appears exactly once, whole or as one
      `floordiv`/`mod` pair with equal factors;
    - the `mod` dims (or the constant of a sparse layout) come last and hold
      exactly as many elements as a stick of the element type: 64 for f16, 32
      for f32;
    - `sparse`: one logical element a stick, in lane 0; the other lanes are
      undefined. Never inferred from extents;
    - `arrangement`: the order of elements inside the stick, a list of
      `factor : stride`, outermost digit first, that permutes the lanes.

    ```mlir
    // Row-major matrix, columns in the stick: [ceil(N/64), M, 64] on the device.
    #columns = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
    // One value a stick, as a reduction along the stick leaves it.
    #sparse = #stick.layout<[d0, 0 : 64], sparse>
    // A tensor of rank 0.
    #scalar = #stick.layout<[0 : 64]>
    // Even elements before odd ones.
    #staggered = #stick.layout<[d0 floordiv 64, d0 mod 64], arrangement [32 : 1, 2 : 32]>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::spyre::layout::StickLayout", "the layout",
                  "const ::spyre::layout::StickLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Stick_StoredAttr : AttrDef<Stick_Dialect, "Stored"> {
  let mnemonic = "stored";
  let summary = "a tensor in a file";
  let description = [{
    A dense, row-major, little-endian tensor of the type at an offset of a file.
    Elements of less than 8 bits are packed, the first in the low bits. They are
    integers of 2, 4, 8, 16, 32 or 64 bits, f16, bf16, f32 or f64.

    ```mlir
    #stick.stored<"model.data", 4096 : tensor<256x128xui4>>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$file, "int64_t":$offset,
                        "::mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $file `,` $offset `:` $type `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether a file can hold elements of the type.
    static bool isElement(::mlir::Type type);
  }];
}

def Stick_DequantizedAttr : AttrDef<Stick_Dialect, "Dequantized"> {
  let mnemonic = "dequantized";
  let summary = "an f32 tensor that is computed when a weight is read";
  let description = [{
    What a `stick.weight` can name in the place of a file: the tensor with the
    shape of `values` whose element at position i is

        (values[i] - zeros[i / blocks]) * scales[i / blocks]

    in f32. The division is per dim and rounds down: blocks [1, 32] are groups of
    32 along the last dim, blocks [4096, 1] of a tensor of 4096 rows are its
    columns. Without `zeros`, they are 0. Each operand is a `#stick.stored`
    tensor or a dense constant; `scales` and `zeros` may be larger than needed.
    Bytes are computed for the weight that is written at the moment, never in
    the IR.

    ```mlir
    #stick.dequantized<
        #stick.stored<"model.data", 0 : tensor<256x128xui4>>
        scales #stick.stored<"model.data", 16384 : tensor<256x4xf32>>
        zeros dense<8> : tensor<256x4xui4> blocks [1, 32]>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$values, "::mlir::Attribute":$scales,
                        OptionalParameter<"::mlir::Attribute">:$zeros,
                        ArrayRefParameter<"int64_t">:$blocks);
  let assemblyFormat = [{
    `<` $values `scales` $scales (`zeros` $zeros^)? `blocks` ` ` `[` $blocks `]` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of an operand, null if it is none.
    static ::mlir::RankedTensorType typeOf(::mlir::Attribute operand);
    ::llvm::ArrayRef<int64_t> getShape() {
      return typeOf(getValues()).getShape();
    }
    /// Whether bytes [offset, offset + bytes) are elements of the tensor.
    bool holds(int64_t offset, int64_t bytes);
    /// The rule of a weight that names bytes of the tensor: they are within,
    /// whole, and f32 (`isF32`).
    ::llvm::LogicalResult verifyRange(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        bool isF32, int64_t offset, int64_t bytes);
  }];
}

/// What holds the bytes of a weight: a file, or what is computed from some.
def Stick_WeightFile : AnyAttrOf<[StrAttr, Stick_DequantizedAttr],
    "a file or #stick.dequantized">;

#endif // SPYRE_DIALECT_STICK_IR_STICKATTRS
