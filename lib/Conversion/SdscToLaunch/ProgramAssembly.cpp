// SPDX-License-Identifier: Apache-2.0
//
// One device program: the buffers that its kernels use, then one phase per
// kernel.

#include "ProgramAssembly.h"

#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Schedule/KernelLowering.h"

using namespace mlir;

namespace spyre {
namespace {

class ProgramAssembler {
public:
  ProgramAssembler(const target::Target &target, launch::Program &program)
      : target(target), program(program) {}

  LogicalResult run(ArrayRef<sdsc::KernelOp> kernels,
                    ArrayRef<DeclaredBuffer> declared, int64_t firstTick) {
    addBuffers(kernels, declared);
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      if (failed(addPhase(kernel, firstTick + static_cast<int64_t>(number)))) {
        return failure();
      }
    }
    return success();
  }

private:
  void addBuffers(ArrayRef<sdsc::KernelOp> kernels,
                  ArrayRef<DeclaredBuffer> declared) {
    DenseSet<Value> used;
    for (sdsc::KernelOp kernel : kernels) {
      for (Value operand : kernel.getAllOperands()) {
        used.insert(operand);
        if (auto view = operand.getDefiningOp<sdsc::ViewOp>()) {
          used.insert(viewedBuffer(view));
        }
      }
    }
    for (const DeclaredBuffer &buffer : declared) {
      if (!used.contains(buffer.value)) {
        continue;
      }
      auto number = static_cast<uint32_t>(program.buffers.size());
      buffers[buffer.value] = number;
      program.buffers.push_back(buffer.buffer);
      if (auto view = buffer.value.getDefiningOp<sdsc::ViewOp>()) {
        program.buffers.back().viewOf =
            static_cast<int32_t>(buffers.lookup(viewedBuffer(view)));
      }
      if (buffer.buffer.binding == launch::Binding::Lx) {
        residents.push_back({number, buffer.firstTick, buffer.lastTick});
      }
    }
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
    program.bodies.push_back(std::move(body));
    return static_cast<uint32_t>(program.bodies.size() - 1);
  }

  /// What a copy without a change of the stick runs.
  uint32_t addIdentityBody(sdsc::KernelOp kernel) {
    launch::Body body;
    body.name = kernel.getName().str();
    body.numInputs = 1;
    body.results = {0};
    program.bodies.push_back(std::move(body));
    return static_cast<uint32_t>(program.bodies.size() - 1);
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
    program.sources.push_back(std::move(source));
    lowered.source = static_cast<uint32_t>(program.sources.size() - 1);

    launch::Phase phase = schedule::lowerKernel(program, lowered);
    for (const Resident &resident : residents) {
      if (resident.first < tick && tick <= resident.last) {
        phase.residents.push_back(resident.buffer);
      }
    }
    program.phases.push_back(std::move(phase));
    return success();
  }

  /// A tensor in LX and the kernels (ticks) that write and last read it.
  struct Resident {
    uint32_t buffer = 0;
    int64_t first = 0;
    int64_t last = 0;
  };

  const target::Target &target;
  launch::Program &program;
  DenseMap<Value, uint32_t> buffers;
  std::vector<Resident> residents;
};

} // namespace

Value viewedBuffer(sdsc::ViewOp view) {
  auto source = view.getSource().getDefiningOp<sdsc::ViewOp>();
  return source ? viewedBuffer(source) : view.getSource();
}

FailureOr<launch::Program> assembleProgram(std::string name,
                                           const target::Target &target,
                                           ArrayRef<sdsc::KernelOp> kernels,
                                           ArrayRef<DeclaredBuffer> declared,
                                           int64_t firstTick) {
  launch::Program program;
  program.name = std::move(name);
  program.numCores = static_cast<int32_t>(target.numCores);
  if (failed(ProgramAssembler(target, program)
                 .run(kernels, declared, firstTick))) {
    return failure();
  }
  return program;
}

} // namespace spyre
