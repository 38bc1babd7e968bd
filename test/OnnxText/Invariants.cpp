// SPDX-License-Identifier: Apache-2.0

#include "Invariants.h"

#include <set>

namespace spyre::onnxfile::text {
namespace {

/// Product of the dims; nothing from 2^63 on.
std::optional<int64_t> elementsOf(const Tensor &tensor) {
  for (int64_t dim : tensor.dims) {
    if (dim == 0) {
      return 0;
    }
  }
  int64_t product = 1;
  for (int64_t dim : tensor.dims) {
    if (dim > INT64_MAX / product) {
      return std::nullopt;
    }
    product *= dim;
  }
  return product;
}

class Checker {
public:
  Checker(std::span<const SourceFile> files, bool externalIsResolved)
      : files(files), externalIsResolved(externalIsResolved) {}

  using Names = std::set<std::string>;

  void tensor(const Tensor &tensor);
  void graph(const Graph &graph, const Names &outer, int depth);
  void function(const Function &function);

  std::string broken;

private:
  void require(bool holds, const std::string &what) {
    if (!holds && broken.empty()) {
      broken = what;
    }
  }
  void nodes(const std::vector<Node> &list, Names &known, const Names &outer,
             Names &used, int depth);
  void use(const std::string &name, const Names &known, const Names &outer,
           Names &used) {
    if (!known.contains(name)) {
      require(outer.contains(name), "undefined: " + name);
      used.insert(name);
    }
  }

  std::span<const SourceFile> files;
  bool externalIsResolved;
};

void Checker::tensor(const Tensor &tensor) {
  require(tensor.dims.size() <= 64, "rank");
  for (int64_t dim : tensor.dims) {
    require(dim >= 0, "negative dim");
  }
  if (tensor.storage == Storage::External && !externalIsResolved) {
    return;
  }
  const FileRange &range = tensor.range;
  require(range.offset >= 0 && range.sizeBytes >= 0, "negative range");
  if (range.sizeBytes > 0) {
    require(range.file < files.size(), "file index");
    const auto size =
        range.file < files.size()
            ? static_cast<__int128>(files[range.file].bytes.size())
            : 0;
    require(static_cast<__int128>(range.offset) + range.sizeBytes <= size,
            "range outside of the file");
    require(tensor.owned.empty(), "two places of data");
  }
  if (!broken.empty()) {
    return;
  }
  const std::optional<int64_t> elements = elementsOf(tensor);
  require(elements.has_value(), "number of elements");
  if (tensor.dataType == DataType::String) {
    require(elements == static_cast<int64_t>(tensor.strings.size()), "strings");
    return;
  }
  const __int128 bits =
      static_cast<__int128>(elements.value_or(0)) * bitWidth(tensor.dataType);
  require((bits + 7) / 8 == static_cast<__int128>(dataOf(tensor, files).size()),
          "size of data");
}

void Checker::nodes(const std::vector<Node> &list, Names &known,
                    const Names &outer, Names &used, int depth) {
  Names visible = outer;
  visible.insert(known.begin(), known.end());
  for (const Node &node : list) {
    visible.insert(node.outputs.begin(), node.outputs.end());
  }
  std::set<int64_t> indices;
  for (const Node &node : list) {
    require(indices.insert(node.index).second && node.index >= 0 &&
                node.index < static_cast<int64_t>(list.size()),
            "node index");
    for (const std::string &input : node.inputs) {
      if (!input.empty()) {
        use(input, known, outer, used);
      }
    }
    for (const Attribute &attribute : node.attributes) {
      for (const Tensor &value : attribute.tensors) {
        tensor(value);
      }
      for (const Graph &subgraph : attribute.graphs) {
        graph(subgraph, visible, depth + 1);
        for (const std::string &name : subgraph.captures) {
          use(name, known, outer, used);
        }
      }
    }
    for (const std::string &output : node.outputs) {
      require(output.empty() || known.insert(output).second,
              "defined twice: " + output);
    }
  }
}

void Checker::graph(const Graph &graph, const Names &outer, int depth) {
  require(depth <= 32, "depth");
  if (!broken.empty()) {
    return;
  }
  Names known;
  for (const ValueInfo &input : graph.inputs) {
    require(known.insert(input.name).second, "input twice: " + input.name);
  }
  Names initializers;
  for (const Tensor &value : graph.initializers) {
    tensor(value);
    require(initializers.insert(value.name).second,
            "initializer twice: " + value.name);
    known.insert(value.name);
  }
  Names used;
  nodes(graph.nodes, known, outer, used, depth);
  for (const ValueInfo &output : graph.outputs) {
    use(output.name, known, outer, used);
  }
  require(Names(graph.captures.begin(), graph.captures.end()) == used &&
              used.size() == graph.captures.size(),
          "captures");
}

void Checker::function(const Function &function) {
  Names known(function.inputs.begin(), function.inputs.end());
  Names used;
  nodes(function.nodes, known, {}, used, 1);
  for (const std::string &output : function.outputs) {
    use(output, known, {}, used);
  }
  require(used.empty(), "a function uses values from outside");
}

} // namespace

std::string brokenInvariant(const Model &model, bool externalIsResolved) {
  Checker checker(model.files, externalIsResolved);
  checker.graph(model.graph, {}, 1);
  for (const Function &function : model.functions) {
    checker.function(function);
  }
  return checker.broken;
}

std::string brokenInvariant(const Tensor &tensor,
                            std::span<const SourceFile> files,
                            bool externalIsResolved) {
  Checker checker(files, externalIsResolved);
  checker.tensor(tensor);
  return checker.broken;
}

} // namespace spyre::onnxfile::text
