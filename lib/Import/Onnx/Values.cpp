// SPDX-License-Identifier: Apache-2.0

#include "Values.h"

#include "spyre/Dialect/Onnx/IR/ElementTypes.h"
#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;
using spyre::onnxfile::DataType;

namespace spyre {

/// One byte per element of a type below 8 bits; signed ones are sign-extended
/// into the byte, as dense attributes hold them.
static std::vector<char> unpack(std::span<const std::byte> bytes, int bits,
                                int64_t numElements) {
  std::vector<char> elements(static_cast<size_t>(numElements));
  const int perByte = 8 / bits;
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < numElements; ++i) {
    const unsigned packed = static_cast<unsigned>(bytes[i / perByte]);
    elements[i] = static_cast<char>(packed >> (i % perByte * bits) & mask);
  }
  return elements;
}

/// Whether the buffer repeats its first element.
static bool isUniform(ArrayRef<char> buffer, size_t elementBytes) {
  return buffer.size() > elementBytes &&
         std::equal(buffer.begin() + static_cast<int64_t>(elementBytes),
                    buffer.end(), buffer.begin());
}

DenseElementsAttr toDenseElements(RankedTensorType type, DataType dataType,
                                  std::span<const std::byte> bytes) {
  const int64_t numElements = type.getNumElements();
  const int bits = onnxfile::bitWidth(dataType);
  if (dataType == DataType::Bool) {
    SmallVector<bool> values;
    for (std::byte value : bytes) {
      values.push_back(value != std::byte{0});
    }
    const bool uniform =
        !values.empty() && llvm::all_equal(ArrayRef<bool>(values));
    return DenseElementsAttr::get(
        type, uniform ? ArrayRef<bool>(values).take_front() : values);
  }
  std::vector<char> unpacked;
  ArrayRef<char> buffer(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (bits < 8) {
    unpacked = unpack(bytes, bits, numElements);
    buffer = unpacked;
  }
  const size_t elementBytes = std::max(bits / 8, 1);
  if (isUniform(buffer, elementBytes)) {
    buffer = buffer.take_front(elementBytes);
  }
  return DenseElementsAttr::getFromRawBuffer(type, buffer);
}

ConstantBuilder::ConstantBuilder(const onnxfile::Model &model,
                                 const ImportOptions &options,
                                 MLIRContext *context)
    : model(model), options(options), context(context) {}

Expected<RankedTensorType>
ConstantBuilder::typeOf(const onnxfile::Tensor &tensor,
                        const std::string &name) const {
  Type element = onnx::toElementType(context, tensor.dataType);
  if (!element) {
    return makeError(ErrorCode::OnnxValueType, "constant \"" + name + "\"",
                     "elements of type " +
                         std::string(onnxfile::toString(tensor.dataType)) +
                         " cannot be computed with");
  }
  return RankedTensorType::get(tensor.dims, element);
}

bool ConstantBuilder::isInline(const onnxfile::Tensor &tensor) const {
  // Narrow integers are quantized weights.
  const bool isWeight = onnxfile::isFloat(tensor.dataType) ||
                        (onnxfile::bitWidth(tensor.dataType) <= 8 &&
                         tensor.dataType != DataType::Bool);
  return !tensor.owned.empty() ||
         tensor.sizeBytes() <= (isWeight ? options.maxInlineBytes
                                         : options.maxInlineIntegerBytes);
}

/// The path of a file as the artifact's writer opens it: from the folder of
/// the model. Reading has checked that it may be read.
std::string ConstantBuilder::relativePath(uint32_t file) const {
  namespace fs = std::filesystem;
  const fs::path path(model.files[file].path);
  const fs::path folder = fs::path(model.files.front().path).parent_path();
  const fs::path relative = path.lexically_relative(
      folder.empty() && path.is_relative() ? fs::path(".") : folder);
  return (relative.empty() ? path : relative).generic_string();
}

Expected<DenseElementsAttr>
ConstantBuilder::createAttribute(const onnxfile::Tensor &tensor,
                                 const std::string &name) const {
  Expected<RankedTensorType> type = typeOf(tensor, name);
  if (!type) {
    return tl::unexpected(type.error());
  }
  return toDenseElements(*type, tensor.dataType, model.dataOf(tensor));
}

Expected<Value> ConstantBuilder::create(OpBuilder &builder, Location loc,
                                        const onnxfile::Tensor &tensor,
                                        const std::string &name) const {
  Expected<RankedTensorType> type = typeOf(tensor, name);
  if (!type) {
    return tl::unexpected(type.error());
  }
  if (isInline(tensor)) {
    DenseElementsAttr value =
        toDenseElements(*type, tensor.dataType, model.dataOf(tensor));
    return arith::ConstantOp::create(builder, loc, value).getResult();
  }
  return stick::WeightOp::create(
             builder, loc, *type, builder.getStringAttr(name),
             builder.getStringAttr(relativePath(tensor.range.file)),
             builder.getI64IntegerAttr(tensor.range.offset),
             builder.getI64IntegerAttr(tensor.range.sizeBytes), TypeAttr(),
             DenseI64ArrayAttr())
      .getResult();
}

} // namespace spyre
