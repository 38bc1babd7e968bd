// SPDX-License-Identifier: Apache-2.0

#include "WireMutator.h"

#include <iterator>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>
#include <random>
#include <utility>
#include <vector>

namespace spyre::fuzz {
namespace {

using protozero::pbf_wire_type;

struct Field {
  uint32_t number = 0;
  pbf_wire_type type = pbf_wire_type::varint;
  /// A varint or fixed number.
  uint64_t value = 0;
  /// A string, or the fields of a message.
  std::string bytes;
  std::vector<Field> fields;
};

constexpr int kMaxDepth = 40;
/// No message of ONNX has a field beyond; strings seldom look like messages
/// with this rule, and it does no harm where one does.
constexpr uint32_t kMaxNumber = 30;

std::optional<std::vector<Field>> parse(std::string_view message, int depth) {
  if (depth > kMaxDepth) {
    return std::nullopt;
  }
  std::vector<Field> fields;
  protozero::pbf_reader reader(message.data(), message.size());
  try {
    while (reader.next()) {
      Field field{reader.tag(), reader.wire_type(), 0, {}, {}};
      if (field.number > kMaxNumber) {
        return std::nullopt;
      }
      switch (field.type) {
      case pbf_wire_type::varint:
        field.value = reader.get_uint64();
        break;
      case pbf_wire_type::fixed64:
        field.value = reader.get_fixed64();
        break;
      case pbf_wire_type::fixed32:
        field.value = reader.get_fixed32();
        break;
      default:
        field.bytes = reader.get_bytes();
        if (std::optional<std::vector<Field>> inner =
                parse(field.bytes, depth + 1);
            inner && !inner->empty()) {
          field.fields = std::move(*inner);
          field.bytes.clear();
        }
      }
      fields.push_back(std::move(field));
    }
  } catch (const protozero::exception &) {
    return std::nullopt;
  }
  return fields;
}

std::string print(const std::vector<Field> &fields) {
  std::string bytes;
  const auto varint = [&](uint64_t value) {
    protozero::write_varint(std::back_inserter(bytes), value);
  };
  const auto fixed = [&](uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes += static_cast<char>(value >> (8 * i));
    }
  };
  for (const Field &field : fields) {
    varint(uint64_t{field.number} << 3U | static_cast<uint64_t>(field.type));
    switch (field.type) {
    case pbf_wire_type::varint:
      varint(field.value);
      break;
    case pbf_wire_type::fixed64:
      fixed(field.value, 8);
      break;
    case pbf_wire_type::fixed32:
      fixed(field.value, 4);
      break;
    default: {
      const std::string inner =
          field.fields.empty() ? field.bytes : print(field.fields);
      varint(inner.size());
      bytes += inner;
    }
    }
  }
  return bytes;
}

/// A place of a field: the list that it is in, and its position.
struct Place {
  std::vector<Field> *list;
  size_t position;

  Field &field() const { return (*list)[position]; }
};

void collect(std::vector<Field> &fields, std::vector<Place> &places) {
  for (size_t i = 0; i < fields.size(); ++i) {
    places.push_back({&fields, i});
    collect(fields[i].fields, places);
  }
}

void mutateLeaf(Field &field, std::mt19937 &random,
                const MutateBytes &mutateBytes) {
  if (field.type == pbf_wire_type::length_delimited) {
    if (field.fields.empty()) {
      field.bytes = mutateBytes(field.bytes, field.bytes.size() + 16);
    }
    return;
  }
  constexpr uint64_t kValues[] = {0,
                                  1,
                                  2,
                                  5,
                                  8,
                                  16,
                                  26,
                                  27,
                                  64,
                                  127,
                                  128,
                                  (uint64_t{1} << 31) - 1,
                                  uint64_t{1} << 32,
                                  uint64_t{1} << 62,
                                  (uint64_t{1} << 63) - 1,
                                  uint64_t{1} << 63,
                                  ~uint64_t{0}};
  field.value = random() % 2 == 0 ? kValues[random() % std::size(kValues)]
                                  : field.value + random() % 7 - 3;
}

} // namespace

std::string mutateMessage(std::string_view message, unsigned seed,
                          const MutateBytes &mutateBytes) {
  std::optional<std::vector<Field>> root = parse(message, 0);
  std::vector<Place> places;
  if (root) {
    collect(*root, places);
  }
  if (places.empty()) {
    return std::string(message);
  }
  std::mt19937 random(seed);
  const Place place = places[random() % places.size()];
  // A copy, because changing a list moves its fields.
  const Field other = places[random() % places.size()].field();
  std::vector<Field> &list = *place.list;
  const auto at = list.begin() + static_cast<std::ptrdiff_t>(place.position);
  switch (random() % 8) {
  case 0:
    list.erase(at);
    break;
  case 1: {
    Field copy = *at;
    list.insert(at, std::move(copy));
    break;
  }
  case 2:
    std::swap(*at, list[random() % list.size()]);
    break;
  case 3:
    list.insert(at, other);
    break;
  case 4: {
    // A graph, tensor or name of somewhere else in this field's place.
    const uint32_t number = at->number;
    *at = other;
    at->number = number;
    break;
  }
  case 5:
    // A name becomes equal to another one.
    if (at->type == other.type && at->fields.empty() && other.fields.empty()) {
      at->bytes = other.bytes;
      at->value = other.value;
    }
    break;
  case 6:
    at->number = 1 + random() % kMaxNumber;
    break;
  default:
    mutateLeaf(*at, random, mutateBytes);
  }
  return print(*root);
}

} // namespace spyre::fuzz
