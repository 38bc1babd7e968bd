// SPDX-License-Identifier: Apache-2.0
//
// Reads a target file. The file is untrusted: every value is looked up by the
// list of fields, every key that no field asks for is an error, and all errors
// of a file are reported together.

#include "Internal.h"

#include "spyre/Target/Fields.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace spyre::target {
namespace {

using nlohmann::json;

/// Far above any real machine, far below where sums of products overflow.
constexpr int64_t kMaxInteger = int64_t(1) << 50;
constexpr double kMaxReal = 1e15;
constexpr std::streamoff kMaxFileBytes = 1 << 20;
constexpr size_t kMaxListedErrors = 20;

/// Collects the errors of one file.
class Reader {
public:
  explicit Reader(std::string subject) : subject(std::move(subject)) {}

  void fail(ErrorCode code, std::string message) {
    errors.push_back(Error{code, subject, std::move(message), {}, {}});
  }

  void readField(const json &root, const Field &field, bool inherits,
                 size_t index, Target &target);
  void refuseUnknownKeys(const json &root);

  std::string subject;
  std::vector<Error> errors;

private:
  bool readNumber(const Field &field, const json &value, double &number);
  void readValue(const Field &field, const json &value, Target &target);
  void readProvenance(const Field &field, const json &entry,
                      Provenance &provenance);
  void refuseUnknownParts(const std::string &path, const json &entry);
};

/// The first error, with the others as notes.
Error merge(const std::vector<Error> &errors) {
  Error first = errors.front();
  for (size_t i = 1; i < errors.size() && i < kMaxListedErrors; ++i) {
    first.notes.push_back(fmt::format("also {}: {}", errorName(errors[i].code),
                                      errors[i].message));
  }
  if (errors.size() > kMaxListedErrors) {
    first.notes.push_back(
        fmt::format("and {} more", errors.size() - kMaxListedErrors));
  }
  return first;
}

std::string rangeText(Range range) {
  switch (range) {
  case Range::Positive:
    return "above 0";
  case Range::NonNegative:
    return "0 or above";
  case Range::Fraction:
    return "above 0 and at most 1";
  case Range::Any:
    return "finite";
  case Range::CoreCount:
    return "between 1 and 64";
  }
  return "";
}

bool inRange(Range range, double number) {
  if (!std::isfinite(number) || std::abs(number) > kMaxReal) {
    return false;
  }
  switch (range) {
  case Range::Positive:
    return number > 0;
  case Range::NonNegative:
    return number >= 0;
  case Range::Fraction:
    return number > 0 && number <= 1;
  case Range::Any:
    return true;
  case Range::CoreCount:
    return number >= 1 && number <= 64;
  }
  return false;
}

bool Reader::readNumber(const Field &field, const json &value, double &number) {
  if (!value.is_number()) {
    fail(ErrorCode::TargetWrongKind,
         fmt::format("{}: the value is a JSON {}, not a number", field.path,
                     value.type_name()));
    return false;
  }
  number = value.get<double>();
  if (!inRange(field.range, number)) {
    fail(ErrorCode::TargetOutOfRange,
         fmt::format("{} = {} must be {} (and at most {:g})", field.path,
                     value.dump(), rangeText(field.range), kMaxReal));
    return false;
  }
  return true;
}

void Reader::readValue(const Field &field, const json &value, Target &target) {
  double number = 0;
  if (ElementType Target::*const *member =
          std::get_if<ElementType Target::*>(&field.member)) {
    std::optional<ElementType> type =
        value.is_string() ? parseElementType(value.get<std::string>())
                          : std::nullopt;
    if (!type || !isFloat(*type)) {
      fail(ErrorCode::TargetWrongKind,
           fmt::format(
               "{} = {} is not a float type such as \"f16\"", field.path,
               value.dump(-1, ' ', true, json::error_handler_t::replace)));
      return;
    }
    target.**member = *type;
    return;
  }
  if (!readNumber(field, value, number)) {
    return;
  }
  if (int64_t Target::*const *member =
          std::get_if<int64_t Target::*>(&field.member)) {
    if (!value.is_number_integer()) {
      fail(ErrorCode::TargetWrongKind,
           fmt::format("{} = {} must be an integer", field.path, value.dump()));
    } else if (number > static_cast<double>(kMaxInteger)) {
      fail(ErrorCode::TargetOutOfRange,
           fmt::format("{} = {} must be at most {}", field.path, value.dump(),
                       kMaxInteger));
    } else {
      target.**member = value.get<int64_t>();
    }
  } else if (double Target::*const *member =
                 std::get_if<double Target::*>(&field.member)) {
    target.**member = number;
  } else {
    target.reference.*std::get<double ReferenceFits::*>(field.member) = number;
  }
}

void Reader::readProvenance(const Field &field, const json &entry,
                            Provenance &provenance) {
  std::string letter = entry["confidence"].get<std::string>();
  for (uint8_t i = 0; i < 4; ++i) {
    Confidence confidence = static_cast<Confidence>(i);
    if (toString(confidence) == letter && (field.confidences >> i & 1)) {
      provenance = {confidence, entry["source"].get<std::string>()};
      return;
    }
  }
  std::string allowed;
  for (uint8_t i = 0; i < 4; ++i) {
    if (field.confidences >> i & 1) {
      allowed += allowed.empty() ? "" : ", ";
      allowed += toString(static_cast<Confidence>(i));
    }
  }
  fail(ErrorCode::TargetWrongConfidence,
       fmt::format("{}: confidence \"{}\" is none of {}", field.path, letter,
                   allowed));
}

void Reader::readField(const json &root, const Field &field, bool inherits,
                       size_t index, Target &target) {
  auto group = root.find(std::string(field.group()));
  const json *entry = nullptr;
  if (group != root.end() && group->is_object()) {
    auto found = group->find(std::string(field.key()));
    entry = found == group->end() ? nullptr : &*found;
  }
  if (!entry) {
    if (!inherits) {
      fail(ErrorCode::TargetMissingValue,
           fmt::format("{} ({}) is missing", field.path, field.meaning));
    }
    return;
  }
  bool complete = entry->is_object() && entry->contains("value");
  for (const char *text : {"unit", "confidence", "source"}) {
    complete = complete && entry->contains(text) && (*entry)[text].is_string();
  }
  if (!complete) {
    fail(ErrorCode::TargetWrongKind,
         fmt::format("{} must be an object with value, and with unit, "
                     "confidence and source as strings",
                     field.path));
    return;
  }
  std::string unit = (*entry)["unit"].get<std::string>();
  if (unit != field.unit) {
    fail(ErrorCode::TargetWrongUnit,
         fmt::format("{} is given in \"{}\", but must be in \"{}\"", field.path,
                     unit, field.unit));
  }
  readProvenance(field, *entry, target.provenance[index]);
  readValue(field, (*entry)["value"], target);
}

void Reader::refuseUnknownKeys(const json &root) {
  std::set<std::string, std::less<>> groups;
  std::set<std::string, std::less<>> paths;
  for (const Field &field : fields()) {
    groups.emplace(field.group());
    paths.emplace(field.path);
  }
  for (const auto &[key, value] : root.items()) {
    if (key == "name" || key == "inherit" || key == "description") {
      continue;
    }
    if (!groups.contains(key)) {
      fail(ErrorCode::TargetUnknownKey, fmt::format("unknown key \"{}\"", key));
      continue;
    }
    if (!value.is_object()) {
      fail(ErrorCode::TargetWrongKind,
           fmt::format("group \"{}\" is a JSON {}, not an object", key,
                       value.type_name()));
      continue;
    }
    for (const auto &[inner, entry] : value.items()) {
      std::string path = key + "." + inner;
      if (!paths.contains(path)) {
        fail(ErrorCode::TargetUnknownKey,
             fmt::format("unknown key \"{}\"", path));
        continue;
      }
      refuseUnknownParts(path, entry);
    }
  }
}

void Reader::refuseUnknownParts(const std::string &path, const json &entry) {
  // An entry that is no object is refused where it is read.
  if (!entry.is_object()) {
    return;
  }
  for (const auto &[part, value] : entry.items()) {
    if (part != "value" && part != "unit" && part != "confidence" &&
        part != "source") {
      fail(ErrorCode::TargetUnknownKey,
           fmt::format("unknown key \"{}.{}\"", path, part));
    }
  }
}

/// Parses JSON and refuses a key that stands twice in one object, of which the
/// library would silently keep the last.
std::optional<json> parseJson(std::string_view text, Reader &reader) {
  std::vector<std::set<std::string>> open;
  json::parser_callback_t noDuplicates = [&](int, json::parse_event_t event,
                                             json &parsed) {
    if (event == json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == json::parse_event_t::key) {
      std::string key = parsed.get<std::string>();
      if (!open.back().insert(key).second) {
        reader.fail(ErrorCode::TargetSyntax,
                    fmt::format("key \"{}\" stands twice", key));
      }
    }
    return true;
  };
  try {
    json root = json::parse(text.begin(), text.end(), noDuplicates);
    if (!root.is_object()) {
      reader.fail(ErrorCode::TargetSyntax,
                  fmt::format("the file holds a JSON {}, not an object",
                              root.type_name()));
      return std::nullopt;
    }
    return root;
  } catch (const json::exception &exception) {
    reader.fail(ErrorCode::TargetSyntax, exception.what());
    return std::nullopt;
  }
}

/// The text of key `key`, an error if it is no string, empty if absent.
std::string headerText(const json &root, const char *key, Reader &reader) {
  auto found = root.find(key);
  if (found == root.end()) {
    return "";
  }
  if (!found->is_string()) {
    reader.fail(ErrorCode::TargetWrongKind,
                fmt::format("\"{}\" is a JSON {}, not a string", key,
                            found->type_name()));
    return "";
  }
  return found->get<std::string>();
}

std::string quotedNames() {
  std::string names;
  for (const std::string &name : builtinTargets()) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  return names;
}

std::optional<std::string_view> builtinText(std::string_view name) {
  for (const detail::BuiltinText &text : detail::builtinTexts()) {
    if (text.name == name) {
      return text.json;
    }
  }
  return std::nullopt;
}

/// `depth` bounds a chain of inheritance, which only built-in files form.
Expected<Target> parse(std::string_view text, std::string_view origin,
                       int depth) {
  Reader reader(fmt::format("file \"{}\"", origin));
  std::optional<json> root = parseJson(text, reader);
  if (!root || !reader.errors.empty()) {
    return tl::unexpected(merge(reader.errors));
  }
  Target target;
  target.provenance.resize(fields().size());
  std::string parent = headerText(*root, "inherit", reader);
  if (!parent.empty()) {
    std::optional<std::string_view> base = builtinText(parent);
    if (!base || depth > 4) {
      return makeError(
          ErrorCode::TargetUnknownParent, reader.subject,
          fmt::format("inherits \"{}\", which is not built in", parent),
          {fmt::format("built in: {}", quotedNames())});
    }
    Expected<Target> inherited = parse(*base, parent, depth + 1);
    if (!inherited) {
      return inherited;
    }
    target = std::move(*inherited);
  }
  headerText(*root, "description", reader);
  target.name = headerText(*root, "name", reader);
  if (target.name.empty()) {
    reader.fail(ErrorCode::TargetMissingValue, "the target has no \"name\"");
  }
  reader.refuseUnknownKeys(*root);
  for (size_t i = 0; i < fields().size(); ++i) {
    reader.readField(*root, fields()[i], !parent.empty(), i, target);
  }
  // Relations are meaningful only between accepted values.
  if (reader.errors.empty()) {
    detail::checkConsistency(target, reader.errors);
  }
  if (!reader.errors.empty()) {
    return tl::unexpected(merge(reader.errors));
  }
  target.hash = detail::hashOf(target);
  return target;
}

} // namespace

