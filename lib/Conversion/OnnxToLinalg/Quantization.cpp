// SPDX-License-Identifier: Apache-2.0
//
// Operators on quantized weights. A weight is dequantized when the artifact is
// written: here it becomes a reference to what #stick.dequantized computes, so
// that whatever follows sees a weight like any other.

#include "Quantization.h"

#include "Gather.h"
#include "MatMul.h"
#include "Registry.h"
#include "WeightViews.h"

#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre {

FailureOr<Granularity> granularityOf(DecodeContext &c) {
  ShapeRef shape = c.shape(0);
  const int64_t block = c.intAttr("block_size", 0);
  if (block < 0 || block > kMaxCount) {
    return c.badAttribute("block_size is " + Twine(block));
  }
  Granularity result = {Shape(shape.size(), 1), Shape(shape), block > 0};
  for (int64_t &extent : result.blocks) {
    extent = std::max<int64_t>(extent, 1);
  }
  if (block == 0 && numElements(c.shape(1)) == 1) {
    return result;
  }
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 1), c.rank(0));
  if (failed(axis)) {
    return failure();
  }
  if (block > 0) {
    result.scales.assign(shape.begin(), shape.end());
    result.scales[*axis] = (shape[*axis] + block - 1) / block;
    result.blocks.assign(shape.size(), 1);
    result.blocks[*axis] = block;
  } else {
    result.scales[*axis] = shape[*axis];
    result.blocks[*axis] = 1;
  }
  const bool fits = block > 0 ? Shape(c.shape(1)) == result.scales
                              : c.shape(1) == ShapeRef(shape[*axis]);
  if (!fits) {
    return c.mismatch("scales of shape " + toText(c.shape(1)) + " for " +
                      toText(shape) + " along axis " + Twine(*axis));
  }
  return result;
}

