// SPDX-License-Identifier: Apache-2.0
//
// Enumerates scalars and lists by a visitor that keeps the path of where it is.

#include "spyre/LaunchPlan/Mutate.h"
#include "spyre/LaunchPlan/Names.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace spyre::launch {

namespace {

constexpr auto kFieldKindNames = std::to_array<std::string_view>({
    // clang-format off
    "group", "name", "size", "extent", "bound", "address", "offset",
    "table_value", "immediate", "opcode", "command_kind", "data_type",
    "layout", "role", "placement", "slots", "queue_action", "combine", "flag",
    "buffer_index", "table_index", "scalar_index", "body_index", "value_index",
    "argument_index", "segment_index", "program_index", "region_index",
    "dim_index", "loop_depth", "step_order", "step_target", "footprint",
    "count", "source", "storage", "hash",
    // clang-format on
});
static_assert(kFieldKindNames.size() ==
              static_cast<size_t>(FieldKind::Hash) + 1);

class Enumerator {
public:
  std::vector<FieldRef> scalars;
  std::vector<ListRef> lists;

  template <typename T>
  void operator()(std::string_view name, FieldKind kind, T &value) {
    size_t length = path.size();
    // The numbers of an extent's bounds are extents, not offsets.
    bool inExtent = kind == FieldKind::Offset && current == FieldKind::Extent;
    FieldKind outer =
        std::exchange(current, inExtent ? FieldKind::Extent : kind);
    if (!path.empty()) {
      path += '.';
    }
    path += name;
    visit(value);
    path.resize(length);
    current = outer;
  }

private:
  template <typename T> void visit(T &value) {
    if constexpr (std::is_enum_v<T>) {
      addScalar(value, static_cast<int64_t>(enumNames<T>.size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      addScalar(value, 2);
    } else if constexpr (std::is_integral_v<T>) {
      addScalar(value, 0);
    } else {
      fields(*this, value);
    }
  }

  /// Text is not a scalar.
  void visit(std::string &) {}

  template <typename T> void visit(std::vector<T> &values) {
    lists.push_back(
        {path, current, [&values] { return values.size(); },
         [&values](size_t index) {
           values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
         },
         [&values](size_t a, size_t b) { std::swap(values[a], values[b]); }});
    visitEntries(values);
  }

  template <typename T, size_t N> void visit(std::array<T, N> &values) {
    visitEntries(values);
  }

  template <typename T> void visit(std::optional<T> &value) {
    lists.push_back(
        {path, current,
         [&value] { return static_cast<size_t>(value.has_value()); },
         [&value](size_t) { value.reset(); }, [](size_t, size_t) {}});
    if (value) {
      visit(*value);
    }
  }

  template <typename Range> void visitEntries(Range &values) {
    size_t length = path.size();
    for (size_t index = 0; index < values.size(); ++index) {
      path += fmt::format("[{}]", index);
      visit(values[index]);
      path.resize(length);
    }
  }

  template <typename T> void addScalar(T &value, int64_t numValues) {
    scalars.push_back(
        {path, current, numValues,
         [&value] { return static_cast<int64_t>(value); },
         [&value](int64_t wanted) { value = static_cast<T>(wanted); }});
  }

  std::string path;
  FieldKind current = FieldKind::Group;
};

template <typename T> Enumerator enumerate(T &object) {
  Enumerator enumerator;
  fields(enumerator, object);
  return enumerator;
}

} // namespace

std::string_view toString(FieldKind kind) {
  return kFieldKindNames[static_cast<size_t>(kind)];
}

std::vector<FieldRef> enumerateFields(LaunchPlan &plan) {
  return enumerate(plan).scalars;
}

std::vector<FieldRef> enumerateFields(Program &program) {
  return enumerate(program).scalars;
}

std::vector<ListRef> enumerateLists(LaunchPlan &plan) {
  return enumerate(plan).lists;
}

std::vector<ListRef> enumerateLists(Program &program) {
  return enumerate(program).lists;
}

} // namespace spyre::launch
