// SPDX-License-Identifier: Apache-2.0
//
// Nodes: constants, calls of the model's functions, and everything else.

#include "GraphImporter.h"

#include "Locations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace spyre {

using onnxfile::AttributeType;
using onnxfile::Function;
using onnxfile::Graph;
using onnxfile::Node;
using onnxfile::ValueInfo;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The node's attributes; inside of a function, references to attributes of
/// the call are replaced by these, or dropped where the call has none.
GraphImporter::Attributes GraphImporter::resolve(const Node &node,
                                                 const Call &call) const {
  Attributes attributes;
  for (const onnxfile::Attribute &attribute : node.attributes) {
    if (attribute.refAttrName.empty()) {
      attributes.emplace_back(attribute.name, &attribute);
      continue;
    }
    auto given = call.attributes.find(attribute.refAttrName);
    if (given != call.attributes.end()) {
      attributes.emplace_back(attribute.name, given->second);
    }
  }
  return attributes;
}

Attribute GraphImporter::toParameter(const onnxfile::Attribute &attribute,
                                     const std::string &subject) {
  switch (attribute.type) {
  case AttributeType::Float:
    return builder.getF32FloatAttr(attribute.f);
  case AttributeType::Int:
    return builder.getI64IntegerAttr(attribute.i);
  case AttributeType::String:
    return builder.getStringAttr(attribute.s);
  case AttributeType::Floats:
    return builder.getDenseF32ArrayAttr(attribute.floats);
  case AttributeType::Ints:
    return builder.getDenseI64ArrayAttr(attribute.ints);
  case AttributeType::Strings:
    return builder.getStrArrayAttr(SmallVector<StringRef>(
        attribute.strings.begin(), attribute.strings.end()));
  case AttributeType::Tensor:
    if (attribute.tensors.size() == 1) {
      Expected<DenseElementsAttr> value =
          constants.createAttribute(attribute.tensors.front(), attribute.name);
      if (value) {
        return *value;
      }
    }
    break;
  case AttributeType::TypeProto:
    if (attribute.types.size() == 1) {
      return TypeAttr::get(toType(attribute.types.front()));
    }
    break;
  default:
    break;
  }
  report(ErrorCode::OnnxAttribute, subject,
         "attribute \"" + attribute.name + "\" is a " +
             std::string(toString(attribute.type)) +
             " that the compiler cannot hold");
  return {};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void GraphImporter::importNode(const Node &node, Scope &scope,
                               const Call &call) {
  if (const Function *function = model.findFunction(node)) {
    importCall(node, *function, scope, call);
  } else if (!importConstantNode(node, scope, call)) {
    buildNode(node, scope, call);
  }
}

/// Imports the body of the function in place of the call.
void GraphImporter::importCall(const Node &node, const Function &function,
                               Scope &scope, const Call &caller) {
  Call call;
  call.function = &function;
  call.prefix = caller.prefix + nodeName(node) + "/";
  for (const onnxfile::Attribute &attribute : function.attributeDefaults) {
    call.attributes[attribute.name] = &attribute;
  }
  for (const auto &[name, attribute] : resolve(node, caller)) {
    call.attributes[name] = attribute;
  }
  for (const std::string &name : function.attributes) {
    if (!call.attributes.contains(name)) {
      report(ErrorCode::OnnxAttribute, describe(node),
             "attribute \"" + name + "\" of the function is missing");
    }
  }
  Scope inner;
  Location loc = nodeLocation(builder, node, caller.prefix + nodeName(node));
  for (const auto &[index, name] : llvm::enumerate(function.inputs)) {
    const bool given =
        index < node.inputs.size() && !node.inputs[index].empty();
    inner.values[name] = given ? lookup(node.inputs[index], scope) : none(loc);
  }
  for (const ValueInfo &value : function.valueInfos) {
    inner.types[value.name] = &value.type;
  }
  for (const Node &bodyNode : function.nodes) {
    importNode(bodyNode, inner, call);
  }
  for (const auto &[index, name] : llvm::enumerate(node.outputs)) {
    if (!name.empty() && index < function.outputs.size()) {
      scope.values[name] = lookup(function.outputs[index], inner);
    }
  }
}

/// A node Constant becomes a constant, in any form of its value.
bool GraphImporter::importConstantNode(const Node &node, Scope &scope,
                                       const Call &call) {
  if (node.opType != "Constant" || !node.domain.empty() ||
      node.outputs.size() != 1) {
    return false;
  }
  Attributes attributes = resolve(node, call);
  if (attributes.size() != 1) {
    return false;
  }
  const auto &[name, attribute] = attributes.front();
  if (name == "value" && attribute->tensors.size() == 1) {
    // Made where it is used, as an initializer.
    scope.tensors[node.outputs.front()] = &attribute->tensors.front();
    return true;
  }
  const auto shape = [](size_t size) { return static_cast<int64_t>(size); };
  DenseElementsAttr value;
  if (name == "value_float") {
    value = DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getF32Type()), attribute->f);
  } else if (name == "value_int") {
    value = DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getI64Type()), attribute->i);
  } else if (name == "value_floats") {
    value = DenseElementsAttr::get(
        RankedTensorType::get(shape(attribute->floats.size()),
                              builder.getF32Type()),
        ArrayRef<float>(attribute->floats));
  } else if (name == "value_ints") {
    value = DenseElementsAttr::get(
        RankedTensorType::get(shape(attribute->ints.size()),
                              builder.getI64Type()),
        ArrayRef<int64_t>(attribute->ints));
  } else {
    return false;
  }
  scope.values[node.outputs.front()] = arith::ConstantOp::create(
      builder, nodeLocation(builder, node, call.prefix + nodeName(node)),
      value);
  return true;
}

