// SPDX-License-Identifier: Apache-2.0
//
// Residency: which intermediate tensors stay in the scratchpads. A tensor may
// stay if the core that reads a slice is the core that wrote it; the rest is a
// matter of space. Whatever cannot stay says why.

#include "spyre/Dialect/Sdsc/Transforms/Passes.h"

#include "Lifetimes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;

namespace spyre::sdsc {
#define GEN_PASS_DEF_PLACETENSORSPASS
#include "spyre/Dialect/Sdsc/Transforms/Passes.h.inc"

namespace {

/// One kernel's view of a tensor.
struct View {
  KernelOp kernel;
  cost::KernelProblem problem;
  cost::KernelPlan plan;
  size_t operand = 0;

  /// Whether the kernel walks the whole tensor, without windows.
  bool isWhole() const {
    if (problem.kind == cost::KernelKind::Gather && operand < 2) {
      return false; // The load unit reads table and index in device memory.
    }
    return llvm::all_of(
        problem.operands[operand].coords, [&](const cost::OperandCoord &coord) {
          if (coord.dim < 0 || coord.kind == layout::DimKind::Stick) {
            return true;
          }
          int64_t factor =
              coord.kind == layout::DimKind::Tile ? coord.factor : 1;
          return coord.isWhole() &&
                 coord.extent == llvm::divideCeilSigned(
                                     problem.dims[coord.dim].extent, factor);
        });
  }

