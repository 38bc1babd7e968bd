// SPDX-License-Identifier: Apache-2.0
//
// From the ops of a plan to its structs: symbols become positions, and what a
// step does not declare is computed.

#include "spyre/Export/LaunchPlan/Export.h"

#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Sdsc/Program/Program.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/LaunchPlan/Checker.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace spyre {
namespace {

class PlanExporter {
public:
  PlanExporter(ModuleOp module, const target::Target &target,
               launch::WeightStorage storage)
      : module(module), target(target), storage(storage) {}

  FailureOr<launch::LaunchPlan> run() {
    auto plans = llvm::to_vector(module.getOps<launch::PlanOp>());
    if (plans.size() != 1) {
      return emitCoded(module, ErrorCode::OneLaunchPlan,
                       "the module has " + Twine(plans.size()) +
                           " launch plans");
    }
    op = plans.front();
    plan.producer = op.getProducer().value_or("").str();
    plan.modelName = op.getModel().value_or("").str();
    plan.targetName = op.getTarget().str();
    plan.targetHash = static_cast<uint64_t>(op.getTargetHash());
    if (failed(exportPrograms())) {
      return failure();
    }
    exportArguments();
    exportSegments();
    exportWeights();
    exportSymbols();
    if (failed(exportSteps())) {
      return failure();
    }
    return std::move(plan);
  }

private:
  LogicalResult exportPrograms() {
    for (auto program : op.getBody().getOps<sdsc::ProgramOp>()) {
      FailureOr<launch::Program> exported = sdsc::exportProgram(program);
      if (failed(exported)) {
        return failure();
      }
      programs[program.getSymName()] =
          static_cast<uint32_t>(plan.programs.size());
      plan.programs.push_back(std::move(*exported));
    }
    return success();
  }

  void exportArguments() {
    for (auto argument : op.getBody().getOps<launch::ArgumentOp>()) {
      arguments[argument.getSymName()] =
          static_cast<uint32_t>(plan.arguments.size());
      RankedTensorType type = argument.getTensorType();
      launch::Argument exported;
      exported.name = argument.getSymName().str();
      exported.role = argument.getRole();
      exported.hostType = argument.getHost();
      exported.shape = type.getShape().vec();
      exported.deviceType = *sdsc::toElementType(type.getElementType());
      exported.layout = stick::getLayout(type).getLayout();
      exported.indexBound = static_cast<int64_t>(argument.getBound());
      plan.arguments.push_back(std::move(exported));
    }
    // Aliases may point forward.
    for (auto [argument, exported] :
         llvm::zip(op.getBody().getOps<launch::ArgumentOp>(), plan.arguments)) {
      if (argument.getAlias()) {
        exported.alias =
            static_cast<int32_t>(arguments.lookup(*argument.getAlias()));
      }
    }
  }

  void exportSegments() {
    for (auto segment : op.getBody().getOps<launch::SegmentOp>()) {
      segments[segment.getSymName()] =
          static_cast<uint32_t>(plan.segments.size());
      plan.segments.push_back(
          {segment.getKind(), static_cast<int64_t>(segment.getSize())});
    }
  }

  void exportWeights() {
    for (auto weight : op.getBody().getOps<launch::WeightOp>()) {
      RankedTensorType type = weight.getTensorType();
      launch::Weight exported;
      exported.name = weight.getName().str();
      exported.segment = segments.lookup(weight.getSegment());
      exported.offset = static_cast<int64_t>(weight.getOffset());
      auto file = dyn_cast<StringAttr>(weight.getFile());
      exported.file = file ? file.str() : "";
      // What is computed, and what the module holds, has no file to refer to.
      const bool hasFile = !exported.file.empty();
      exported.storage = storage == launch::WeightStorage::External && !hasFile
                             ? launch::WeightStorage::Embedded
                             : storage;
      exported.fileOffset = static_cast<int64_t>(weight.getAt());
      exported.hostBytes = static_cast<int64_t>(weight.getLength());
      exported.hostType = weight.getHost();
      exported.deviceType = *sdsc::toElementType(type.getElementType());
      exported.layout = stick::getLayout(type).getLayout();
      SmallVector<int64_t> stored = weight.getStoredShape();
      exported.shape.assign(stored.begin(), stored.end());
      // Dim i of the weight's type is dim perm[i] of the file's tensor: a
      // transposed weight needs no copy, only a layout over the file's dims.
      if (std::optional<ArrayRef<int64_t>> perm = weight.getPerm()) {
        for (layout::DeviceDim &dim : exported.layout.dims) {
          if (dim.hostDim >= 0) {
            dim.hostDim = static_cast<int32_t>((*perm)[dim.hostDim]);
          }
        }
      }
      exported.sizeBytes = layout::sizeBytes(exported.layout, exported.shape,
                                             exported.deviceType)
                               .value_or(0);
      plan.weights.push_back(std::move(exported));
    }
  }

