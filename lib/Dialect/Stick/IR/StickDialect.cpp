// SPDX-License-Identifier: Apache-2.0
//
// Registration of the dialect, and the mapping of types.

#include "spyre/Dialect/Stick/IR/Stick.h"

using namespace mlir;

#include "spyre/Dialect/Stick/IR/StickDialect.cpp.inc"

namespace spyre::stick {

void StickDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "spyre/Dialect/Stick/IR/StickOps.cpp.inc"
      >();
}

std::optional<launch::HostType> toHostType(Type type) {
  using launch::HostType;
  if (type.isF16()) {
    return HostType::F16;
  }
  if (type.isBF16()) {
    return HostType::BF16;
  }
  if (type.isF32()) {
    return HostType::F32;
  }
  if (type.isF64()) {
    return HostType::F64;
  }
  if (type.isUnsignedInteger(8)) {
    return HostType::U8;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isUnsigned()) {
    return std::nullopt;
  }
  switch (integer.getWidth()) {
  case 1:
    return HostType::Bool;
  case 8:
    return HostType::I8;
  case 16:
    return HostType::I16;
  case 32:
    return HostType::I32;
  case 64:
    return HostType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<ElementType> toElementType(Type type) {
  if (type.isF16()) {
    return ElementType::F16;
  }
  if (type.isBF16()) {
    return ElementType::BF16;
  }
  if (type.isF32()) {
    return ElementType::F32;
  }
  if (isa<Float8E4M3FNType>(type)) {
    return ElementType::F8E4M3;
  }
  if (isa<Float8E5M2Type>(type)) {
    return ElementType::F8E5M2;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isUnsigned()) {
    return std::nullopt;
  }
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 4:
    return ElementType::I4;
  case 8:
    return ElementType::I8;
  case 32:
  case 64:
    return ElementType::I32;
  default:
    return std::nullopt;
  }
}

LayoutAttr getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

LayoutAttr getLayout(Value value) { return getLayout(value.getType()); }

RankedTensorType withLayout(RankedTensorType type,
                            const layout::StickLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

} // namespace spyre::stick
