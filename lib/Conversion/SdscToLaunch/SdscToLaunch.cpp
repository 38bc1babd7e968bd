// SPDX-License-Identifier: Apache-2.0
//
// A planned function becomes a device program and the launch plan around it.

#include "spyre/Conversion/Passes.h"

#include "ProgramAssembly.h"
#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Sdsc/Program/Program.h"
#include "spyre/Dialect/Sdsc/Transforms/Passes.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Dialect/Support/UniqueName.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_CONVERTSDSCTOLAUNCHPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

/// The tensor type with the device's element type.
RankedTensorType deviceTensor(RankedTensorType type) {
  Type element = sdsc::toMlirType(*sdsc::toElementType(type.getElementType()),
                                  type.getContext());
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

/// Every argument is a buffer whose tensor and role are known.
bool haveBuffers(func::FuncOp func) {
  bool isComplete = true;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    unsigned i = static_cast<unsigned>(index);
    auto tensor = func.getArgAttrOfType<TypeAttr>(i, "sdsc.tensor");
    bool isBuffer = isa<MemRefType>(type) && tensor &&
                    isa<RankedTensorType>(tensor.getValue()) &&
                    func.getArgAttrOfType<StringAttr>(i, "sdsc.role") &&
                    func.getArgAttrOfType<StringAttr>(i, "spyre.name");
    if (!isBuffer) {
      emitCoded(func, ErrorCode::NotPlanned,
                "argument " + Twine(i) +
                    " is not a buffer with sdsc.tensor, sdsc.role and "
                    "spyre.name");
      isComplete = false;
    }
  }
  return isComplete;
}

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp func, const AssembledProgram &assembled)
      : func(func), assembled(assembled), builder(func.getContext()),
        loc(func.getLoc()) {}

  void build(const target::Target &target, StringRef model) {
    builder.setInsertionPointAfter(func);
    auto plan = launch::PlanOp::create(
        builder, loc, (func.getName() + "_plan").str(), target.name,
        static_cast<int64_t>(target.hash),
        builder.getStringAttr(model.empty() ? func.getName() : model),
        builder.getStringAttr("spyre-compile"), 1);
    builder.setInsertionPointToStart(&plan.getBody().emplaceBlock());
    addArguments();
    addSegments();
    program = sdsc::importProgram(builder, loc, assembled.program);
    addSteps();
    addSymbols();
  }

private:
  FlatSymbolRefAttr reference(StringRef name) {
    return FlatSymbolRefAttr::get(func.getContext(), name);
  }

  StringRef nameOf(unsigned argument) {
    return func.getArgAttrOfType<StringAttr>(argument, "spyre.name").getValue();
  }

  /// Type of the elements that the caller passes or gets.
  Type seenByHost(unsigned argument, RankedTensorType type) {
    auto given = func.getArgAttrOfType<TypeAttr>(argument, "spyre.host_type");
    return given ? given.getValue() : type.getElementType();
  }

  bool isInput(unsigned argument) {
    return func.getArgAttrOfType<StringAttr>(argument, "sdsc.role") == "input";
  }

  void addArguments() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto type = cast<RankedTensorType>(
          func.getArgAttrOfType<TypeAttr>(i, "sdsc.tensor").getValue());
      auto bound = func.getArgAttrOfType<IntegerAttr>(i, "spyre.index_bound");
      launch::ArgumentOp::create(
          builder, loc, nameOf(i),
          launch::ArgumentRoleAttr::get(
              func.getContext(), isInput(i) ? launch::ArgumentRole::Input
                                            : launch::ArgumentRole::Output),
          deviceTensor(type), hostType(seenByHost(i, type)),
          bound ? bound.getInt() : 0, FlatSymbolRefAttr());
    }
  }

  void addSegments() {
    if (assembled.weightBytes > 0) {
      launch::SegmentOp::create(builder, loc, "spyre_weights",
                                segmentKind(launch::SegmentKind::Weights),
                                assembled.weightBytes);
    }
    if (assembled.scratchBytes > 0) {
      launch::SegmentOp::create(builder, loc, "spyre_scratch",
                                segmentKind(launch::SegmentKind::Scratch),
                                assembled.scratchBytes);
    }
    // One weight in two layouts is two images.
    llvm::StringSet<> names;
    for (auto [weight, offset] : assembled.weights) {
      std::string name = uniqueName(names, weight.getName());
      auto type = cast<RankedTensorType>(weight.getTensor());
      Type stored =
          weight.getHostType() ? *weight.getHostType() : type.getElementType();
      launch::WeightOp::create(
          builder, weight.getLoc(), builder.getStringAttr(name),
          reference("spyre_weights"), builder.getI64IntegerAttr(offset),
          TypeAttr::get(deviceTensor(type)), weight.getFileAttr(),
          weight.getOffsetAttr(), weight.getLengthAttr(), hostType(stored),
          weight.getPermAttr());
    }
  }

  launch::HostTypeAttr hostType(Type type) {
    return launch::HostTypeAttr::get(func.getContext(),
                                     launch::toHostType(type));
  }

  launch::SegmentKindAttr segmentKind(launch::SegmentKind kind) {
    return launch::SegmentKindAttr::get(func.getContext(), kind);
  }

  void addSteps() {
    auto role =
        launch::StepRoleAttr::get(func.getContext(), launch::StepRole::Device);
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (isInput(i)) {
        launch::H2DOp::create(builder, loc, nameOf(i), StringAttr(), role, 0,
                              ArrayAttr(), ArrayAttr());
      }
    }
    launch::ComputeOp::create(builder, loc, program.getSymName(), StringAttr(),
                              role, 0, ArrayAttr(), ArrayAttr());
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (!isInput(i)) {
        launch::D2HOp::create(builder, loc, nameOf(i), StringAttr(), role, 0,
                              ArrayAttr(), ArrayAttr());
      }
    }
  }

  void addSymbols() {
    for (const launch::Buffer &buffer : assembled.program.buffers) {
      if (buffer.binding != launch::Binding::Argument) {
        continue;
      }
      auto into = SymbolRefAttr::get(func.getContext(), program.getSymName(),
                                     reference(buffer.name));
      launch::SymbolOp::create(
          builder, loc,
          launch::SymbolKindAttr::get(func.getContext(),
                                      launch::SymbolKind::Address),
          nameOf(buffer.bindingIndex), into);
    }
  }

  func::FuncOp func;
  const AssembledProgram &assembled;
  sdsc::ProgramOp program;
  OpBuilder builder;
  Location loc;
};

class ConvertSdscToLaunch
    : public impl::ConvertSdscToLaunchPassBase<ConvertSdscToLaunch> {
  using ConvertSdscToLaunchPassBase::ConvertSdscToLaunchPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto funcs = llvm::to_vector(module.getOps<func::FuncOp>());
    if (funcs.size() != 1) {
      emitCoded(module, ErrorCode::OneFunction,
                "the module has " + Twine(funcs.size()) + " functions");
      return signalPassFailure();
    }
    func::FuncOp func = funcs.front();
    Expected<target::Target> machine = target::loadTarget(target);
    if (!machine) {
      emitCoded(func, machine.error());
      return signalPassFailure();
    }
    if (failed(sdsc::verifyPlanned(func, *machine)) || !haveBuffers(func)) {
      return signalPassFailure();
    }
    FailureOr<AssembledProgram> assembled = assembleProgram(func, *machine);
    if (failed(assembled)) {
      return signalPassFailure();
    }
    PlanBuilder(func, *assembled).build(*machine, model);
    func.erase();
  }
};

} // namespace
} // namespace spyre