  /// Elements [start, end) of a coordinate's dim that a core has; nullopt for
  /// an idle core.
  std::optional<std::pair<int64_t, int64_t>> range(size_t coord,
                                                   int64_t core) const {
    std::optional<std::vector<int64_t>> slices = cost::slicesOfCore(plan, core);
    if (!slices) {
      return std::nullopt;
    }
    int32_t dim = problem.operands[operand].coords[coord].dim;
    if (dim < 0) {
      return std::pair<int64_t, int64_t>(0, 1);
    }
    const cost::KernelDim &kernelDim = problem.dims[dim];
    int64_t start =
        cost::sliceStart(kernelDim, plan.slices[dim], (*slices)[dim]);
    return std::pair<int64_t, int64_t>(
        start,
        start + cost::sliceSize(kernelDim, plan.slices[dim], (*slices)[dim]));
  }
};

View viewOf(KernelOp kernel, Value buffer) {
  View view{kernel, kernel.getProblem(0), kernel.getPlan(), 0};
  SmallVector<Value> operands = kernel.getAllOperands();
  view.operand =
      static_cast<size_t>(llvm::find(operands, buffer) - operands.begin());
  return view;
}

/// True if every core that works in `reader` reads the slice that it wrote.
bool sameOwners(const View &writer, const View &reader, int64_t numCores) {
  size_t numCoords = writer.problem.operands[writer.operand].coords.size();
  for (int64_t core = 0; core < numCores; ++core) {
    for (size_t coord = 0; coord < numCoords; ++coord) {
      auto read = reader.range(coord, core);
      if (read && read != writer.range(coord, core)) {
        return false;
      }
    }
  }
  return true;
}

/// Slices of the device dims of the tensor, outermost first.
std::string slicesText(const View &view) {
  llvm::SmallSetVector<int32_t, 8> dims;
  for (const cost::OperandCoord &coord :
       view.problem.operands[view.operand].coords) {
    if (coord.dim >= 0) {
      dims.insert(coord.dim);
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      dims, stream,
      [&](int32_t dim) {
        stream << view.plan.slices[static_cast<size_t>(dim)];
      },
      "x");
  return text;
}

/// The space that the kernel's `force` dictionary gives its result; nullopt if
/// it leaves the choice to the pass.
std::optional<launch::Space> forcedPlacement(KernelOp kernel) {
  if (!kernel.getForce()) {
    return std::nullopt;
  }
  auto space = kernel.getForce()->getAs<SpaceAttr>("placement");
  return space ? std::optional(space.getValue()) : std::nullopt;
}

/// The first placement that a kernel which writes the tensor asks for.
std::optional<launch::Space> forcedPlacement(ArrayRef<KernelOp> writers) {
  for (KernelOp writer : writers) {
    if (std::optional<launch::Space> forced = forcedPlacement(writer)) {
      return forced;
    }
  }
  return std::nullopt;
}

struct TensorCandidate {
  AllocOp alloc;
  bool forced = false;
  int64_t sliceBytes = 0;
  int64_t savedBytes = 0;
  int64_t lifetime = 1;
  /// Position in the program: breaks ties.
  size_t position = 0;
  MemRefType lxType;
};

class PlaceTensors : public impl::PlaceTensorsPassBase<PlaceTensors> {
  using PlaceTensorsPassBase::PlaceTensorsPassBase;

  /// The candidate, or the reason why the tensor must stay in device memory.
  std::optional<TensorCandidate> examine(AllocOp alloc, int64_t numCores,
                                         std::string &reason) {
    SmallVector<KernelOp> writers = writersOf(alloc);
    SmallVector<KernelOp> readers = readersOf(alloc);
    std::optional<launch::Space> forced = forcedPlacement(writers);
    if (forced == launch::Space::DDR) {
      reason = "forced to device memory";
      return std::nullopt;
    }
    if (!residency && !forced) {
      reason = "residency is switched off";
      return std::nullopt;
    }
    if (HostOp host = hostWorkOn(alloc)) {
      reason =
          ("the host reads or writes it in \"" + host.getName() + "\"").str();
      return std::nullopt;
    }
    if (writers.empty() || readers.empty()) {
      reason = "no kernel reads it from LX";
      return std::nullopt;
    }
    if (writers.size() > 1) {
      reason =
          "written in parts by " + std::to_string(writers.size()) + " kernels";
      return std::nullopt;
    }
    KernelOp writer = writers.front();
    if (llvm::any_of(alloc->getUsers(),
                     [](Operation *user) { return isa<ViewOp>(user); })) {
      reason = "read under another shape";
      return std::nullopt;
    }
    View written = viewOf(writer, alloc.getResult());
    for (KernelOp reader : readers) {
      if (programs.lookup(reader) != programs.lookup(writer)) {
        reason = "host work runs between \"" + writer.getName().str() +
                 "\" and \"" + reader.getName().str() + "\"";
        return std::nullopt;
      }
      View read = viewOf(reader, alloc.getResult());
      if (!written.isWhole() || !read.isWhole()) {
        reason = "written or read in part by \"" +
                 (written.isWhole() ? reader : writer).getName().str() + "\"";
        return std::nullopt;
      }
      if (!sameOwners(written, read, numCores)) {
        const std::string slices = slicesText(written);
        const std::string wanted = slicesText(read);
        reason =
            llvm::formatv("written under a different split: \"{0}\" has "
                          "slices {1}, its reader \"{2}\" has {3}{4}",
                          writer.getName(), slices, reader.getName(), wanted,
                          slices == wanted ? " on other cores" : "");
        return std::nullopt;
      }
    }
    TensorCandidate candidate;
    candidate.alloc = alloc;
    candidate.forced = forced.has_value();
    SmallVector<int64_t> shape =
        sliceShape(written.problem, written.plan,
                   written.problem.operands[written.operand]);
    auto type = cast<MemRefType>(alloc.getType());
    candidate.lxType = MemRefType::get(
        shape, type.getElementType(), MemRefLayoutAttrInterface(),
        SpaceAttr::get(&getContext(), launch::Space::LX));
    candidate.sliceBytes = deviceBytes(shape);
    candidate.savedBytes =
        deviceBytes(type.getShape()) * static_cast<int64_t>(1 + readers.size());
    return candidate;
  }

  static bool fits(func::FuncOp func, int64_t budget) {
    std::vector<solvers::PackingBuffer> packing;
    for (const LxBuffer &buffer : lxBuffersOf(func)) {
      packing.push_back(buffer.packing);
    }
    return solvers::packOffsets(packing, budget).has_value();
  }

  /// The result of `writer` stays in device memory: an error if it is forced
  /// into LX.
  static LogicalResult checkNotForced(KernelOp writer, const Twine &reason) {
    if (forcedPlacement(writer) != launch::Space::LX) {
      return success();
    }
    return emitCoded(writer, ErrorCode::ForcedChoiceIllegal,
                     "the forced placement of the result of kernel \"" +
                         writer.getName() +
                         "\" in LX is not possible: " + reason);
  }

  LogicalResult keepInMemory(AllocOp alloc, const Twine &reason) {
    alloc.setReasonAttr(Builder(&getContext()).getStringAttr(reason));
    LogicalResult result = success();
    for (KernelOp writer : writersOf(alloc)) {
      result = failed(checkNotForced(writer, reason)) ? failure() : result;
    }
    return result;
  }

  /// Results that are arguments of the function stay in device memory.
  static LogicalResult checkArguments(func::FuncOp func) {
    LogicalResult result = success();
    for (KernelOp kernel : kernelsOf(func)) {
      bool isLocal = llvm::all_of(kernel.getOutputs(), [](Value output) {
        return static_cast<bool>(output.getDefiningOp<AllocOp>());
      });
      if (!isLocal &&
          failed(checkNotForced(kernel, "it is an argument of the function"))) {
        result = failure();
      }
    }
    return result;
  }

  /// The tensors that may stay in LX; gives every other its reason.
  LogicalResult collect(func::FuncOp func, int64_t numCores,
                        std::vector<TensorCandidate> &candidates) {
    DenseMap<Operation *, int64_t> ticks;
    for (auto [tick, kernel] : llvm::enumerate(kernelsOf(func))) {
      ticks[kernel] = static_cast<int64_t>(tick);
    }
    LogicalResult result = success();
    func.walk([&](AllocOp alloc) {
      std::string reason;
      std::optional<TensorCandidate> candidate =
          examine(alloc, numCores, reason);
      if (!candidate) {
        result = failed(keepInMemory(alloc, reason)) ? failure() : result;
        return;
      }
      int64_t written = ticks[writersOf(alloc).front()];
      for (KernelOp reader : readersOf(alloc)) {
        candidate->lifetime =
            std::max(candidate->lifetime, ticks[reader] - written + 1);
      }
      candidate->position = candidates.size();
      candidates.push_back(*candidate);
    });
    return result;
  }

  /// Forced ones first, then by saved bytes per byte and tick of scratchpad.
  static bool precedes(const TensorCandidate &a, const TensorCandidate &b) {
    if (a.forced != b.forced) {
      return a.forced;
    }
    double left = static_cast<double>(a.savedBytes) *
                  static_cast<double>(b.sliceBytes * b.lifetime);
    double right = static_cast<double>(b.savedBytes) *
                   static_cast<double>(a.sliceBytes * a.lifetime);
    return left != right ? left > right : a.position < b.position;
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<target::Target> machine = loadTargetFor(func, target);
    if (failed(machine)) {
      return signalPassFailure();
    }
    programs = programsOf(func);
    std::vector<TensorCandidate> candidates;
    bool anyFailed = failed(checkArguments(func));
    anyFailed |= failed(collect(func, machine->numCores, candidates));
    std::sort(candidates.begin(), candidates.end(), precedes);
    for (TensorCandidate &candidate : candidates) {
      Type inMemory = candidate.alloc.getType();
      candidate.alloc.getResult().setType(candidate.lxType);
      if (fits(func, machine->lxPlannerBudgetBytes)) {
        continue;
      }
      candidate.alloc.getResult().setType(cast<MemRefType>(inMemory));
      anyFailed |= failed(keepInMemory(
          candidate.alloc,
          llvm::formatv("larger than what is free: {0} bytes per core do not "
                        "fit beside the working sets in {1}",
                        candidate.sliceBytes, machine->lxPlannerBudgetBytes)
              .str()));
    }
    if (anyFailed) {
      signalPassFailure();
    }
  }

  DenseMap<Operation *, int64_t> programs;
};

} // namespace
} // namespace spyre::sdsc
