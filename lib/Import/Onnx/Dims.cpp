// SPDX-License-Identifier: Apache-2.0

#include "Dims.h"

#include <algorithm>

using namespace spyre::onnxfile;

namespace spyre {

static std::string quoted(const std::string &text) {
  return "\"" + text + "\"";
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text.empty() ? "a scalar" : text;
}

DimTable::DimTable(const Model &model, const ImportOptions &options)
    : model(model), options(options) {
  collectNames();
  checkOptionNames();
  for (const auto &[text, value] : options.dims) {
    equations.push_back({LinearDim::parse(text), text, value,
                         "--dim=" + text + "=" + std::to_string(value)});
  }
  for (const ValueInfo &input : model.graph.inputs) {
    auto shape = options.inputShapes.find(input.name);
    if (shape != options.inputShapes.end()) {
      addShape(input, shape->second, "input " + quoted(input.name));
    }
    auto constant = options.constantInputs.find(input.name);
    if (constant != options.constantInputs.end()) {
      addShape(input, constant->second.dims,
               "constant input " + quoted(input.name));
    }
  }
  solve();
  checkRanges();
}

void DimTable::report(std::string subject, std::string message,
                      std::vector<std::string> notes) {
  errors.push_back(Error{ErrorCode::OnnxBadBinding, std::move(subject),
                         std::move(message), std::move(notes), ""});
}

void DimTable::collectNames() {
  for (const auto *values :
       {&model.graph.inputs, &model.graph.outputs, &model.graph.valueInfos}) {
    for (const ValueInfo &value : *values) {
      for (const Dim &dim : value.type.dims) {
        if (dim.kind == Dim::Kind::Param) {
          names.insert(dim.param);
          for (const auto &entry : LinearDim::parse(dim.param).coefficients) {
            names.insert(entry.first);
          }
        }
      }
    }
  }
}

/// Options that name nothing in the model are errors: most often a typing one.
void DimTable::checkOptionNames() {
  for (const auto &[text, value] : options.dims) {
    if (!names.contains(text)) {
      std::string known;
      for (const std::string &name : names) {
        known += (known.empty() ? "" : ", ") + quoted(name);
      }
      report("dim " + quoted(text), "the model has no dim of this name",
             {known.empty() ? "it has no named dims" : "its dims: " + known});
    }
    if (value < 0) {
      report("dim " + quoted(text),
             "an extent cannot be " + std::to_string(value));
    }
  }
  std::set<std::string> inputs;
  std::string known;
  for (const ValueInfo &input : model.graph.inputs) {
    inputs.insert(input.name);
    known += (known.empty() ? "" : ", ") + quoted(input.name);
  }
  const auto check = [&](const std::string &name) {
    if (!inputs.contains(name)) {
      report("input " + quoted(name), "the model has no input of this name",
             {"its inputs: " + known});
    }
  };
  for (const auto &entry : options.inputShapes) {
    check(entry.first);
  }
  for (const auto &entry : options.constantInputs) {
    check(entry.first);
  }
}

void DimTable::addShape(const ValueInfo &input,
                        const std::vector<int64_t> &shape,
                        const std::string &source) {
  if (!input.type.hasShape) {
    return;
  }
  const std::vector<Dim> &dims = input.type.dims;
  if (dims.size() != shape.size()) {
    report("input " + quoted(input.name),
           "the shape given, " + shapeText(shape) + ", has rank " +
               std::to_string(shape.size()) + ", the model's has rank " +
               std::to_string(dims.size()));
    return;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (shape[i] < 0) {
      report("input " + quoted(input.name),
             "an extent cannot be " + std::to_string(shape[i]));
    } else if (dims[i].kind == Dim::Kind::Param) {
      equations.push_back(
          {LinearDim::parse(dims[i].param), dims[i].param, shape[i], source});
    } else if (dims[i].kind == Dim::Kind::Unknown && shape[i] == 0) {
      unnamedZeros.push_back("dim " + std::to_string(i) + " of " + source +
                             " is 0");
    } else if (dims[i].kind == Dim::Kind::Value && dims[i].value != shape[i]) {
      report("input " + quoted(input.name),
             "dim " + std::to_string(i) + " is " +
                 std::to_string(dims[i].value) + " in the model and " +
                 std::to_string(shape[i]) + " in the shape given");
    }
  }
}

std::optional<int64_t> DimTable::evaluate(const LinearDim &dim) const {
  int64_t sum = dim.constant;
  for (const auto &[name, coefficient] : dim.coefficients) {
    auto binding = bindings.find(name);
    if (binding == bindings.end()) {
      return std::nullopt;
    }
    std::optional<int64_t> term =
        checkedMul(coefficient, binding->second.value);
    std::optional<int64_t> total = term ? checkedAdd(sum, *term) : std::nullopt;
    if (!total) {
      return std::nullopt;
    }
    sum = *total;
  }
  return sum;
}

/// Takes each equation as soon as at most one of its names is unknown. What is
/// left over has several unknowns, which are reported as unbound.
void DimTable::solve() {
  bool progress = true;
  while (progress) {
    progress = false;
    for (size_t i = 0; i < equations.size(); ++i) {
      if (solve(equations[i])) {
        equations.erase(equations.begin() + static_cast<int64_t>(i--));
        progress = true;
      }
    }
  }
}

/// True if the equation is dealt with: it bound a name, agreed, or is wrong.
bool DimTable::solve(const Equation &equation) {
  std::string unknown;
  LinearDim rest = equation.dim;
  std::vector<std::string> notes;
  for (const auto &[name, coefficient] : equation.dim.coefficients) {
    auto binding = bindings.find(name);
    if (binding != bindings.end()) {
      notes.push_back("dim " + quoted(name) + " is " +
                      std::to_string(binding->second.value) + " by " +
                      binding->second.source);
      continue;
    }
    if (!unknown.empty()) {
      return false;
    }
    unknown = name;
    rest.coefficients.erase(name);
  }
  std::optional<int64_t> known = evaluate(rest);
  const std::string said =
      std::to_string(equation.value) + " by " + equation.source;
  if (unknown.empty()) {
    if (known != equation.value) {
      report("dim " + quoted(equation.text),
             (known ? std::to_string(*known) : "beyond 64 bits") +
                 " by other bindings, but " + said,
             notes);
    }
    return true;
  }
  const int64_t coefficient = equation.dim.coefficients.at(unknown);
  std::optional<int64_t> difference =
      known ? checkedAdd(equation.value, -*known) : std::nullopt;
  if (!difference || *difference % coefficient != 0 ||
      *difference / coefficient < 0) {
    report("dim " + quoted(equation.text),
           said + ", for which " + quoted(unknown) + " has no extent", notes);
    // Bound nevertheless, so that it is not reported as unbound as well.
    bindings[unknown] = {0, equation.source};
    return true;
  }
  bindings[unknown] = {*difference / coefficient, equation.source};
  return true;
}

std::optional<std::vector<int64_t>>
DimTable::evaluate(const std::vector<Dim> &dims) const {
  std::vector<int64_t> shape;
  for (const Dim &dim : dims) {
    std::optional<int64_t> extent;
    if (dim.kind == Dim::Kind::Value) {
      extent = dim.value;
    } else if (dim.kind == Dim::Kind::Param) {
      extent = evaluate(LinearDim::parse(dim.param));
    }
    if (!extent || *extent < 0) {
      return std::nullopt;
    }
    shape.push_back(*extent);
  }
  return shape;
}

/// "Nx4": the shape that --input-shape takes, N where the model has no number.
static std::string shapeToGive(const ValueInfo &input) {
  std::string text;
  for (const Dim &dim : input.type.dims) {
    text += text.empty() ? "" : "x";
    text += dim.kind == Dim::Kind::Value ? std::to_string(dim.value) : "N";
  }
  return text;
}

std::optional<std::vector<int64_t>>
DimTable::inputShape(const ValueInfo &input) {
  auto given = options.inputShapes.find(input.name);
  if (given != options.inputShapes.end()) {
    return given->second;
  }
  bool complete = input.type.hasShape;
  if (!input.type.hasShape) {
    unnamedInputs.emplace_back(input.name, "NxN");
  }
  for (const Dim &dim : input.type.dims) {
    if (dim.kind == Dim::Kind::Unknown) {
      complete = false;
      unnamedInputs.emplace_back(input.name, shapeToGive(input));
    } else if (dim.kind == Dim::Kind::Param) {
      for (const auto &entry : LinearDim::parse(dim.param).coefficients) {
        if (!bindings.contains(entry.first)) {
          complete = false;
          unboundNames[entry.first].push_back(input.name);
        }
      }
    }
  }
  if (!complete) {
    return std::nullopt;
  }
  std::optional<std::vector<int64_t>> shape = evaluate(input.type.dims);
  if (!shape) {
    report("input " + quoted(input.name),
           "the numbers of its dims give a negative or too large extent");
  }
  return shape;
}

std::vector<std::string> DimTable::zeroDims() const {
  std::vector<std::string> zeros = unnamedZeros;
  for (const auto &[name, binding] : bindings) {
    if (binding.value == 0) {
      zeros.push_back("dim " + quoted(name) + " is 0 by " + binding.source);
    }
  }
  return zeros;
}

/// One error for all dims without a number, with the flags that fix it.
std::vector<Error> DimTable::finish() {
  std::vector<std::string> notes;
  std::string flags;
  std::string list;
  for (auto &[name, inputs] : unboundNames) {
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    std::string users;
    for (const std::string &input : inputs) {
      users += (users.empty() ? "" : ", ") + quoted(input);
    }
    notes.push_back("dim " + quoted(name) + " of input " + users);
    flags += (flags.empty() ? "--dim=" : " --dim=") + name + "=N";
    list += (list.empty() ? "" : ", ") + quoted(name);
  }
  unnamedInputs.erase(std::unique(unnamedInputs.begin(), unnamedInputs.end()),
                      unnamedInputs.end());
  for (const auto &[input, shape] : unnamedInputs) {
    notes.push_back("a dim without name of input " + quoted(input));
    flags += (flags.empty() ? "" : " ") + std::string("--input-shape=") +
             input + ":" + shape;
    list +=
        (list.empty() ? "" : ", ") + std::string("dims of ") + quoted(input);
  }
  if (!notes.empty()) {
    errors.push_back(Error{ErrorCode::OnnxUnboundDim, "model",
                           "dims without a number: " + list, notes,
                           "add " + flags});
  }
  return std::move(errors);
}

} // namespace spyre
