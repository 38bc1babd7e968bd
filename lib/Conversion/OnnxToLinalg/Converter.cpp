// SPDX-License-Identifier: Apache-2.0

#include "Converter.h"

#include "Registry.h"

#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace spyre {

static bool isStatic(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  return type && type.hasStaticShape();
}

LogicalResult Converter::convertAll() {
  Block &entry = func.getBody().front();
  if (entry.getOps<onnx::NodeOp>().empty() ||
      !llvm::all_of(entry.getArguments(), isStatic)) {
    return failure();
  }
  convertBlock(entry);
  return success();
}

LogicalResult Converter::run() {
  Block &entry = func.getBody().front();
  if (entry.getOps<onnx::NodeOp>().empty()) {
    // All is folded, or it is no model: the phase's verifier judges it.
    return checkWorkIsLeft();
  }
  if (failed(convertAll())) {
    for (BlockArgument argument : entry.getArguments()) {
      if (!isStatic(argument)) {
        return emitCoded(
            func, ErrorCode::OnnxShapeMismatch,
            "the type of argument " + Twine(argument.getArgNumber()) + ", " +
                toText(argument.getType()) + ", has no static shape");
      }
    }
  }
  convertReturn(cast<func::ReturnOp>(entry.getTerminator()));
  report.emit();
  if (failedOnce || !report.empty()) {
    return failure();
  }
  cleanUp();
  return checkWorkIsLeft();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Converter::Converted Converter::lookup(Value value) const {
  auto found = values.find(value);
  if (found != values.end()) {
    return found->second;
  }
  // Arguments and constants of the function are what they were.
  return {Converted::State::Known, value};
}

void Converter::bindUnconverted(onnx::NodeOp node) {
  for (Value result : node.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    bind(result, type && type.hasStaticShape()
                     ? Converted{Converted::State::Stated, result}
                     : Converted());
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Converter::convertBlock(Block &block) {
  // Decoders insert ops into the function's block while this loop runs.
  SmallVector<Operation *> ops = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : ops) {
    if (op->getParentOp() == func) {
      builder.setInsertionPoint(op);
    }
    convertOp(op);
  }
}

void Converter::convertOp(Operation *op) {
  if (auto node = dyn_cast<onnx::NodeOp>(op)) {
    convertNode(node);
    converted.push_back(op);
    return;
  }
  if (isa<onnx::NoneOp>(op)) {
    bind(op->getResult(0), {Converted::State::Absent, Value()});
    converted.push_back(op);
    return;
  }
  // A constant of a graph inside of a node is moved into the function.
  if (op->getParentOp() != func) {
    Operation *copy = builder.clone(*op);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      bind(from, {Converted::State::Known, to});
    }
  }
}

/// Element types that bodies compute with.
static bool isComputable(Type element) {
  return isFloatType(element) || element.isSignlessInteger();
}

std::optional<Refusal> Converter::checkOperand(size_t index, Value operand,
                                               bool anyElement) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || !type.hasStaticShape()) {
    return Refusal{Refusal::Kind::Mismatch,
                   "the type of input " + std::to_string(index) + ", " +
                       toText(operand.getType()) + ", has no static shape"};
  }
  if (!anyElement && !isComputable(type.getElementType())) {
    return Refusal{Refusal::Kind::Unsupported,
                   "input " + std::to_string(index) + " has elements of type " +
                       toText(type.getElementType())};
  }
  return std::nullopt;
}

