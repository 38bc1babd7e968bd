// SPDX-License-Identifier: Apache-2.0

#include "Reference.h"

#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Export/LaunchPlan/WeightFiles.h"
#include "spyre/Pipelines/Pipelines.h"
#include "spyre/Reference/Reference.h"
#include "spyre/Runtime/Compare.h"
#include "spyre/Runtime/Conversion.h"
#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;
using namespace spyre;
using namespace spyre::tools;

struct ReferenceGraph::State {
  State()
      : context(allDialects(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          diagnostics += diagnostics.empty() ? diagnostic.str() : "";
        }) {}

  Error error() const {
    return {ErrorCode::Internal, "the graph", diagnostics, {}, {}};
  }

  MLIRContext context;
  /// The first error.
  std::string diagnostics;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  std::optional<WeightFiles> files;
  std::optional<ReferenceRun> run;
  std::vector<rt::HostTensor> outputs;
};

ReferenceGraph::ReferenceGraph() : state(std::make_unique<State>()) {}
ReferenceGraph::~ReferenceGraph() = default;

const std::vector<rt::HostTensor> &ReferenceGraph::outputs() const {
  return state->outputs;
}

namespace {

std::vector<Number> toNumbers(const rt::HostTensor &tensor) {
  const int64_t count = rt::numElements(tensor.shape).value_or(0);
  std::vector<Number> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    Number &number = numbers[static_cast<size_t>(i)];
    if (rt::isFloat(tensor.type)) {
      number.real = rt::elementAsDouble(tensor, i);
    } else {
      number.integer = rt::elementAsInteger(tensor, i);
    }
  }
  return numbers;
}

/// Floats as f64, all else as i64.
rt::HostTensor toTensor(RankedTensorType type,
                        const std::vector<Number> &numbers) {
  const bool isFloat = isa<FloatType>(type.getElementType());
  rt::HostTensor tensor;
  tensor.type = isFloat ? launch::HostType::F64 : launch::HostType::I64;
  tensor.shape = type.getShape().vec();
  tensor.bytes.resize(numbers.size() * 8);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const void *from = isFloat ? static_cast<const void *>(&numbers[i].real)
                               : static_cast<const void *>(&numbers[i].integer);
    std::memcpy(tensor.bytes.data() + 8 * i, from, 8);
  }
  return tensor;
}

FailureOr<std::vector<Number>> readWeight(const WeightFiles &files,
                                          stick::WeightOp op) {
  const std::string subject = "weight \"" + op.getName().str() + "\"";
  Expected<std::unique_ptr<llvm::MemoryBuffer>> range =
      files.map(op.getFile(), static_cast<int64_t>(op.getOffset()),
                static_cast<int64_t>(op.getLength()), subject);
  if (!range) {
    return emitCoded(op, range.error());
  }
  const std::optional<launch::HostType> storedType =
      stick::toHostType(op.getStoredElementType());
  if (!storedType) {
    InFlightDiagnostic diag =
        emitCoded(op, ErrorCode::UnsupportedElementType, "");
    diag << "no host tensor has elements of type " << op.getStoredElementType();
    return diag;
  }
  rt::HostTensor stored;
  stored.type = *storedType;
  SmallVector<int64_t> shape = op.getStoredShape();
  stored.shape.assign(shape.begin(), shape.end());
  const std::span<const std::byte> bytes = bytesOf(**range);
  stored.bytes.assign(bytes.begin(), bytes.end());
  std::vector<Number> numbers = toNumbers(stored);
  if (!op.getPerm()) {
    return numbers;
  }
  // Dim i of the result is dim perm[i] of the file's tensor.
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> perm = op.getPermutation();
  SmallVector<int64_t> strides(perm.size(), 1);
  for (size_t dim = perm.size(); dim-- > 1;) {
    strides[dim - 1] = strides[dim] * stored.shape[dim];
  }
  std::vector<Number> result;
  result.reserve(numbers.size());
  SmallVector<int64_t> position(perm.size(), 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    int64_t at = 0;
    for (size_t dim = 0; dim < perm.size(); ++dim) {
      at += position[dim] * strides[perm[dim]];
    }
    result.push_back(numbers[static_cast<size_t>(at)]);
    for (size_t dim = perm.size(); dim-- > 0;) {
      if (++position[dim] < type.getDimSize(dim)) {
        break;
      }
      position[dim] = 0;
    }
  }
  return result;
}

