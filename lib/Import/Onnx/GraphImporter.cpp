// SPDX-License-Identifier: Apache-2.0
//
// Signature and graphs.

#include "GraphImporter.h"

#include "Locations.h"

#include "spyre/Dialect/Onnx/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace spyre {

using onnxfile::DataType;
using onnxfile::Graph;
using onnxfile::Model;
using onnxfile::Node;
using onnxfile::Tensor;
using onnxfile::TypeKind;
using onnxfile::ValueInfo;

static std::string quoted(const std::string &text) {
  return "\"" + text + "\"";
}

GraphImporter::GraphImporter(const Model &model, const ImportOptions &options,
                             MLIRContext *context)
    : model(model), options(options), builder(context), dims(model, options),
      constants(model, options, context) {}

void GraphImporter::report(ErrorCode code, std::string subject,
                           std::string message) {
  errors.push_back(Error{code, std::move(subject), std::move(message), {}, ""});
}

std::vector<Error> GraphImporter::finish() {
  // A dim without a number is the first thing to mend.
  std::vector<Error> all = dims.finish();
  all.insert(all.end(), errors.begin(), errors.end());
  return all;
}

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

Type GraphImporter::toType(const onnxfile::Type &type) const {
  Type unknown = onnx::UnknownType::get(builder.getContext());
  Type element = type.kind == TypeKind::Tensor
                     ? onnx::toElementType(builder.getContext(), type.elemType)
                     : Type();
  if (!element) {
    return unknown;
  }
  std::optional<std::vector<int64_t>> shape =
      type.hasShape ? dims.evaluate(type.dims) : std::nullopt;
  if (!shape) {
    return UnrankedTensorType::get(element);
  }
  return RankedTensorType::get(*shape, element);
}

Type GraphImporter::typeOf(const std::string &name, const Scope &scope) const {
  if (name.empty()) {
    return NoneType::get(builder.getContext());
  }
  auto found = scope.types.find(name);
  return found == scope.types.end()
             ? onnx::UnknownType::get(builder.getContext())
             : toType(*found->second);
}

Value GraphImporter::none(Location loc) {
  return onnx::NoneOp::create(builder, loc, builder.getNoneType());
}

/// The value of that name, made now if it is a constant. Reading has checked
/// that every name has a definition; what is missing was reported before.
Value GraphImporter::lookup(const std::string &name, Scope &scope) {
  if (Value value = scope.values[name]) {
    return value;
  }
  Location loc = NameLoc::get(builder.getStringAttr(name));
  auto tensor = scope.tensors.find(name);
  Value value;
  if (tensor != scope.tensors.end()) {
    Expected<Value> constant =
        constants.create(builder, loc, *tensor->second, name);
    if (!constant) {
      errors.push_back(constant.error());
    }
    value = constant ? *constant : Value();
  }
  if (!value) {
    value = none(loc);
  }
  scope.values[name] = value;
  return value;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value GraphImporter::constantInput(const ValueInfo &input) {
  const ConstantInput &given = options.constantInputs.at(input.name);
  const std::string subject = "input " + quoted(input.name);
  Type element = onnx::toElementType(builder.getContext(), given.dataType);
  std::optional<int64_t> size =
      element ? denseBytes(given.dataType, given.dims) : std::nullopt;
  if (!size || *size != static_cast<int64_t>(given.bytes.size())) {
    report(ErrorCode::OnnxBadBinding, subject,
           "the constant given has " + std::to_string(given.bytes.size()) +
               " bytes, which is not the size of its type and shape");
    return none(builder.getUnknownLoc());
  }
  if (input.type.elemType != DataType::Undefined &&
      input.type.elemType != given.dataType) {
    report(ErrorCode::OnnxBadBinding, subject,
           "the constant given is of type " +
               std::string(toString(given.dataType)) + ", the input of type " +
               std::string(toString(input.type.elemType)));
  }
  auto type = RankedTensorType::get(given.dims, element);
  return arith::ConstantOp::create(
      builder, NameLoc::get(builder.getStringAttr(input.name)),
      toDenseElements(type, given.dataType, given.bytes));
}

/// An argument of the function, or a constant if its value is given.
void GraphImporter::importInput(const ValueInfo &input, Scope &scope) {
  if (options.constantInputs.contains(input.name)) {
    scope.values[input.name] = constantInput(input);
    return;
  }
  Location loc = NameLoc::get(builder.getStringAttr(input.name));
  Type element =
      input.type.kind == TypeKind::Tensor
          ? onnx::toElementType(builder.getContext(), input.type.elemType)
          : Type();
  if (!element) {
    report(ErrorCode::OnnxValueType, "input " + quoted(input.name),
           input.type.kind == TypeKind::Tensor
               ? "elements of type " +
                     std::string(toString(input.type.elemType)) +
                     " cannot be computed with"
               : "it is not a dense tensor");
    scope.values[input.name] = none(loc);
    return;
  }
  std::optional<std::vector<int64_t>> shape = dims.inputShape(input);
  if (!shape) {
    scope.values[input.name] = none(loc);
    return;
  }
  scope.values[input.name] = func.getBody().front().addArgument(
      RankedTensorType::get(*shape, element), loc);
  argumentAttrs.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr("spyre.name", builder.getStringAttr(input.name))));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Makes the constants and stated types of a graph known.
