// SPDX-License-Identifier: Apache-2.0
//
// TensorProto. The message is walked twice: first for the type and dims, then,
// knowing them, for the data, which can stand before them. Data that is dense
// already stays in the file; integers of the typed fields are varints and are
// decoded straight to the element's width.

#include "Decode.h"
#include "External.h"
#include "Fields.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace spyre::onnxfile {
namespace {

/// The field that holds the elements of a type when raw_data does not.
uint32_t typedField(DataType type) {
  switch (type) {
  case DataType::Float:
  case DataType::Complex64:
    return field::Tensor::FloatData;
  case DataType::Double:
  case DataType::Complex128:
    return field::Tensor::DoubleData;
  case DataType::Int64:
    return field::Tensor::Int64Data;
  case DataType::UInt32:
  case DataType::UInt64:
    return field::Tensor::Uint64Data;
  case DataType::String:
    return field::Tensor::StringData;
  default:
    // The narrow integers, bool, and the bits of the narrow floats.
    return field::Tensor::Int32Data;
  }
}

bool isDataField(uint32_t number) {
  switch (number) {
  case field::Tensor::FloatData:
  case field::Tensor::DoubleData:
  case field::Tensor::Int32Data:
  case field::Tensor::Int64Data:
  case field::Tensor::Uint64Data:
  case field::Tensor::StringData:
    return true;
  default:
    return false;
  }
}

/// Appends the low `sizeBytes` bytes of a value.
void store(uint64_t value, size_t sizeBytes, std::vector<std::byte> &to) {
  const auto *bytes = reinterpret_cast<const std::byte *>(&value);
  to.insert(to.end(), bytes, bytes + sizeBytes);
}

/// One entry of a typed field as the bits of an element (or of the byte that
/// holds several narrow ones). An entry may be given as signed or unsigned.
uint64_t elementBits(uint64_t varint, DataType type, size_t sizeBytes) {
  const auto value = static_cast<int64_t>(varint);
  if (type == DataType::Bool) {
    return value != 0 ? 1 : 0;
  }
  if (sizeBytes < 8) {
    const int64_t range = int64_t{1} << (8 * sizeBytes);
    if (value < -range / 2 || value >= range) {
      fail(ErrorCode::OnnxTensor,
           fmt::format("the value {} does not fit its type {}", value,
                       toString(type)));
    }
  }
  return varint;
}

std::string shapeOf(const Tensor &tensor) {
  return fmt::format("{}[{}]", toString(tensor.dataType),
                     fmt::join(tensor.dims, ","));
}

std::string describeTensor(const Tensor &tensor) {
  return "tensor " + quote(tensor.name);
}

void pushDim(Tensor &tensor, uint64_t dim) {
  if (tensor.dims.size() == static_cast<size_t>(kMaxRank)) {
    fail(ErrorCode::OnnxLimit,
         fmt::format("it has more than {} dims", kMaxRank));
  }
  tensor.dims.push_back(static_cast<int64_t>(dim));
}

} // namespace

void checkTensor(const Tensor &tensor) {
  for (int64_t dim : tensor.dims) {
    if (dim < 0) {
      fail(ErrorCode::OnnxTensor, fmt::format("a dim is {}", dim));
    }
  }
  const std::optional<int64_t> elements = numElements(tensor.dims);
  if (tensor.dataType == DataType::String) {
    const auto given = static_cast<int64_t>(tensor.strings.size());
    if (!elements || *elements != given) {
      fail(ErrorCode::OnnxTensor,
           fmt::format("{} needs {} strings, it has {}", shapeOf(tensor),
                       elements ? fmt::to_string(*elements) : "2^63 or more",
                       given));
    }
    return;
  }
  const std::optional<int64_t> needed =
      denseBytes(tensor.dataType, tensor.dims);
  if (!needed || *needed != tensor.sizeBytes()) {
    fail(ErrorCode::OnnxTensor,
         fmt::format("{} needs {} bytes, its data has {}", shapeOf(tensor),
                     needed ? fmt::to_string(*needed) : "2^63 or more",
                     tensor.sizeBytes()));
  }
}