void GraphImporter::buildNode(const Node &node, Scope &scope,
                              const Call &call) {
  Location loc = nodeLocation(builder, node, call.prefix + nodeName(node));
  NamedAttrList parameters;
  SmallVector<Attribute> graphNames;
  SmallVector<const Graph *> graphs;
  SmallVector<std::string> captures;
  for (const auto &[name, attribute] : resolve(node, call)) {
    if (attribute->type == AttributeType::Graph &&
        attribute->graphs.size() == 1) {
      graphNames.push_back(builder.getStringAttr(name));
      graphs.push_back(&attribute->graphs.front());
      for (const std::string &capture : graphs.back()->captures) {
        if (!llvm::is_contained(captures, capture)) {
          captures.push_back(capture);
        }
      }
    } else if (Attribute value = toParameter(*attribute, describe(node))) {
      parameters.set(name, value);
    }
  }
  SmallVector<Value> inputs;
  size_t numInputs = node.inputs.size();
  while (numInputs > 0 && node.inputs[numInputs - 1].empty()) {
    --numInputs;
  }
  for (size_t i = 0; i < numInputs; ++i) {
    inputs.push_back(node.inputs[i].empty() ? none(loc)
                                            : lookup(node.inputs[i], scope));
  }
  SmallVector<Value> captured = llvm::map_to_vector(
      captures, [&](const std::string &name) { return lookup(name, scope); });
  SmallVector<Type> resultTypes =
      llvm::map_to_vector(node.outputs, [&](const std::string &name) {
        return typeOf(name, scope);
      });

  std::optional<int64_t> version =
      model.opsetVersion(node.domain, call.function);
  auto op = onnx::NodeOp::create(
      builder, loc, resultTypes, builder.getStringAttr(node.opType),
      builder.getStringAttr(node.domain),
      builder.getI64IntegerAttr(version.value_or(1)), inputs,
      parameters.getDictionary(builder.getContext()),
      graphs.empty() ? ArrayAttr() : builder.getArrayAttr(graphNames), captured,
      graphs.size());
  for (auto [graph, region] : llvm::zip(graphs, op.getSubgraphs())) {
    buildSubgraph(*graph, region, captures, captured, call);
  }
  for (auto [name, result] : llvm::zip(node.outputs, op.getResults())) {
    if (!name.empty()) {
      scope.values[name] = result;
    }
  }
}

} // namespace spyre
