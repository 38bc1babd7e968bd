// SPDX-License-Identifier: Apache-2.0
//
// Element conversion between host and device types. Both sides go through
// double (floats) or int64 (integers and bool), which hold every value of
// either side exactly, so that there is one rounding and one range check.

#include "spyre/Runtime/Conversion.h"

#include "ElementCodec.h"

#include <cmath>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::HostType;

namespace {

/// Bytes of the host's elements that are laid out at a time.
constexpr int64_t kPieceBytes = 8 << 20;

/// How the device stores a type, in terms of the codecs.
enum class Storage : uint8_t { F16, BF16, DL16, F32, I32, I8, Bool, None };

Storage storageOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Storage::F16;
  case ElementType::BF16:
    return Storage::BF16;
  case ElementType::DL16:
    return Storage::DL16;
  case ElementType::F32:
    return Storage::F32;
  case ElementType::I32:
    return Storage::I32;
  case ElementType::I8:
    return Storage::I8;
  case ElementType::Bool:
    return Storage::Bool;
  default:
    return Storage::None;
  }
}

StorageFloat floatFormat(Storage storage) {
  return storage == Storage::BF16   ? StorageFloat::BF16
         : storage == Storage::DL16 ? StorageFloat::DL16
                                    : StorageFloat::F16;
}

double loadDeviceFloat(Storage storage, const std::byte *at) {
  return storage == Storage::F32
             ? loadAs<float>(at)
             : decode(floatFormat(storage), loadAs<uint16_t>(at));
}

/// Rounds to the device type; false if a finite value leaves its range.
bool storeDeviceFloat(Storage storage, double value, std::byte *to) {
  if (storage == Storage::F32) {
    const auto rounded = static_cast<float>(value);
    storeAs(to, rounded);
    return std::isfinite(rounded) || !std::isfinite(value);
  }
  const StorageFloat format = floatFormat(storage);
  const uint16_t bits = encode(format, value);
  storeAs(to, bits);
  if (format == StorageFloat::DL16) {
    // DL16 saturates: compare with the largest finite value, 1.99609375 * 2^32,
    // and half a step beyond it.
    return !std::isfinite(value) ||
           std::fabs(value) <= std::ldexp(1.9970703125, 32);
  }
  return std::isfinite(decode(format, bits)) || !std::isfinite(value);
}

bool isDeviceInteger(Storage storage) {
  return storage == Storage::I32 || storage == Storage::I8;
}

bool isDeviceFloat(Storage storage) {
  return !isDeviceInteger(storage) && storage != Storage::Bool &&
         storage != Storage::None;
}

/// True if the host bytes are the device bytes.
bool isSameBits(HostType host, Storage storage) {
  return (host == HostType::F16 && storage == Storage::F16) ||
         (host == HostType::BF16 && storage == Storage::BF16) ||
         (host == HostType::F32 && storage == Storage::F32) ||
         (host == HostType::I32 && storage == Storage::I32) ||
         (host == HostType::I8 && storage == Storage::I8);
}

tl::unexpected<Error> unsupported(HostType host, ElementType device,
                                  std::string_view subject) {
  return makeError(ErrorCode::UnsupportedConversion, std::string(subject),
                   fmt::format("host type {} and device type {} do not convert",
                               launch::toString(host), toString(device)));
}

template <typename Value>
tl::unexpected<Error> outOfRange(std::string_view subject, size_t element,
                                 Value value, std::string_view type,
                                 std::string help = {}) {
  return makeError(ErrorCode::ValueOutOfRange, std::string(subject),
                   fmt::format("element {} is {}, which {} cannot hold",
                               element, value, type),
                   {}, std::move(help));
}

/// The way out for a float beyond the type.
std::string helpForFloat(ElementType type) {
  return type == ElementType::F16
             ? "compile an f32 model with --precision=f32, or scale the values"
             : "";
}

