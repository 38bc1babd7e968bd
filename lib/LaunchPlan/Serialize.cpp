// SPDX-License-Identifier: Apache-2.0
//
// Writer and bounds-checked reader of the binary form. Both are visitors over
// Fields.h, so that they cannot disagree about a field.

#include "spyre/LaunchPlan/Serialize.h"
#include "spyre/LaunchPlan/Fields.h"
#include "spyre/LaunchPlan/Names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <bit>
#include <fmt/format.h>

namespace spyre::launch {
namespace {

static_assert(std::endian::native == std::endian::little,
              "scalars are copied as they lie in memory");

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

class Encoder {
public:
  template <typename T>
  void operator()(std::string_view, FieldKind, const T &value) {
    put(value);
  }

  std::vector<std::byte> take() { return std::move(bytes); }

  template <typename T> void put(const T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      scalar(static_cast<uint8_t>(value));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      scalar(value);
    } else {
      fields(*this, value);
    }
  }

  void put(const std::string &value) {
    scalar(static_cast<uint32_t>(value.size()));
    const std::byte *data = reinterpret_cast<const std::byte *>(value.data());
    bytes.insert(bytes.end(), data, data + value.size());
  }

  template <typename T> void put(const std::vector<T> &values) {
    scalar(static_cast<uint32_t>(values.size()));
    for (const T &value : values) {
      put(value);
    }
  }

  template <typename T, size_t N> void put(const std::array<T, N> &values) {
    for (const T &value : values) {
      put(value);
    }
  }

  template <typename T> void put(const std::optional<T> &value) {
    scalar(static_cast<uint8_t>(value.has_value()));
    if (value) {
      put(*value);
    }
  }

private:
  template <typename T> void scalar(T value) {
    const std::byte *data = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), data, data + sizeof(T));
  }

  std::vector<std::byte> bytes;
};

/// Bytes of the shortest encoding of a T: that of an empty one.
template <typename T> size_t minimumBytes() {
  static const size_t size = [] {
    Encoder encoder;
    encoder.put(T{});
    return encoder.take().size();
  }();
  return size;
}

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

/// Reads until the first failure; afterwards every read is a no-op, so that
/// the visitors need no error paths of their own.
class Decoder {
public:
  Decoder(std::span<const std::byte> bytes, uint16_t minor)
      : bytes(bytes), minor(minor) {}

  template <typename T>
  void operator()(std::string_view name, FieldKind, T &value) {
    if (failed()) {
      return;
    }
    field = name;
    get(value);
  }

  /// Whether the artifact has the fields that a minor version added.
  bool has(uint16_t since) const { return since <= minor; }
  bool failed() const { return !message.empty(); }
  size_t position() const { return offset; }
  Error error() const {
    return Error{ErrorCode::ArtifactPlanCorrupt,
                 fmt::format("field \"{}\" at byte {} of the plan section",
                             field, offset),
                 message,
                 {},
                 {}};
  }

private:
  size_t remaining() const { return bytes.size() - offset; }

  template <typename T> bool scalar(T &value) {
    if (failed()) {
      return false;
    }
    if (remaining() < sizeof(T)) {
      message =
          fmt::format("needs {} bytes, {} remain", sizeof(T), remaining());
      return false;
    }
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    offset += sizeof(T);
    return true;
  }

  bool flag(bool &value) {
    uint8_t raw = 0;
    if (!scalar(raw)) {
      return false;
    }
    if (raw > 1) {
      message = fmt::format("a flag is 0 or 1, found {}", raw);
      return false;
    }
    value = raw == 1;
    return true;
  }

  bool count(uint32_t &value, size_t elementBytes) {
    if (!scalar(value)) {
      return false;
    }
    if (value > remaining() / elementBytes) {
      message = fmt::format(
          "{} entries of at least {} bytes are announced, {} bytes remain",
          value, elementBytes, remaining());
      return false;
    }
    return true;
  }

