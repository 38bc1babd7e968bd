// SPDX-License-Identifier: Apache-2.0
//
// The contract of the phase plan, checked apart from the passes that made it.

#include "spyre/Dialect/Sdsc/Transforms/Passes.h"

#include "Lifetimes.h"
#include "spyre/Dialect/Sdsc/Transforms/HostCall.h"
#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre::sdsc {
#define GEN_PASS_DEF_VERIFYPLANNEDPASS
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

namespace {

bool isComplete(KernelOp kernel) {
  if (kernel.getDivision() && kernel.getLx()) {
    return true;
  }
  emitCoded(kernel, ErrorCode::NotPlanned,
            "kernel \"" + kernel.getName() + "\" has no " +
                (kernel.getDivision() ? "LX addresses" : "division"));
  return false;
}

bool isComplete(AllocOp alloc) {
  bool inLx = cast<SpaceAttr>(alloc.getType().getMemorySpace()).getValue() ==
              launch::Space::LX;
  if (inLx ? static_cast<bool>(alloc.getAddress())
           : static_cast<bool>(alloc.getReason())) {
    return true;
  }
  emitCoded(alloc, ErrorCode::NotPlanned,
            inLx ? "a tensor in LX has no address"
                 : "a tensor in device memory does not say why it is "
                   "not in LX");
  return false;
}

bool isComplete(func::FuncOp func) {
  bool complete = true;
  for (Operation &op : func.getBody().getOps()) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      complete &= isComplete(kernel);
    } else if (auto alloc = dyn_cast<AllocOp>(op)) {
      complete &= isComplete(alloc);
    } else if (auto host = dyn_cast<HostOp>(op)) {
      complete &= succeeded(readHostCall(host));
    } else if (!isa<WeightOp, ViewOp, func::ReturnOp>(op)) {
      emitCoded(&op, ErrorCode::NotPlanned,
                "'" + op.getName().getStringRef() + "' is not of the plan");
      complete = false;
    }
  }
  return complete;
}

/// A tensor in LX lives in one device program.
bool outlivesNoProgram(func::FuncOp func) {
  bool legal = true;
  DenseMap<Operation *, int64_t> programs = programsOf(func);
  func.walk([&](AllocOp alloc) {
    if (!alloc.getAddress()) {
      return;
    }
    SmallVector<KernelOp> users = writersOf(alloc);
    llvm::append_range(users, readersOf(alloc));
    for (KernelOp user : users) {
      if (programs.lookup(user) != programs.lookup(users.front())) {
        emitCoded(alloc, ErrorCode::NotPlanned,
                  "a tensor in LX is used by \"" + users.front().getName() +
                      "\" and, after host work, by \"" + user.getName() + "\"");
        legal = false;
        return;
      }
    }
  });
  return legal;
}

bool isLegal(func::FuncOp func, const target::Target &machine) {
  bool legal = outlivesNoProgram(func);
  for (KernelOp kernel : kernelsOf(func)) {
    Status status =
        cost::verifyPlan(kernel.getProblem(machine.lxPlannerBudgetBytes),
                         kernel.getPlan(), machine);
    if (!status) {
      emitCoded(kernel, status.error());
      legal = false;
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
  Status status =
      solvers::validatePacking(packing, offsets, machine.lxPlannerBudgetBytes);
  if (!status) {
    emitCoded(func, status.error());
    legal = false;
  }
  return legal;
}

class VerifyPlanned : public impl::VerifyPlannedPassBase<VerifyPlanned> {
  using VerifyPlannedPassBase::VerifyPlannedPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<target::Target> machine = loadTargetFor(func, target);
    if (failed(machine) || failed(verifyPlanned(func, *machine))) {
      signalPassFailure();
    }
  }
};

} // namespace

LogicalResult verifyPlanned(func::FuncOp func, const target::Target &target) {
  return success(isComplete(func) && isLegal(func, target));
}

} // namespace spyre::sdsc
