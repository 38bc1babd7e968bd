// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy format: a magic, a version, a header that is a Python literal
// of a dict with three keys, and the data. The header is parsed by a scanner
// that knows just that literal.

#include "spyre/Runtime/TensorFile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::HostType;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 32;
/// NumPy's own limit is 10000; a structured dtype may be longer.
constexpr size_t kMaxHeaderBytes = 65536;

struct TypeCode {
  std::string_view code;
  HostType type;
};
/// The first code of a type is the one that is written.
constexpr std::array<TypeCode, 12> kTypeCodes = {{
    {"<f2", HostType::F16},
    {"<f4", HostType::F32},
    {"<f8", HostType::F64},
    {"|i1", HostType::I8},
    {"|u1", HostType::U8},
    {"<i2", HostType::I16},
    {"<i4", HostType::I32},
    {"<i8", HostType::I64},
    {"|b1", HostType::Bool},
    {"<V2", HostType::BF16},
    {"|V2", HostType::BF16},
    {"|?", HostType::Bool},
}};

struct Header {
  std::string_view descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Scans {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderScanner {
public:
  explicit HeaderScanner(std::string_view text) : rest(text) {}

  bool scan(Header &header) {
    int seen = 0;
    if (!eat("{")) {
      return false;
    }
    while (!eat("}")) {
      std::string_view key;
      if (!quoted(key) || !eat(":") || !value(key, header, seen)) {
        return false;
      }
      eat(",");
    }
    skipSpace();
    return rest.empty() && seen == (kDescr | kOrder | kShape);
  }

private:
  static constexpr int kDescr = 1, kOrder = 2, kShape = 4;

  bool value(std::string_view key, Header &header, int &seen) {
    const int bit = key == "descr"           ? kDescr
                    : key == "fortran_order" ? kOrder
                    : key == "shape"         ? kShape
                                             : 0;
    if (bit == 0 || (seen & bit) != 0) {
      return false;
    }
    seen |= bit;
    if (bit == kDescr) {
      return quoted(header.descr);
    }
    if (bit == kShape) {
      return tuple(header.shape);
    }
    header.fortranOrder = eat("True");
    return header.fortranOrder || eat("False");
  }

  bool tuple(std::vector<int64_t> &shape) {
    if (!eat("(")) {
      return false;
    }
    while (!eat(")")) {
      skipSpace();
      int64_t extent = 0;
      const auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc() || extent < 0 || shape.size() == kMaxRank) {
        return false;
      }
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      shape.push_back(extent);
      if (!eat(",")) {
        return eat(")");
      }
    }
    return true;
  }

  bool quoted(std::string_view &text) {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) {
      return false;
    }
    const size_t end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos) {
      return false;
    }
    text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool eat(std::string_view token) {
    skipSpace();
    if (!rest.starts_with(token)) {
      return false;
    }
    rest.remove_prefix(token.size());
    return true;
  }

  void skipSpace() {
    const size_t at = rest.find_first_not_of(" \t\r\n");
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at);
  }

  std::string_view rest;
};

tl::unexpected<Error> malformed(std::string_view origin, std::string message) {
  return makeError(ErrorCode::MalformedNpy, fmt::format("file \"{}\"", origin),
                   std::move(message));
}

/// Splits the file into header text and data.
Status splitFile(std::span<const std::byte> file, std::string_view origin,
                 std::string_view &header, std::span<const std::byte> &data) {
  const std::string_view text(reinterpret_cast<const char *>(file.data()),
                              file.size());
  if (!text.starts_with(kMagic) || text.size() < 10) {
    return malformed(origin, "it does not start with NumPy's magic bytes");
  }
  const int version = static_cast<uint8_t>(text[6]);
  if (version < 1 || version > 3) {
    return malformed(
        origin, fmt::format("format version {} is not 1, 2 or 3", version));
  }
  const size_t lengthBytes = version == 1 ? 2 : 4;
  const size_t start = 8 + lengthBytes;
  if (text.size() < start) {
    return malformed(origin, "it ends inside the header");
  }
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, lengthBytes);
  if (length > kMaxHeaderBytes || length > text.size() - start) {
    return malformed(origin,
                     fmt::format("a header of {} bytes, {} bytes are left",
                                 length, text.size() - start));
  }
  header = text.substr(start, length);
  data = file.subspan(start + length);
  return {};
}

