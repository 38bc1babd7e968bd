// SPDX-License-Identifier: Apache-2.0
//
// The element types of ONNX tensors, under ONNX's own numbers. They say how
// the bytes of a file are to be read; what a device can hold is another
// enumeration (spyre::ElementType).

#ifndef SPYRE_ONNXFILE_DATATYPE_H
#define SPYRE_ONNXFILE_DATATYPE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace spyre::onnxfile {

/// onnx.TensorProto.DataType. Undefined stands for "not stated" in a type and
/// is refused in a tensor.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
};
inline constexpr int kNumDataTypes = 27;

/// The type of ONNX's number, nothing for a number that no type has.
std::optional<DataType> dataTypeFromNumber(int64_t number);

/// Lower-case name as in ONNX's textual syntax: "float", "int64", "float16",
/// "float8e4m3fn", "undefined", ...
std::string_view toString(DataType type);
std::optional<DataType> parseDataType(std::string_view name);

/// Bits of one element: 1, 2, 4, ... 128; Bool has 8. 0 for Undefined and
/// String, whose elements have no fixed size.
int bitWidth(DataType type);

/// True for the types with a fraction or an exponent: Float, Float16, Double,
/// BFloat16, the 8-bit and 4-bit floats. Complex types are not floats.
bool isFloat(DataType type);
/// True for the signed and unsigned integers of 2 to 64 bits, not for Bool.
bool isInteger(DataType type);

/// Product of the dims, 1 for rank 0. Nothing if a dim is negative or the
/// product exceeds int64_t; a zero extent makes it 0 whatever the others are.
std::optional<int64_t> numElements(std::span<const int64_t> dims);

/// Bytes of a dense tensor. Elements below 8 bits are packed without gaps, the
/// first one in the least significant bits, and the last byte is filled up.
/// Nothing if numElements has none, the size exceeds int64_t, or the type has
/// no fixed size.
std::optional<int64_t> denseBytes(DataType type, std::span<const int64_t> dims);

} // namespace spyre::onnxfile

#endif // SPYRE_ONNXFILE_DATATYPE_H
