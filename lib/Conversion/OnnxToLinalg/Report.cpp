// SPDX-License-Identifier: Apache-2.0

#include "Report.h"

#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre {

void RefusalReport::add(onnx::NodeOp node, const Refusal &refusal) {
  groups[{node.getOpType().str(), node.getDomain().str(),
          static_cast<int64_t>(node.getVersion()), refusal.kind,
          refusal.reason}]
      .push_back(node);
}

static ErrorCode codeOf(Refusal::Kind kind) {
  switch (kind) {
  case Refusal::Kind::Unsupported:
    return ErrorCode::OnnxUnsupportedNode;
  case Refusal::Kind::Mismatch:
    return ErrorCode::OnnxShapeMismatch;
  case Refusal::Kind::Attribute:
    return ErrorCode::OnnxAttribute;
  }
  llvm_unreachable("covered switch");
}

/// `3 nodes: "a", "b", "c"`, with at most the first three names.
static std::string nodeList(ArrayRef<onnx::NodeOp> nodes) {
  constexpr size_t kMaxNames = 3;
  std::string text =
      std::to_string(nodes.size()) + (nodes.size() == 1 ? " node" : " nodes");
  for (auto [index, node] : llvm::enumerate(nodes.take_front(kMaxNames))) {
    std::vector<std::string> names = nodeNames(node->getLoc());
    text += index == 0 ? ": " : ", ";
    text += names.empty() ? "(no name)" : "\"" + names.front() + "\"";
  }
  return text + (nodes.size() > kMaxNames ? ", ..." : "");
}

/// The module of the exporter that a location's metadata names.
static std::string moduleOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto facts = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())
                     : DictionaryAttr();
  auto module = facts ? facts.getAs<StringAttr>("module") : StringAttr();
  return module ? module.str() : std::string();
}

static Location locationOf(ArrayRef<onnx::NodeOp> nodes) {
  SmallVector<Location> locations = llvm::map_to_vector(
      nodes, [](onnx::NodeOp node) { return node->getLoc(); });
  return FusedLoc::get(nodes.front()->getContext(), locations);
}

/// `Add (2), Conv (1)`.
static std::string operatorList(ArrayRef<onnx::NodeOp> nodes) {
  std::map<std::string, int64_t> counts;
  for (onnx::NodeOp node : nodes) {
    ++counts[node.getOpType().str()];
  }
  std::string text;
  for (const auto &[op, count] : counts) {
    text +=
        (text.empty() ? "" : ", ") + op + " (" + std::to_string(count) + ")";
  }
  return text;
}

void RefusalReport::emit() const {
  for (const auto &[key, nodes] : groups) {
    const auto &[op, domain, version, kind, reason] = key;
    Error error;
    error.code = codeOf(kind);
    error.subject = "operator " + op + " (" +
                    (domain.empty() ? std::string("ai.onnx") : domain) +
                    ", opset " + std::to_string(version) + ")";
    error.message = reason;
    error.notes.push_back(nodeList(nodes));
    onnx::NodeOp first = nodes.front();
    if (std::string module = moduleOf(first->getLoc()); !module.empty()) {
      error.notes.push_back("module \"" + module + "\"");
    }
    emitCoded(locationOf(nodes), error);
  }
  if (!groups.empty() && !notJudged.empty()) {
    Error warning;
    warning.code = ErrorCode::OnnxUnsupportedNode;
    warning.subject = "model";
    warning.message = "nodes behind these were not judged: the types of their "
                      "inputs are not known";
    warning.notes.push_back(nodeList(notJudged));
    warning.notes.push_back("operators: " + operatorList(notJudged));
    warning.help = "state the types of these values in the model (value_info), "
                   "or mend the nodes above first";
    emitCoded(locationOf(notJudged), warning, DiagnosticSeverity::Warning);
  }
}

} // namespace spyre