/// Reorders column-major elements to row-major.
std::vector<std::byte> fromFortranOrder(std::span<const std::byte> data,
                                        std::span<const int64_t> shape,
                                        int64_t elementBytes) {
  std::vector<std::byte> result(data.size());
  std::vector<int64_t> strides(shape.size());
  int64_t stride = elementBytes;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  std::vector<int64_t> position(shape.size(), 0);
  int64_t from = 0;
  for (size_t to = 0; to < result.size();
       to += static_cast<size_t>(elementBytes)) {
    std::memcpy(result.data() + to, data.data() + from,
                static_cast<size_t>(elementBytes));
    for (size_t dim = shape.size(); dim-- > 0;) {
      from += strides[dim];
      if (++position[dim] < shape[dim]) {
        break;
      }
      from -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
  return result;
}

} // namespace

Expected<HostTensor> rt::parseNpy(std::span<const std::byte> file,
                                  std::string_view origin) {
  std::string_view text;
  std::span<const std::byte> data;
  if (Status status = splitFile(file, origin, text, data); !status) {
    return tl::unexpected(status.error());
  }
  Header header;
  if (!HeaderScanner(text).scan(header)) {
    return malformed(origin, "the header is not a dict of descr, "
                             "fortran_order and a shape of at most 32 dims");
  }
  const auto *code =
      std::find_if(kTypeCodes.begin(), kTypeCodes.end(),
                   [&](const TypeCode &c) { return c.code == header.descr; });
  if (code == kTypeCodes.end()) {
    return makeError(
        ErrorCode::UnsupportedTensorType, fmt::format("file \"{}\"", origin),
        fmt::format("NumPy's type \"{}\" is not supported", header.descr));
  }
  HostTensor tensor{code->type, std::move(header.shape), {}};
  const std::optional<int64_t> bytes = denseBytes(tensor.type, tensor.shape);
  if (!bytes || static_cast<size_t>(*bytes) != data.size()) {
    return malformed(
        origin, fmt::format("{} needs {} bytes, {} follow the header",
                            describe(tensor.type, tensor.shape),
                            bytes ? fmt::to_string(*bytes) : "more than 2^63",
                            data.size()));
  }
  tensor.bytes =
      header.fortranOrder
          ? fromFortranOrder(data, tensor.shape, launch::sizeOf(tensor.type))
          : std::vector<std::byte>(data.begin(), data.end());
  return tensor;
}

std::vector<std::byte> rt::formatNpy(const HostTensor &tensor) {
  const auto *code =
      std::find_if(kTypeCodes.begin(), kTypeCodes.end(),
                   [&](const TypeCode &c) { return c.type == tensor.type; });
  std::string shape;
  for (int64_t extent : tensor.shape) {
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  }
  if (tensor.shape.size() == 1) {
    shape += ",";
  }
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                  code->code, shape);
  // The data starts at a multiple of 64: magic, version, length, header, \n.
  constexpr size_t kPreamble = 10;
  const size_t unpadded = kPreamble + header.size() + 1;
  header.append((unpadded + 63) / 64 * 64 - unpadded, ' ');
  header += '\n';
  std::string text(kMagic);
  text += '\x01';
  text += '\x00';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  std::vector<std::byte> file(text.size() + tensor.bytes.size());
  std::memcpy(file.data(), text.data(), text.size());
  std::copy(tensor.bytes.begin(), tensor.bytes.end(),
            file.begin() + static_cast<ptrdiff_t>(text.size()));
  return file;
}
