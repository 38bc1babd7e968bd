// SPDX-License-Identifier: Apache-2.0
//
// Protobuf's wire format, field by field, without copying. protozero decodes
// the numbers; its message reader is not used because it cuts lengths to 32
// bits, while a model with its weights inside may be longer.

#ifndef SPYRE_LIB_ONNXFILE_WIRE_H
#define SPYRE_LIB_ONNXFILE_WIRE_H

#include "spyre/Support/Error.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::onnxfile {

// Data is taken from files as it is.
static_assert(std::endian::native == std::endian::little);

/// Ends the decoding of a file. Thrown and caught inside of this library only:
/// Reader.cpp turns it into the error side of an Expected, the functions
/// between add notes on where they were.
struct DecodeFailure {
  Error error;
};

[[noreturn]] void fail(ErrorCode code, std::string message,
                       std::vector<std::string> notes = {},
                       std::string help = {});

/// Runs `body`; a failure in it gets the note "in " + describe().
template <typename Describe, typename Body>
void within(const Describe &describe, const Body &body) {
  try {
    body();
  } catch (DecodeFailure &failure) {
    failure.error.notes.push_back("in " + describe());
    throw;
  }
}

/// Walks the fields of one message. Every function throws DecodeFailure
/// (OnnxMalformed, with the byte's place in the file) on malformed bytes.
class MessageReader {
public:
  /// `file` holds `message`; it is what places are counted in.
  MessageReader(std::string_view message, std::string_view file)
      : current(message.data()), end(message.data() + message.size()),
        file(file) {}

  /// Steps to the next field; false at the end of the message. A field whose
  /// value is not asked for is thereby skipped.
  bool next();
  uint32_t field() const { return fieldNumber; }

  // The value of the field, which must have the wire type of the function.

  int64_t int64();
  /// A number beyond 32 bits is malformed, not cut.
  int32_t int32();
  float float32();
  std::string_view bytes();
  MessageReader message() { return {bytes(), file}; }
  /// A string that names something: well-formed UTF-8 without NUL.
  std::string name();
  /// A string that is only shown: what is not UTF-8 is replaced.
  std::string text();

  /// Calls `use(uint64_t)` with each integer of a repeated field, packed or
  /// not.
  template <typename Use> void forEachInt(const Use &use) {
    if (type != WireType::Bytes) {
      require(WireType::Varint);
      use(number);
      return;
    }
    MessageReader packed(contents, file);
    while (packed.current != packed.end) {
      use(packed.varint());
    }
  }
  /// The elements of a repeated float or double field, of 4 or 8 bytes each, as
  /// they stand in the file: all of a packed field, or one.
  std::string_view fixedElements(size_t elementBytes);
  /// False for a packed field without elements.
  bool hasElements() const {
    return type != WireType::Bytes || !contents.empty();
  }

private:
  enum class WireType : uint8_t {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5
  };

  uint64_t varint();
  void take(uint64_t sizeBytes, std::string_view &taken);
  void require(WireType wanted) const;
  [[noreturn]] void malformed(const char *at, std::string message) const;

  const char *current;
  const char *end;
  std::string_view file;
  /// The current field: where its value begins, and the value as its wire type
  /// has it.
  const char *value = nullptr;
  uint32_t fieldNumber = 0;
  WireType type = WireType::Varint;
  uint64_t number = 0;
  std::string_view contents;
};

} // namespace spyre::onnxfile

#endif // SPYRE_LIB_ONNXFILE_WIRE_H
