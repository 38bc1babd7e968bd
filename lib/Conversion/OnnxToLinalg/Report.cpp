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
    emitCoded(first, error);
  }
}

} // namespace spyre
