// SPDX-License-Identifier: Apache-2.0

#include "spyre/OnnxFile/Model.h"

#include "spyre/Support/Quote.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace spyre::onnxfile {
namespace {

// Indexed by ONNX's number.
constexpr std::array<std::string_view, kNumAttributeTypes> kAttributeTypes = {
    "undefined",      "float",      "int",        "string",
    "tensor",         "graph",      "floats",     "ints",
    "strings",        "tensors",    "graphs",     "sparse_tensor",
    "sparse_tensors", "type_proto", "type_protos"};

std::optional<int64_t> versionIn(std::span<const OpsetImport> imports,
                                 std::string_view domain) {
  const auto it = std::find_if(
      imports.begin(), imports.end(),
      [&](const OpsetImport &import) { return import.domain == domain; });
  return it == imports.end() ? std::nullopt : std::optional(it->version);
}

} // namespace

std::string_view toString(AttributeType type) {
  return kAttributeTypes[static_cast<size_t>(type)];
}

std::optional<AttributeType> parseAttributeType(std::string_view name) {
  const auto *it =
      std::find(kAttributeTypes.begin(), kAttributeTypes.end(), name);
  if (it == kAttributeTypes.end()) {
    return std::nullopt;
  }
  return static_cast<AttributeType>(it - kAttributeTypes.begin());
}

const std::string *findProperty(std::span<const Property> properties,
                                std::string_view key) {
  const auto it =
      std::find_if(properties.begin(), properties.end(),
                   [&](const Property &entry) { return entry.key == key; });
  return it == properties.end() ? nullptr : &it->value;
}

std::span<const std::byte> dataOf(const Tensor &tensor,
                                  std::span<const SourceFile> files) {
  if (!tensor.owned.empty()) {
    return tensor.owned;
  }
  if (tensor.range.sizeBytes == 0) {
    return {};
  }
  return files[tensor.range.file].bytes.subspan(
      static_cast<size_t>(tensor.range.offset),
      static_cast<size_t>(tensor.range.sizeBytes));
}

const Attribute *Node::findAttribute(std::string_view attributeName) const {
  const auto it = std::find_if(
      attributes.begin(), attributes.end(),
      [&](const Attribute &entry) { return entry.name == attributeName; });
  return it == attributes.end() ? nullptr : &*it;
}

std::string describe(const Node &node) {
  const std::string type =
      node.domain.empty() ? node.opType : node.domain + "." + node.opType;
  const std::string shown = quote(type);
  return fmt::format("node {} ({})",
                     node.name.empty() ? fmt::to_string(node.index)
                                       : quote(node.name),
                     std::string_view(shown).substr(1, shown.size() - 2));
}

std::optional<int64_t> Model::opsetVersion(std::string_view opDomain,
                                           const Function *function) const {
  if (function) {
    if (const std::optional<int64_t> version =
            versionIn(function->opsetImports, opDomain)) {
      return version;
    }
  }
  return versionIn(opsetImports, opDomain);
}

const Function *Model::findFunction(const Node &node) const {
  const auto it = std::find_if(
      functions.begin(), functions.end(), [&](const Function &function) {
        return function.name == node.opType && function.domain == node.domain &&
               function.overload == node.overload;
      });
  return it == functions.end() ? nullptr : &*it;
}

} // namespace spyre::onnxfile
