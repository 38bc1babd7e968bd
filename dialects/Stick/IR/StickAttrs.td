// SPDX-License-Identifier: Apache-2.0
//
// The layout attribute. It holds the project's layout structure itself, so that
// the dialect, the planner and the run time cannot disagree about a layout.

#ifndef SPYRE_DIALECT_STICK_IR_STICKATTRS
#define SPYRE_DIALECT_STICK_IR_STICKATTRS

include "Stick/IR/StickDialect.td"
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

#endif // SPYRE_DIALECT_STICK_IR_STICKATTRS
