// SPDX-License-Identifier: Apache-2.0
//
// Names and order. Each graph is a scope of names; a subgraph is resolved
// first, and what it needs of the scopes around it counts as input of the node
// that holds it. A depth-first walk in the order of the file then sorts nodes:
// those in order stay, and the walk is linear.

#include "ValidateInternal.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace spyre::onnxfile {
namespace {

tl::unexpected<Error> graphError(std::string message) {
  return makeError(ErrorCode::OnnxGraph, "", std::move(message));
}

/// The index of a definition by an input or an initializer.
constexpr int64_t kAtEntry = -1;

struct Definition {
  enum class Kind : uint8_t { Input, Initializer, Node };
  Kind kind = Kind::Input;
  /// Position in the list of nodes, or kAtEntry.
  int64_t node = kAtEntry;
};

/// The names that one graph or function body defines.
struct Scope {
  const Scope *parent = nullptr;
  std::unordered_map<std::string_view, Definition> definitions;

  const Definition *findHere(std::string_view name) const {
    const auto it = definitions.find(name);
    return it == definitions.end() ? nullptr : &it->second;
  }
  bool isVisibleOutside(std::string_view name) const {
    for (const Scope *scope = parent; scope; scope = scope->parent) {
      if (scope->findHere(name)) {
        return true;
      }
    }
    return false;
  }
};

/// Uses without a definition, of the whole model.
struct Undefined {
  std::vector<std::string> uses;

  Status status() const {
    if (uses.empty()) {
      return {};
    }
    constexpr size_t kShown = 10;
    std::vector<std::string> notes;
    for (size_t i = 1; i < std::min(uses.size(), kShown); ++i) {
      notes.push_back("also " + uses[i]);
    }
    if (uses.size() > kShown) {
      notes.push_back(fmt::format("and {} more", uses.size() - kShown));
    }
    return makeError(ErrorCode::OnnxGraph, "", uses.front(), std::move(notes));
  }
};

/// What the checks need of a graph or of a function's body.
struct Body {
  std::string where;
  std::vector<std::string_view> inputs;
  const std::vector<Tensor> *initializers = nullptr;
  std::vector<std::string_view> outputs;
  std::vector<Node> &nodes;
};

class Resolver {
public:
  explicit Resolver(Undefined &undefined) : undefined(undefined) {}

  /// Checks a body, sorts its nodes and returns its captures.
  Expected<std::vector<std::string>> resolve(Body body, const Scope *parent,
                                             int depth);

private:
  Status define(const Body &body, Scope &scope);
  Status resolveSubgraphs(Node &node, const Scope &scope, int depth);
  /// Notes the uses of a node: edges to the nodes that it uses, and captures.
  Status use(const Body &body, size_t node, const Scope &scope,
             std::vector<size_t> &producers);
  void capture(std::string_view name);

