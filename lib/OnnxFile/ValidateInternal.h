// SPDX-License-Identifier: Apache-2.0
//
// The parts of validateModel.

#ifndef SPYRE_LIB_ONNXFILE_VALIDATEINTERNAL_H
#define SPYRE_LIB_ONNXFILE_VALIDATEINTERNAL_H

#include "spyre/OnnxFile/Model.h"
#include "spyre/Support/Error.h"

namespace spyre::onnxfile {

/// Names joined for a message by " -> ", at most 8 of them.
class Chain {
public:
  void add(std::string name) {
    if (++length <= 8) {
      text += (length == 1 ? "" : " -> ") + name;
    }
  }
  std::string str() const { return length <= 8 ? text : text + " -> ..."; }

private:
  std::string text;
  int64_t length = 0;
};

/// Calls `use(const Node &)` with each of the nodes and of their subgraphs'.
template <typename Use>
void forEachNode(const std::vector<Node> &nodes, const Use &use) {
  for (const Node &node : nodes) {
    use(node);
    for (const Attribute &attribute : node.attributes) {
      for (const Graph &graph : attribute.graphs) {
        forEachNode(graph.nodes, use);
      }
    }
  }
}

/// `function "name"`, with its domain and overload, for messages.
std::string describe(const Function &function);

/// The positions of the nodes in an order in which each comes after its
/// producers (positions too); nodes that stand so already keep their order.
/// Linear. Fails with the names of a cycle.
Expected<std::vector<size_t>>
sortedOrder(const std::vector<Node> &nodes,
            const std::vector<std::vector<size_t>> &producers);
/// Puts nodes in an order that sortedOrder gave.
void reorder(std::vector<Node> &nodes, const std::vector<size_t> &order);

/// Names, captures and order of the model's graph, of its subgraphs and of the
/// bodies of its functions (ValidateGraph.cpp).
Status validateGraphs(Model &model);

/// Keys, attributes, recursion and expansion of functions
/// (ValidateFunctions.cpp).
Status validateFunctions(const Model &model, const FunctionTable &functions);

} // namespace spyre::onnxfile

#endif // SPYRE_LIB_ONNXFILE_VALIDATEINTERNAL_H
