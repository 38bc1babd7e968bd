// SPDX-License-Identifier: Apache-2.0
//
// The stick dialect: what the graph level lacks to say how tensors lie in
// device memory. Everything else stays linalg.

#ifndef SPYRE_DIALECT_STICK_IR_STICKDIALECT
#define SPYRE_DIALECT_STICK_IR_STICKDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Stick_Dialect : Dialect {
  let name = "stick";
  let cppNamespace = "::spyre::stick";
  let summary = "layouts of tensors in sticks, and the ops that follow from them";
  let description = [{
    A *stick* is 128 contiguous bytes at a 128-byte-aligned address, the unit in
    which the device moves data. The attribute `#stick.layout`, used as the
    encoding of a ranked tensor, says which dim of the tensor lies in the stick
    and in which order the other dims follow. `stick.restickify` changes the
    layout of a tensor, `stick.weight` refers to a constant of the model without
    holding its bytes, and `stick.composite` keeps an operation whole whose
    decomposition is decided late.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Stick_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stick_Dialect, mnemonic, traits>;

#endif // SPYRE_DIALECT_STICK_IR_STICKDIALECT
