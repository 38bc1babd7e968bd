// SPDX-License-Identifier: Apache-2.0
//
// Places for all buffers first (arguments, weights, scratch with packed
// offsets, tensors that stay in LX), then the steps: a program for each run of
// kernels, and the host work between. Time is a tick per kernel or host work.

#include "ProgramAssembly.h"

#include "spyre/Dialect/Sdsc/Transforms/HostCall.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Dialect/Support/UniqueName.h"
#include "spyre/Solvers/OffsetPacking.h"

#include <algorithm>

using namespace mlir;

namespace spyre {
namespace {

class PlanAssembler {
public:
  PlanAssembler(func::FuncOp func, const target::Target &target)
      : func(func), target(target) {}

  FailureOr<AssembledPlan> run() {
    func.walk([&](Operation *op) {
      if (isa<sdsc::KernelOp, sdsc::HostOp>(op)) {
        ticks[op] = static_cast<int64_t>(steps.size());
        steps.push_back(op);
      }
    });
    declareArguments();
    declareWeights();
    if (failed(declareAllocations())) {
      return failure();
    }
    declareViews();
    if (failed(addSteps())) {
      return failure();
    }
    return std::move(assembled);
  }

private:
  /// Declares the buffer of a value in device memory or LX.
  DeclaredBuffer &declare(Value value, std::string name,
                          launch::BufferRole role, const BufferPlace &place) {
    auto type = cast<MemRefType>(value.getType());
    launch::Buffer buffer;
    buffer.name = std::move(name);
    buffer.space = cast<sdsc::SpaceAttr>(type.getMemorySpace()).getValue();
    buffer.role = role;
    buffer.type = *sdsc::toElementType(type.getElementType());
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
    buffer.binding = place.binding;
    buffer.bindingIndex = place.index;
    buffer.offset = place.offset;
    if (buffer.space == launch::Space::DDR) {
      RankedTensorType tensor = sdsc::tensorOf(value);
      const layout::StickLayout &layout = stick::getLayout(tensor).getLayout();
      int32_t hostDim = layout::stickHostDim(layout);
      buffer.validElements = hostDim < 0 ? 1 : tensor.getDimSize(hostDim);
      for (size_t i = 0; i < layout.dims.size(); ++i) {
        if (layout.dims[i].kind == layout::DimKind::Tile &&
            layout.dims[i].hostDim == hostDim) {
          buffer.validTileDim = static_cast<int32_t>(i);
        }
      }
    }
    numbers[value] = declared.size();
    declared.push_back({value, std::move(buffer)});
    return declared.back();
  }

  /// Names of buffers are unique in the plan.
  std::string uniqueName(StringRef base) {
    return spyre::uniqueName(names, base);
  }

  void declareArguments() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (cast<MemRefType>(func.getArgument(i).getType()).getNumElements() ==
          0) {
        continue; // A tensor without elements: no program touches it.
      }
      auto role = func.getArgAttrOfType<StringAttr>(i, "sdsc.role");
      auto name = func.getArgAttrOfType<StringAttr>(i, "spyre.name");
      declare(func.getArgument(i), uniqueName(name.getValue()),
              role.getValue() == "input" ? launch::BufferRole::Input
                                         : launch::BufferRole::Output,
              {launch::Binding::Argument, i, 0});
    }
  }

  void declareWeights() {
    func.walk([&](sdsc::WeightOp weight) {
      declare(
          weight.getResult(), uniqueName(weight.getName()),
          launch::BufferRole::Weight,
          {launch::Binding::Segment, kWeightSegment, assembled.weightBytes});
      assembled.weights.emplace_back(weight, assembled.weightBytes);
      assembled.weightBytes += sdsc::deviceBytes(weight.getType().getShape());
    });
  }

  /// Ticks of the steps that use a buffer, also under another shape.
  SmallVector<int64_t> ticksUsing(Value buffer) const {
    SmallVector<int64_t> users;
    for (Operation *user : buffer.getUsers()) {
      if (auto view = dyn_cast<sdsc::ViewOp>(user)) {
        llvm::append_range(users, ticksUsing(view.getResult()));
      } else {
        users.push_back(ticks.lookup(user));
      }
    }
    return users;
  }

