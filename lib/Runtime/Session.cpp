// SPDX-License-Identifier: Apache-2.0
//
// Sessions: device memory for the arguments and the contract check of inputs.

#include "spyre/Runtime/Runtime.h"

#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::ArgumentRole;

namespace {

std::string subjectOf(const launch::Argument &argument) {
  return fmt::format("argument \"{}\"", argument.name);
}

bool isInput(const launch::Argument &argument) {
  return argument.role != ArgumentRole::Output;
}

bool isOutput(const launch::Argument &argument) {
  return argument.role != ArgumentRole::Input;
}

/// The scalar that an argument's value is patched into, if any.
const launch::Scalar *findScalar(const launch::LaunchPlan &plan,
                                 uint32_t argument) {
  for (const launch::Symbol &symbol : plan.symbols) {
    if (symbol.kind == launch::SymbolKind::Value &&
        symbol.argument == argument) {
      return &plan.programs[symbol.program].scalars[symbol.target];
    }
  }
  return nullptr;
}

Status checkIndices(const launch::Argument &argument,
                    const HostTensor &tensor) {
  const int64_t count = numElements(tensor.shape).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = elementAsInteger(tensor, i);
    if (index < 0 || index >= argument.indexBound) {
      return makeError(ErrorCode::IndexOutOfBound, subjectOf(argument),
                       fmt::format("element {} is {}, the bound is {}", i,
                                   index, argument.indexBound));
    }
  }
  return {};
}

} // namespace

Status rt::checkInput(const launch::Argument &argument,
                      const HostTensor &tensor) {
  if (tensor.type != argument.hostType || tensor.shape != argument.shape) {
    return makeError(
        ErrorCode::ArgumentMismatch, subjectOf(argument),
        "the tensor does not match",
        {fmt::format("required: {}",
                     describe(argument.hostType, argument.shape)),
         fmt::format("given: {}", describe(tensor.type, tensor.shape))});
  }
  const int64_t required = denseBytes(tensor.type, tensor.shape).value_or(-1);
  if (static_cast<size_t>(required) != tensor.bytes.size()) {
    return makeError(ErrorCode::ArgumentMismatch, subjectOf(argument),
                     fmt::format("{} has {} bytes, {} are given",
                                 describe(tensor.type, tensor.shape), required,
                                 tensor.bytes.size()));
  }
  if (argument.indexBound > 0 && !isFloat(tensor.type)) {
    return checkIndices(argument, tensor);
  }
  return {};
}

Session::Session(const Model &model)
    : model(model), addresses(model.plan().arguments.size()),
      inputs(model.plan().arguments.size()),
      outputs(model.plan().arguments.size()) {}

Session::~Session() {
  for (uint32_t region : regions) {
    // Nothing can be done about a failure here, and nobody to tell.
    (void)model.device().free(region);
  }
}

Expected<std::unique_ptr<Session>> Session::create(const Model &model) {
  std::unique_ptr<Session> session(new Session(model));
  if (Status status = session->allocate(); !status) {
    return tl::unexpected(status.error());
  }
  return session;
}

Status Session::allocate() {
  const std::vector<launch::Argument> &arguments = model.plan().arguments;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const int64_t bytes = model.argumentBytes(i);
    if (arguments[i].alias >= 0 || bytes == 0) {
      continue;
    }
    const Expected<uint32_t> region = model.device().allocate(bytes);
    if (!region) {
      return tl::unexpected(region.error());
    }
    regions.push_back(*region);
    addresses[i] = {*region, 0};
  }
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].alias >= 0) {
      addresses[i] = addresses[static_cast<size_t>(arguments[i].alias)];
    }
  }
  return {};
}

Status Session::setInput(uint32_t argument, HostTensor tensor) {
  const std::vector<launch::Argument> &arguments = model.plan().arguments;
  if (argument >= arguments.size() || !isInput(arguments[argument])) {
    return makeError(ErrorCode::UnknownArgument, {},
                     fmt::format("argument {} of {} is not an input", argument,
                                 arguments.size()));
  }
  if (Status status = checkInput(arguments[argument], tensor); !status) {
    return status;
  }
  inputs[argument] = std::move(tensor);
  return {};
}