void Converter::convertNode(onnx::NodeOp node) {
  std::string reason;
  const Decoder *decoder = DecoderRegistry::get().find(
      node.getDomain(), node.getOpType(),
      static_cast<int64_t>(node.getVersion()), reason);
  bindUnconverted(node);
  if (!decoder) {
    report.add(node, {Refusal::Kind::Unsupported, reason});
    return;
  }
  if (decoder->controlFlow != ControlFlow::None) {
    return convertControlFlow(node, decoder->controlFlow);
  }
  SmallVector<Value> operands;
  for (Value input : node.getInputs()) {
    Converted operand = lookup(input);
    if (operand.state == Converted::State::Unknown) {
      report.addNotJudged(node);
      return;
    }
    if (operand.value) {
      if (std::optional<Refusal> refusal = checkOperand(
              operands.size(), operand.value, decoder->traits.anyElement)) {
        report.add(node, *refusal);
        return;
      }
    }
    operands.push_back(operand.value);
  }
  for (unsigned i = 0; i < decoder->traits.numRequired; ++i) {
    if (i >= operands.size() || !operands[i]) {
      report.add(node, {Refusal::Kind::Mismatch,
                        "input " + std::to_string(i) + " is missing"});
      return;
    }
  }
  DecodeContext context(node, operands, builder, budget);
  if (succeeded(decoder->decode(context)) && !context.refusal()) {
    for (size_t i = 0; i < node.getNumResults(); ++i) {
      if (Value output = context.output(i)) {
        bind(node.getResult(i), {Converted::State::Known, output});
      } else if (context.wants(i)) {
        (void)context.unsupported("output " + Twine(i) + " is used");
      }
    }
  }
  if (context.refusal()) {
    report.add(node, *context.refusal());
    bindUnconverted(node);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A result of the model has the type that the model states.
void Converter::checkDeclared(func::ReturnOp op, size_t index, Value value) {
  auto declared = dyn_cast<TensorType>(func.getResultTypes()[index]);
  auto type = cast<RankedTensorType>(value.getType());
  if (!declared) {
    return;
  }
  const bool sameElement = declared.getElementType() == type.getElementType();
  const bool sameShape =
      !declared.hasRank() || declared.getShape() == type.getShape();
  if (!sameElement || !sameShape) {
    auto name = func.getResultAttrOfType<StringAttr>(index, "spyre.name");
    emitCoded(op, Error{ErrorCode::OnnxShapeMismatch,
                        "output " + (name ? "\"" + name.str() + "\""
                                          : std::to_string(index)),
                        "the model states the type " + toText(declared) +
                            ", its nodes give " + toText(type),
                        {},
                        ""});
    failedOnce = true;
  }
}

void Converter::convertReturn(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    Converted result = lookup(value);
    if (result.state == Converted::State::Known) {
      checkDeclared(op, index, result.value);
    } else if (result.state == Converted::State::Absent) {
      emitCoded(op, ErrorCode::OnnxShapeMismatch,
                "output " + Twine(index) + " has no value");
      failedOnce = true;
    }
  }
  if (failedOnce || !report.empty()) {
    return;
  }
  SmallVector<Value> results = llvm::map_to_vector(
      op.getOperands(), [&](Value value) { return lookup(value).value; });
  op->setOperands(results);
  func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(),
                                               ValueRange(results).getTypes()));
}

/// Dims that were given as 0 must not leave every output empty.
LogicalResult Converter::checkWorkIsLeft() {
  auto zeros = func->getAttrOfType<ArrayAttr>(onnx::kZeroDimsAttr);
  if (!zeros) {
    return success();
  }
  func->removeAttr(onnx::kZeroDimsAttr);
  const auto isEmpty = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
  };
  Operation *terminator = func.getBody().front().getTerminator();
  if (!llvm::all_of(terminator->getOperandTypes(), isEmpty)) {
    return success();
  }
  Error error{ErrorCode::OnnxBadBinding,
              "model",
              "no output has an element: nothing is left for the device",
              {},
              "give the dim a number of at least 1"};
  for (auto zero : zeros.getAsRange<StringAttr>()) {
    error.notes.push_back(zero.str());
  }
  return emitCoded(func, error);
}

/// Erases the nodes and whatever nothing uses.
void Converter::cleanUp() {
  for (Operation *op : llvm::reverse(converted)) {
    if (op->getParentOp() == func) {
      op->dropAllUses();
      op->erase();
    }
  }
  Block &entry = func.getBody().front();
  SmallVector<Operation *> rest = llvm::map_to_vector(
      entry.without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(rest)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
    }
  }
}

} // namespace spyre
