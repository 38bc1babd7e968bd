// SPDX-License-Identifier: Apache-2.0
//
// The forms in which a target leaves the library: canonical JSON, its hash and
// the documentation table. All are loops over the list of fields.

#include "Internal.h"

#include "spyre/Target/Fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spyre::target {
namespace {

/// Shortest text that reads back as the same number; strings are quoted.
std::string valueText(const Target &target, const Field &field) {
  struct Visitor {
    const Target &target;
    std::string operator()(int64_t Target::*member) const {
      return fmt::format("{}", target.*member);
    }
    std::string operator()(double Target::*member) const {
      return fmt::format("{}", target.*member);
    }
    std::string operator()(ElementType Target::*member) const {
      return fmt::format("\"{}\"", toString(target.*member));
    }
    std::string operator()(double ReferenceFits::*member) const {
      return fmt::format("{}", target.reference.*member);
    }
  };
  return std::visit(Visitor{target}, field.member);
}

/// Large byte counts are unreadable in full: the binary unit is added.
std::string readableValue(const Target &target, const Field &field) {
  std::string text = valueText(target, field);
  if (text.front() == '"') {
    return text.substr(1, text.size() - 2);
  }
  int64_t Target::*const *member =
      std::get_if<int64_t Target::*>(&field.member);
  if (!member || field.unit != "B") {
    return text;
  }
  int64_t bytes = target.**member;
  constexpr struct {
    int shift;
    std::string_view name;
  } kUnits[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto &unit : kUnits) {
    int64_t size = int64_t(1) << unit.shift;
    if (bytes >= size && bytes % size == 0) {
      return fmt::format("{} ({} {})", text, bytes / size, unit.name);
    }
  }
  return text;
}

} // namespace

std::string canonicalJson(const Target &target) {
  std::string text = fmt::format(
      "{{\"name\":{}",
      nlohmann::json(target.name)
          .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  for (const Field &field : fields()) {
    text += fmt::format(",\"{}\":{}", field.path, valueText(target, field));
  }
  return text + "}";
}

std::string targetTableMarkdown(const Target &target) {
  std::string text;
  std::string_view group;
  std::span<const Field> list = fields();
  for (size_t i = 0; i < list.size(); ++i) {
    const Field &field = list[i];
    if (field.group() != group) {
      group = field.group();
      text += fmt::format("{}### {}\n\n"
                          "| key | value | unit | conf. | meaning | source |\n"
                          "|---|---|---|---|---|---|\n",
                          i == 0 ? "" : "\n", group);
    }
    Provenance provenance =
        i < target.provenance.size() ? target.provenance[i] : Provenance{};
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key(),
                        readableValue(target, field), field.unit,
                        toString(provenance.confidence), field.meaning,
                        provenance.source);
  }
  return text;
}

uint64_t detail::hashOf(const Target &target) {
  std::string text = canonicalJson(target);
  return XXH3_64bits(text.data(), text.size());
}

} // namespace spyre::target