std::string nameOf(DictionaryAttr attributes) {
  auto name = attributes ? attributes.getAs<StringAttr>("spyre.name") : nullptr;
  return name ? name.str() : "";
}

} // namespace

Expected<std::unique_ptr<ReferenceGraph>>
ReferenceGraph::load(const std::string &path,
                     const std::string &weightsFolder) {
  std::unique_ptr<ReferenceGraph> graph(new ReferenceGraph());
  State &state = *graph->state;
  state.module = parseSourceFile<ModuleOp>(path, ParserConfig(&state.context));
  if (!state.module) {
    return tl::unexpected(state.error());
  }
  state.func = *state.module->getOps<func::FuncOp>().begin();
  state.files.emplace(weightsFolder, *state.module);
  return graph;
}

Status ReferenceGraph::run(const std::vector<NamedTensor> &inputs) {
  std::vector<std::vector<Number>> arguments;
  for (unsigned i = 0; i < state->func.getNumArguments(); ++i) {
    const std::string name = nameOf(state->func.getArgAttrDict(i));
    const auto found = llvm::find_if(
        inputs, [&](const NamedTensor &input) { return input.name == name; });
    if (found == inputs.end()) {
      return makeError(ErrorCode::UnknownArgument, "the graph",
                       fmt::format("no data for its input \"{}\"", name));
    }
    arguments.push_back(toNumbers(found->tensor));
  }
  state->run.emplace(state->func, [this](stick::WeightOp op) {
    return readWeight(*state->files, op);
  });
  if (failed(state->run->run(arguments))) {
    return tl::unexpected(state->error());
  }
  state->outputs.clear();
  auto returnOp =
      cast<func::ReturnOp>(state->func.getBody().front().getTerminator());
  for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    auto given = state->func.getResultAttrOfType<TypeAttr>(
        static_cast<unsigned>(index), "spyre.host_type");
    const rt::HostTensor exact = toTensor(type, state->run->valueOf(value));
    // By way of the widest type of the device, so that the runtime rounds.
    const bool isFloat = rt::isFloat(exact.type);
    Expected<std::vector<std::byte>> device = rt::convertToDevice(
        exact.type, exact.bytes, isFloat ? ElementType::F32 : ElementType::I32,
        "output");
    if (!device) {
      return tl::unexpected(device.error());
    }
    const std::optional<launch::HostType> hostType =
        stick::toHostType(given ? given.getValue() : type.getElementType());
    if (!hostType) {
      return makeError(ErrorCode::UnsupportedElementType,
                       "output " + std::to_string(index),
                       "no host tensor has elements of its type");
    }
    rt::HostTensor output;
    output.type = *hostType;
    output.shape = exact.shape;
    Expected<std::vector<std::byte>> bytes =
        rt::convertToHost(isFloat ? ElementType::F32 : ElementType::I32,
                          *device, output.type, "output");
    if (!bytes) {
      return tl::unexpected(bytes.error());
    }
    output.bytes = std::move(*bytes);
    state->outputs.push_back(std::move(output));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

namespace {

/// A value to look at.
struct Probe {
  Value value;
  /// The node that computes it; null for an output of the model.
  linalg::GenericOp op;
};

/// The floats that ops compute, in order, and then the outputs.
std::vector<Probe> probesOf(func::FuncOp func) {
  std::vector<Probe> probes;
  Block &body = func.getBody().front();
  for (auto op : body.getOps<linalg::GenericOp>()) {
    if (isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()))) {
      probes.push_back({op.getResult(0), op});
    }
  }
  for (Value output : body.getTerminator()->getOperands()) {
    probes.push_back({output, nullptr});
  }
  return probes;
}

