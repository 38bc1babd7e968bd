// SPDX-License-Identifier: Apache-2.0
//
// The contract of the phase plan, checked apart from the passes that made it.

#include "spyre/Dialect/Sdsc/Transforms/Passes.h"

#include "Lifetimes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre::sdsc {
#define GEN_PASS_DEF_VERIFYPLANNEDPASS
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

namespace {

class VerifyPlanned : public impl::VerifyPlannedPassBase<VerifyPlanned> {
  using VerifyPlannedPassBase::VerifyPlannedPassBase;

  bool complete(func::FuncOp func) {
    bool isComplete = true;
    func.walk([&](Operation *op) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        if (!kernel.getDivision() || !kernel.getLx()) {
          emitCoded(op, ErrorCode::NotPlanned,
                    "kernel \"" + kernel.getName() + "\" has no " +
                        (kernel.getDivision() ? "LX addresses" : "division"));
          isComplete = false;
        }
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        bool inLx =
            cast<SpaceAttr>(alloc.getType().getMemorySpace()).getValue() ==
            launch::Space::LX;
        if (inLx ? !alloc.getAddress() : !alloc.getReason()) {
          emitCoded(op, ErrorCode::NotPlanned,
                    inLx ? "a tensor in LX has no address"
                         : "a tensor in device memory does not say why it is "
                           "not in LX");
          isComplete = false;
        }
      }
    });
    return isComplete;
  }

  bool legal(func::FuncOp func, const target::Target &machine) {
    bool isLegal = true;
    for (KernelOp kernel : kernelsOf(func)) {
      Status status =
          cost::verifyPlan(kernel.getProblem(machine.lxPlannerBudgetBytes),
                           kernel.getPlan(), machine);
      if (!status) {
        emitCoded(kernel, status.error());
        isLegal = false;
      }
    }
    std::vector<solvers::PackingBuffer> packing;
    std::vector<int64_t> offsets;
    for (LxBuffer &buffer : lxBuffersOf(func)) {
      packing.push_back(buffer.packing);
      offsets.push_back(buffer.alloc
                            ? static_cast<int64_t>(*buffer.alloc.getAddress())
                            : (*buffer.kernel.getLx())[buffer.slot]);
    }
    Status status = solvers::validatePacking(packing, offsets,
                                             machine.lxPlannerBudgetBytes);
    if (!status) {
      emitCoded(func, status.error());
      isLegal = false;
    }
    return isLegal;
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<target::Target> machine = loadTargetFor(func, target);
    if (failed(machine) || !complete(func) || !legal(func, *machine)) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre::sdsc
