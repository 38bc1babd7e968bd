// SPDX-License-Identifier: Apache-2.0
//
// The model's own functions. Calls form a graph; it is walked once, callees
// first, so that recursion is found and the nodes of the fully expanded model
// are counted (they can be exponentially many) without expanding anything.

#include "ValidateInternal.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace spyre::onnxfile {

std::string describe(const Function &function) {
  std::string name = function.name;
  if (!function.domain.empty()) {
    name = function.domain + "." + name;
  }
  if (!function.overload.empty()) {
    name += ":" + function.overload;
  }
  return "function " + quote(name);
}

namespace {

tl::unexpected<Error> graphError(std::string message) {
  return makeError(ErrorCode::OnnxGraph, "", std::move(message));
}

/// Attributes have different names, and each that the body refers to is one.
Status checkAttributes(const Function &function) {
  std::set<std::string_view> declared;
  const auto declare = [&](std::string_view name) {
    return declared.insert(name).second && !name.empty();
  };
  for (const std::string &name : function.attributes) {
    if (!declare(name)) {
      return graphError(fmt::format("{} declares the attribute {} twice",
                                    describe(function), quote(name)));
    }
  }
  for (const Attribute &attribute : function.attributeDefaults) {
    if (!declare(attribute.name)) {
      return graphError(fmt::format("{} declares the attribute {} twice",
                                    describe(function), quote(attribute.name)));
    }
  }
  Status status;
  forEachNode(function.nodes, [&](const Node &node) {
    for (const Attribute &attribute : node.attributes) {
      const std::string &name = attribute.refAttrName;
      if (status && !name.empty() && !declared.contains(name)) {
        status = graphError(fmt::format(
            "{} of {} refers to the attribute {}, which the function does not "
            "declare",
            describe(node), describe(function), quote(name)));
      }
    }
  });
  return status;
}

/// Walks calls from the functions in order, each function once.
class CallGraph {
public:
  CallGraph(const Model &model, const FunctionTable &functions)
      : model(model), functions(functions),
        states(model.functions.size(), State::New),
        expanded(model.functions.size(), 0) {}

  Status walk() {
    for (size_t i = 0; i < model.functions.size(); ++i) {
      if (Status status = walkFrom(i); !status) {
        return status;
      }
    }
    return {};
  }

  /// Nodes after expansion, calls included, at most kMaxExpandedNodes + 1. All
  /// callees of the nodes are walked.
  int64_t countExpanded(const std::vector<Node> &nodes) const {
    int64_t count = 0;
    forEachNode(nodes, [&](const Node &node) {
      const std::optional<size_t> callee = functions.find(node);
      count += 1 + (callee ? expanded[*callee] : 0);
      count = std::min(count, kMaxExpandedNodes + 1);
    });
    return count;
  }

private:
  enum class State : uint8_t { New, Open, Done };

  struct Frame {
    size_t function;
    std::vector<size_t> callees;
    size_t next = 0;
  };

  Frame frameOf(size_t function) const {
    Frame frame{function, {}};
    forEachNode(model.functions[function].nodes, [&](const Node &node) {
      if (const std::optional<size_t> callee = functions.find(node)) {
        frame.callees.push_back(*callee);
      }
    });
    return frame;
  }

  Status walkFrom(size_t root) {
    if (states[root] != State::New) {
      return {};
    }
    states[root] = State::Open;
    std::vector<Frame> stack;
    stack.push_back(frameOf(root));
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == top.callees.size()) {
        states[top.function] = State::Done;
        expanded[top.function] =
            countExpanded(model.functions[top.function].nodes);
        stack.pop_back();
        continue;
      }
      const size_t callee = top.callees[top.next++];
      if (states[callee] == State::Open) {
        return recursion(stack, callee);
      }
      if (states[callee] == State::New) {
        states[callee] = State::Open;
        stack.push_back(frameOf(callee));
      }
    }
    return {};
  }

  Status recursion(const std::vector<Frame> &stack, size_t function) const {
    Chain chain;
    bool isInCycle = false;
    for (const Frame &frame : stack) {
      isInCycle |= frame.function == function;
      if (isInCycle) {
        chain.add(describe(model.functions[frame.function]));
      }
    }
    chain.add(describe(model.functions[function]));
    return graphError("functions call themselves: " + chain.str());
  }

  const Model &model;
  const FunctionTable &functions;
  std::vector<State> states;
  std::vector<int64_t> expanded;
};

Status checkKeys(const Model &model, const FunctionTable &functions) {
  for (size_t i = 0; i < model.functions.size(); ++i) {
    const Function &function = model.functions[i];
    if (function.name.empty()) {
      return graphError("a function has no name");
    }
    if (functions.find(function) != i) {
      return graphError(fmt::format("{} is defined twice", describe(function)));
    }
  }
  return {};
}

/// Attribute references only mean something in a function.
Status checkMainNodes(const Model &model) {
  Status status;
  forEachNode(model.graph.nodes, [&](const Node &node) {
    for (const Attribute &attribute : node.attributes) {
      if (status && !attribute.refAttrName.empty()) {
        status = graphError(fmt::format(
            "{} refers to the attribute {} of a function, but is in none",
            describe(node), quote(attribute.refAttrName)));
      }
    }
  });
  return status;
}

Status checkOverloads(const FunctionTable &functions,
                      const std::vector<Node> &nodes) {
  Status status;
  forEachNode(nodes, [&](const Node &node) {
    if (status && !node.overload.empty() && !functions.find(node)) {
      status = graphError(fmt::format(
          "{} calls the overload {}, which the model does not define",
          describe(node), quote(node.overload)));
    }
  });
  return status;
}

} // namespace

Status validateFunctions(const Model &model, const FunctionTable &functions) {
  if (Status status = checkKeys(model, functions); !status) {
    return status;
  }
  for (const Function &function : model.functions) {
    if (Status status = checkAttributes(function); !status) {
      return status;
    }
    if (Status status = checkOverloads(functions, function.nodes); !status) {
      return status;
    }
  }
  if (Status status = checkMainNodes(model); !status) {
    return status;
  }
  if (Status status = checkOverloads(functions, model.graph.nodes); !status) {
    return status;
  }
  CallGraph calls(model, functions);
  if (Status status = calls.walk(); !status) {
    return status;
  }
  const int64_t nodes = calls.countExpanded(model.graph.nodes);
  if (nodes > kMaxExpandedNodes) {
    return makeError(ErrorCode::OnnxLimit, "",
                     fmt::format("its functions expand to more than {} nodes",
                                 kMaxExpandedNodes));
  }
  return {};
}

} // namespace spyre::onnxfile
