// SPDX-License-Identifier: Apache-2.0
//
// Addresses in the scratchpad: collect buffers with lifetimes, pack, attach.

#include "spyre/Dialect/Sdsc/Transforms/Passes.h"

#include "Lifetimes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre::sdsc {
#define GEN_PASS_DEF_ALLOCATESCRATCHPADPASS
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

namespace {

class AllocateScratchpad
    : public impl::AllocateScratchpadPassBase<AllocateScratchpad> {
  using AllocateScratchpadPassBase::AllocateScratchpadPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<target::Target> machine = loadTargetFor(func, target);
    if (failed(machine)) {
      return signalPassFailure();
    }
    SmallVector<LxBuffer> buffers = lxBuffersOf(func);
    std::vector<solvers::PackingBuffer> packing;
    for (const LxBuffer &buffer : buffers) {
      packing.push_back(buffer.packing);
    }
    Expected<std::vector<int64_t>> offsets =
        solvers::packOffsets(packing, machine->lxPlannerBudgetBytes);
    if (!offsets) {
      emitCoded(func, offsets.error());
      return signalPassFailure();
    }
    Builder builder(&getContext());
    DenseMap<Operation *, SmallVector<int64_t>> addresses;
    for (KernelOp kernel : kernelsOf(func)) {
      addresses[kernel].assign(kernel.getAllOperands().size() + 1, -1);
    }
    for (auto [buffer, offset] : llvm::zip(buffers, *offsets)) {
      if (buffer.alloc) {
        buffer.alloc.setAddressAttr(builder.getI64IntegerAttr(offset));
      } else {
        addresses[buffer.kernel][buffer.slot] = offset;
      }
    }
    for (KernelOp kernel : kernelsOf(func)) {
      kernel.setLxAttr(builder.getDenseI64ArrayAttr(addresses[kernel]));
    }
  }
};

} // namespace
} // namespace spyre::sdsc