void GraphImporter::enterGraph(const Graph &graph, Scope &scope) {
  for (const Tensor &tensor : graph.initializers) {
    scope.tensors[tensor.name] = &tensor;
  }
  for (const ValueInfo &value : graph.valueInfos) {
    scope.types[value.name] = &value.type;
  }
  for (const ValueInfo &value : graph.outputs) {
    scope.types[value.name] = &value.type;
  }
}

void GraphImporter::importMain(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(builder, module.getLoc(), "main",
                              builder.getFunctionType({}, {}));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  const Graph &graph = model.graph;
  Scope scope;
  enterGraph(graph, scope);
  for (const ValueInfo &input : graph.inputs) {
    // An initializer of the same name is the input's value.
    if (!scope.tensors.contains(input.name) ||
        options.constantInputs.contains(input.name)) {
      importInput(input, scope);
    }
  }
  for (const Node &node : graph.nodes) {
    importNode(node, scope, Call());
  }
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> resultAttrs;
  for (const ValueInfo &output : graph.outputs) {
    results.push_back(lookup(output.name, scope));
    resultAttrs.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        "spyre.name", builder.getStringAttr(output.name))));
  }
  func::ReturnOp::create(builder, func.getLoc(), results);
  func.setFunctionType(builder.getFunctionType(entry->getArgumentTypes(),
                                               ValueRange(results).getTypes()));
  const std::vector<std::string> zeros = dims.zeroDims();
  if (!zeros.empty()) {
    func->setAttr(onnx::kZeroDimsAttr,
                  builder.getStrArrayAttr(
                      SmallVector<StringRef>(zeros.begin(), zeros.end())));
  }
  func.setAllArgAttrs(argumentAttrs);
  func.setAllResultAttrs(resultAttrs);
}

/// The region of one graph attribute: its inputs, then the captures.
void GraphImporter::buildSubgraph(const Graph &graph, Region &region,
                                  ArrayRef<std::string> captures,
                                  ValueRange captured, const Call &call) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region);
  Scope scope;
  enterGraph(graph, scope);
  for (const ValueInfo &input : graph.inputs) {
    scope.values[input.name] = block->addArgument(
        toType(input.type), NameLoc::get(builder.getStringAttr(input.name)));
  }
  for (auto [name, value] : llvm::zip(captures, captured)) {
    BlockArgument argument =
        block->addArgument(value.getType(), value.getLoc());
    // A name that the graph defines itself hides the captured one.
    if (!scope.values[name] && !scope.tensors.contains(name)) {
      scope.values[name] = argument;
    }
  }
  for (const Node &node : graph.nodes) {
    importNode(node, scope, call);
  }
  SmallVector<Value> results;
  for (const ValueInfo &output : graph.outputs) {
    results.push_back(lookup(output.name, scope));
  }
  onnx::YieldOp::create(builder, builder.getUnknownLoc(), results);
}

} // namespace spyre
