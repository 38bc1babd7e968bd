// SPDX-License-Identifier: Apache-2.0
//
// The onnx dialect: an ONNX model as it stands in the file, node by node, in
// one generic op. What an operator means is the business of its decoder.

#ifndef SPYRE_DIALECT_ONNX_IR_ONNXDIALECT
#define SPYRE_DIALECT_ONNX_IR_ONNXDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Onnx_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::spyre::onnx";
  let summary = "the nodes of an ONNX model, as they are in the file";
  let description = [{
    `onnx.node` is any node of an ONNX graph: operator, domain, version of the
    domain, inputs, attributes. There is no op per operator: the operators are
    a table of decoders, keyed by (domain, operator, first version), that
    `convert-onnx-to-linalg` consults. Constants of the model are
    `arith.constant` or, by reference, `stick.weight`.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

class Onnx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Onnx_Dialect, mnemonic, traits>;

#endif // SPYRE_DIALECT_ONNX_IR_ONNXDIALECT