Status Session::fillInputs(uint64_t seed) {
  const launch::LaunchPlan &plan = model.plan();
  for (uint32_t i = 0; i < plan.arguments.size(); ++i) {
    const launch::Argument &argument = plan.arguments[i];
    if (!isInput(argument) || inputs[i]) {
      continue;
    }
    const launch::Scalar *scalar = findScalar(plan, i);
    const std::string type = describe(argument.hostType, argument.shape);
    Expected<HostTensor> tensor =
        scalar != nullptr
            ? parseLiteral(fmt::format("{}={}", type, scalar->lo))
            : randomTensor(argument.hostType, argument.shape,
                           argument.indexBound, argument.name, seed);
    if (!tensor) {
      return tl::unexpected(tensor.error());
    }
    inputs[i] = std::move(*tensor);
  }
  return {};
}

Expected<std::vector<Binding>> Session::bindArguments() {
  const launch::LaunchPlan &plan = model.plan();
  std::vector<Binding> bindings(plan.arguments.size());
  std::vector<std::string> missing;
  for (uint32_t i = 0; i < plan.arguments.size(); ++i) {
    const launch::Argument &argument = plan.arguments[i];
    bindings[i].device = addresses[i];
    if (isInput(argument)) {
      if (inputs[i]) {
        bindings[i].hostInput = inputs[i]->bytes;
      } else if (!model.isTimingOnly()) {
        missing.push_back(
            fmt::format("input \"{}\": {}", argument.name,
                        describe(argument.hostType, argument.shape)));
      }
    }
    if (isOutput(argument) && !model.isTimingOnly()) {
      const int64_t bytes =
          denseBytes(argument.hostType, argument.shape).value_or(0);
      outputs[i] = HostTensor{argument.hostType, argument.shape, {}};
      outputs[i]->bytes.resize(static_cast<size_t>(bytes));
      bindings[i].hostOutput = outputs[i]->bytes;
    }
  }
  if (!missing.empty()) {
    return makeError(ErrorCode::InvalidBinding,
                     fmt::format("model \"{}\"", plan.modelName),
                     fmt::format("{} inputs are not set", missing.size()),
                     std::move(missing));
  }
  return bindings;
}

Expected<LaunchStats> Session::run() {
  hasRun = false;
  Expected<std::vector<Binding>> bindings = bindArguments();
  if (!bindings) {
    return tl::unexpected(bindings.error());
  }
  // Failures are sticky: a stream of its own lets the next run start afresh.
  Stream stream(model.device());
  LaunchStats stats;
  if (Status status = stream.launch(model, *bindings, &stats); !status) {
    return tl::unexpected(status.error());
  }
  if (Status status = stream.synchronize(); !status) {
    return tl::unexpected(status.error());
  }
  hasRun = true;
  return stats;
}

const HostTensor *Session::input(uint32_t argument) const {
  return argument < inputs.size() && inputs[argument] ? &*inputs[argument]
                                                      : nullptr;
}

const HostTensor *Session::output(uint32_t argument) const {
  return hasRun && argument < outputs.size() && outputs[argument]
             ? &*outputs[argument]
             : nullptr;
}

Expected<RunResult> rt::run(const Model &model,
                            const std::map<std::string, HostTensor> &inputs) {
  Expected<std::unique_ptr<Session>> session = Session::create(model);
  if (!session) {
    return tl::unexpected(session.error());
  }
  for (const auto &[name, tensor] : inputs) {
    const std::optional<uint32_t> argument = model.findArgument(name);
    if (!argument) {
      return makeError(ErrorCode::UnknownArgument,
                       fmt::format("argument \"{}\"", name),
                       "the model has no argument of this name");
    }
    if (Status status = (*session)->setInput(*argument, tensor); !status) {
      return tl::unexpected(status.error());
    }
  }
  Expected<LaunchStats> stats = (*session)->run();
  if (!stats) {
    return tl::unexpected(stats.error());
  }
  RunResult result;
  result.stats = std::move(*stats);
  for (uint32_t i = 0; i < model.plan().arguments.size(); ++i) {
    if (const HostTensor *output = (*session)->output(i)) {
      result.outputs.emplace(model.plan().arguments[i].name, *output);
    }
  }
  return result;
}
