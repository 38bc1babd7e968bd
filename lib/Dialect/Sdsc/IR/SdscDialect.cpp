// SPDX-License-Identifier: Apache-2.0
//
// Registration of the sdsc dialect, and the correspondence of element types.

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "spyre/Dialect/Sdsc/IR/SdscDialect.cpp.inc"
#include "spyre/Dialect/Sdsc/IR/SdscEnums.cpp.inc"
#include "spyre/Dialect/Sdsc/IR/SdscInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscTypes.cpp.inc"

void spyre::sdsc::SdscDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "spyre/Dialect/Sdsc/IR/SdscTypes.cpp.inc"
      >();
}

void spyre::sdsc::SdscDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "spyre/Dialect/Sdsc/IR/SdscOps.cpp.inc"
      >();
}

namespace spyre::sdsc {

std::optional<ElementType> toElementType(Type type) {
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case<Float16Type>([](auto) { return ElementType::F16; })
      .Case<Float32Type>([](auto) { return ElementType::F32; })
      .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
      .Case<DL16Type>([](auto) { return ElementType::DL16; })
      .Case<Float8E4M3FNType>([](auto) { return ElementType::F8E4M3; })
      .Case<Float8E5M2Type>([](auto) { return ElementType::F8E5M2; })
      .Case([](IntegerType integer) -> std::optional<ElementType> {
        switch (integer.isSignless() ? integer.getWidth() : 0) {
        case 1:
          return ElementType::Bool;
        case 4:
          return ElementType::I4;
        case 8:
          return ElementType::I8;
        case 32:
          return ElementType::I32;
        default:
          return std::nullopt;
        }
      })
      .Default(std::nullopt);
}

Type toMlirType(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::I32:
    return IntegerType::get(context, 32);
  case ElementType::Bool:
    return IntegerType::get(context, 1);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::DL16:
    return DL16Type::get(context);
  case ElementType::I8:
    return IntegerType::get(context, 8);
  case ElementType::F8E4M3:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::I4:
    return IntegerType::get(context, 4);
  }
  llvm_unreachable("the verifier of the format bounds element types");
}

Type bodyType(ElementType type, MLIRContext *context) {
  if (isFloat(type)) {
    return Float32Type::get(context);
  }
  return IntegerType::get(context, type == ElementType::Bool ? 1 : 32);
}

} // namespace spyre::sdsc
