// SPDX-License-Identifier: Apache-2.0
//
// A planned function becomes device programs and the launch plan around them.

#include "spyre/Conversion/Passes.h"

#include "ProgramAssembly.h"
#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Sdsc/Program/Program.h"
#include "spyre/Dialect/Sdsc/Transforms/HostCall.h"
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

/// Type of the elements that the caller passes or gets.
Type seenByHost(func::FuncOp func, unsigned argument) {
  if (auto given =
          func.getArgAttrOfType<TypeAttr>(argument, "spyre.host_type")) {
    return given.getValue();
  }
  auto tensor = func.getArgAttrOfType<TypeAttr>(argument, "sdsc.tensor");
  return cast<RankedTensorType>(tensor.getValue()).getElementType();
}

/// Type of the elements in the weight's file.
Type storedType(sdsc::WeightOp weight) {
  return weight.getHostType().value_or(
      cast<RankedTensorType>(weight.getTensor()).getElementType());
}

/// Host tensors have the types of all arguments and weights.
bool haveHostTypes(func::FuncOp func) {
  bool areAll = true;
  const auto check = [&](Operation *op, const Twine &subject, Type type) {
    if (stick::toHostType(type)) {
      return;
    }
    areAll = false;
    emitCoded(op, ErrorCode::UnsupportedElementType, subject + " has ")
        << "elements of type " << type << ", which no host tensor has";
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    check(func, "argument " + Twine(i), seenByHost(func, i));
  }
  func.walk([&](sdsc::WeightOp weight) {
    check(weight, "weight \"" + weight.getName() + "\"", storedType(weight));
  });
  return areAll;
}

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp func, const AssembledPlan &assembled)
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
    for (const auto &step : assembled.steps) {
      if (const auto *program = std::get_if<launch::Program>(&step)) {
        sdsc::importProgram(builder, loc, *program);
      }
    }
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
          deviceTensor(type), hostType(seenByHost(func, i)),
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
      launch::WeightOp::create(
          builder, weight.getLoc(), builder.getStringAttr(name),
          reference("spyre_weights"), builder.getI64IntegerAttr(offset),
          TypeAttr::get(deviceTensor(type)), weight.getFileAttr(),
          weight.getOffsetAttr(), weight.getLengthAttr(),
          hostType(storedType(weight)), weight.getPermAttr());
    }
  }

  launch::HostTypeAttr hostType(Type type) {
    return launch::HostTypeAttr::get(func.getContext(),
                                     *stick::toHostType(type));
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
    for (const auto &step : assembled.steps) {
      if (const auto *program = std::get_if<launch::Program>(&step)) {
        launch::ComputeOp::create(builder, loc, program->name, StringAttr(),
                                  role, 0, ArrayAttr(), ArrayAttr());
      } else {
        addHostWork(std::get<AssembledHostWork>(step), role);
      }
    }
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (!isInput(i)) {
        launch::D2HOp::create(builder, loc, nameOf(i), StringAttr(), role, 0,
                              ArrayAttr(), ArrayAttr());
      }
    }
  }

  FlatSymbolRefAttr regionOf(const BufferPlace &place) {
    if (place.binding == launch::Binding::Argument) {
      return reference(nameOf(place.index));
    }
    bool isWeight = assembled.weightBytes > 0 && place.index == kWeightSegment;
    return reference(isWeight ? "spyre_weights" : "spyre_scratch");
  }

  ArrayAttr hostOperands(ValueRange buffers, ArrayRef<BufferPlace> places) {
    SmallVector<Attribute> operands;
    for (auto [buffer, place] : llvm::zip_equal(buffers, places)) {
      operands.push_back(launch::HostOperandAttr::get(
          func.getContext(), regionOf(place), place.offset,
          deviceTensor(sdsc::tensorOf(buffer))));
    }
    return builder.getArrayAttr(operands);
  }

  void addHostWork(const AssembledHostWork &work, launch::StepRoleAttr role) {
    sdsc::HostOp op = work.op;
    launch::HostWorkOp::create(
        builder, op.getLoc(), op.getFunction(), op.getParametersAttr(),
        hostOperands(op.getInputs(), work.inputs),
        hostOperands(op.getOutputs(), work.outputs), op.getReason(),
        op.getNameAttr(), role, 0, ArrayAttr(), ArrayAttr());
  }

  void addSymbols() {
    for (const auto &step : assembled.steps) {
      if (const auto *program = std::get_if<launch::Program>(&step)) {
        addSymbols(*program);
      }
    }
  }

  void addSymbols(const launch::Program &program) {
    for (const launch::Buffer &buffer : program.buffers) {
      if (buffer.binding != launch::Binding::Argument) {
        continue;
      }
      auto into = SymbolRefAttr::get(func.getContext(), program.name,
                                     reference(buffer.name));
      launch::SymbolOp::create(
          builder, loc,
          launch::SymbolKindAttr::get(func.getContext(),
                                      launch::SymbolKind::Address),
          nameOf(buffer.bindingIndex), into);
    }
  }

  func::FuncOp func;
  const AssembledPlan &assembled;
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
    if (failed(sdsc::verifyPlanned(func, *machine)) || !haveBuffers(func) ||
        !haveHostTypes(func)) {
      return signalPassFailure();
    }
    FailureOr<AssembledPlan> assembled = assemblePlan(func, *machine);
    if (failed(assembled)) {
      return signalPassFailure();
    }
    PlanBuilder(func, *assembled).build(*machine, model);
    func.erase();
  }
};

} // namespace
} // namespace spyre
