// SPDX-License-Identifier: Apache-2.0
//
// ValueInfoProto, TypeProto and TensorShapeProto.

#include "Decode.h"
#include "Fields.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <fmt/format.h>

namespace spyre::onnxfile {
namespace {

DataType elementType(int64_t number) {
  const std::optional<DataType> type = dataTypeFromNumber(number);
  if (!type) {
    fail(ErrorCode::OnnxUnsupported,
         fmt::format("the data type {} is unknown", number));
  }
  return *type;
}

/// Whatever the unknown dims are, the tensor's size must fit int64_t.
void checkSize(const Type &type) {
  std::vector<int64_t> known;
  for (const Dim &dim : type.dims) {
    if (dim.kind == Dim::Kind::Value) {
      known.push_back(dim.value);
    }
  }
  const bool hasSize = bitWidth(type.elemType) != 0;
  if (!numElements(known) || (hasSize && !denseBytes(type.elemType, known))) {
    fail(ErrorCode::OnnxTensor, "the tensor would have 2^63 or more bytes");
  }
}

} // namespace

Dim Decoder::dim(MessageReader reader) {
  Dim result;
  while (reader.next()) {
    switch (reader.field()) {
    case field::Dimension::Value: {
      const int64_t value = reader.int64();
      // Some exporters write -1 where they mean an unknown dim.
      if (value < -1) {
        fail(ErrorCode::OnnxTensor, fmt::format("a dim is {}", value));
      }
      result.kind = value < 0 ? Dim::Kind::Unknown : Dim::Kind::Value;
      result.value = value < 0 ? 0 : value;
      result.param.clear();
      break;
    }
    case field::Dimension::Param:
      result.param = reader.name();
      result.kind =
          result.param.empty() ? Dim::Kind::Unknown : Dim::Kind::Param;
      result.value = 0;
      break;
    default:
      break;
    }
  }
  return result;
}

Type Decoder::tensorType(MessageReader reader, TypeKind kind) {
  Type result;
  result.kind = kind;
  while (reader.next()) {
    switch (reader.field()) {
    case field::TensorType::ElemType:
      result.elemType = elementType(reader.int64());
      break;
    case field::TensorType::Shape: {
      result.hasShape = true;
      MessageReader shape = reader.message();
      while (shape.next()) {
        if (shape.field() != field::Shape::Dim) {
          continue;
        }
        if (result.dims.size() == static_cast<size_t>(kMaxRank)) {
          fail(ErrorCode::OnnxLimit,
               fmt::format("it has more than {} dims", kMaxRank));
        }
        append(result.dims, dim(shape.message()));
      }
      break;
    }
    default:
      break;
    }
  }
  checkSize(result);
  return result;
}

Type Decoder::type(MessageReader reader, int depth) {
  if (depth >= kMaxGraphDepth) {
    fail(ErrorCode::OnnxLimit,
         fmt::format("types stand more than {} deep in each other",
                     kMaxGraphDepth));
  }
  Type result;
  const auto readElement = [&](TypeKind kind) {
    result = {};
    result.kind = kind;
    MessageReader inner = reader.message();
    const bool isMap = kind == TypeKind::Map;
    const uint32_t elementField = isMap ? uint32_t{field::MapType::ValueType}
                                        : uint32_t{field::ElementOf::ElemType};
    while (inner.next()) {
      if (isMap && inner.field() == field::MapType::KeyType) {
        result.elemType = elementType(inner.int64());
      } else if (inner.field() == elementField) {
        result.element.clear();
        append(result.element, type(inner.message(), depth + 1));
      }
    }
    if (result.element.empty()) {
      result.element.emplace_back();
    }
  };
  while (reader.next()) {
    switch (reader.field()) {
    case field::Type::Tensor:
      result = tensorType(reader.message(), TypeKind::Tensor);
      break;
    case field::Type::SparseTensor:
      result = tensorType(reader.message(), TypeKind::SparseTensor);
      break;
    case field::Type::Sequence:
      readElement(TypeKind::Sequence);
      break;
    case field::Type::Optional:
      readElement(TypeKind::Optional);
      break;
    case field::Type::Map:
      readElement(TypeKind::Map);
      break;
    case field::Type::Opaque:
      result = {};
      result.kind = TypeKind::Opaque;
      break;
    default:
      break;
    }
  }
  return result;
}

ValueInfo Decoder::valueInfo(MessageReader reader) {
  ValueInfo result;
  const auto decodeFields = [&] {
    while (reader.next()) {
      switch (reader.field()) {
      case field::ValueInfo::Name:
        result.name = reader.name();
        break;
      case field::ValueInfo::Type:
        result.type = type(reader.message(), 0);
        break;
      case field::ValueInfo::DocString:
        result.docString = reader.text();
        break;
      case field::ValueInfo::MetadataProps:
        append(result.metadata, property(reader.message()));
        break;
      default:
        break;
      }
    }
  };
  within([&] { return "value " + quote(result.name); }, decodeFields);
  return result;
}

} // namespace spyre::onnxfile
