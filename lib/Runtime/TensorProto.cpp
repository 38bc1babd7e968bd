// SPDX-License-Identifier: Apache-2.0
//
// onnx.TensorProto from its wire format. Field numbers and type codes are
// facts of the ONNX specification; no generated code is needed.

#include "ElementCodec.h"

#include "spyre/Runtime/TensorFile.h"

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

using namespace spyre;
using namespace spyre::rt;
using launch::HostType;

namespace {

enum Field : protozero::pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kInt64Data = 7,
  kRawData = 9,
  kDoubleData = 10,
  kDataLocation = 14,
};

constexpr size_t kMaxRank = 32;

/// The host type of an onnx.TensorProto.DataType.
std::optional<HostType> hostTypeOf(int32_t dataType) {
  switch (dataType) {
  case 1:
    return HostType::F32;
  case 2:
    return HostType::U8;
  case 3:
    return HostType::I8;
  case 5:
    return HostType::I16;
  case 6:
    return HostType::I32;
  case 7:
    return HostType::I64;
  case 9:
    return HostType::Bool;
  case 10:
    return HostType::F16;
  case 11:
    return HostType::F64;
  case 16:
    return HostType::BF16;
  default:
    return std::nullopt;
  }
}

/// What the message holds, before its parts are brought together.
struct Message {
  std::vector<int64_t> dims;
  int32_t dataType = 0;
  std::optional<protozero::data_view> raw;
  /// Typed data; at most as many elements as the message has bytes.
  std::vector<float> floats;
  std::vector<int32_t> int32s;
  std::vector<int64_t> int64s;
  std::vector<double> doubles;
  bool external = false;
};

using Reader = protozero::pbf_reader;
using WireType = protozero::pbf_wire_type;

/// protozero's getters assert the wire type; foreign bytes may have any.
void require(const Reader &reader, WireType type) {
  if (!reader.has_wire_type(type)) {
    throw protozero::unknown_pbf_wire_type_exception();
  }
}

/// Appends a repeated scalar field, packed or not.
template <typename T, typename Packed, typename Single>
void append(Reader &reader, std::vector<T> &values, WireType singleType,
            Packed packed, Single single) {
  if (reader.has_wire_type(WireType::length_delimited)) {
    for (T value : (reader.*packed)()) {
      values.push_back(value);
    }
    return;
  }
  require(reader, singleType);
  values.push_back((reader.*single)());
}

/// Throws protozero's exceptions on malformed bytes; the caller catches them.
Message readMessage(Reader reader) {
  Message message;
  while (reader.next()) {
    switch (reader.tag()) {
    case kDims:
      append(reader, message.dims, WireType::varint, &Reader::get_packed_int64,
             &Reader::get_int64);
      break;
    case kDataType:
      require(reader, WireType::varint);
      message.dataType = reader.get_int32();
      break;
    case kFloatData:
      append(reader, message.floats, WireType::fixed32,
             &Reader::get_packed_float, &Reader::get_float);
      break;
    case kInt32Data:
      append(reader, message.int32s, WireType::varint,
             &Reader::get_packed_int32, &Reader::get_int32);
      break;
    case kInt64Data:
      append(reader, message.int64s, WireType::varint,
             &Reader::get_packed_int64, &Reader::get_int64);
      break;
    case kRawData:
      require(reader, WireType::length_delimited);
      message.raw = reader.get_view();
      break;
    case kDoubleData:
      append(reader, message.doubles, WireType::fixed64,
             &Reader::get_packed_double, &Reader::get_double);
      break;
    case kDataLocation:
      require(reader, WireType::varint);
      message.external = reader.get_int32() != 0;
      break;
    default:
      reader.skip();
    }
  }
  return message;
}

/// Dense bytes of typed data. int32_data holds the narrow integers, bool, and
/// the bits of f16 and bf16.
std::vector<std::byte> typedBytes(const Message &message, HostType type) {
  std::vector<std::byte> bytes;
  const auto fill = [&](const auto &values, auto store) {
    const auto size = static_cast<size_t>(launch::sizeOf(type));
    bytes.resize(values.size() * size);
    for (size_t i = 0; i < values.size(); ++i) {
      store(bytes.data() + i * size, values[i]);
    }
  };
  switch (type) {
  case HostType::F32:
    fill(message.floats, [](std::byte *to, float v) { storeAs(to, v); });
    break;
  case HostType::F64:
    fill(message.doubles, [](std::byte *to, double v) { storeAs(to, v); });
    break;
  case HostType::I64:
    fill(message.int64s, [](std::byte *to, int64_t v) { storeAs(to, v); });
    break;
  case HostType::F16:
  case HostType::BF16:
    fill(message.int32s, [](std::byte *to, int32_t v) {
      storeAs(to, static_cast<uint16_t>(v));
    });
    break;
  case HostType::Bool:
    fill(message.int32s, [](std::byte *to, int32_t v) {
      storeAs(to, static_cast<uint8_t>(v != 0 ? 1 : 0));
    });
    break;
  default:
    fill(message.int32s,
         [type](std::byte *to, int32_t v) { storeInteger(type, v, to); });
  }
  return bytes;
}

tl::unexpected<Error> malformed(std::string_view origin, std::string message) {
  return makeError(ErrorCode::MalformedTensorProto,
                   fmt::format("file \"{}\"", origin), std::move(message));
}

Expected<HostTensor> assemble(const Message &message, std::string_view origin) {
  const std::optional<HostType> type = hostTypeOf(message.dataType);
  if (!type) {
    return makeError(
        ErrorCode::UnsupportedTensorType, fmt::format("file \"{}\"", origin),
        fmt::format("ONNX's data type {} is not supported", message.dataType));
  }
  if (message.external) {
    return malformed(origin, "its data is in another file");
  }
  if (message.dims.size() > kMaxRank) {
    return malformed(origin, fmt::format("{} dims, at most {} are supported",
                                         message.dims.size(), kMaxRank));
  }
  HostTensor tensor{*type, message.dims, {}};
  if (message.raw) {
    const auto *data = reinterpret_cast<const std::byte *>(message.raw->data());
    tensor.bytes.assign(data, data + message.raw->size());
  } else {
    tensor.bytes = typedBytes(message, *type);
  }
  const std::optional<int64_t> bytes = denseBytes(*type, tensor.shape);
  if (!bytes || static_cast<size_t>(*bytes) != tensor.bytes.size()) {
    return malformed(origin,
                     fmt::format("{} needs {} bytes, the message holds {}",
                                 describe(*type, tensor.shape),
                                 bytes ? fmt::to_string(*bytes)
                                       : "more than 2^63 (or is negative)",
                                 tensor.bytes.size()));
  }
  return tensor;
}

} // namespace

Expected<HostTensor> rt::parseTensorProto(std::span<const std::byte> file,
                                          std::string_view origin) {
  try {
    return assemble(
        readMessage(protozero::pbf_reader(
            reinterpret_cast<const char *>(file.data()), file.size())),
        origin);
  } catch (const protozero::exception &e) {
    return malformed(origin, fmt::format("the bytes are not a protobuf "
                                         "message ({})",
                                         e.what()));
  }
}
