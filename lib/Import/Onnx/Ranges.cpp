// SPDX-License-Identifier: Apache-2.0
//
// The bounds that torch.export proved for dynamic dims, as the model's metadata
// has them: `{s33: VR[1, 16], s18 + 1: VR[2, 257], s18: VR[1, 256]}`. The
// exporter renames symbols in the graph but not here; a symbol is taken for a
// name only where nothing else is possible.

#include "Dims.h"

#include <regex>

using namespace spyre::onnxfile;

namespace spyre {

namespace {

struct Range {
  std::string text;
  LinearDim dim;
  std::string range;
};

std::vector<Range> parseRanges(const std::string &text) {
  static const std::regex entry(R"(([^{},:]+): VR\[([^\]]*)\])");
  std::vector<Range> ranges;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), entry);
       it != std::sregex_iterator(); ++it) {
    std::string key = (*it)[1];
    key.erase(0, key.find_first_not_of(' '));
    ranges.push_back({key, LinearDim::parse(key), (*it)[2]});
  }
  return ranges;
}

/// The only name in a dim, if it has one name with coefficient 1.
std::optional<std::string> onlyName(const LinearDim &dim) {
  if (dim.coefficients.size() != 1 || dim.coefficients.begin()->second != 1) {
    return std::nullopt;
  }
  return dim.coefficients.begin()->first;
}

/// The bounds of `[1, 16]`; `int_oo` is no bound.
std::pair<std::optional<int64_t>, std::optional<int64_t>>
parseBounds(const std::string &range) {
  static const std::regex number(R"(\s*(-?\d{1,18})\s*)");
  const size_t comma = range.find(',');
  const auto parse = [](const std::string &text) -> std::optional<int64_t> {
    std::smatch match;
    if (!std::regex_match(text, match, number)) {
      return std::nullopt;
    }
    return std::stoll(match[1]);
  };
  if (comma == std::string::npos) {
    return {};
  }
  return {parse(range.substr(0, comma)), parse(range.substr(comma + 1))};
}

/// Matches the symbols of the constraints with the names of the inputs' dims:
/// equal names; the only two sums with one constant; the only two left over.
std::map<std::string, std::string>
matchSymbols(const std::vector<Range> &ranges, const Graph &graph) {
  std::set<std::string> symbols;
  std::set<std::string> names;
  std::map<int64_t, std::set<std::string>> symbolSums;
  std::map<int64_t, std::set<std::string>> nameSums;
  for (const Range &range : ranges) {
    if (std::optional<std::string> name = onlyName(range.dim)) {
      symbols.insert(*name);
      symbolSums[range.dim.constant].insert(*name);
    }
  }
  for (const ValueInfo &input : graph.inputs) {
    for (const Dim &dim : input.type.dims) {
      LinearDim parsed = dim.kind == Dim::Kind::Param
                             ? LinearDim::parse(dim.param)
                             : LinearDim();
      if (std::optional<std::string> name = onlyName(parsed)) {
        names.insert(*name);
        nameSums[parsed.constant].insert(*name);
      }
    }
  }
  std::map<std::string, std::string> matched;
  const auto match = [&](const std::string &symbol, const std::string &name) {
    if (symbols.erase(symbol) && names.erase(name)) {
      matched[symbol] = name;
    }
  };
  for (const std::string &name : std::set<std::string>(names)) {
    if (symbols.contains(name)) {
      match(name, name);
    }
  }
  for (const auto &[constant, sums] : symbolSums) {
    if (constant != 0 && sums.size() == 1 && nameSums[constant].size() == 1) {
      match(*sums.begin(), *nameSums[constant].begin());
    }
  }
  if (symbols.size() == 1 && names.size() == 1) {
    match(*symbols.begin(), *names.begin());
  }
  return matched;
}

} // namespace

void DimTable::checkRange(const std::string &text, const std::string &range,
                          const std::map<std::string, std::string> &symbols) {
  LinearDim renamed;
  const LinearDim dim = LinearDim::parse(text);
  renamed.constant = dim.constant;
  std::string name;
  for (const auto &[symbol, coefficient] : dim.coefficients) {
    auto found = symbols.find(symbol);
    if (found == symbols.end()) {
      return;
    }
    renamed.coefficients[found->second] = coefficient;
    name = found->second;
  }
  std::optional<int64_t> value = evaluate(renamed);
  auto [low, high] = parseBounds(range);
  if (value && ((low && *value < *low) || (high && *value > *high))) {
    report("dim \"" + name + "\"",
           "the exporter proved the model for [" + range +
               "], but here it is " + std::to_string(*value),
           {"constraint of the exporter: " + text + " in [" + range + "]"});
  }
}

void DimTable::checkRanges() {
  const std::string key = "pkg.torch.export.ExportedProgram.range_constraints";
  const std::string *text = findProperty(model.graph.metadata, key);
  if (!text) {
    text = findProperty(model.metadata, key);
  }
  // A hostile file must not make the regular expression work long.
  if (!text || text->size() > 4096) {
    return;
  }
  std::vector<Range> ranges = parseRanges(*text);
  std::map<std::string, std::string> symbols =
      matchSymbols(ranges, model.graph);
  for (const Range &range : ranges) {
    if (onlyName(range.dim) && range.dim.constant == 0) {
      checkRange(range.text, range.range, symbols);
    }
  }
}

} // namespace spyre
