// SPDX-License-Identifier: Apache-2.0
//
// Elements of tensors between text and dense bytes. Floats print as the
// shortest decimal that reads back, or as 0x and their bits where none does
// (payloads of NaN) or where the type has no decimal form here (8 and 4 bits).

#ifndef SPYRE_TEST_ONNXTEXT_VALUES_H
#define SPYRE_TEST_ONNXTEXT_VALUES_H

#include "spyre/OnnxFile/DataType.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::onnxfile::text {

/// The type of the numbers that an element is made of: the type itself, or of
/// a complex type that of its two parts.
DataType componentType(DataType type);
/// 2 for complex types, else 1.
int numComponents(DataType type);

/// The bits that a number in text stands for; nothing if it is no number of
/// the type or exceeds its range. Not for String.
std::optional<uint64_t> parseValue(std::string_view text, DataType type);
std::string printValue(uint64_t bits, DataType type);
/// The bits of a number: rounded to the type's precision, for an integer type
/// to the nearest integer. Not for types without a decimal form.
std::optional<uint64_t> valueBits(double value, DataType type);

/// Shortest decimal with a point, an exponent, or inf or nan, so that it reads
/// as a float.
std::string printFloat(double value, bool isSingle);

/// Appends values of 2 to 64 bits, the first in the low bits of a byte.
class BitWriter {
public:
  explicit BitWriter(std::vector<std::byte> &bytes) : bytes(bytes) {}
  void append(uint64_t bits, int width);

private:
  std::vector<std::byte> &bytes;
  int usedBits = 8;
};

/// The value at an index of dense data.
uint64_t bitsAt(std::span<const std::byte> bytes, int64_t index, int width);

} // namespace spyre::onnxfile::text

#endif // SPYRE_TEST_ONNXTEXT_VALUES_H
