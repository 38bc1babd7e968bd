// SPDX-License-Identifier: Apache-2.0
//
// Versions, and the order of the checks.

#include "spyre/OnnxFile/Validate.h"

#include "ValidateInternal.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <fmt/format.h>
#include <map>

namespace spyre::onnxfile {
namespace {

Status checkImports(std::span<const OpsetImport> imports,
                    const std::string &where) {
  std::map<std::string_view, int64_t> versions;
  for (const OpsetImport &import : imports) {
    if (import.version < 1) {
      return makeError(ErrorCode::OnnxVersion, "",
                       fmt::format("{} imports version {} of domain {}", where,
                                   import.version, quote(import.domain)));
    }
    const auto [it, isNew] = versions.emplace(import.domain, import.version);
    if (!isNew && it->second != import.version) {
      return makeError(
          ErrorCode::OnnxVersion, "",
          fmt::format("{} imports domain {} in the versions {} and {}", where,
                      quote(import.domain), it->second, import.version));
    }
  }
  return {};
}

/// Every domain that the nodes use is imported.
Status checkDomains(const Model &model, const FunctionTable &functions,
                    const std::vector<Node> &nodes, const Function *function) {
  const Node *first = nullptr;
  std::map<std::string_view, bool> isImported;
  forEachNode(nodes, [&](const Node &node) {
    const auto [it, isNew] = isImported.emplace(node.domain, true);
    if (isNew) {
      it->second = model.opsetVersion(node.domain, function).has_value();
    }
    if (!first && !it->second && !functions.find(node)) {
      first = &node;
    }
  });
  if (!first) {
    return {};
  }
  return makeError(ErrorCode::OnnxVersion, "",
                   fmt::format("{} is of domain {}, which the model does not "
                               "import",
                               describe(*first), quote(first->domain)));
}

Status checkVersions(const Model &model, const FunctionTable &functions) {
  if (model.irVersion < 1) {
    return makeError(ErrorCode::OnnxVersion, "",
                     fmt::format("the IR version is {}, expected 1 to {}",
                                 model.irVersion, kMaxIrVersion),
                     {}, "make sure that the file is an ONNX model");
  }
  if (model.irVersion > kMaxIrVersion) {
    return makeError(
        ErrorCode::OnnxVersion, "",
        fmt::format("the IR version is {}, at most {} is supported",
                    model.irVersion, kMaxIrVersion));
  }
  if (Status status = checkImports(model.opsetImports, "the model"); !status) {
    return status;
  }
  for (const Function &function : model.functions) {
    if (Status status = checkImports(function.opsetImports, describe(function));
        !status) {
      return status;
    }
    if (Status status =
            checkDomains(model, functions, function.nodes, &function);
        !status) {
      return status;
    }
  }
  return checkDomains(model, functions, model.graph.nodes, nullptr);
}

} // namespace

Status validateModel(Model &model) {
  const FunctionTable functions(model);
  if (Status status = checkVersions(model, functions); !status) {
    return status;
  }
  if (Status status = validateFunctions(model, functions); !status) {
    return status;
  }
  return validateGraphs(model);
}

} // namespace spyre::onnxfile