  void exportSymbols() {
    for (auto symbol : op.getBody().getOps<launch::SymbolOp>()) {
      launch::Symbol exported;
      exported.kind = symbol.getKind();
      exported.argument = arguments.lookup(symbol.getArgument());
      exported.program =
          programs.lookup(symbol.getInto().getRootReference().getValue());
      StringRef name = symbol.getInto().getLeafReference().getValue();
      const launch::Program &program = plan.programs[exported.program];
      auto find = [&](const auto &list) {
        auto it = llvm::find_if(
            list, [&](const auto &entry) { return entry.name == name; });
        return static_cast<uint32_t>(it - list.begin());
      };
      exported.target = symbol.getKind() == launch::SymbolKind::Address
                            ? find(program.buffers)
                            : find(program.scalars);
      plan.symbols.push_back(exported);
    }
  }

  FailureOr<launch::HostCall> exportHostCall(launch::HostWorkOp host) {
    Expected<launch::HostCall> call = host.readCall();
    if (!call) {
      return emitCoded(host, call.error());
    }
    auto place = [&](ArrayAttr attrs, std::vector<launch::HostOperand> &list) {
      for (auto [attr, operand] :
           llvm::zip_equal(attrs.getAsRange<launch::HostOperandAttr>(), list)) {
        std::tie(operand.region, operand.index) = regionOf(attr.getRegion());
        operand.offset = attr.getOffset();
      }
    };
    place(host.getInputs(), call->operands);
    place(host.getOutputs(), call->results);
    return *call;
  }

  std::pair<launch::RegionKind, uint32_t> regionOf(FlatSymbolRefAttr region) {
    StringRef name = region.getValue();
    if (arguments.count(name) > 0) {
      return {launch::RegionKind::Argument, arguments.lookup(name)};
    }
    return {launch::RegionKind::Segment, segments.lookup(name)};
  }

  std::vector<launch::Footprint> footprintsOf(ArrayAttr attrs) {
    std::vector<launch::Footprint> footprints;
    for (Attribute attr : attrs) {
      auto footprint = cast<launch::FootprintAttr>(attr);
      auto [region, index] = regionOf(footprint.getRegion());
      footprints.push_back(
          {region, index, footprint.getLo(), footprint.getHi()});
    }
    return footprints;
  }

  LogicalResult exportSteps() {
    for (Operation &inner : op.getBody().front()) {
      auto step = dyn_cast<launch::StepInterface>(inner);
      if (!step) {
        continue;
      }
      launch::StepView view = step.getView();
      launch::Step exported;
      exported.kind = view.kind;
      exported.role = view.role;
      exported.card = view.card;
      exported.index = view.index;
      exported.name = view.name ? view.name.getValue().str() : "";
      if (view.symbol) {
        StringRef name = view.symbol.getValue();
        exported.index =
            view.kind == launch::StepKind::Compute ? programs.lookup(name)
            : view.kind == launch::StepKind::Fill  ? segments.lookup(name)
                                                   : arguments.lookup(name);
      }
      if (auto host = dyn_cast<launch::HostWorkOp>(inner)) {
        exported.index = static_cast<uint32_t>(plan.hostCalls.size());
        FailureOr<launch::HostCall> call = exportHostCall(host);
        if (failed(call)) {
          return failure();
        }
        plan.hostCalls.push_back(std::move(*call));
      }
      if (view.kind == launch::StepKind::Signal ||
          view.kind == launch::StepKind::Wait) {
        plan.numEvents =
            std::max(plan.numEvents, static_cast<int32_t>(view.index) + 1);
      }
      Expected<launch::StepFootprints> computed =
          launch::stepFootprints(plan, exported, target);
      if (!computed) {
        return emitCoded(&inner, computed.error());
      }
      exported.reads = view.reads ? footprintsOf(view.reads) : computed->reads;
      exported.writes =
          view.writes ? footprintsOf(view.writes) : computed->writes;
      plan.steps.push_back(std::move(exported));
    }
    return success();
  }

  ModuleOp module;
  const target::Target &target;
  launch::WeightStorage storage;
  launch::PlanOp op;
  launch::LaunchPlan plan;
  llvm::StringMap<uint32_t> programs;
  llvm::StringMap<uint32_t> arguments;
  llvm::StringMap<uint32_t> segments;
};

} // namespace

FailureOr<launch::LaunchPlan> exportLaunchPlan(ModuleOp module,
                                               const target::Target &target,
                                               launch::WeightStorage weights) {
  return PlanExporter(module, target, weights).run();
}

} // namespace spyre
