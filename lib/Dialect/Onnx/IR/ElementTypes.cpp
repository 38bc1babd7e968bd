// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Onnx/IR/ElementTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using spyre::onnxfile::DataType;

namespace spyre::onnx {

Type toElementType(MLIRContext *context, DataType type) {
  Builder b(context);
  const auto unsignedType = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::Float:
    return b.getF32Type();
  case DataType::Float16:
    return b.getF16Type();
  case DataType::Double:
    return b.getF64Type();
  case DataType::BFloat16:
    return b.getBF16Type();
  case DataType::Bool:
    return b.getI1Type();
  case DataType::Int2:
  case DataType::Int4:
  case DataType::Int8:
  case DataType::Int16:
  case DataType::Int32:
  case DataType::Int64:
    return b.getIntegerType(static_cast<unsigned>(onnxfile::bitWidth(type)));
  case DataType::UInt2:
  case DataType::UInt4:
  case DataType::UInt8:
  case DataType::UInt16:
  case DataType::UInt32:
  case DataType::UInt64:
    return unsignedType(static_cast<unsigned>(onnxfile::bitWidth(type)));
  case DataType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DataType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DataType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DataType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DataType::Float4E2M1:
    return Float4E2M1FNType::get(context);
  case DataType::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case DataType::Undefined:
  case DataType::String:
  case DataType::Complex64:
  case DataType::Complex128:
    return {};
  }
  return {};
}

} // namespace spyre::onnx
