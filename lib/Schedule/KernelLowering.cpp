// SPDX-License-Identifier: Apache-2.0
//
// Every unit gets the same loop nest (the loops with more than one trip, in the
// plan's order). A unit acts on an operand at the operand's loop level: the
// depth of the innermost loop on which the operand depends. Producer and
// consumers therefore count the same slots, whatever the loops outside.

#include "Geometry.h"

#include <algorithm>
#include <functional>

namespace spyre::schedule {

using cost::KernelKind;
using cost::KernelOperand;
using cost::OperandCoord;
using launch::Affine;
using launch::Box;
using launch::Command;
using launch::CommandKind;
using launch::DimMap;
using launch::Extent;
using launch::LaneAccess;
using launch::Term;
using launch::TermKind;
using launch::Unit;
using layout::DimKind;

namespace {

Extent constantExtent(int64_t value) {
  Affine affine;
  affine.constant = value;
  return Extent{{affine}};
}

class KernelLowering {
public:
  KernelLowering(launch::Program &program, const KernelToLower &kernel)
      : program(program), kernel(kernel), problem(kernel.problem),
        geometry(program, problem, kernel.plan) {}

  launch::Phase run() {
    phase.name = problem.name;
    predicate = geometry.activePredicate();
    createBuffers();
    emitLoads();
    switch (problem.kind) {
    case KernelKind::Contract:
      emitMatmul();
      emitEpilogue();
      break;
    case KernelKind::Reduce:
      emitReduction();
      break;
    case KernelKind::Map:
    case KernelKind::Restickify:
      emitElementwise();
      break;
    }
    emitStores();
    return std::move(phase);
  }

private:
  //===--- Buffers --------------------------------------------------------===//

  bool hasAccumulator() const {
    return problem.kind == KernelKind::Contract ||
           problem.kind == KernelKind::Reduce;
  }

  Unit consumerOf(const KernelOperand &operand) const {
    return problem.kind == KernelKind::Contract && !operand.epilogue
               ? Unit::PT
               : Unit::SFU;
  }

  uint32_t addLxBuffer(std::string name, const KernelOperand &operand,
                       int64_t address) {
    launch::Buffer buffer;
    buffer.name = problem.name + "_" + std::move(name);
    buffer.space = launch::Space::LX;
    buffer.type = operand.type;
    buffer.shape = cost::tileShape(problem, kernel.plan, operand);
    buffer.binding = launch::Binding::Lx;
    buffer.offset = address;
    program.buffers.push_back(std::move(buffer));
    return static_cast<uint32_t>(program.buffers.size() - 1);
  }

  void createBuffers() {
    for (size_t i = 0; i < problem.operands.size(); ++i) {
      const KernelOperand &operand = problem.operands[i];
      sharing.push_back(operand.output || operand.resident
                            ? SharingGroup{}
                            : geometry.sharingOf(operand));
      if (operand.resident) {
        working.push_back(kernel.operandBuffers[i]);
        continue;
      }
      uint32_t buffer =
          addLxBuffer(operand.name, operand, kernel.lxAddresses[i]);
      launch::Queue queue;
      queue.slots = kernel.plan.buffers;
      queue.producer = operand.output ? Unit::SFU : Unit::Load;
      queue.consumers = {operand.output ? Unit::Store : consumerOf(operand)};
      if (sharing[i].size > 1) {
        queue.fillTable = tableOf(program, "group", sharing[i].masks);
      }
      program.buffers[buffer].kind = launch::BufferKind::Queue;
      program.buffers[buffer].queue = std::move(queue);
      working.push_back(buffer);
    }
    if (!hasAccumulator()) {
      return;
    }
    accumulatorOperand = cost::accumulatorOperand(problem);
    accumulator =
        addLxBuffer("acc", accumulatorOperand, kernel.lxAddresses.back());
    if (problem.kind == KernelKind::Contract) {
      launch::Queue queue;
      queue.producer = Unit::PT;
      queue.consumers = {Unit::SFU};
      program.buffers[accumulator].kind = launch::BufferKind::Queue;
      program.buffers[accumulator].queue = std::move(queue);
    }
  }

  //===--- Loops ----------------------------------------------------------===//

  std::vector<Command> &unit(Unit which) {
    return phase.units[static_cast<size_t>(which)];
  }

  Command make(CommandKind kind) const {
    Command command;
    command.kind = kind;
    command.source = kernel.source;
    if (kind != CommandKind::Next) {
      command.predicate = predicate;
    }
    return command;
  }

