// SPDX-License-Identifier: Apache-2.0
//
// What a quantized weight is made of, checked before anything reads it.

#include "spyre/Dialect/Stick/IR/Stick.h"

using namespace mlir;

namespace spyre::stick {

bool StoredAttr::isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return llvm::is_contained({2, 4, 8, 16, 32, 64}, integer.getWidth());
  }
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult StoredAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr, int64_t offset,
                                 RankedTensorType type) {
  if (offset < 0) {
    return emitError() << "offset " << offset << " is negative";
  }
  if (!type.hasStaticShape() || !isElement(type.getElementType())) {
    return emitError() << type << " has no form in a file";
  }
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  for (int64_t extent : type.getShape()) {
    if (__builtin_mul_overflow(bits, extent, &bits)) {
      return emitError() << "the size of " << type << " exceeds 2^63 bits";
    }
  }
  return success();
}

RankedTensorType DequantizedAttr::typeOf(Attribute operand) {
  if (auto stored = dyn_cast<StoredAttr>(operand)) {
    return stored.getType();
  }
  auto dense = dyn_cast<DenseElementsAttr>(operand);
  return dense ? dyn_cast<RankedTensorType>(dense.getType())
               : RankedTensorType();
}

/// Whether the tensor has an element for each block.
static bool hasBlocks(RankedTensorType type, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> blocks) {
  if (type.getRank() != static_cast<int64_t>(shape.size())) {
    return false;
  }
  for (auto [extent, whole, block] :
       llvm::zip(type.getShape(), shape, blocks)) {
    if (extent < whole / block + (whole % block != 0)) {
      return false;
    }
  }
  return true;
}

LogicalResult
DequantizedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        Attribute values, Attribute scales, Attribute zeros,
                        ArrayRef<int64_t> blocks) {
  RankedTensorType type = typeOf(values);
  if (!type || !type.getElementType().isInteger()) {
    return emitError() << "values are no tensor of integers";
  }
  ArrayRef<int64_t> shape = type.getShape();
  if (blocks.size() != shape.size() ||
      !llvm::all_of(blocks, [](int64_t block) { return block > 0; })) {
    return emitError() << "blocks [" << blocks << "] do not divide the "
                       << shape.size() << " dims of " << type;
  }
  RankedTensorType scaleType = typeOf(scales);
  if (!scaleType || !isa<FloatType>(scaleType.getElementType()) ||
      !hasBlocks(scaleType, shape, blocks)) {
    return emitError() << "scales are no tensor of floats with one for each "
                       << "block of " << type;
  }
  RankedTensorType zeroType = zeros ? typeOf(zeros) : RankedTensorType();
  if (zeros && (!zeroType || !zeroType.getElementType().isIntOrFloat() ||
                !hasBlocks(zeroType, shape, blocks))) {
    return emitError() << "zeros are no tensor with one for each block of "
                       << type;
  }
  return success();
}

bool DequantizedAttr::holds(int64_t offset, int64_t bytes) {
  constexpr int64_t kElementBytes = sizeof(float);
  int64_t held = kElementBytes;
  for (int64_t extent : getShape()) {
    // Its elements fit into 2^63 bits, packed; so they may not as f32.
    if (__builtin_mul_overflow(held, extent, &held)) {
      return false;
    }
  }
  return offset >= 0 && bytes >= 0 && offset % kElementBytes == 0 &&
         bytes % kElementBytes == 0 && bytes <= held && offset <= held - bytes;
}

LogicalResult
DequantizedAttr::verifyRange(function_ref<InFlightDiagnostic()> emitError,
                             bool isF32, int64_t offset, int64_t bytes) {
  if (!isF32) {
    return emitError() << "what is dequantized is f32 in its file";
  }
  if (!holds(offset, bytes)) {
    return emitError() << bytes << " bytes at offset " << offset
                       << " are no elements of a dequantized tensor of shape ["
                       << getShape() << "] in f32";
  }
  return success();
}

} // namespace spyre::stick
