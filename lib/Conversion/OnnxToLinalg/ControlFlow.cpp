// SPDX-License-Identifier: Apache-2.0
//
// If on a known condition and Loop with a known trip count: the graph inside is
// converted in place. A graph that is never entered is not looked at.

#include "Converter.h"

#include "Evaluate.h"
#include "Registry.h"

using namespace mlir;

namespace spyre {

/// Nodes that unrolling may make.
static constexpr int64_t kMaxUnrolledNodes = 65536;

void Converter::convertControlFlow(onnx::NodeOp node, ControlFlow kind) {
  for (Value input : node.getInputs()) {
    if (lookup(input).state == Converted::State::Unknown) {
      report.addNotJudged(node);
      return;
    }
  }
  std::optional<Refusal> refusal =
      kind == ControlFlow::If ? convertIf(node) : convertLoop(node);
  if (refusal) {
    report.add(node, *refusal);
    bindUnconverted(node);
  }
}

SmallVector<Converter::Converted>
Converter::inlineBlock(onnx::NodeOp node, Block &block,
                       ArrayRef<Converted> inputs) {
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs)) {
    bind(argument, input);
  }
  auto captures = block.getArguments().take_back(node.getCaptures().size());
  for (auto [argument, capture] : llvm::zip(captures, node.getCaptures())) {
    bind(argument, lookup(capture));
  }
  convertBlock(block);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return lookup(value); });
}

std::optional<Refusal> Converter::convertIf(onnx::NodeOp node) {
  DenseElementsAttr condition =
      node.getInputs().empty() ? DenseElementsAttr()
                               : constantOf(lookup(node.getInputs()[0]).value);
  if (!condition || condition.getNumElements() != 1) {
    return Refusal{Refusal::Kind::Unsupported,
                   "the condition must be known when compiling"};
  }
  const bool taken = readNumbers(condition).front().integer != 0;
  Region *region = node.getSubgraph(taken ? "then_branch" : "else_branch");
  if (!region) {
    return Refusal{Refusal::Kind::Attribute, "a branch is missing"};
  }
  SmallVector<Converted> results = inlineBlock(node, region->front(), {});
  for (auto [result, value] : llvm::zip(node.getResults(), results)) {
    bind(result, value);
  }
  return std::nullopt;
}

std::optional<Refusal> Converter::convertLoop(onnx::NodeOp node) {
  Region *region = node.getSubgraph("body");
  const size_t numInputs = node.getInputs().size();
  if (!region || numInputs < 2 ||
      region->getNumArguments() != numInputs + node.getCaptures().size() ||
      region->front().getTerminator()->getNumOperands() + 1 < numInputs) {
    return Refusal{Refusal::Kind::Attribute,
                   "the body does not fit the inputs"};
  }
  DenseElementsAttr trips = constantOf(lookup(node.getInputs()[0]).value);
  Converted condition = lookup(node.getInputs()[1]);
  DenseElementsAttr enters = constantOf(condition.value);
  if (!trips || trips.getNumElements() != 1 || (condition.value && !enters)) {
    return Refusal{Refusal::Kind::Unsupported,
                   "trip count and condition must be known when compiling"};
  }
  const bool entered = !enters || readNumbers(enters).front().integer != 0;
  const int64_t tripCount = entered ? readNumbers(trips).front().integer : 0;
  const auto numNodes = static_cast<int64_t>(
      std::distance(region->front().begin(), region->front().end()));
  if (tripCount > kMaxUnrolledNodes / std::max<int64_t>(numNodes, 1)) {
    return Refusal{
        Refusal::Kind::Unsupported,
        "unrolling " + std::to_string(tripCount) + " times " +
            std::to_string(numNodes) + " nodes is too much; at most " +
            std::to_string(kMaxUnrolledNodes) + " nodes are unrolled"};
  }
  return runLoop(node, region->front(), tripCount);
}

std::optional<Refusal> Converter::runLoop(onnx::NodeOp node, Block &body,
                                          int64_t tripCount) {
  GraphBuilder g(builder, node.getLoc(), budget);
  const size_t numCarried = node.getInputs().size() - 2;
  SmallVector<Converted> carried = llvm::map_to_vector(
      node.getInputs().drop_front(2), [&](Value v) { return lookup(v); });
  const size_t numScans =
      body.getTerminator()->getNumOperands() - 1 - numCarried;
  std::vector<SmallVector<Value>> scans(numScans);
  for (int64_t trip = 0; trip < tripCount; ++trip) {
    Value iteration = g.reshape(g.integers(trip), {});
    Value alive = g.splat({}, builder.getI1Type(), 1);
    SmallVector<Converted> inputs = {{Converted::State::Known, iteration},
                                     {Converted::State::Known, alive}};
    llvm::append_range(inputs, carried);
    SmallVector<Converted> results = inlineBlock(node, body, inputs);
    DenseElementsAttr next = constantOf(results.front().value);
    if (results.front().state == Converted::State::Known && !next) {
      return Refusal{Refusal::Kind::Unsupported,
                     "trip count and condition must be known when compiling"};
    }
    carried.assign(results.begin() + 1, results.begin() + 1 + numCarried);
    for (auto [scan, result] :
         llvm::zip(scans, ArrayRef(results).drop_front(1 + numCarried))) {
      if (result.state != Converted::State::Known) {
        return std::nullopt; // Reported where it arose.
      }
      scan.push_back(g.unsqueeze(result.value, 0));
    }
    if (next && readNumbers(next).front().integer == 0) {
      break;
    }
  }
  for (auto [index, result] : llvm::enumerate(node.getResults())) {
    if (index < numCarried) {
      bind(result, carried[index]);
    } else if (index - numCarried < numScans &&
               !scans[index - numCarried].empty()) {
      bind(result,
           {Converted::State::Known, g.concat(scans[index - numCarried], 0)});
    } else if (!result.use_empty()) {
      return Refusal{Refusal::Kind::Unsupported,
                     "a scan output of a loop that never runs has no type"};
    }
  }
  return std::nullopt;
}

void addControlFlowDecoders(DecoderRegistry &r) {
  r.add("If", 1, ControlFlow::If, "a condition that is known when compiling");
  r.add("Loop", 1, ControlFlow::Loop,
        "trip count and conditions that are known when compiling; at most " +
            std::to_string(kMaxUnrolledNodes) + " nodes when unrolled");
}

} // namespace spyre
