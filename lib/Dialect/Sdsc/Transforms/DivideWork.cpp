// SPDX-License-Identifier: Apache-2.0
//
// Work division of every kernel: build the planner's problem, solve, attach the
// decision.

#include "spyre/Dialect/Sdsc/Transforms/Passes.h"

#include "Lifetimes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre::sdsc {
#define GEN_PASS_DEF_DIVIDEWORKPASS
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

namespace {

/// Reads one integer array of the `force` dictionary.
template <typename T>
LogicalResult readArray(KernelOp kernel, NamedAttribute entry,
                        std::optional<std::vector<T>> &choice) {
  std::vector<T> values;
  if (auto array = dyn_cast<DenseI64ArrayAttr>(entry.getValue())) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else if (auto narrow = dyn_cast<DenseI32ArrayAttr>(entry.getValue())) {
    values.assign(narrow.asArrayRef().begin(), narrow.asArrayRef().end());
  } else {
    return emitCoded(kernel, ErrorCode::UnknownForcedChoice,
                     "the forced choice '" + entry.getName().getValue() +
                         "' must be an array of integers");
  }
  choice = std::move(values);
  return success();
}

LogicalResult readForced(KernelOp kernel, cost::ForcedChoices &forced) {
  if (!kernel.getForce()) {
    return success();
  }
  DictionaryAttr force = *kernel.getForce();
  for (NamedAttribute entry : force) {
    StringRef name = entry.getName().getValue();
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    LogicalResult result = success();
    if (name == "slices") {
      result = readArray(kernel, entry, forced.slices);
    } else if (name == "tiles") {
      result = readArray(kernel, entry, forced.tiles);
    } else if (name == "loop_order") {
      result = readArray(kernel, entry, forced.loopOrder);
    } else if (name == "core_order") {
      result = readArray(kernel, entry, forced.coreOrder);
    } else if (name == "buffers" && number) {
      forced.buffers = static_cast<int32_t>(number.getInt());
    } else if (name == "max_cores" && number) {
      forced.maxCores = number.getInt();
    } else if (name != "placement" || !isa<SpaceAttr>(entry.getValue())) {
      result = emitCoded(kernel, ErrorCode::UnknownForcedChoice,
                         "the forced choice '" + name +
                             "' is not known or of a wrong type");
    }
    if (failed(result)) {
      return failure();
    }
  }
  return success();
}

/// The division of `kernel` that gives each core the slice of its input
/// `operand` that `writer` leaves there; nullopt if there is none.
std::optional<std::vector<int64_t>>
slicesFollowing(const cost::KernelOperand &written,
                const cost::KernelPlan &writer, const cost::KernelOperand &read,
                size_t numDims) {
  std::vector<int64_t> slices(numDims, 1);
  if (written.coords.size() != read.coords.size()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < read.coords.size(); ++i) {
    int32_t from = written.coords[i].dim;
    int32_t to = read.coords[i].dim;
    if (from >= 0 && to >= 0) {
      slices[to] = writer.slices[from];
    } else if (from >= 0 && writer.slices[from] != 1) {
      return std::nullopt;
    }
  }
  return slices;
}

/// The only kernel that writes what an operand holds; null if there is none or
/// more.
KernelOp onlyWriterOf(Value operand) {
  auto alloc = operand.getDefiningOp<AllocOp>();
  SmallVector<KernelOp> writers;
  if (alloc) {
    writers = writersOf(alloc);
  }
  return writers.size() == 1 ? writers.front() : KernelOp();
}

class DivideWork : public impl::DivideWorkPassBase<DivideWork> {
  using DivideWorkPassBase::DivideWorkPassBase;

  /// Inputs that other kernels of the function write, the largest first.
  static SmallVector<size_t> writtenInputs(KernelOp kernel) {
    SmallVector<size_t> inputs;
    for (auto [index, value] : llvm::enumerate(kernel.getInputs())) {
      KernelOp writer = onlyWriterOf(value);
      if (writer && writer.getDivision()) {
        inputs.push_back(index);
      }
    }
    auto sticksOf = [&](size_t index) {
      return cast<MemRefType>(kernel.getInputs()[index].getType())
          .getNumElements();
    };
    llvm::sort(inputs, [&](size_t a, size_t b) {
      return std::make_pair(-sticksOf(a), a) < std::make_pair(-sticksOf(b), b);
    });
    return inputs;
  }

  /// The best plan with the division of a kernel that wrote an input; nothing
  /// if there is none.
  std::optional<cost::SearchResult>
  followProducer(KernelOp kernel, const cost::KernelProblem &problem,
                 const target::Target &target) {
    if (problem.forced.slices || problem.kind == cost::KernelKind::Contract) {
      return std::nullopt;
    }
    for (size_t index : writtenInputs(kernel)) {
      KernelOp writer = onlyWriterOf(kernel.getInputs()[index]);
      cost::KernelProblem writerProblem = writer.getProblem(0);
      cost::KernelProblem followed = problem;
      followed.forced.slices =
          slicesFollowing(writerProblem.operands.back(), writer.getPlan(),
                          problem.operands[index], problem.dims.size());
      if (!followed.forced.slices) {
        continue;
      }
      // Slices of a reduced dim would split the sum.
      for (size_t dim = 0; dim < problem.dims.size(); ++dim) {
        if (!problem.dims[dim].splittable) {
          (*followed.forced.slices)[dim] = 1;
        }
      }
      Expected<cost::SearchResult> result = cost::searchPlan(followed, target);
      if (result) {
        return *result;
      }
    }
    return std::nullopt;
  }

  LogicalResult divide(KernelOp kernel, const target::Target &target) {
    cost::KernelProblem problem =
        kernel.getProblem(target.lxPlannerBudgetBytes);
    if (maxCores > 0) {
      problem.forced.maxCores = maxCores;
    }
    if (buffers > 0) {
      problem.forced.buffers = static_cast<int32_t>(buffers);
    }
    if (failed(readForced(kernel, problem.forced))) {
      return failure();
    }
    Expected<cost::SearchResult> best = cost::searchPlan(problem, target);
    if (!best) {
      return emitCoded(kernel, best.error());
    }
    cost::KernelPlan plan = best->plan;
    if (std::optional<cost::SearchResult> followed =
            followProducer(kernel, problem, target)) {
      // A tenth more time here saves a round trip of the tensor.
      if (followed->cost.totalNs <= 1.1 * best->cost.totalNs) {
        plan = followed->plan;
      }
    }
    kernel.setDivisionAttr(KernelOp::toAttr(&getContext(), plan));
    return success();
  }

  void runOnOperation() override {
    FailureOr<target::Target> machine = loadTargetFor(getOperation(), target);
    if (failed(machine)) {
      return signalPassFailure();
    }
    // Every kernel is tried, so that all that do not fit are reported.
    bool anyFailed = false;
    for (KernelOp kernel : kernelsOf(getOperation())) {
      anyFailed |= failed(divide(kernel, *machine));
    }
    if (anyFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre::sdsc