/// Stores one host element; false if it does not fit.
bool storeConverted(HostType from, const std::byte *at, Storage storage,
                    std::byte *to) {
  if (isFloat(from)) {
    return storeDeviceFloat(storage, loadFloat(from, at), to);
  }
  const int64_t value = loadInteger(from, at);
  switch (storage) {
  case Storage::I32: {
    const IntegerRange range = rangeOf(HostType::I32);
    storeAs(to, static_cast<int32_t>(value));
    return value >= range.lo && value <= range.hi;
  }
  case Storage::I8: {
    const IntegerRange range = rangeOf(HostType::I8);
    storeAs(to, static_cast<int8_t>(value));
    return value >= range.lo && value <= range.hi;
  }
  default:
    // Bool, in the device's 16-bit float or in a float type proper.
    return storeDeviceFloat(storage == Storage::Bool ? Storage::F16 : storage,
                            static_cast<double>(value), to);
  }
}

/// Stores one device element as a host element; false if it does not fit.
bool storeHost(Storage storage, const std::byte *at, HostType type,
               std::byte *to) {
  if (isFloat(type)) {
    storeFloat(type, loadDeviceFloat(storage, at), to);
    return true;
  }
  if (!isDeviceInteger(storage)) {
    const Storage held = storage == Storage::Bool ? Storage::F16 : storage;
    storeInteger(type, loadDeviceFloat(held, at) != 0 ? 1 : 0, to);
    return true;
  }
  const int64_t value = storage == Storage::I32 ? int64_t{loadAs<int32_t>(at)}
                                                : int64_t{loadAs<int8_t>(at)};
  if (type == HostType::Bool) {
    storeInteger(type, value != 0 ? 1 : 0, to);
    return true;
  }
  const IntegerRange range = rangeOf(type);
  storeInteger(type, value, to);
  return value >= range.lo && value <= range.hi;
}

Status checkSize(int64_t required, size_t given, std::string_view subject,
                 std::string_view what) {
  if (static_cast<size_t>(required) == given) {
    return {};
  }
  return makeError(
      ErrorCode::InvalidBinding, std::string(subject),
      fmt::format("{} needs {} bytes, {} given", what, required, given));
}

} // namespace

bool rt::isConvertible(HostType host, ElementType device) {
  const Storage storage = storageOf(device);
  if (storage == Storage::None) {
    return false;
  }
  if (host == HostType::Bool) {
    return true;
  }
  return isFloat(host) ? isDeviceFloat(storage) : isDeviceInteger(storage);
}

int64_t rt::deviceElementBytes(ElementType type) { return bitWidth(type) / 8; }

Expected<std::vector<std::byte>>
rt::convertToDevice(HostType from, std::span<const std::byte> host,
                    ElementType to, std::string_view subject) {
  if (!isConvertible(from, to)) {
    return unsupported(from, to, subject);
  }
  const Storage storage = storageOf(to);
  if (isSameBits(from, storage)) {
    return std::vector<std::byte>(host.begin(), host.end());
  }
  const auto fromBytes = static_cast<size_t>(launch::sizeOf(from));
  const auto toBytes = static_cast<size_t>(deviceElementBytes(to));
  const size_t count = host.size() / fromBytes;
  std::vector<std::byte> device(count * toBytes);
  for (size_t i = 0; i < count; ++i) {
    const std::byte *at = host.data() + i * fromBytes;
    if (!storeConverted(from, at, storage, device.data() + i * toBytes)) {
      return isFloat(from)
                 ? outOfRange(subject, i, loadFloat(from, at), toString(to),
                              helpForFloat(to))
                 : outOfRange(subject, i, loadInteger(from, at), toString(to));
    }
  }
  return device;
}

Expected<std::vector<std::byte>>
rt::convertToHost(ElementType from, std::span<const std::byte> device,
                  HostType to, std::string_view subject) {
  if (!isConvertible(to, from)) {
    return unsupported(to, from, subject);
  }
  const Storage storage = storageOf(from);
  if (isSameBits(to, storage)) {
    return std::vector<std::byte>(device.begin(), device.end());
  }
  const auto fromBytes = static_cast<size_t>(deviceElementBytes(from));
  const auto toBytes = static_cast<size_t>(launch::sizeOf(to));
  const size_t count = device.size() / fromBytes;
  std::vector<std::byte> host(count * toBytes);
  for (size_t i = 0; i < count; ++i) {
    const std::byte *at = device.data() + i * fromBytes;
    if (!storeHost(storage, at, to, host.data() + i * toBytes)) {
      const int64_t value = storage == Storage::I8
                                ? int64_t{loadAs<int8_t>(at)}
                                : int64_t{loadAs<int32_t>(at)};
      return outOfRange(subject, i, value, launch::toString(to));
    }
  }
  return host;
}