  template <typename T> void get(T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      flag(value);
    } else if constexpr (std::is_integral_v<T>) {
      scalar(value);
    } else if constexpr (std::is_enum_v<T>) {
      uint8_t raw = 0;
      static_assert(sizeof(T) == sizeof(raw));
      if (!scalar(raw)) {
        return;
      }
      if (raw >= enumNames<T>.size()) {
        message = fmt::format("value {} is out of range, the largest is {}",
                              raw, enumNames<T>.size() - 1);
        return;
      }
      value = static_cast<T>(raw);
    } else {
      fields(*this, value);
    }
  }

  void get(std::string &value) {
    uint32_t size = 0;
    if (count(size, 1)) {
      value.assign(reinterpret_cast<const char *>(bytes.data() + offset), size);
      offset += size;
    }
  }

  template <typename T> void get(std::vector<T> &values) {
    uint32_t size = 0;
    if (!count(size, minimumBytes<T>())) {
      return;
    }
    // Grows as entries are read: a plan that lies about a count costs no more
    // memory than its own bytes can justify.
    for (uint32_t index = 0; index < size && !failed(); ++index) {
      get(values.emplace_back());
    }
  }

  template <typename T, size_t N> void get(std::array<T, N> &values) {
    for (T &value : values) {
      get(value);
    }
  }

  template <typename T> void get(std::optional<T> &value) {
    bool present = false;
    if (flag(present) && present) {
      get(value.emplace());
    }
  }

  std::span<const std::byte> bytes;
  uint16_t minor;
  size_t offset = 0;
  std::string_view field;
  std::string message;
};

/// Loops close in the list that opens them and nest within bounds.
Status verifyNesting(const std::vector<Command> &commands,
                     const std::string &where) {
  int depth = 0;
  for (size_t index = 0; index < commands.size(); ++index) {
    if (commands[index].kind == CommandKind::Loop) {
      ++depth;
    } else if (commands[index].kind == CommandKind::End) {
      --depth;
    }
    if (depth < 0 || depth > kMaxLoopNesting) {
      return makeError(
          ErrorCode::ArtifactPlanCorrupt,
          fmt::format("command {} of {}", index, where),
          depth < 0 ? "an end without a loop"
                    : fmt::format("{} nested loops, at most {} are allowed",
                                  depth, kMaxLoopNesting));
    }
  }
  if (depth != 0) {
    return makeError(ErrorCode::ArtifactPlanCorrupt, where,
                     fmt::format("{} loops without an end", depth));
  }
  return {};
}

Status verifyNesting(const LaunchPlan &plan) {
  for (const Program &program : plan.programs) {
    for (const Phase &phase : program.phases) {
      for (int unit = 0; unit < kNumUnits; ++unit) {
        Status status = verifyNesting(
            phase.units[unit],
            fmt::format("the {} list of program \"{}\"",
                        toString(static_cast<Unit>(unit)), program.name));
        if (!status) {
          return status;
        }
      }
    }
  }
  return {};
}

} // namespace

std::vector<std::byte> encodePlan(const LaunchPlan &plan) {
  Encoder encoder;
  encoder.put(plan);
  return encoder.take();
}

Expected<LaunchPlan> decodePlan(std::span<const std::byte> bytes,
                                uint16_t minor) {
  Decoder decoder(bytes, minor);
  LaunchPlan plan;
  fields(decoder, plan);
  if (decoder.failed()) {
    return tl::unexpected<Error>(decoder.error());
  }
  if (decoder.position() != bytes.size()) {
    return makeError(ErrorCode::ArtifactPlanCorrupt, "the plan section",
                     fmt::format("the plan ends at byte {}, the section has {}",
                                 decoder.position(), bytes.size()));
  }
  Status nesting = verifyNesting(plan);
  if (!nesting) {
    return tl::unexpected<Error>(nesting.error());
  }
  return plan;
}

uint64_t hashPlan(const LaunchPlan &plan) {
  std::vector<std::byte> bytes = encodePlan(plan);
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace spyre::launch
