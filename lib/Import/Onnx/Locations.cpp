// SPDX-License-Identifier: Apache-2.0
//
// torch.onnx leaves in metadata_props of a node: `pkg.torch.onnx.name_scopes`,
// a Python list of module paths whose last entry is the node itself, and
// `pkg.torch.onnx.stack_trace`, a Python traceback. Of its absolute paths only
// the last part is kept: they are of the exporting machine.

#include "Locations.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace spyre::onnxfile;

namespace spyre {

std::string nodeName(const Node &node) {
  return node.name.empty() ? node.opType + "_" + std::to_string(node.index)
                           : node.name;
}

/// The second last string of a Python list of strings.
static StringRef modulePath(StringRef list) {
  SmallVector<StringRef> entries;
  while (!list.empty()) {
    const size_t begin = list.find_first_of("'\"");
    if (begin == StringRef::npos) {
      break;
    }
    const size_t end = list.find(list[begin], begin + 1);
    if (end == StringRef::npos) {
      break;
    }
    entries.push_back(list.slice(begin + 1, end));
    list = list.substr(end + 1);
  }
  return entries.size() < 2 ? StringRef() : entries[entries.size() - 2];
}

struct Frame {
  StringRef file;
  unsigned line = 0;
};

/// The last frame of a traceback outside of torch itself.
static Frame userFrame(StringRef trace) {
  Frame frame;
  while (!trace.empty()) {
    auto [text, rest] = trace.split('\n');
    trace = rest;
    text = text.trim();
    if (!text.consume_front("File \"")) {
      continue;
    }
    auto [path, after] = text.split('"');
    unsigned line = 0;
    if (!after.consume_front(", line ") || after.consumeInteger(10, line) ||
        path.contains("/torch/")) {
      continue;
    }
    const size_t slash = path.find_last_of("/\\");
    frame = {slash == StringRef::npos ? path : path.substr(slash + 1), line};
  }
  return frame;
}

Location nodeLocation(Builder &builder, const Node &node,
                      const std::string &name) {
  const auto property = [&](StringRef key) -> StringRef {
    const std::string *value =
        findProperty(node.metadata, ("pkg.torch.onnx." + key).str());
    return value ? StringRef(*value) : StringRef();
  };
  NamedAttrList facts;
  facts.set("domain", builder.getStringAttr(node.domain));
  facts.set("index", builder.getI64IntegerAttr(node.index));
  facts.set("op", builder.getStringAttr(node.opType));
  StringRef module = modulePath(property("name_scopes"));
  if (!module.empty()) {
    facts.set("module", builder.getStringAttr(module));
  }
  Location child = builder.getUnknownLoc();
  Frame frame = userFrame(property("stack_trace"));
  if (!frame.file.empty()) {
    child =
        FileLineColLoc::get(builder.getContext(), frame.file, frame.line, 0);
  }
  Location named = NameLoc::get(builder.getStringAttr(name), child);
  return FusedLoc::get(builder.getContext(), named,
                       facts.getDictionary(builder.getContext()));
}

} // namespace spyre
