// SPDX-License-Identifier: Apache-2.0
//
// Buffers first (arguments, weights, scratch with packed addresses, tensors
// that stay in LX), then one phase per kernel.

#include "ProgramAssembly.h"

#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Dialect/Support/UniqueName.h"
#include "spyre/Schedule/KernelLowering.h"
#include "spyre/Solvers/OffsetPacking.h"

#include <algorithm>

using namespace mlir;

namespace spyre {
namespace {

class ProgramAssembler {
public:
  ProgramAssembler(func::FuncOp func, const target::Target &target)
      : func(func), target(target) {}

  FailureOr<AssembledProgram> run() {
    program().name = func.getName().str() + "_program";
    program().numCores = static_cast<int32_t>(target.numCores);
    func.walk([&](sdsc::KernelOp kernel) { kernels.push_back(kernel); });
    addArguments();
    addWeights();
    if (failed(addAllocations())) {
      return failure();
    }
    addViews();
    for (auto [tick, kernel] : llvm::enumerate(kernels)) {
      if (failed(addPhase(kernel, static_cast<int64_t>(tick)))) {
        return failure();
      }
    }
    return std::move(assembled);
  }

private:
  launch::Program &program() { return assembled.program; }

  /// Adds the buffer of a value in device memory or LX.
  uint32_t addBuffer(Value value, std::string name, RankedTensorType tensor,
                     launch::BufferRole role, launch::Binding binding,
                     uint32_t index, int64_t offset) {
    auto type = cast<MemRefType>(value.getType());
    launch::Buffer buffer;
    buffer.name = std::move(name);
    buffer.space = cast<sdsc::SpaceAttr>(type.getMemorySpace()).getValue();
    buffer.role = role;
    buffer.type = *sdsc::toElementType(type.getElementType());
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
    buffer.binding = binding;
    buffer.bindingIndex = index;
    buffer.offset = offset;
    if (buffer.space == launch::Space::DDR) {
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
    program().buffers.push_back(std::move(buffer));
    auto number = static_cast<uint32_t>(program().buffers.size() - 1);
    buffers[value] = number;
    return number;
  }

  static RankedTensorType tensorOf(TypeAttr attr) {
    return cast<RankedTensorType>(attr.getValue());
  }

  /// Names of buffers are unique in the program.
  std::string uniqueName(StringRef base) {
    return spyre::uniqueName(names, base);
  }

  void addArguments() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (cast<MemRefType>(func.getArgument(i).getType()).getNumElements() ==
          0) {
        continue; // A tensor without elements: no program touches it.
      }
      auto role = func.getArgAttrOfType<StringAttr>(i, "sdsc.role");
      auto name = func.getArgAttrOfType<StringAttr>(i, "spyre.name");
      addBuffer(func.getArgument(i), uniqueName(name.getValue()),
                tensorOf(func.getArgAttrOfType<TypeAttr>(i, "sdsc.tensor")),
                role.getValue() == "input" ? launch::BufferRole::Input
                                           : launch::BufferRole::Output,
                launch::Binding::Argument, i, 0);
    }
  }

  void addWeights() {
    func.walk([&](sdsc::WeightOp weight) {
      addBuffer(weight.getResult(), uniqueName(weight.getName()),
                tensorOf(weight.getTensorAttr()), launch::BufferRole::Weight,
                launch::Binding::Segment, kWeightSegment,
                assembled.weightBytes);
      assembled.weights.emplace_back(weight, assembled.weightBytes);
      assembled.weightBytes += sdsc::deviceBytes(weight.getType().getShape());
    });
  }

  int64_t tickOf(sdsc::KernelOp kernel) const {
    return static_cast<int64_t>(llvm::find(kernels, kernel) - kernels.begin());
  }

  /// Kernels that use a buffer, also under another shape.
  static SmallVector<sdsc::KernelOp> kernelsUsing(Value buffer) {
    SmallVector<sdsc::KernelOp> users;
    for (Operation *user : buffer.getUsers()) {
      if (auto view = dyn_cast<sdsc::ViewOp>(user)) {
        llvm::append_range(users, kernelsUsing(view.getResult()));
      } else {
        users.push_back(cast<sdsc::KernelOp>(user));
      }
    }
    return users;
  }

  LogicalResult addAllocations() {
    SmallVector<sdsc::AllocOp> inMemory;
    std::vector<solvers::PackingBuffer> packing;
    func.walk([&](sdsc::AllocOp alloc) {
      int64_t first = static_cast<int64_t>(kernels.size());
      int64_t last = -1;
      for (sdsc::KernelOp user : kernelsUsing(alloc.getResult())) {
        int64_t tick = tickOf(user);
        first = std::min(first, tick);
        last = std::max(last, tick);
      }
      if (last < 0) {
        return; // Nobody uses it.
      }
      std::string name = uniqueName("t" + std::to_string(numTensors++));
      if (alloc.getAddress()) {
        uint32_t buffer =
            addBuffer(alloc.getResult(), name, tensorOf(alloc.getTensorAttr()),
                      launch::BufferRole::Scratch, launch::Binding::Lx, 0,
                      static_cast<int64_t>(*alloc.getAddress()));
        residents.push_back({buffer, first, last});
        return;
      }
      inMemory.push_back(alloc);
      packing.push_back(
          {sdsc::deviceBytes(alloc.getType().getShape()), first, last + 1});
    });
    Expected<std::vector<int64_t>> offsets =
        solvers::packOffsets(packing, target.segmentBytes);
    if (!offsets) {
      return emitCoded(func, offsets.error());
    }
    uint32_t segment = assembled.weightBytes > 0 ? 1 : 0;
    for (auto [alloc, buffer, offset] :
         llvm::zip(inMemory, packing, *offsets)) {
      addBuffer(alloc.getResult(),
                uniqueName("t" + std::to_string(numTensors++)),
                tensorOf(alloc.getTensorAttr()), launch::BufferRole::Scratch,
                launch::Binding::Segment, segment, offset);
      assembled.scratchBytes =
          std::max(assembled.scratchBytes, offset + buffer.sizeBytes);
    }
    return success();
  }