void Decoder::readTypedData(Tensor &tensor, MessageReader reader) {
  const uint32_t wanted = typedField(tensor.dataType);
  const int bits = bitWidth(tensor.dataType);
  const auto sizeBytes = static_cast<size_t>(bits < 8 ? 1 : bits / 8);
  // More than is needed is an error below, so it need not be kept.
  const std::optional<int64_t> needed =
      denseBytes(tensor.dataType, tensor.dims);
  const auto enough = static_cast<size_t>(needed.value_or(0));
  std::string_view inFile;
  while (reader.next()) {
    if (!isDataField(reader.field()) ||
        (!reader.hasElements() &&
         reader.field() != field::Tensor::StringData)) {
      continue;
    }
    if (reader.field() != wanted) {
      fail(ErrorCode::OnnxTensor,
           fmt::format("its type is {}, its data is in field {}, expected {}",
                       toString(tensor.dataType), reader.field(), wanted));
    }
    if (wanted == field::Tensor::StringData) {
      append(tensor.strings, std::string(reader.bytes()));
      continue;
    }
    if (wanted == field::Tensor::FloatData ||
        wanted == field::Tensor::DoubleData) {
      const std::string_view elements = reader.fixedElements(
          wanted == field::Tensor::FloatData ? sizeof(float) : sizeof(double));
      if (inFile.empty() && tensor.owned.empty()) {
        inFile = elements;
        continue;
      }
      const auto keep = [&](std::string_view bytes) {
        const auto *data = reinterpret_cast<const std::byte *>(bytes.data());
        tensor.owned.insert(tensor.owned.end(), data, data + bytes.size());
      };
      keep(inFile);
      inFile = {};
      keep(elements);
      continue;
    }
    reader.forEachInt([&](uint64_t varint) {
      const uint64_t value = elementBits(varint, tensor.dataType, sizeBytes);
      if (tensor.owned.size() <= enough) {
        store(value, sizeBytes, tensor.owned);
      }
    });
  }
  if (!inFile.empty()) {
    tensor.range = {0, inFile.data() - file.data(),
                    static_cast<int64_t>(inFile.size())};
  }
}

void Decoder::readData(Tensor &tensor, MessageReader reader) {
  std::string_view raw;
  bool hasTypedData = false;
  MessageReader fields = reader;
  while (fields.next()) {
    if (fields.field() == field::Tensor::RawData) {
      raw = fields.bytes();
    } else if (isDataField(fields.field())) {
      hasTypedData |=
          fields.hasElements() || fields.field() == field::Tensor::StringData;
    }
  }
  const bool isExternal = tensor.storage == Storage::External;
  if (int{isExternal} + int{!raw.empty()} + int{hasTypedData} > 1) {
    fail(ErrorCode::OnnxMalformed, "its data stands in several places");
  }
  if (tensor.dataType == DataType::String && (isExternal || !raw.empty())) {
    fail(ErrorCode::OnnxMalformed, "strings can only stand in string_data");
  }
  if (isExternal) {
    if (external) {
      external->resolve(tensor);
    }
    return;
  }
  if (hasTypedData || tensor.dataType == DataType::String) {
    tensor.storage = Storage::Typed;
    readTypedData(tensor, reader);
    return;
  }
  if (!raw.empty()) {
    tensor.range = {0, raw.data() - file.data(),
                    static_cast<int64_t>(raw.size())};
  }
}

Tensor Decoder::tensor(MessageReader reader) {
  Tensor result;
  const MessageReader start = reader;
  const auto decodeFields = [&] {
    while (reader.next()) {
      switch (reader.field()) {
      case field::Tensor::Dims:
        reader.forEachInt([&](uint64_t dim) { pushDim(result, dim); });
        break;
      case field::Tensor::DataType: {
        const std::optional<DataType> type = dataTypeFromNumber(reader.int64());
        if (!type) {
          fail(ErrorCode::OnnxUnsupported,
               fmt::format("its data type {} is unknown", reader.int64()));
        }
        result.dataType = *type;
        break;
      }
      case field::Tensor::Name:
        result.name = reader.name();
        break;
      case field::Tensor::Segment:
        fail(ErrorCode::OnnxUnsupported,
             "tensors in several segments are not supported");
      case field::Tensor::ExternalData:
        append(result.externalData, property(reader.message()));
        break;
      case field::Tensor::DataLocation:
        switch (const int64_t location = reader.int64()) {
        case 0:
          result.storage = Storage::Raw;
          break;
        case 1:
          result.storage = Storage::External;
          break;
        default:
          fail(ErrorCode::OnnxUnsupported,
               fmt::format("its data location {} is unknown", location));
        }
        break;
      case field::Tensor::DocString:
        result.docString = reader.text();
        break;
      case field::Tensor::MetadataProps:
        append(result.metadata, property(reader.message()));
        break;
      default:
        break;
      }
    }
    if (result.dataType == DataType::Undefined) {
      fail(ErrorCode::OnnxTensor, "it has no data type");
    }
    readData(result, start);
    if (result.storage != Storage::External || external) {
      checkTensor(result);
    }
  };
  within([&] { return describeTensor(result); }, decodeFields);
  return result;
}

} // namespace spyre::onnxfile