namespace {

/// The elements of a constant of bytes, of `bits` each, the first in the low
/// bits.
DenseElementsAttr unpacked(DenseElementsAttr bytes, RankedTensorType type) {
  const unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  std::vector<Number> numbers;
  for (const Number &number : readNumbers(bytes)) {
    const auto byte = static_cast<uint64_t>(number.integer) & 0xFF;
    for (unsigned at = 0; at < 8; at += bits) {
      const uint64_t element = byte >> at & ((uint64_t{1} << bits) - 1);
      numbers.push_back({0, static_cast<int64_t>(element)});
    }
  }
  return writeNumbers(type, numbers);
}

/// A weight or constant as an operand of #stick.dequantized, its bytes taken
/// for a tensor of `type`; null for what is computed, transposed or converted.
Attribute operandOf(Value value, RankedTensorType type) {
  if (DenseElementsAttr constant = constantOf(value)) {
    return constant.getElementType() == type.getElementType()
               ? constant.reshape(type)
               : unpacked(constant, type);
  }
  stick::WeightOp weight = plainWeight(value);
  auto file = weight ? dyn_cast<StringAttr>(weight.getFile()) : StringAttr();
  if (!file || !stick::StoredAttr::isElement(type.getElementType())) {
    return {};
  }
  // A scale that is stored as f16 is read as the file has it.
  const bool isSame = elementOf(value) == type.getElementType();
  Type element = isSame ? weight.getStoredElementType() : type.getElementType();
  return stick::StoredAttr::get(value.getContext(), file,
                                static_cast<int64_t>(weight.getOffset()),
                                type.clone(element));
}

RankedTensorType tensorOf(ShapeRef shape, Type element) {
  return RankedTensorType::get(shape, element);
}

IntegerType unsignedType(MLIRContext *context, int64_t bits) {
  return IntegerType::get(context, static_cast<unsigned>(bits),
                          IntegerType::Unsigned);
}

/// The weight of that element type. The inputs are those that `values`,
/// `scales` and `zeros` were made from.
FailureOr<Value> dequantized(DecodeContext &c, Attribute values,
                             Attribute scales, Attribute zeros, ShapeRef blocks,
                             Type element) {
  if (!values || !scales) {
    return c.unsupported("its quantized weight or scales are computed");
  }
  auto attr = stick::DequantizedAttr::get(c.node->getContext(), values, scales,
                                          zeros, blocks);
  ShapeRef shape = attr.getShape();
  const int64_t count = numElements(shape);
  if (count == 0) {
    return c.g.nothing(shape, element);
  }
  if (count > std::numeric_limits<int64_t>::max() / 32) {
    return c.unsupported("a weight of " + toText(shape) + " elements");
  }
  Type f32 = c.g.b.getF32Type();
  std::vector<std::string> names = nodeNames(c.node.getLoc());
  return stick::WeightOp::create(
             c.g.b, c.g.loc, tensorOf(shape, element),
             c.g.b.getStringAttr(names.empty() ? "dequantized" : names.front()),
             attr, c.g.b.getI64IntegerAttr(0),
             c.g.b.getI64IntegerAttr(count * int64_t{sizeof(float)}),
             element == f32 ? TypeAttr() : TypeAttr::get(f32),
             DenseI64ArrayAttr())
      .getResult();
}

//===----------------------------------------------------------------------===//
// com.microsoft
//===----------------------------------------------------------------------===//

/// The zero points of an operator that packs them like its values, or their
/// default, the middle of the range; `shape` is that of the scales.
FailureOr<Attribute> packedZeros(DecodeContext &c, size_t index, ShapeRef shape,
                                 int64_t bits, int64_t byDefault) {
  Type packed = unsignedType(c.node->getContext(), bits);
  if (!c.has(index)) {
    if (byDefault == 0) {
      return Attribute();
    }
    const Number zero = {0, byDefault};
    return Attribute(writeNumbers(tensorOf({}, packed), zero)
                         .resizeSplat(tensorOf(shape, packed)));
  }
  // Each row begins with a byte of its own.
  Shape stored(shape);
  Type element = c.element(index);
  if (element.isUnsignedInteger(8)) {
    const int64_t perByte = 8 / bits;
    stored.back() = (stored.back() + perByte - 1) / perByte * perByte;
    element = packed;
  }
  const int64_t elements = numElements(c.shape(index));
  const bool isPacked = element == packed && element != c.element(index);
  if (elements * (isPacked ? 8 / bits : 1) != numElements(stored)) {
    return c.mismatch("zero points of shape " + toText(c.shape(index)) +
                      " for scales of " + toText(shape));
  }
  Attribute zeros = operandOf(c.in(index), tensorOf(stored, element));
  if (!zeros) {
    return c.unsupported("its zero points are computed");
  }
  return zeros;
}

/// The rows of x as blocks of 8-bit integers hold them, each block scaled by
/// its greatest magnitude: what accuracy_level 4 asks of A. It is followed
/// although f32 is more accurate, because outputs of a model that sets it are
/// those of a runtime that rounds so: they are met within 4e-7 with it, and
/// within 5e-3 without.
Value throughInt8(GraphBuilder &g, Value x, int64_t block) {
  constexpr double kGreatest = 127;
  const Shape shape(shapeOf(x));
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const int64_t numBlocks = (shape[last] + block - 1) / block;
  Shape padded(shape);
  padded[last] = numBlocks * block;
  if (padded != shape) {
    Value zeros = g.filled(padded, g.b.getZeroAttr(elementOf(x)));
    x = g.insert(x, zeros, Shape(shape.size(), 0));
  }
  Shape blocks(shape);
  blocks[last] = numBlocks;
  blocks.push_back(block);
  x = g.reshape(x, blocks);
  Value greatest = g.unsqueeze(
      g.reduce(x, last + 1, Reduction::Maximum,
               [](Scalars &s, ValueRange v) { return s.abs(v[0]); }),
      last + 1);
  x = g.map({x, greatest}, elementOf(x), [&](Scalars &s, ValueRange v) {
    Value zero = s.like(v[1], 0);
    Value isZero = s.compare(Scalars::Order::Equal, v[1], zero);
    Value steps = s.div(s.like(v[1], kGreatest), v[1]);
    steps = s.roundEven(s.mul(v[0], s.select(isZero, zero, steps)));
    return s.mul(steps, s.div(v[1], s.like(v[1], kGreatest)));
  });
  return g.slice(g.reshape(x, padded), last, 0, shape[last]);
}

/// The attributes of MatMulNBits, checked.
struct NBits {
  int64_t n = 0;
  int64_t k = 0;
  int64_t bits = 0;
  int64_t block = 0;

