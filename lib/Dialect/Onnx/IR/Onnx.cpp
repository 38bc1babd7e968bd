// SPDX-License-Identifier: Apache-2.0
//
// Registration and verifiers of the onnx dialect.

#include "spyre/Dialect/Onnx/IR/Onnx.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "spyre/Dialect/Onnx/IR/OnnxDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "spyre/Dialect/Onnx/IR/OnnxTypes.cpp.inc"

#define GET_OP_CLASSES
#include "spyre/Dialect/Onnx/IR/OnnxOps.cpp.inc"

namespace spyre::onnx {

void OnnxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "spyre/Dialect/Onnx/IR/OnnxTypes.cpp.inc"
      >();
}

void OnnxDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "spyre/Dialect/Onnx/IR/OnnxOps.cpp.inc"
      >();
}

bool isParameter(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    return integer.getType().isSignlessInteger(64);
  }
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    return number.getType().isF32();
  }
  if (auto strings = dyn_cast<ArrayAttr>(attr)) {
    return llvm::all_of(strings, llvm::IsaPred<StringAttr>);
  }
  return isa<StringAttr, DenseI64ArrayAttr, DenseF32ArrayAttr,
             DenseElementsAttr, TypeAttr>(attr);
}

//===----------------------------------------------------------------------===//
// NodeOp
//===----------------------------------------------------------------------===//

Region *NodeOp::getSubgraph(StringRef name) {
  if (!getGraphs()) {
    return nullptr;
  }
  for (auto [attr, region] : llvm::zip(*getGraphs(), getSubgraphs())) {
    if (cast<StringAttr>(attr).getValue() == name) {
      return &region;
    }
  }
  return nullptr;
}

/// The block arguments that stand for captures have the captures' types.
static LogicalResult verifySubgraph(NodeOp op, StringRef name, Region &region) {
  const size_t numCaptures = op.getCaptures().size();
  if (region.getNumArguments() < numCaptures) {
    return op.emitOpError()
           << "graph \"" << name << "\" has " << region.getNumArguments()
           << " arguments, fewer than the " << numCaptures
           << " captures of the node";
  }
  auto arguments = region.getArguments().take_back(numCaptures);
  for (auto [argument, capture] : llvm::zip(arguments, op.getCaptures())) {
    if (argument.getType() != capture.getType()) {
      return op.emitOpError()
             << "graph \"" << name << "\" takes a capture as "
             << argument.getType() << ", its type is " << capture.getType();
    }
  }
  if (region.front().empty() || !isa<YieldOp>(region.front().back())) {
    return op.emitOpError()
           << "graph \"" << name << "\" does not end with onnx.yield";
  }
  return success();
}

LogicalResult NodeOp::verify() {
  if (getOpType().empty()) {
    return emitOpError() << "needs the name of an operator";
  }
  if (getDomain() == "ai.onnx") {
    return emitOpError() << "the default domain is written \"\", not "
                            "\"ai.onnx\"";
  }
  if (static_cast<int64_t>(getVersion()) < 1) {
    return emitOpError() << "version is " << static_cast<int64_t>(getVersion())
                         << ", must be at least 1";
  }
  for (NamedAttribute parameter : getParameters()) {
    if (!isParameter(parameter.getValue())) {
      return emitOpError() << "attribute " << parameter.getName()
                           << " has no form of an ONNX attribute: "
                           << parameter.getValue();
    }
  }
  const size_t numNames = getGraphs() ? getGraphs()->size() : 0;
  if (numNames != getSubgraphs().size()) {
    return emitOpError() << "has " << getSubgraphs().size()
                         << " regions and names " << numNames << " graphs";
  }
  for (auto [index, region] : llvm::enumerate(getSubgraphs())) {
    StringRef name = cast<StringAttr>((*getGraphs())[index]).getValue();
    if (failed(verifySubgraph(*this, name, region))) {
      return failure();
    }
  }
  return success();
}

} // namespace spyre::onnx