  /// Emits a loop nest of `depth` loops into the unit. `before(level)` acts on
  /// entry of a level, `after(level)` on leaving it, level 0 being outside of
  /// all loops.
  void emitNest(Unit which, size_t depth,
                const std::function<void(size_t)> &before,
                const std::function<void(size_t)> &after, size_t level = 0) {
    before(level);
    if (level < depth) {
      Command loop;
      loop.kind = CommandKind::Loop;
      loop.source = kernel.source;
      loop.trip = constantExtent(geometry.tripsAt(level));
      unit(which).push_back(std::move(loop));
      emitNest(which, depth, before, after, level + 1);
      Command end;
      end.kind = CommandKind::End;
      unit(which).push_back(std::move(end));
    }
    after(level);
  }

  /// Leaves or delivers the queue buffers of operands staged at `level`.
  void emitNext(Unit which, const std::vector<uint32_t> &buffers) {
    if (buffers.empty()) {
      return;
    }
    std::vector<Command> &list = unit(which);
    // The last command of the level may carry the actions itself.
    if (!list.empty() && list.back().kind != CommandKind::End &&
        list.back().kind != CommandKind::Loop) {
      list.back().next.insert(list.back().next.end(), buffers.begin(),
                              buffers.end());
      return;
    }
    Command next = make(CommandKind::Next);
    next.next = buffers;
    list.push_back(std::move(next));
  }

  /// Queue buffers of the operands that `wanted` selects, staged at `level`.
  std::vector<uint32_t>
  queuesAt(size_t level,
           const std::function<bool(const KernelOperand &)> &wanted) const {
    std::vector<uint32_t> buffers;
    for (size_t i = 0; i < problem.operands.size(); ++i) {
      const KernelOperand &operand = problem.operands[i];
      if (!operand.resident && wanted(operand) &&
          geometry.levelOf(operand) == level) {
        buffers.push_back(working[i]);
      }
    }
    return buffers;
  }

  //===--- Transfers ------------------------------------------------------===//

  /// A box that covers the present tile of an operand, one command dim per
  /// moving device dim (in `dims`); `inTensor` addresses the whole tensor, else
  /// the staging buffer.
  Box transferBox(uint32_t buffer, const KernelOperand &operand, bool inTensor,
                  std::vector<Extent> *dims) const {
    Box box;
    box.buffer = buffer;
    for (size_t i = 0; i < operand.coords.size(); ++i) {
      const OperandCoord &coord = operand.coords[i];
      bool moves = coord.dim >= 0 && coord.kind != DimKind::Stick;
      box.offsets.push_back(inTensor ? geometry.tensorOffset(coord) : Affine{});
      if (!moves) {
        continue;
      }
      box.dims.push_back(DimMap{static_cast<int32_t>(i), 1});
      if (dims) {
        dims->push_back(geometry.coordExtent(coord));
      }
    }
    return box;
  }

  void emitLoads() {
    auto loads = [](const KernelOperand &operand) { return !operand.output; };
    size_t depth = 0;
    for (const KernelOperand &operand : problem.operands) {
      if (loads(operand) && !operand.resident) {
        depth = std::max(depth, geometry.levelOf(operand));
      }
    }
    if (problem.operands.empty()) {
      return;
    }
    emitNest(
        Unit::Load, depth,
        [&](size_t level) {
          for (size_t i = 0; i < problem.operands.size(); ++i) {
            const KernelOperand &operand = problem.operands[i];
            if (loads(operand) && !operand.resident &&
                geometry.levelOf(operand) == level) {
              emitLoad(i);
            }
          }
        },
        [](size_t) {});
  }

  void emitLoad(size_t index) {
    const KernelOperand &operand = problem.operands[index];
    Command move = make(CommandKind::Move);
    Box source = transferBox(kernel.operandBuffers[index], operand,
                             /*inTensor=*/true, &move.dims);
    Box destination =
        transferBox(working[index], operand, /*inTensor=*/false, nullptr);
    if (sharing[index].size > 1) {
      share(index, move, source, destination);
    }
    move.boxes = {std::move(source), std::move(destination)};
    move.next = {working[index]};
    unit(Unit::Load).push_back(std::move(move));
  }