  int64_t numBlocks() const { return (k + block - 1) / block; }
};

FailureOr<NBits> readNBits(DecodeContext &c) {
  const NBits result = {c.intAttr("N", 0), c.intAttr("K", 0),
                        c.intAttr("bits", 4), c.intAttr("block_size", 0)};
  const auto [n, k, bits, block] = result;
  if (n < 1 || k < 1 || n > kMaxCount || k > kMaxCount || block < 8 ||
      block > kMaxCount || block % 8 != 0 ||
      (bits != 2 && bits != 4 && bits != 8)) {
    return c.badAttribute("N " + Twine(n) + ", K " + Twine(k) + ", bits " +
                          Twine(bits) + " and block_size " + Twine(block));
  }
  return result;
}

LogicalResult checkNBits(DecodeContext &c, const NBits &node) {
  if (c.has(4)) {
    return c.unsupported("an order of its groups (g_idx)");
  }
  const Shape blobs = {node.n, node.numBlocks(), node.block * node.bits / 8};
  if (c.rank(0) < 1 || c.shape(0).back() != node.k ||
      Shape(c.shape(1)) != blobs || !c.element(1).isUnsignedInteger(8) ||
      numElements(c.shape(2)) != node.n * node.numBlocks() ||
      !isFloatType(c.element(0)) || !isFloatType(c.element(2)) ||
      failed(c.sameElements({0, 5}))) {
    return c.mismatch("A " + toText(c.in(0).getType()) + ", B " +
                      toText(c.in(1).getType()) + " and scales " +
                      toText(c.in(2).getType()) + "; needed is a B of " +
                      toText(blobs));
  }
  if (c.has(5) && c.shape(5) != ShapeRef(node.n)) {
    return c.mismatch("a bias of shape " + toText(c.shape(5)));
  }
  return success();
}

/// A * B' + bias, B of quantized rows.
LogicalResult decodeMatMulNBits(DecodeContext &c) {
  FailureOr<NBits> node = readNBits(c);
  if (failed(node) || failed(checkNBits(c, *node))) {
    return failure();
  }
  const auto [n, k, bits, block] = *node;
  const Shape scaleShape = {n, node->numBlocks()};
  FailureOr<Attribute> zeros =
      packedZeros(c, 3, scaleShape, bits, int64_t{1} << (bits - 1));
  if (failed(zeros)) {
    return failure();
  }
  Type packed = unsignedType(c.node->getContext(), bits);
  Type element = c.element(0);
  FailureOr<Value> weight = dequantized(
      c, operandOf(c.in(1), tensorOf({n, node->numBlocks() * block}, packed)),
      operandOf(c.in(2), tensorOf(scaleShape, c.element(2))), *zeros,
      {1, block}, element);
  if (failed(weight)) {
    return failure();
  }
  Value a = c.intAttr("accuracy_level", 0) == 4
                ? throughInt8(c.g, c.in(0), block)
                : c.in(0);
  FailureOr<Value> product =
      buildMatMul(c, a, c.g.slice(c.g.transpose(*weight, {1, 0}), 0, 0, k));
  if (failed(product)) {
    return failure();
  }
  if (!c.has(5)) {
    return c.set(0, c.g.cast(*product, element));
  }
  return c.set(
      0, c.g.map({*product, c.in(5)}, element,
                 [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); }));
}

/// The attributes of GatherBlockQuantized, checked, and its table unpacked.
struct BlockTable {
  int64_t bits = 0;
  int64_t gatherAxis = 0;
  Shape shape;
  Type element;
  Shape blocks;
  Shape scales;
};

FailureOr<BlockTable> readBlockTable(DecodeContext &c) {
  const int64_t block = c.intAttr("block_size", 128);
  const bool isBytes = c.element(0).isUnsignedInteger(8);
  BlockTable table;
  table.shape.assign(c.shape(0).begin(), c.shape(0).end());
  table.element = c.element(0);
  table.bits =
      isBytes ? c.intAttr("bits", 4)
              : static_cast<int64_t>(table.element.getIntOrFloatBitWidth());
  FailureOr<int64_t> gatherAxis =
      c.axis(c.intAttr("gather_axis", 0), c.rank(0));
  FailureOr<int64_t> blockAxis =
      c.axis(c.intAttr("quantize_axis", 1), c.rank(0));
  if (failed(gatherAxis) || failed(blockAxis)) {
    return failure();
  }
  if (block < 1 || block > kMaxCount || (table.bits != 4 && table.bits != 8) ||
      !table.element.isInteger()) {
    return c.badAttribute("bits " + Twine(table.bits) + " and block_size " +
                          Twine(block) + " for elements of " +
                          toText(table.element));
  }
  if (isBytes) {
    table.shape.back() *= 8 / table.bits;
    table.element = unsignedType(c.node->getContext(), table.bits);
  }
  table.gatherAxis = *gatherAxis;
  table.blocks.assign(table.shape.size(), 1);
  table.blocks[*blockAxis] = block;
  table.scales = table.shape;
  table.scales[*blockAxis] = (table.shape[*blockAxis] + block - 1) / block;
  return table;
}