  LogicalResult declareAllocations() {
    SmallVector<sdsc::AllocOp> inMemory;
    std::vector<solvers::PackingBuffer> packing;
    func.walk([&](sdsc::AllocOp alloc) {
      SmallVector<int64_t> used = ticksUsing(alloc.getResult());
      if (used.empty()) {
        return; // Nobody uses it.
      }
      auto [first, last] = std::minmax_element(used.begin(), used.end());
      if (alloc.getAddress()) {
        DeclaredBuffer &buffer = declare(
            alloc.getResult(), uniqueName("t" + std::to_string(numTensors++)),
            launch::BufferRole::Scratch,
            {launch::Binding::Lx, 0,
             static_cast<int64_t>(*alloc.getAddress())});
        buffer.firstTick = *first;
        buffer.lastTick = *last;
        return;
      }
      inMemory.push_back(alloc);
      packing.push_back(
          {sdsc::deviceBytes(alloc.getType().getShape()), *first, *last + 1});
    });
    Expected<std::vector<int64_t>> offsets =
        solvers::packOffsets(packing, target.segmentBytes);
    if (!offsets) {
      return emitCoded(func, offsets.error());
    }
    uint32_t segment = assembled.weightBytes > 0 ? 1 : 0;
    for (auto [alloc, buffer, offset] :
         llvm::zip(inMemory, packing, *offsets)) {
      declare(alloc.getResult(), uniqueName("t" + std::to_string(numTensors++)),
              launch::BufferRole::Scratch,
              {launch::Binding::Segment, segment, offset});
      assembled.scratchBytes =
          std::max(assembled.scratchBytes, offset + buffer.sizeBytes);
    }
    return success();
  }

  /// A view is a buffer of another shape in the place of its source.
  void declareViews() {
    func.walk([&](sdsc::ViewOp view) {
      auto source = numbers.find(view.getSource());
      if (source == numbers.end()) {
        return; // Nobody uses the tensor.
      }
      const launch::Buffer whole = declared[source->second].buffer;
      declare(view.getResult(), uniqueName(whole.name), whole.role,
              placeOf(view.getSource()));
    });
  }

  BufferPlace placeOf(Value buffer) const {
    const launch::Buffer &place = declared[numbers.at(buffer)].buffer;
    return {place.binding, place.bindingIndex, place.offset};
  }

  LogicalResult addSteps() {
    ArrayRef<Operation *> left = steps;
    while (!left.empty()) {
      if (auto host = dyn_cast<sdsc::HostOp>(left.front())) {
        if (failed(addHostWork(host))) {
          return failure();
        }
        left = left.drop_front();
        continue;
      }
      ArrayRef<Operation *> run =
          left.take_while(llvm::IsaPred<sdsc::KernelOp>);
      FailureOr<launch::Program> program = assembleProgram(
          spyre::uniqueName(programNames, (func.getName() + "_program").str()),
          target,
          llvm::map_to_vector(
              run, [](Operation *op) { return cast<sdsc::KernelOp>(op); }),
          declared, ticks.lookup(run.front()));
      if (failed(program)) {
        return failure();
      }
      assembled.steps.emplace_back(std::move(*program));
      left = left.drop_front(run.size());
    }
    return success();
  }

  LogicalResult addHostWork(sdsc::HostOp host) {
    for (Value operand : host->getOperands()) {
      if (!numbers.contains(operand)) {
        // Only arguments without elements have no buffer.
        return emitCoded(host, ErrorCode::HostCallMismatch,
                         "the host is to work on a tensor without elements");
      }
    }
    AssembledHostWork work;
    work.op = host;
    auto place = [&](Value buffer) { return placeOf(buffer); };
    work.inputs = llvm::map_to_vector<4>(host.getInputs(), place);
    work.outputs = llvm::map_to_vector<4>(host.getOutputs(), place);
    assembled.steps.emplace_back(std::move(work));
    return success();
  }

  func::FuncOp func;
  const target::Target &target;
  AssembledPlan assembled;
  /// Kernels and host work in program order.
  SmallVector<Operation *> steps;
  DenseMap<Operation *, int64_t> ticks;
  std::vector<DeclaredBuffer> declared;
  DenseMap<Value, size_t> numbers;
  llvm::StringSet<> names;
  llvm::StringSet<> programNames;
  int64_t numTensors = 0;
};

} // namespace

FailureOr<AssembledPlan> assemblePlan(func::FuncOp func,
                                      const target::Target &target) {
  return PlanAssembler(func, target).run();
}

} // namespace spyre
