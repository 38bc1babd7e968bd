// SPDX-License-Identifier: Apache-2.0
//
// The stable topological order: a depth-first walk that starts from the nodes
// in their order and emits a node after what it uses.

#include "ValidateInternal.h"

#include <algorithm>

namespace spyre::onnxfile {

Expected<std::vector<size_t>>
sortedOrder(const std::vector<Node> &nodes,
            const std::vector<std::vector<size_t>> &producers) {
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    size_t node;
    size_t next = 0;
  };
  std::vector<State> states(nodes.size(), State::New);
  std::vector<size_t> order;
  order.reserve(nodes.size());
  std::vector<Frame> stack;
  for (size_t root = 0; root < nodes.size(); ++root) {
    if (states[root] == State::New) {
      states[root] = State::Open;
      stack.push_back({root});
    }
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == producers[top.node].size()) {
        states[top.node] = State::Done;
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      const size_t producer = producers[top.node][top.next++];
      if (states[producer] == State::New) {
        states[producer] = State::Open;
        stack.push_back({producer});
      } else if (states[producer] == State::Open) {
        // The stack holds users before what they use.
        Chain chain;
        chain.add(describe(nodes[producer]));
        for (size_t i = stack.size(); i-- > 0;) {
          chain.add(describe(nodes[stack[i].node]));
          if (stack[i].node == producer) {
            break;
          }
        }
        return makeError(ErrorCode::OnnxGraph, "",
                         "nodes form a cycle: " + chain.str());
      }
    }
  }
  return order;
}

void reorder(std::vector<Node> &nodes, const std::vector<size_t> &order) {
  if (std::is_sorted(order.begin(), order.end())) {
    return;
  }
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (size_t position : order) {
    sorted.push_back(std::move(nodes[position]));
  }
  nodes = std::move(sorted);
}

} // namespace spyre::onnxfile
