// SPDX-License-Identifier: Apache-2.0

#include "Wire.h"

#include "spyre/Support/Quote.h"

#include <fmt/format.h>
#include <limits>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace spyre::onnxfile {
namespace {

/// The last field number that protobuf allows.
constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;

} // namespace

void fail(ErrorCode code, std::string message, std::vector<std::string> notes,
          std::string help) {
  throw DecodeFailure{
      Error{code, "", std::move(message), std::move(notes), std::move(help)}};
}

void MessageReader::malformed(const char *at, std::string message) const {
  fail(ErrorCode::OnnxMalformed,
       fmt::format("{} at byte {}", message, at - file.data()));
}

uint64_t MessageReader::varint() {
  const char *start = current;
  try {
    return protozero::decode_varint(&current, end);
  } catch (const protozero::exception &e) {
    malformed(start, fmt::format("a number is malformed ({})", e.what()));
  }
}

void MessageReader::take(uint64_t sizeBytes, std::string_view &taken) {
  const auto available = static_cast<uint64_t>(end - current);
  if (sizeBytes > available) {
    malformed(current, fmt::format("field {} has {} bytes, the message only "
                                   "{} more,",
                                   fieldNumber, sizeBytes, available));
  }
  taken = {current, static_cast<size_t>(sizeBytes)};
  current += sizeBytes;
}

bool MessageReader::next() {
  if (current == end) {
    return false;
  }
  const char *start = current;
  const uint64_t key = varint();
  const uint64_t wanted = key >> 3U;
  if (wanted == 0 || wanted > kMaxFieldNumber) {
    malformed(start, fmt::format("field number {}", wanted));
  }
  fieldNumber = static_cast<uint32_t>(wanted);
  value = current;
  switch (key & 7U) {
  case 0:
    type = WireType::Varint;
    number = varint();
    break;
  case 1:
    type = WireType::Fixed64;
    take(8, contents);
    break;
  case 2: {
    type = WireType::Bytes;
    const uint64_t length = varint();
    value = current;
    take(length, contents);
    break;
  }
  case 5:
    type = WireType::Fixed32;
    take(4, contents);
    break;
  default:
    malformed(start,
              fmt::format("field {} has wire type {}", wanted, key & 7U));
  }
  return true;
}

void MessageReader::require(WireType wanted) const {
  if (type != wanted) {
    malformed(value, fmt::format("field {} has wire type {}, expected {},",
                                 fieldNumber, static_cast<int>(type),
                                 static_cast<int>(wanted)));
  }
}

int64_t MessageReader::int64() {
  require(WireType::Varint);
  return static_cast<int64_t>(number);
}

int32_t MessageReader::int32() {
  const int64_t wide = int64();
  if (wide < std::numeric_limits<int32_t>::min() ||
      wide > std::numeric_limits<int32_t>::max()) {
    malformed(value, fmt::format("field {} is {}, which exceeds 32 bits,",
                                 fieldNumber, wide));
  }
  return static_cast<int32_t>(wide);
}

float MessageReader::float32() {
  require(WireType::Fixed32);
  float result = 0;
  std::memcpy(&result, contents.data(), sizeof(result));
  return result;
}

std::string_view MessageReader::bytes() {
  require(WireType::Bytes);
  return contents;
}

std::string MessageReader::name() {
  const std::string_view text = bytes();
  if (text.find('\0') != std::string_view::npos || !isUtf8(text)) {
    malformed(value, fmt::format("the name {} is not UTF-8 text without NUL",
                                 quote(text)));
  }
  return std::string(text);
}

std::string MessageReader::text() { return toUtf8(bytes()); }

std::string_view MessageReader::fixedElements(size_t elementBytes) {
  if (type != WireType::Bytes) {
    require(elementBytes == 4 ? WireType::Fixed32 : WireType::Fixed64);
  } else if (contents.size() % elementBytes != 0) {
    malformed(value, fmt::format("field {} has {} bytes, no multiple of {},",
                                 fieldNumber, contents.size(), elementBytes));
  }
  return contents;
}

} // namespace spyre::onnxfile