/// Rows of a quantized table. Bytes hold several elements along the last dim.
LogicalResult decodeGatherBlockQuantized(DecodeContext &c) {
  FailureOr<BlockTable> table = readBlockTable(c);
  if (failed(table)) {
    return failure();
  }
  if (!c.element(1).isSignlessInteger() || isBoolType(c.element(1)) ||
      !isFloatType(c.element(2))) {
    return c.mismatch("indices of " + toText(c.element(1)) + " and scales of " +
                      toText(c.element(2)));
  }
  if (Shape(c.shape(2)) != table->scales) {
    return c.mismatch("scales of shape " + toText(c.shape(2)) + ", needed is " +
                      toText(table->scales));
  }
  // Bytes are unsigned values around the middle of their range.
  const bool isBytes = c.element(0).isUnsignedInteger(8);
  FailureOr<Attribute> zeros =
      packedZeros(c, 3, table->scales, table->bits,
                  isBytes ? int64_t{1} << (table->bits - 1) : 0);
  if (failed(zeros)) {
    return failure();
  }
  FailureOr<Value> weight = dequantized(
      c, operandOf(c.in(0), tensorOf(table->shape, table->element)),
      operandOf(c.in(2), typeOf(c.in(2))), *zeros, table->blocks, c.element(2));
  FailureOr<Value> indices =
      normalIndices(c, c.in(1), table->shape[table->gatherAxis]);
  if (failed(weight) || failed(indices)) {
    return failure();
  }
  return c.set(0, c.g.gather(*weight, *indices, table->gatherAxis));
}

//===----------------------------------------------------------------------===//
// DequantizeLinear
//===----------------------------------------------------------------------===//

/// (x - zero point) * scale.
LogicalResult decodeDequantizeLinear(DecodeContext &c) {
  if (c.intAttr("output_dtype", 0) != 0) {
    return c.unsupported("a result of another type than the scales");
  }
  FailureOr<Granularity> granularity = granularityOf(c);
  if (failed(granularity)) {
    return failure();
  }
  if (!c.element(0).isInteger() || !isFloatType(c.element(1)) ||
      (c.has(2) && (c.shape(2) != c.shape(1) || !c.element(2).isInteger()))) {
    return c.mismatch(
        "x " + toText(c.in(0).getType()) + " with scales " +
        toText(c.in(1).getType()) +
        (c.has(2) ? " and zero points " + toText(c.in(2).getType()) : ""));
  }
  const auto shaped = [&](size_t index) {
    return tensorOf(granularity->scales, c.element(index));
  };
  Attribute values = operandOf(c.in(0), typeOf(c.in(0)));
  Attribute scales = operandOf(c.in(1), shaped(1));
  Attribute zeros = c.has(2) ? operandOf(c.in(2), shaped(2)) : Attribute();
  if (!values || !scales || (c.has(2) && !zeros)) {
    return dequantizeAtRunTime(c, *granularity);
  }
  FailureOr<Value> weight =
      dequantized(c, values, scales, zeros, granularity->blocks, c.element(1));
  return failed(weight) ? failure() : c.set(0, *weight);
}

} // namespace

void addQuantizationDecoders(DecoderRegistry &r) {
  const std::string constants = "weights, scales and zero points that are "
                                "constants of the model";
  r.add(kMicrosoft, "MatMulNBits", 1, decodeMatMulNBits,
        {.numRequired = 3,
         .anyElement = true,
         .condition = constants + "; 2, 4 or 8 bits; no `g_idx`"});
  r.add(kMicrosoft, "GatherBlockQuantized", 1, decodeGatherBlockQuantized,
        {.numRequired = 3, .anyElement = true, .condition = constants});
  r.add("DequantizeLinear", 10, decodeDequantizeLinear,
        {.numRequired = 2,
         .anyElement = true,
         .condition =
             "no `output_dtype`; blocks only of constants; integers "
             "below 8 bits and unsigned ones above only as constants"});
}

} // namespace spyre