Status rt::packTensor(HostType hostType, std::span<const std::byte> host,
                      std::span<const int64_t> shape,
                      const layout::StickLayout &layout, ElementType deviceType,
                      std::string_view subject, const TakePiece &take) {
  if (!isConvertible(hostType, deviceType)) {
    return unsupported(hostType, deviceType, subject);
  }
  if (Expected<int64_t> bytes = layout::sizeBytes(layout, shape, deviceType);
      !bytes) {
    return tl::unexpected(bytes.error());
  }
  if (Status status =
          checkSize(denseBytes(hostType, shape).value_or(-1), host.size(),
                    subject, describe(hostType, shape));
      !status) {
    return status;
  }
  // Laid out first, in the host's type, then converted: what is in one piece is
  // not side by side on the host.
  const int64_t elementBytes = launch::sizeOf(hostType);
  const layout::ImageRows rows = layout::imageRows(layout, shape);
  const int64_t rowsPerPiece = std::max<int64_t>(
      1, kPieceBytes / std::max<int64_t>(1, rows.elements * elementBytes));
  std::vector<std::byte> piece;
  for (int64_t first = 0; first < rows.count; first += rowsPerPiece) {
    const int64_t count = std::min(rowsPerPiece, rows.count - first);
    piece.assign(static_cast<size_t>(count * rows.elements * elementBytes),
                 std::byte{0});
    layout::packRowsToDevice(layout, shape, elementBytes, first, count,
                             host.data(), piece.data());
    std::span<const std::byte> image = piece;
    std::vector<std::byte> converted;
    if (!isSameBits(hostType, storageOf(deviceType))) {
      Expected<std::vector<std::byte>> result =
          convertToDevice(hostType, piece, deviceType, subject);
      if (!result) {
        // Again in the host's order, so that the message names its element.
        result = convertToDevice(hostType, host, deviceType, subject);
        return tl::unexpected(result.error());
      }
      converted = std::move(*result);
      image = converted;
    }
    if (Status status = take(image); !status) {
      return status;
    }
  }
  return {};
}

Expected<std::vector<std::byte>>
rt::packTensor(HostType hostType, std::span<const std::byte> host,
               std::span<const int64_t> shape,
               const layout::StickLayout &layout, ElementType deviceType,
               std::string_view subject) {
  std::vector<std::byte> image;
  image.reserve(static_cast<size_t>(
      layout::sizeBytes(layout, shape, deviceType).value_or(0)));
  Status status =
      packTensor(hostType, host, shape, layout, deviceType, subject,
                 [&](std::span<const std::byte> piece) -> Status {
                   image.insert(image.end(), piece.begin(), piece.end());
                   return {};
                 });
  if (!status) {
    return tl::unexpected(status.error());
  }
  return image;
}

Expected<std::vector<std::byte>>
rt::unpackTensor(ElementType deviceType, std::span<const std::byte> device,
                 std::span<const int64_t> shape,
                 const layout::StickLayout &layout, HostType hostType,
                 std::string_view subject) {
  const Expected<int64_t> bytes = layout::sizeBytes(layout, shape, deviceType);
  if (!bytes) {
    return tl::unexpected(bytes.error());
  }
  if (Status status = checkSize(*bytes, device.size(), subject, "the image");
      !status) {
    return tl::unexpected(status.error());
  }
  if (!isConvertible(hostType, deviceType)) {
    return unsupported(hostType, deviceType, subject);
  }
  const int64_t elements = numElements(shape).value_or(0);
  std::vector<std::byte> dense(
      static_cast<size_t>(elements * deviceElementBytes(deviceType)));
  layout::unpackFromDevice(layout, shape, deviceElementBytes(deviceType),
                           device.data(), dense.data());
  return convertToHost(deviceType, dense, hostType, subject);
}