std::string probeName(size_t number) {
  return "probe" + std::to_string(number);
}

/// The function with the probes as its results, named by their number.
OwningOpRef<ModuleOp> withProbes(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone());
  func::FuncOp func = *copy->getOps<func::FuncOp>().begin();
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  Builder builder(module.getContext());
  for (const Probe &probe : probesOf(func)) {
    NamedAttribute name(builder.getStringAttr("spyre.name"),
                        builder.getStringAttr(probeName(values.size())));
    values.push_back(probe.value);
    attributes.push_back(builder.getDictionaryAttr({name}));
  }
  func.getBody().front().getTerminator()->setOperands(values);
  func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  func.setAllResultAttrs(attributes);
  return copy;
}

/// Compiles the IR from the phase layout on and loads it.
Expected<std::unique_ptr<rt::Model>>
compileProbes(ModuleOp module, const CompileOptions &given,
              const target::Target &target, sim::Simulator &simulator,
              const std::string &artifact) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo(true));
  CompileOptions options = given;
  options.format = SourceFormat::Mlir;
  options.from = Phase::Layout;
  options.to = Phase::Emit;
  options.dumpFolder.clear();
  std::string diagnostics;
  llvm::raw_string_ostream errors(diagnostics);
  CompileReport report;
  if (failed(compile(options, *llvm::MemoryBuffer::getMemBuffer(text), artifact,
                     errors, report))) {
    return tl::unexpected(Error{ErrorCode::Internal,
                                "the graph with all values "
                                "as outputs",
                                diagnostics,
                                {},
                                {}});
  }
  Expected<launch::Artifact> read =
      launch::readArtifact(artifact, {.verifyWeights = false});
  std::error_code ignored;
  std::filesystem::remove(artifact, ignored);
  if (!read) {
    return tl::unexpected(read.error());
  }
  return rt::load(std::move(*read), simulator, target);
}

} // namespace

Expected<std::string>
ReferenceGraph::firstDivergence(const CompileOptions &options,
                                const target::Target &target,
                                const std::vector<NamedTensor> &inputs,
                                double tolerance, const std::string &artifact) {
  sim::Simulator simulator(target);
  OwningOpRef<ModuleOp> probed = withProbes(*state->module);
  Expected<std::unique_ptr<rt::Model>> model =
      compileProbes(*probed, options, target, simulator, artifact);
  if (!model) {
    return tl::unexpected(model.error());
  }
  Expected<std::unique_ptr<rt::Session>> session = rt::Session::create(**model);
  if (!session) {
    return tl::unexpected(session.error());
  }
  for (const NamedTensor &input : inputs) {
    std::optional<uint32_t> argument = (*model)->findArgument(input.name);
    if (!argument) {
      continue;
    }
    if (Status status = (*session)->setInput(*argument, input.tensor);
        !status) {
      return tl::unexpected(status.error());
    }
  }
  if (Expected<rt::LaunchStats> stats = (*session)->run(); !stats) {
    return tl::unexpected(stats.error());
  }
  std::string first = "the end of the graph";
  bool isFound = false;
  for (auto [number, probe] : llvm::enumerate(probesOf(state->func))) {
    const std::optional<uint32_t> argument =
        (*model)->findArgument(probeName(number));
    if (!argument || (probe.op && isFound)) {
      continue;
    }
    const rt::HostTensor exact =
        toTensor(cast<RankedTensorType>(probe.value.getType()),
                 state->run->valueOf(probe.value));
    Expected<rt::Comparison> comparison = rt::compare(
        *(*session)->output(*argument), exact, tolerance, probeName(number));
    if (!comparison) {
      return tl::unexpected(comparison.error());
    }
    if (comparison->passed) {
      continue;
    }
    if (!probe.op) {
      return first;
    }
    first = fmt::format("{} (row L2 {:.3e})", subjectOf(probe.op),
                        comparison->rowL2);
    isFound = true;
  }
  return std::string();
}