  /// A view is a buffer of another shape in the place of its source.
  void addViews() {
    func.walk([&](sdsc::ViewOp view) {
      auto source = buffers.find(view.getSource());
      if (source == buffers.end()) {
        return; // Nobody uses the tensor.
      }
      const launch::Buffer whole = program().buffers[source->second];
      uint32_t viewed = whole.viewOf < 0 ? source->second
                                         : static_cast<uint32_t>(whole.viewOf);
      uint32_t buffer =
          addBuffer(view.getResult(), uniqueName(whole.name),
                    tensorOf(view.getTensorAttr()), whole.role, whole.binding,
                    whole.bindingIndex, whole.offset);
      program().buffers[buffer].viewOf = static_cast<int32_t>(viewed);
    });
  }

  /// A position names its iteration dim until the kernel is lowered.
  static std::optional<launch::BodyOp> convertPosition(Operation *op) {
    auto position = dyn_cast<sdsc::PositionOp>(op);
    if (!position) {
      return std::nullopt;
    }
    launch::BodyOp index;
    index.opcode = launch::BodyOpcode::Index;
    index.immediate = static_cast<int64_t>(position.getDim());
    return index;
  }

  FailureOr<uint32_t> addBody(sdsc::KernelOp kernel, Region &region,
                              StringRef suffix) {
    launch::Body body;
    body.name = (kernel.getName() + suffix).str();
    sdsc::BodyBuilder builder(body, convertPosition);
    Block &block = region.front();
    for (BlockArgument arg : block.getArguments()) {
      builder.addInput(arg);
    }
    Operation *yield = block.getTerminator();
    if (failed(builder.convertBlock(block)) ||
        failed(builder.finish(yield->getOperands(), yield))) {
      return failure();
    }
    program().bodies.push_back(std::move(body));
    return static_cast<uint32_t>(program().bodies.size() - 1);
  }

  /// What a copy without a change of the stick runs.
  uint32_t addIdentityBody(sdsc::KernelOp kernel) {
    launch::Body body;
    body.name = kernel.getName().str();
    body.numInputs = 1;
    body.results = {0};
    program().bodies.push_back(std::move(body));
    return static_cast<uint32_t>(program().bodies.size() - 1);
  }

  LogicalResult addBodies(sdsc::KernelOp kernel,
                          schedule::KernelToLower &lowered) {
    if (kernel.getKind() == cost::KernelKind::Gather) {
      lowered.body = addIdentityBody(kernel);
      return success();
    }
    if (kernel.getKind() == cost::KernelKind::Restickify) {
      const std::vector<cost::KernelOperand> &ends = lowered.problem.operands;
      if (ends[0].coords.back().dim == ends[1].coords.back().dim) {
        lowered.body = addIdentityBody(kernel);
      }
      return success();
    }
    if (!kernel.getBody().empty()) {
      FailureOr<uint32_t> body = addBody(kernel, kernel.getBody(), "");
      if (failed(body)) {
        return failure();
      }
      lowered.body = *body;
    }
    if (!kernel.getEpilogue().empty()) {
      FailureOr<uint32_t> body =
          addBody(kernel, kernel.getEpilogue(), "_epilogue");
      if (failed(body)) {
        return failure();
      }
      lowered.epilogue = *body;
    }
    return success();
  }

  LogicalResult addPhase(sdsc::KernelOp kernel, int64_t tick) {
    schedule::KernelToLower lowered;
    lowered.problem = kernel.getProblem(target.lxPlannerBudgetBytes);
    lowered.plan = kernel.getPlan();
    for (Value operand : kernel.getAllOperands()) {
      lowered.operandBuffers.push_back(buffers.lookup(operand));
    }
    lowered.lxAddresses.assign(kernel.getLx()->begin(), kernel.getLx()->end());
    if (failed(addBodies(kernel, lowered))) {
      return failure();
    }
    if (kernel.getCombine()) {
      lowered.combine = *kernel.getCombine();
    }
    launch::SourceInfo source;
    source.kernel = kernel.getName().str();
    source.nodes = nodeNames(kernel.getLoc());
    program().sources.push_back(std::move(source));
    lowered.source = static_cast<uint32_t>(program().sources.size() - 1);

    launch::Phase phase = schedule::lowerKernel(program(), lowered);
    for (const Resident &resident : residents) {
      if (resident.first < tick && tick <= resident.last) {
        phase.residents.push_back(resident.buffer);
      }
    }
    program().phases.push_back(std::move(phase));
    return success();
  }

  /// A tensor in LX and the kernels (ticks) that write and last read it.
  struct Resident {
    uint32_t buffer = 0;
    int64_t first = 0;
    int64_t last = 0;
  };

  func::FuncOp func;
  const target::Target &target;
  AssembledProgram assembled;
  SmallVector<sdsc::KernelOp> kernels;
  DenseMap<Value, uint32_t> buffers;
  std::vector<Resident> residents;
  llvm::StringSet<> names;
  int64_t numTensors = 0;
};

} // namespace

FailureOr<AssembledProgram> assembleProgram(func::FuncOp func,
                                            const target::Target &target) {
  return ProgramAssembler(func, target).run();
}

} // namespace spyre