  /// Cuts the move to this core's share of what its group needs: part `rank` of
  /// the longest dim, multicast to the group.
  void share(size_t index, Command &move, Box &source, Box &destination) {
    const SharingGroup &group = sharing[index];
    move.cores = launch::TableRef{tableOf(program, "group", group.masks), -1};
    const std::vector<int64_t> shape =
        cost::tileShape(problem, kernel.plan, problem.operands[index]);
    size_t longest = 0;
    for (size_t d = 1; d < source.dims.size(); ++d) {
      if (shape[source.dims[d].deviceDim] >
          shape[source.dims[longest].deviceDim]) {
        longest = d;
      }
    }
    if (source.dims.empty()) {
      // A single stick: the first core of the group sends it.
      std::vector<int64_t> sends;
      for (size_t core = 0; core < group.ranks.size(); ++core) {
        bool first = group.ranks[core] == 0;
        sends.push_back(first && geometry.isActive(static_cast<int64_t>(core)));
      }
      move.predicate = launch::TableRef{tableOf(program, "sends", sends), -1};
      return;
    }
    int32_t deviceDim = source.dims[longest].deviceDim;
    int64_t part = (shape[deviceDim] + group.size - 1) / group.size;
    geometry.addTable(source.offsets[deviceDim], "rank", group.ranks, part);
    geometry.addTable(destination.offsets[deviceDim], "rank", group.ranks,
                      part);
    for (Affine &bound : move.dims[longest].bounds) {
      geometry.addTable(bound, "rank", group.ranks, -part);
    }
    Affine full;
    full.constant = part;
    move.dims[longest].bounds.insert(move.dims[longest].bounds.begin(), full);
  }

  void emitStores() {
    for (size_t i = 0; i < problem.operands.size(); ++i) {
      const KernelOperand &operand = problem.operands[i];
      if (!operand.output || operand.resident) {
        continue;
      }
      size_t depth = geometry.levelOf(operand);
      emitNest(
          Unit::Store, depth,
          [&](size_t level) {
            if (level != depth) {
              return;
            }
            Command move = make(CommandKind::Move);
            Box destination = transferBox(kernel.operandBuffers[i], operand,
                                          /*inTensor=*/true, &move.dims);
            Box source =
                transferBox(working[i], operand, /*inTensor=*/false, nullptr);
            move.boxes = {std::move(source), std::move(destination)};
            move.next = {working[i]};
            unit(Unit::Store).push_back(std::move(move));
          },
          [](size_t) {});
    }
  }

  //===--- Compute --------------------------------------------------------===//

  /// Iteration dims that a command walks, the stick dim apart.
  std::vector<int32_t> commandDims(int32_t stick, bool withReductions) const {
    std::vector<int32_t> dims;
    for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
         ++dim) {
      if (dim != stick && (withReductions || !problem.dims[dim].reduction)) {
        dims.push_back(dim);
      }
    }
    return dims;
  }

  /// Box of a compute operand over the command dims `dims` with the elements of
  /// `stick` in the stick. Resident operands are addressed inside their slice.
  Box computeBox(uint32_t buffer, const KernelOperand &operand,
                 const std::vector<int32_t> &dims, int32_t stick) const {
    Box box;
    box.buffer = buffer;
    for (const OperandCoord &coord : operand.coords) {
      box.offsets.push_back(operand.resident ? geometry.sliceOffset(coord)
                                             : Affine{});
    }
    for (int32_t dim : dims) {
      DimMap map;
      for (size_t i = 0; i < operand.coords.size(); ++i) {
        if (operand.coords[i].dim == dim &&
            operand.coords[i].kind == DimKind::Full) {
          map.deviceDim = static_cast<int32_t>(i);
        }
      }
      box.dims.push_back(map);
    }
    bool stickwise = operand.coords.back().dim == stick && stick >= 0;
    for (size_t i = 0; stickwise && i < operand.coords.size(); ++i) {
      if (operand.coords[i].kind == DimKind::Tile &&
          operand.coords[i].dim == stick) {
        box.tileDim = static_cast<int32_t>(i);
      }
    }
    if (!stickwise && !operand.output && stick >= 0) {
      box.access = LaneAccess::Splat;
    }
    return box;
  }

  int32_t coordOf(const KernelOperand &operand, int32_t dim,
                  DimKind kind) const {
    for (size_t i = 0; i < operand.coords.size(); ++i) {
      if (operand.coords[i].dim == dim && operand.coords[i].kind == kind) {
        return static_cast<int32_t>(i);
      }
    }
    return -1;
  }

  std::vector<Extent> extentsOf(const std::vector<int32_t> &dims) const {
    std::vector<Extent> extents;
    for (int32_t dim : dims) {
      extents.push_back(geometry.elementExtent(dim));
    }
    return extents;
  }

