// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --split-input-file --verify-diagnostics

func.func @no_operator(%x: tensor<2xf16>) {
  // expected-error @+1 {{needs the name of an operator}}
  %y = onnx.node "" domain "" version 1(%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @domain(%x: tensor<2xf16>) {
  // expected-error @+1 {{the default domain is written "", not "ai.onnx"}}
  %y = onnx.node "Relu" domain "ai.onnx" version 1(%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @version(%x: tensor<2xf16>) {
  // expected-error @+1 {{version is 0, must be at least 1}}
  %y = onnx.node "Relu" domain "" version 0(%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @attribute(%x: tensor<2xf16>) {
  // ONNX integers have 64 bits.
  // expected-error @+1 {{attribute "axis" has no form of an ONNX attribute: 1 : i32}}
  %y = onnx.node "Softmax" domain "" version 13(%x) {axis = 1 : i32} : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @graph_names(%c: tensor<i1>) {
  // expected-error @+1 {{has 1 regions and names 0 graphs}}
  %y = onnx.node "If" domain "" version 16(%c) {} : (tensor<i1>) -> tensor<i1> {
    onnx.yield
  }
  return
}

// -----

func.func @captures(%c: tensor<i1>, %x: tensor<2xf16>) {
  // expected-error @+1 {{graph "then_branch" has 0 arguments, fewer than the 1 captures of the node}}
  %y = onnx.node "If" domain "" version 16(%c) {} graphs ["then_branch"] captures(%x)
      : (tensor<i1>, tensor<2xf16>) -> tensor<2xf16> {
    onnx.yield
  }
  return
}

// -----

func.func @capture_type(%c: tensor<i1>, %x: tensor<2xf16>) {
  // expected-error @+1 {{graph "then_branch" takes a capture as 'tensor<3xf16>', its type is 'tensor<2xf16>'}}
  %y = onnx.node "If" domain "" version 16(%c) {} graphs ["then_branch"] captures(%x)
      : (tensor<i1>, tensor<2xf16>) -> tensor<2xf16> {
  ^bb0(%a: tensor<3xf16>):
    onnx.yield %a : tensor<3xf16>
  }
  return
}

// -----

func.func @terminator(%c: tensor<i1>) {
  // expected-error @+1 {{graph "then_branch" does not end with onnx.yield}}
  %y = onnx.node "If" domain "" version 16(%c) {} graphs ["then_branch"]
      : (tensor<i1>) -> tensor<i1> {
    %0 = onnx.none
  }
  return
}
