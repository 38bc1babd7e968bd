// SPDX-License-Identifier: Apache-2.0
//
// One walk over the elements that are asked for. The values are read where they
// lie; the scales and zeros, of which there are few, are held as f32.

#include "Dequantize.h"

using namespace mlir;

namespace spyre {

namespace {

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

/// An operand: packed elements in a file, or a constant.
class Elements {
public:
  Elements(Attribute operand, Buffer mapped)
      : type(stick::DequantizedAttr::typeOf(operand)),
        element(type.getElementType()), bits(element.getIntOrFloatBitWidth()),
        isSigned(!element.isUnsignedInteger()), mapped(std::move(mapped)),
        constant(dyn_cast<DenseElementsAttr>(operand)) {}

  RankedTensorType getType() const { return type; }

  /// The element at a row-major index.
  float at(int64_t index) const {
    if (constant) {
      return ofConstant(index);
    }
    const uint64_t raw = rawAt(index);
    if (auto floatType = dyn_cast<FloatType>(element)) {
      return toFloat(APFloat(floatType.getFloatSemantics(), APInt(bits, raw)));
    }
    return toFloat(APInt(bits, raw));
  }

private:
  float ofConstant(int64_t index) const {
    if (isa<FloatType>(element)) {
      return toFloat(constant.isSplat() ? constant.getSplatValue<APFloat>()
                                        : constant.getValues<APFloat>()[index]);
    }
    return toFloat(constant.isSplat() ? constant.getSplatValue<APInt>()
                                      : constant.getValues<APInt>()[index]);
  }

  /// The bits of an element; below 8 bits, the first is in the low bits.
  uint64_t rawAt(int64_t index) const {
    const char *bytes = mapped->getBufferStart();
    uint64_t raw = 0;
    if (bits >= 8) {
      std::memcpy(&raw, bytes + index * (bits / 8), bits / 8);
      return raw;
    }
    const int64_t perByte = 8 / bits;
    std::memcpy(&raw, bytes + index / perByte, 1);
    return raw >> (index % perByte * bits) & ((1u << bits) - 1);
  }

  float toFloat(const APInt &value) const {
    return isSigned ? static_cast<float>(value.getSExtValue())
                    : static_cast<float>(value.getZExtValue());
  }

  static float toFloat(APFloat value) {
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToFloat();
  }

  RankedTensorType type;
  Type element;
  unsigned bits;
  bool isSigned;
  Buffer mapped;
  DenseElementsAttr constant;
};

/// The scales or the zeros.
class Blocks {
public:
  Blocks(const Elements &elements, ArrayRef<int64_t> blocks)
      : shape(elements.getType().getShape()), blocks(blocks) {
    const int64_t count = elements.getType().getNumElements();
    numbers.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      numbers.push_back(elements.at(i));
    }
  }

  /// That of the block of a position.
  float at(ArrayRef<int64_t> position) const {
    int64_t index = 0;
    for (auto [extent, coordinate, block] :
         llvm::zip_equal(shape, position, blocks)) {
      index = index * extent + coordinate / block;
    }
    return numbers[static_cast<size_t>(index)];
  }

private:
  ArrayRef<int64_t> shape;
  ArrayRef<int64_t> blocks;
  std::vector<float> numbers;
};

Expected<Elements> readOperand(Attribute operand, MapStored map) {
  auto stored = dyn_cast<stick::StoredAttr>(operand);
  if (!stored) {
    return Elements(operand, nullptr);
  }
  RankedTensorType type = stored.getType();
  const int64_t bits =
      type.getNumElements() * type.getElementType().getIntOrFloatBitWidth();
  Expected<Buffer> mapped = map(stored, bits / 8 + (bits % 8 != 0));
  if (!mapped) {
    return tl::unexpected(mapped.error());
  }
  return Elements(operand, std::move(*mapped));
}

} // namespace

Expected<std::unique_ptr<llvm::MemoryBuffer>>
dequantize(stick::DequantizedAttr weight, int64_t offset, int64_t bytes,
           const std::string &subject, MapStored map) {
  if (!weight.holds(offset, bytes)) {
    return makeError(ErrorCode::WeightFile, subject,
                     "bytes " + std::to_string(offset) + " to " +
                         std::to_string(offset + bytes) +
                         " are no elements of its dequantized tensor");
  }
  Expected<Elements> values = readOperand(weight.getValues(), map);
  if (!values) {
    return tl::unexpected(values.error());
  }
  SmallVector<Blocks, 2> scalesAndZeros;
  for (Attribute operand : {weight.getScales(), weight.getZeros()}) {
    if (!operand) {
      continue;
    }
    Expected<Elements> elements = readOperand(operand, map);
    if (!elements) {
      return tl::unexpected(elements.error());
    }
    scalesAndZeros.emplace_back(*elements, weight.getBlocks());
  }

  auto result = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      static_cast<size_t>(bytes));
  if (!result) {
    return makeError(ErrorCode::WeightFile, subject,
                     "its " + std::to_string(bytes) +
                         " bytes do not fit into the host's memory");
  }
  auto *next = reinterpret_cast<float *>(result->getBufferStart());
  const int64_t first = offset / static_cast<int64_t>(sizeof(float));
  const int64_t end = first + bytes / static_cast<int64_t>(sizeof(float));
  ArrayRef<int64_t> shape = weight.getShape();
  SmallVector<int64_t> position(shape.size());
  for (int64_t i = first; i < end; ++i) {
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0;) {
      position[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    const float zero =
        scalesAndZeros.size() == 2 ? scalesAndZeros[1].at(position) : 0;
    *next++ = (values->at(i) - zero) * scalesAndZeros[0].at(position);
  }
  return Buffer(std::move(result));
}

} // namespace spyre