Expected<Target> parseTarget(std::string_view text, std::string_view origin) {
  return parse(text, origin, 0);
}

Expected<Target> loadTarget(const std::string &fileOrName) {
  if (std::optional<std::string_view> text = builtinText(fileOrName)) {
    return parse(*text, fileOrName, 0);
  }
  auto refuse = [&](std::string message) {
    return makeError(
        ErrorCode::TargetUnknownName, fmt::format("target \"{}\"", fileOrName),
        std::move(message), {fmt::format("built in: {}", quotedNames())});
  };
  std::ifstream stream(fileOrName, std::ios::binary);
  // A folder opens, but cannot be read.
  if (!stream || stream.peek() == std::ifstream::traits_type::eof()) {
    return refuse("not a built-in target, and no file with content");
  }
  stream.seekg(0, std::ios::end);
  std::streamoff size = stream.tellg();
  if (size < 0 || size > kMaxFileBytes) {
    return refuse(fmt::format("the file has {} bytes, at most {} are read",
                              size, kMaxFileBytes));
  }
  stream.seekg(0);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse(text, fileOrName, 0);
}

const Target &defaultTarget() {
  // The embedded file is part of the build; a unit test parses it.
  static const Target target = *loadTarget("spyre-32");
  return target;
}

std::vector<std::string> builtinTargets() {
  std::vector<std::string> names;
  for (const detail::BuiltinText &text : detail::builtinTexts()) {
    names.emplace_back(text.name);
  }
  return names;
}

} // namespace spyre::target
