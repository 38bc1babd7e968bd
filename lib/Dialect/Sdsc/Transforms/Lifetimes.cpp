// SPDX-License-Identifier: Apache-2.0

#include "Lifetimes.h"

#include "spyre/Dialect/Support/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace spyre::sdsc {

FailureOr<target::Target> loadTargetFor(Operation *op, StringRef name) {
  Expected<target::Target> target = target::loadTarget(name.str());
  if (!target) {
    return emitCoded(op, target.error());
  }
  return *target;
}

SmallVector<KernelOp> kernelsOf(func::FuncOp func) {
  SmallVector<KernelOp> kernels;
  func.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

SmallVector<KernelOp> writersOf(AllocOp alloc) {
  SmallVector<KernelOp> writers;
  for (Operation *user : alloc->getUsers()) {
    auto kernel = dyn_cast<KernelOp>(user);
    if (kernel && llvm::is_contained(kernel.getOutputs(), alloc.getResult())) {
      writers.push_back(kernel);
    }
  }
  return writers;
}

SmallVector<KernelOp> readersOf(AllocOp alloc) {
  SmallVector<KernelOp> readers;
  for (Operation *user : alloc->getUsers()) {
    auto kernel = dyn_cast<KernelOp>(user);
    if (kernel && !llvm::is_contained(kernel.getOutputs(), alloc.getResult()) &&
        !llvm::is_contained(readers, kernel)) {
      readers.push_back(kernel);
    }
  }
  return readers;
}

DenseMap<Operation *, int64_t> programsOf(func::FuncOp func) {
  DenseMap<Operation *, int64_t> programs;
  int64_t program = 0;
  func.walk([&](Operation *op) {
    if (isa<KernelOp>(op)) {
      programs[op] = program;
    }
    program += isa<HostOp>(op) ? 1 : 0;
  });
  return programs;
}

HostOp hostWorkOn(AllocOp alloc) {
  for (Operation *user : alloc->getUsers()) {
    if (auto host = dyn_cast<HostOp>(user)) {
      return host;
    }
  }
  return HostOp();
}

SmallVector<int64_t> sliceShape(const cost::KernelProblem &problem,
                                const cost::KernelPlan &plan,
                                const cost::KernelOperand &operand) {
  SmallVector<int64_t> shape;
  for (const cost::OperandCoord &coord : operand.coords) {
    if (coord.kind == layout::DimKind::Stick) {
      shape.push_back(coord.factor);
    } else if (coord.dim < 0) {
      shape.push_back(1);
    } else {
      int64_t size =
          cost::maxSliceSize(problem.dims[coord.dim], plan.slices[coord.dim]);
      shape.push_back(llvm::divideCeil(size, coord.factor));
    }
  }
  shape.back() = elementsPerStick(operand.type);
  return shape;
}

SmallVector<LxBuffer> lxBuffersOf(func::FuncOp func) {
  SmallVector<LxBuffer> buffers;
  llvm::MapVector<Operation *, LxBuffer> tensors;
  for (auto [tick, kernel] : llvm::enumerate(kernelsOf(func))) {
    cost::KernelProblem problem = kernel.getProblem(0);
    cost::KernelPlan plan = kernel.getPlan();
    auto lower = static_cast<int64_t>(tick);
    auto add = [&](size_t slot, const cost::KernelOperand &operand,
                   int64_t copies) {
      LxBuffer buffer;
      buffer.kernel = kernel;
      buffer.slot = slot;
      buffer.packing.sizeBytes =
          copies *
          deviceBytes(llvm::to_vector(cost::tileShape(problem, plan, operand)));
      buffer.packing.lower = lower;
      buffer.packing.upper = lower + 1;
      buffers.push_back(buffer);
    };
    for (auto [index, value] : llvm::enumerate(kernel.getAllOperands())) {
      const cost::KernelOperand &operand = problem.operands[index];
      if (!operand.resident) {
        add(index, operand, plan.buffers);
        continue;
      }
      Operation *alloc = value.getDefiningOp();
      LxBuffer &tensor = tensors[alloc];
      if (!tensor.alloc) {
        tensor.alloc = cast<AllocOp>(alloc);
        tensor.packing.sizeBytes =
            deviceBytes(cast<MemRefType>(value.getType()).getShape());
        tensor.packing.lower = lower;
      }
      tensor.packing.upper = lower + 1;
    }
    if (problem.kind == cost::KernelKind::Reduce ||
        problem.kind == cost::KernelKind::Contract) {
      add(problem.operands.size(), cost::accumulatorOperand(problem),
          cost::accumulatorBuffers(problem, plan));
    }
  }
  for (auto &entry : tensors) {
    buffers.push_back(entry.second);
  }
  return buffers;
}

} // namespace spyre::sdsc