  /// Loop depths of the reduction loops: an accumulator starts when all their
  /// variables are 0.
  std::vector<int32_t> reductionDepths() const {
    std::vector<int32_t> depths;
    for (size_t depth = geometry.numParallelLoops();
         depth < geometry.loops().size(); ++depth) {
      depths.push_back(static_cast<int32_t>(depth));
    }
    return depths;
  }

  void emitMatmul() {
    size_t depth = geometry.loops().size();
    auto operands = [](const KernelOperand &operand) {
      return !operand.output && !operand.epilogue;
    };
    emitNest(
        Unit::PT, depth,
        [&](size_t level) {
          if (level == depth) {
            unit(Unit::PT).push_back(matmulCommand());
          }
        },
        [&](size_t level) {
          emitNext(Unit::PT, queuesAt(level, operands));
          if (level == geometry.numParallelLoops()) {
            emitNext(Unit::PT, {accumulator});
          }
        });
  }

  Command matmulCommand() const {
    const KernelOperand &a = problem.operands[0];
    const KernelOperand &b = problem.operands[1];
    int32_t n = problem.stickDim;
    int32_t k = a.coords.back().dim;
    Command matmul = make(CommandKind::Matmul);
    std::vector<int32_t> dims = commandDims(n, /*withReductions=*/false);
    matmul.numRowDims = static_cast<int32_t>(dims.size());
    for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
         ++dim) {
      if (problem.dims[dim].reduction && dim != k) {
        dims.push_back(dim);
      }
    }
    matmul.dims = extentsOf(dims);
    matmul.stick = geometry.elementExtent(n);
    matmul.inner = geometry.elementExtent(k);
    Box boxA = computeBox(working[0], a, dims, k);
    Box boxB = computeBox(working[1], b, dims, n);
    boxB.rowDim = coordOf(b, k, DimKind::Full);
    // Dims of B alone (and batches) have tiles of one element: B does not move
    // along a row dim.
    for (int32_t i = 0; i < matmul.numRowDims; ++i) {
      boxB.dims[i].deviceDim = -1;
    }
    Box boxAcc = computeBox(accumulator, accumulatorOperand, dims, n);
    matmul.boxes = {std::move(boxA), std::move(boxB), std::move(boxAcc)};
    matmul.first = reductionDepths();
    return matmul;
  }

  /// The epilogue of a contraction, on the SFU: once per tile of the output.
  void emitEpilogue() {
    size_t depth = geometry.numParallelLoops();
    auto operands = [](const KernelOperand &operand) {
      return operand.output || operand.epilogue;
    };
    emitNest(
        Unit::SFU, depth,
        [&](size_t level) {
          if (level == depth) {
            unit(Unit::SFU).push_back(epilogueCommand(problem.stickDim));
          }
        },
        [&](size_t level) {
          if (level == depth) {
            emitNext(Unit::SFU, {accumulator});
          }
          emitNext(Unit::SFU, queuesAt(level, operands));
        });
  }

