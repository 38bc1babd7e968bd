// SPDX-License-Identifier: Apache-2.0

#include "DecodeContext.h"

#include "Evaluate.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace spyre {

std::string toText(ShapeRef shape) {
  std::string text;
  for (int64_t extent : shape) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text.empty() ? "scalar" : text;
}

std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

DecodeContext::DecodeContext(onnx::NodeOp node, ArrayRef<Value> operands,
                             OpBuilder &builder, const EvaluationBudget &budget)
    : node(node), g(builder, node.getLoc(), budget), operands(operands),
      results(node.getNumResults()) {}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

LogicalResult DecodeContext::refuse(Refusal::Kind kind, const Twine &reason) {
  if (!firstRefusal) {
    firstRefusal = Refusal{kind, reason.str()};
  }
  return failure();
}

LogicalResult DecodeContext::unsupported(const Twine &reason) {
  return refuse(Refusal::Kind::Unsupported, reason);
}

LogicalResult DecodeContext::mismatch(const Twine &reason) {
  return refuse(Refusal::Kind::Mismatch, reason);
}

LogicalResult DecodeContext::badAttribute(const Twine &reason) {
  return refuse(Refusal::Kind::Attribute, reason);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<Shape> DecodeContext::integers(size_t index, StringRef name) {
  DenseElementsAttr attr = constantInput(index);
  if (!attr) {
    return unsupported("input " + Twine(index) + " (" + name +
                       ") must be known when compiling");
  }
  if (!isa<IntegerType>(attr.getElementType()) || shape(index).size() > 1) {
    return mismatch("input " + Twine(index) + " (" + name + ") is " +
                    toText(in(index).getType()) + ", not a list of integers");
  }
  Shape values;
  for (const Number &number : readNumbers(attr)) {
    values.push_back(number.integer);
  }
  return values;
}

FailureOr<double> DecodeContext::scalar(size_t index, StringRef name) {
  if (has(index) && numElements(shape(index)) != 1) {
    return mismatch("input " + Twine(index) + " (" + name + ") has " +
                    Twine(numElements(shape(index))) + " elements, not one");
  }
  const std::optional<Number> number =
      has(index) ? GraphBuilder::scalarOf(in(index)) : std::nullopt;
  if (!number) {
    return unsupported("input " + Twine(index) + " (" + name +
                       ") must be known when compiling");
  }
  return isFloatType(element(index)) ? number->real
                                     : static_cast<double>(number->integer);
}

FailureOr<Shape> DecodeContext::broadcast(ArrayRef<Value> values) {
  SmallVector<ShapeRef> shapes =
      llvm::map_to_vector(values, [](Value value) { return shapeOf(value); });
  if (std::optional<Shape> shape = broadcastShapes(shapes)) {
    return *shape;
  }
  std::string text;
  for (ShapeRef shape : shapes) {
    text += (text.empty() ? "" : ", ") + toText(shape);
  }
  return mismatch("shapes " + text + " do not broadcast");
}

LogicalResult DecodeContext::sameElements(ArrayRef<size_t> indices) {
  Type first;
  for (size_t index : indices) {
    if (!has(index)) {
      continue;
    }
    first = first ? first : element(index);
    if (element(index) != first) {
      return mismatch("input " + Twine(index) + " has elements of type " +
                      toText(element(index)) + ", another input of type " +
                      toText(first));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool DecodeContext::hasAttr(StringRef name) {
  return static_cast<bool>(node.getParameters().get(name));
}

int64_t DecodeContext::intAttr(StringRef name, int64_t defaultValue) {
  Attribute attr = node.getParameters().get(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr)) {
    return integer.getInt();
  }
  if (attr) {
    (void)badAttribute("attribute \"" + name + "\" is not an integer");
  }
  return defaultValue;
}

double DecodeContext::floatAttr(StringRef name, double defaultValue) {
  Attribute attr = node.getParameters().get(name);
  if (auto number = dyn_cast_or_null<FloatAttr>(attr)) {
    return number.getValueAsDouble();
  }
  if (attr) {
    (void)badAttribute("attribute \"" + name + "\" is not a float");
  }
  return defaultValue;
}

std::string DecodeContext::stringAttr(StringRef name, StringRef defaultValue) {
  Attribute attr = node.getParameters().get(name);
  if (auto text = dyn_cast_or_null<StringAttr>(attr)) {
    return text.str();
  }
  if (attr) {
    (void)badAttribute("attribute \"" + name + "\" is not a string");
  }
  return defaultValue.str();
}

std::optional<Shape> DecodeContext::intsAttr(StringRef name) {
  Attribute attr = node.getParameters().get(name);
  if (auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(attr)) {
    return Shape(integers.asArrayRef());
  }
  if (attr) {
    (void)badAttribute("attribute \"" + name + "\" is not a list of integers");
  }
  return std::nullopt;
}

DenseElementsAttr DecodeContext::tensorAttr(StringRef name) {
  Attribute attr = node.getParameters().get(name);
  if (attr && !isa<DenseElementsAttr>(attr)) {
    (void)badAttribute("attribute \"" + name + "\" is not a tensor");
  }
  return dyn_cast_or_null<DenseElementsAttr>(attr);
}

FailureOr<int64_t> DecodeContext::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return badAttribute("axis " + Twine(axis) +
                        " is outside of a tensor of "
                        "rank " +
                        Twine(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

FailureOr<Shape> DecodeContext::axes(ShapeRef given, int64_t rank) {
  Shape result;
  for (int64_t value : given) {
    FailureOr<int64_t> normal = axis(value, rank);
    if (failed(normal)) {
      return failure();
    }
    if (llvm::is_contained(result, *normal)) {
      return badAttribute("axis " + Twine(value) + " is given twice");
    }
    result.push_back(*normal);
  }
  return result;
}

FailureOr<std::optional<Shape>> DecodeContext::axesInput(size_t index,
                                                         int64_t rank) {
  std::optional<Shape> given = intsAttr("axes");
  if (!given && has(index)) {
    FailureOr<Shape> values = integers(index, "axes");
    if (failed(values)) {
      return failure();
    }
    given = *values;
  }
  if (!given) {
    return std::optional<Shape>();
  }
  FailureOr<Shape> normal = axes(*given, rank);
  if (failed(normal)) {
    return failure();
  }
  return std::optional<Shape>(*normal);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult DecodeContext::set(size_t index, Value value) {
  if (index < results.size()) {
    results[index] = value;
  }
  return success();
}

} // namespace spyre
