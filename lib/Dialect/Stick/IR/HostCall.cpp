// SPDX-License-Identifier: Apache-2.0
//
// The rules of the functions stand in LaunchPlan; here names become positions
// and types plain data.

#include "spyre/Dialect/Stick/IR/HostCall.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/LaunchPlan/HostFunction.h"
#include "spyre/LaunchPlan/Names.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace spyre::stick {

static tl::unexpected<Error> callMismatch(StringRef function,
                                          const Twine &message) {
  return makeError(ErrorCode::HostCallMismatch,
                   ("host function \"" + function + "\"").str(), message.str());
}

/// The integers of `parameters` in the order of the function's attributes.
static Expected<std::vector<int64_t>>
readAttributes(launch::HostFunction function, DictionaryAttr parameters) {
  std::vector<int64_t> attributes;
  const StringRef name = launch::toString(function);
  std::span<const std::string_view> known = launch::attributeNames(function);
  for (std::string_view attribute : known) {
    auto value = parameters.getAs<IntegerAttr>(attribute);
    if (!value || !value.getType().isSignlessInteger(64)) {
      return callMismatch(name, "needs the integer attribute '" +
                                    StringRef(attribute) + "'");
    }
    attributes.push_back(value.getInt());
  }
  for (NamedAttribute given : parameters) {
    if (!llvm::is_contained(known,
                            std::string_view(given.getName().strref()))) {
      return callMismatch(name, "has no attribute '" +
                                    given.getName().strref() + "'");
    }
  }
  return attributes;
}

/// The device's type, or the one that graph-narrow-types will make of it.
static std::optional<ElementType> elementTypeOf(Type type) {
  if (type.isF64()) {
    return ElementType::F32;
  }
  std::optional<ElementType> element = toElementType(type);
  return !element && isa<IntegerType>(type) ? ElementType::I32 : element;
}

static Expected<std::vector<launch::HostOperand>>
readOperands(StringRef function, ArrayRef<Type> types) {
  std::vector<launch::HostOperand> operands;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<ElementType> element =
        tensor ? elementTypeOf(tensor.getElementType()) : std::nullopt;
    if (!element) {
      return callMismatch(function, llvm::to_string(type) +
                                        " has no image on the device");
    }
    launch::HostOperand operand;
    operand.shape = tensor.getShape().vec();
    operand.deviceType = *element;
    if (LayoutAttr layout = getLayout(tensor)) {
      operand.layout = layout.getLayout();
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

Expected<launch::HostCall>
readHostCall(StringRef function, DictionaryAttr parameters, StringRef reason,
             ArrayRef<Type> operands, ArrayRef<Type> results) {
  std::optional<launch::HostFunction> known =
      launch::parseName<launch::HostFunction>(function);
  if (!known) {
    return callMismatch(function, "does not exist");
  }
  Expected<std::vector<int64_t>> attributes =
      readAttributes(*known, parameters);
  Expected<std::vector<launch::HostOperand>> inputs =
      readOperands(function, operands);
  Expected<std::vector<launch::HostOperand>> outputs =
      readOperands(function, results);
  for (const auto *list : {&inputs, &outputs}) {
    if (!*list) {
      return tl::unexpected(list->error());
    }
  }
  if (!attributes) {
    return tl::unexpected(attributes.error());
  }
  launch::HostCall call{*known, std::move(*attributes), std::move(*inputs),
                        std::move(*outputs), reason.str()};
  if (Status status = launch::verifyHostCall(call); !status) {
    return tl::unexpected(status.error());
  }
  return call;
}

} // namespace spyre::stick