  Command epilogueCommand(int32_t stick) const {
    Command map = make(CommandKind::Map);
    std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/false);
    map.dims = extentsOf(dims);
    map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
    map.body = *kernel.epilogue;
    map.boxes = {computeBox(accumulator, accumulatorOperand, dims, stick)};
    addBoxes(map, dims, stick,
             [](const KernelOperand &operand) { return operand.epilogue; });
    addOutputs(map, dims, stick);
    return map;
  }

  void
  addBoxes(Command &map, const std::vector<int32_t> &dims, int32_t stick,
           const std::function<bool(const KernelOperand &)> &wanted) const {
    for (size_t i = 0; i < problem.operands.size(); ++i) {
      if (wanted(problem.operands[i])) {
        map.boxes.push_back(
            computeBox(working[i], problem.operands[i], dims, stick));
      }
    }
  }

  void addOutputs(Command &map, const std::vector<int32_t> &dims,
                  int32_t stick) const {
    addBoxes(map, dims, stick,
             [](const KernelOperand &operand) { return operand.output; });
    for (const KernelOperand &operand : problem.operands) {
      if (operand.output) {
        map.outputs.push_back({});
      }
    }
  }

  void emitReduction() {
    size_t depth = geometry.loops().size();
    size_t outer = geometry.numParallelLoops();
    bool stickReduced =
        problem.stickDim >= 0 && problem.dims[problem.stickDim].reduction;
    auto bodyInputs = [](const KernelOperand &operand) {
      return !operand.output && !operand.epilogue;
    };
    auto others = [](const KernelOperand &operand) {
      return operand.output || operand.epilogue;
    };
    emitNest(
        Unit::SFU, depth,
        [&](size_t level) {
          if (level == depth) {
            unit(Unit::SFU).push_back(combineCommand(stickReduced));
          }
        },
        [&](size_t level) {
          emitNext(Unit::SFU, queuesAt(level, bodyInputs));
          if (level == outer) {
            unit(Unit::SFU).push_back(
                epilogueCommand(stickReduced ? -1 : problem.stickDim));
          }
          if (level <= outer) {
            emitNext(Unit::SFU, queuesAt(level, others));
          }
        });
  }

  Command combineCommand(bool stickReduced) const {
    int32_t stick = problem.stickDim;
    Command map = make(CommandKind::Map);
    std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/true);
    map.dims = extentsOf(dims);
    map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
    map.body = *kernel.body;
    addBoxes(map, dims, stick, [](const KernelOperand &operand) {
      return !operand.output && !operand.epilogue;
    });
    Box acc = computeBox(accumulator, accumulatorOperand, dims, stick);
    acc.access = LaneAccess::Stickwise;
    map.boxes.push_back(std::move(acc));
    launch::MapOutput output;
    output.combine = kernel.combine;
    output.lanes = stickReduced ? launch::MapOutput::Lanes::Lane0
                                : launch::MapOutput::Lanes::Keep;
    map.first = reductionDepths();
    output.accumulate = !map.first.empty();
    map.outputs = {output};
    return map;
  }

  void emitElementwise() {
    size_t depth = geometry.loops().size();
    auto any = [](const KernelOperand &) { return true; };
    emitNest(
        Unit::SFU, depth,
        [&](size_t level) {
          if (level == depth) {
            unit(Unit::SFU).push_back(problem.kind == KernelKind::Restickify
                                          ? restickifyCommand()
                                          : mapCommand());
          }
        },
        [&](size_t level) { emitNext(Unit::SFU, queuesAt(level, any)); });
  }

  Command mapCommand() const {
    int32_t stick = problem.stickDim;
    Command map = make(CommandKind::Map);
    std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/false);
    map.dims = extentsOf(dims);
    map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
    map.body = *kernel.body;
    addBoxes(map, dims, stick,
             [](const KernelOperand &operand) { return !operand.output; });
    addOutputs(map, dims, stick);
    return map;
  }

  /// Source rows run along the dim that enters the stick, source elements along
  /// the dim that leaves it; a sparse side has one element instead.
  Command restickifyCommand() const {
    const KernelOperand &source = problem.operands[0];
    const KernelOperand &destination = problem.operands[1];
    int32_t leaves = source.coords.back().dim;
    int32_t enters = destination.coords.back().dim;
    if (leaves == enters) {
      return mapCommand();
    }
    std::vector<int32_t> dims;
    for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
         ++dim) {
      if (dim != leaves && dim != enters) {
        dims.push_back(dim);
      }
    }
    Command transpose = make(CommandKind::Transpose);
    transpose.dims = extentsOf(dims);
    transpose.inner =
        enters >= 0 ? geometry.elementExtent(enters) : constantExtent(1);
    transpose.stick =
        leaves >= 0 ? geometry.elementExtent(leaves) : constantExtent(1);
    Box from = computeBox(working[0], source, dims, leaves);
    Box to = computeBox(working[1], destination, dims, enters);
    from.access = LaneAccess::Stickwise;
    from.rowDim = coordOf(source, enters, DimKind::Full);
    to.rowDim = coordOf(destination, leaves, DimKind::Full);
    transpose.boxes = {std::move(from), std::move(to)};
    return transpose;
  }

  launch::Program &program;
  const KernelToLower &kernel;
  const cost::KernelProblem &problem;
  Geometry geometry;
  launch::Phase phase;
  std::optional<launch::TableRef> predicate;
  /// The buffer that compute reads or writes: staging queue or resident.
  std::vector<uint32_t> working;
  std::vector<SharingGroup> sharing;
  KernelOperand accumulatorOperand;
  uint32_t accumulator = 0;
};

} // namespace

launch::Phase lowerKernel(launch::Program &program,
                          const KernelToLower &kernel) {
  return KernelLowering(program, kernel).run();
}

} // namespace spyre::schedule
