// SPDX-License-Identifier: Apache-2.0
//
// The ops of the onnx dialect.

#ifndef SPYRE_DIALECT_ONNX_IR_ONNXOPS
#define SPYRE_DIALECT_ONNX_IR_ONNXOPS

include "Onnx/IR/OnnxTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Onnx_NodeOp : Onnx_Op<"node", [Pure, AttrSizedOperandSegments,
    IsolatedFromAbove]> {
  let summary = "a node of an ONNX graph";
  let description = [{
    An operator of `domain` (the default domain is "", never "ai.onnx") as the
    opset `version` that the model imports defines it, on inputs in the order
    of the ONNX specification. An absent optional input is an `onnx.none`, an
    absent optional output a result of type `none`.

    Attributes of the node keep their ONNX names: int is `i64`, float `f32`,
    ints `array<i64: ...>`, floats `array<f32: ...>`, string and strings are
    strings, tensor is `dense<...>`.

    ```mlir
    %y = onnx.node "Softmax" domain "" version 13(%x) {axis = 1 : i64}
        : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %min = onnx.none
    %z = onnx.node "Clip" domain "" version 13(%y, %min, %max) {}
        : (tensor<2x8xf16>, none, tensor<f16>) -> !onnx.unknown
    ```

    Graphs among the attributes are regions, named by `graphs`. Values of the
    enclosing graph that they use are the node's `captures`; each region has its
    own inputs as block arguments, then one for each capture.

    ```mlir
    %r = onnx.node "If" domain "" version 16(%condition) {}
        graphs ["then_branch", "else_branch"] captures(%x)
        : (tensor<i1>, tensor<4xf16>) -> tensor<4xf16> {
    ^bb0(%a: tensor<4xf16>):
      onnx.yield %a : tensor<4xf16>
    }, {
    ^bb0(%a: tensor<4xf16>):
      %n = onnx.node "Neg" domain "" version 13(%a) {}
          : (tensor<4xf16>) -> tensor<4xf16>
      onnx.yield %n : tensor<4xf16>
    }
    ```
  }];
  let arguments = (ins StrAttr:$op_type, StrAttr:$domain, I64Attr:$version,
                       Variadic<Onnx_Value>:$inputs, DictionaryAttr:$parameters,
                       OptionalAttr<StrArrayAttr>:$graphs,
                       Variadic<Onnx_Value>:$captures);
  let results = (outs Variadic<Onnx_Value>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$subgraphs);
  let assemblyFormat = [{
    $op_type `domain` $domain `version` $version `(` $inputs `)` $parameters
    (`graphs` $graphs^)? (`captures` `(` $captures^ `)`)? attr-dict `:`
    functional-type(operands, $results) $subgraphs
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The ONNX attribute of this name, null if the node has none.
    ::mlir::Attribute getParameter(::llvm::StringRef name) {
      return getParameters().get(name);
    }
    /// The graph attribute of this name, null if the node has none.
    ::mlir::Region *getSubgraph(::llvm::StringRef name);
  }];
}

def Onnx_NoneOp : Onnx_Op<"none", [Pure]> {
  let summary = "an absent optional input";
  let description = [{
    Stands where a node has no value for an optional input that is followed by
    others.

    ```mlir
    %none = onnx.none
    ```
  }];
  let results = (outs NoneType:$result);
  let assemblyFormat = "attr-dict";
}

def Onnx_YieldOp : Onnx_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"NodeOp">]> {
  let summary = "outputs of a graph inside of a node";
  let description = [{
    Ends a region of an `onnx.node` with the outputs of that graph.

    ```mlir
    onnx.yield %a, %b : tensor<4xf16>, !onnx.unknown
    ```
  }];
  let arguments = (ins Variadic<Onnx_Value>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

#endif // SPYRE_DIALECT_ONNX_IR_ONNXOPS