  Undefined &undefined;
  std::vector<std::string> captures;
  std::unordered_set<std::string> captured;
};

Body bodyOf(Graph &graph) {
  Body body{
      "graph " + quote(graph.name), {}, &graph.initializers, {}, graph.nodes};
  for (const ValueInfo &input : graph.inputs) {
    body.inputs.push_back(input.name);
  }
  for (const ValueInfo &output : graph.outputs) {
    body.outputs.push_back(output.name);
  }
  return body;
}

Body bodyOf(Function &function) {
  Body body{describe(function), {}, nullptr, {}, function.nodes};
  body.inputs.assign(function.inputs.begin(), function.inputs.end());
  body.outputs.assign(function.outputs.begin(), function.outputs.end());
  return body;
}

void Resolver::capture(std::string_view name) {
  if (captured.emplace(name).second) {
    captures.emplace_back(name);
  }
}

Status Resolver::define(const Body &body, Scope &scope) {
  for (std::string_view input : body.inputs) {
    if (input.empty()) {
      return graphError(fmt::format("an input of {} has no name", body.where));
    }
    if (!scope.definitions.emplace(input, Definition{}).second) {
      return graphError(fmt::format("two inputs of {} are named {}", body.where,
                                    quote(input)));
    }
  }
  if (body.initializers) {
    std::unordered_set<std::string_view> names;
    for (const Tensor &tensor : *body.initializers) {
      if (tensor.name.empty()) {
        return graphError(
            fmt::format("an initializer of {} has no name", body.where));
      }
      if (!names.insert(tensor.name).second) {
        return graphError(fmt::format("two initializers of {} are named {}",
                                      body.where, quote(tensor.name)));
      }
      // It may be the default of an input.
      scope.definitions.emplace(
          tensor.name, Definition{Definition::Kind::Initializer, kAtEntry});
    }
  }
  for (size_t i = 0; i < body.nodes.size(); ++i) {
    const Node &node = body.nodes[i];
    for (const std::string &output : node.outputs) {
      if (output.empty()) {
        continue;
      }
      const auto [it, isNew] = scope.definitions.emplace(
          output, Definition{Definition::Kind::Node, static_cast<int64_t>(i)});
      if (isNew) {
        continue;
      }
      const Definition &other = it->second;
      const std::string first =
          other.kind == Definition::Kind::Node
              ? describe(body.nodes[static_cast<size_t>(other.node)])
          : other.kind == Definition::Kind::Input ? "an input"
                                                  : "an initializer";
      return graphError(fmt::format("{} is defined twice in {}: by {} and by "
                                    "{}",
                                    quote(output), body.where, first,
                                    describe(node)));
    }
  }
  return {};
}

Status Resolver::resolveSubgraphs(Node &node, const Scope &scope, int depth) {
  for (Attribute &attribute : node.attributes) {
    for (Graph &graph : attribute.graphs) {
      Expected<std::vector<std::string>> found =
          Resolver(undefined).resolve(bodyOf(graph), &scope, depth + 1);
      if (!found) {
        Error error = std::move(found.error());
        error.notes.push_back(fmt::format(
            "in attribute {} of {}", quote(attribute.name), describe(node)));
        return tl::unexpected<Error>(std::move(error));
      }
      graph.captures = std::move(*found);
    }
  }
  return {};
}

Status Resolver::use(const Body &body, size_t node, const Scope &scope,
                     std::vector<size_t> &producers) {
  const auto useName = [&](std::string_view name) -> Status {
    const Definition *definition = scope.findHere(name);
    if (!definition) {
      if (scope.isVisibleOutside(name)) {
        capture(name);
      } else {
        undefined.uses.push_back(
            fmt::format("{} of {} uses {}, which nothing defines",
                        describe(body.nodes[node]), body.where, quote(name)));
      }
      return {};
    }
    if (definition->kind != Definition::Kind::Node) {
      return {};
    }
    const auto producer = static_cast<size_t>(definition->node);
    if (producer >= node && scope.isVisibleOutside(name)) {
      return graphError(
          fmt::format("{} uses {}, which is ambiguous: a graph around it "
                      "defines that name, "
                      "and in its own graph {}, which does not stand before it",
                      describe(body.nodes[node]), quote(name),
                      describe(body.nodes[producer])));
    }
    producers.push_back(producer);
    return {};
  };
  for (const std::string &input : body.nodes[node].inputs) {
    if (input.empty()) {
      continue;
    }
    if (Status status = useName(input); !status) {
      return status;
    }
  }
  for (const Attribute &attribute : body.nodes[node].attributes) {
    for (const Graph &graph : attribute.graphs) {
      for (const std::string &name : graph.captures) {
        if (Status status = useName(name); !status) {
          return status;
        }
      }
    }
  }
  return {};
}

Expected<std::vector<std::string>>
Resolver::resolve(Body body, const Scope *parent, int depth) {
  if (depth >= kMaxGraphDepth) {
    return makeError(ErrorCode::OnnxLimit, "",
                     fmt::format("graphs stand more than {} deep in each other",
                                 kMaxGraphDepth));
  }
  Scope scope;
  scope.parent = parent;
  if (Status status = define(body, scope); !status) {
    return tl::unexpected<Error>(std::move(status.error()));
  }
  std::vector<std::vector<size_t>> producers(body.nodes.size());
  for (size_t i = 0; i < body.nodes.size(); ++i) {
    Status status = resolveSubgraphs(body.nodes[i], scope, depth);
    if (status) {
      status = use(body, i, scope, producers[i]);
    }
    if (!status) {
      return tl::unexpected<Error>(std::move(status.error()));
    }
  }
  for (std::string_view output : body.outputs) {
    if (scope.findHere(output)) {
      continue;
    }
    if (!output.empty() && scope.isVisibleOutside(output)) {
      capture(output);
      continue;
    }
    undefined.uses.push_back(fmt::format("{} has the output {}, which nothing "
                                         "defines",
                                         body.where, quote(output)));
  }
  Expected<std::vector<size_t>> order = sortedOrder(body.nodes, producers);
  if (!order) {
    return tl::unexpected<Error>(std::move(order.error()));
  }
  // The names of the scope are views into the nodes, so this comes last.
  scope.definitions.clear();
  reorder(body.nodes, *order);
  return std::move(captures);
}

/// The outputs of a model are told apart by their names.
Status checkOutputs(const Graph &graph) {
  std::unordered_set<std::string_view> names;
  for (const ValueInfo &output : graph.outputs) {
    if (!names.insert(output.name).second) {
      return graphError(fmt::format("two outputs of the model are named {}",
                                    quote(output.name)));
    }
  }
  return {};
}

/// A node's attributes are told apart by their names.
Status checkAttributes(const std::vector<Node> &nodes) {
  Status status;
  std::unordered_set<std::string_view> names;
  forEachNode(nodes, [&](const Node &node) {
    names.clear();
    for (const Attribute &attribute : node.attributes) {
      if (status && !names.insert(attribute.name).second) {
        status = graphError(fmt::format("{} has the attribute {} twice",
                                        describe(node), quote(attribute.name)));
      }
    }
  });
  return status;
}

} // namespace

Status validateGraphs(Model &model) {
  Undefined undefined;
  const auto resolveBody = [&](auto &part) -> Status {
    if (Status status = checkAttributes(part.nodes); !status) {
      return status;
    }
    const Expected<std::vector<std::string>> captures =
        Resolver(undefined).resolve(bodyOf(part), nullptr, 0);
    return captures ? Status() : tl::unexpected<Error>(captures.error());
  };
  if (Status status = checkOutputs(model.graph); !status) {
    return status;
  }
  if (Status status = resolveBody(model.graph); !status) {
    return status;
  }
  for (Function &function : model.functions) {
    if (Status status = resolveBody(function); !status) {
      return status;
    }
  }
  return undefined.status();
}

} // namespace spyre::onnxfile
