// SPDX-License-Identifier: Apache-2.0
//
// The commands of PT and SFU: products, reductions, elementwise bodies and
// changes of the stick dim.

#include "Lowering.h"

#include <algorithm>

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
using launch::Unit;
using layout::DimKind;

std::vector<int32_t> KernelLowering::commandDims(int32_t stick,
                                                 bool withReductions) const {
  std::vector<int32_t> dims;
  for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
       ++dim) {
    if (dim != stick && (withReductions || !problem.dims[dim].reduction)) {
      dims.push_back(dim);
    }
  }
  return dims;
}

Box KernelLowering::computeBox(uint32_t buffer, const KernelOperand &operand,
                               const std::vector<int32_t> &dims,
                               int32_t stick) const {
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

int32_t KernelLowering::coordOf(const KernelOperand &operand, int32_t dim,
                                DimKind kind) const {
  for (size_t i = 0; i < operand.coords.size(); ++i) {
    if (operand.coords[i].dim == dim && operand.coords[i].kind == kind) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

std::vector<Extent>
KernelLowering::extentsOf(const std::vector<int32_t> &dims) const {
  std::vector<Extent> extents;
  for (int32_t dim : dims) {
    extents.push_back(geometry.elementExtent(dim));
  }
  return extents;
}

std::vector<int32_t> KernelLowering::reductionDepths() const {
  std::vector<int32_t> depths;
  for (size_t depth = geometry.numParallelLoops();
       depth < geometry.loops().size(); ++depth) {
    depths.push_back(static_cast<int32_t>(depth));
  }
  return depths;
}

std::vector<int32_t> KernelLowering::serialDims() const {
  std::vector<int32_t> dims;
  for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
       ++dim) {
    if (!problem.dims[dim].reduction && dim != problem.stickDim &&
        problem.operands[1].dependsOn(dim) && kernel.plan.tiles[dim] > 1) {
      dims.push_back(dim);
    }
  }
  return dims;
}

void KernelLowering::emitProducts() {
  const std::vector<int32_t> serial = serialDims();
  std::vector<Command> &list = unit(Unit::PT);
  for (int32_t dim : serial) {
    Command loop = make(CommandKind::Loop);
    loop.predicate = std::nullopt;
    loop.trip = geometry.elementExtent(dim);
    list.push_back(std::move(loop));
  }
  list.push_back(matmulCommand(serial));
  for (size_t i = 0; i < serial.size(); ++i) {
    Command end;
    end.kind = CommandKind::End;
    list.push_back(std::move(end));
  }
}

void KernelLowering::emitMatmul() {
  size_t depth = geometry.loops().size();
  auto operands = [](const KernelOperand &operand) {
    return !operand.output && !operand.epilogue;
  };
  emitNest(
      Unit::PT, depth,
      [&](size_t level) {
        if (level == depth) {
          emitProducts();
        }
      },
      [&](size_t level) {
        emitNext(Unit::PT, queuesAt(level, operands));
        if (level == geometry.numParallelLoops()) {
          emitNext(Unit::PT, {accumulator});
        }
      });
}

Command
KernelLowering::matmulCommand(const std::vector<int32_t> &serial) const {
  const KernelOperand &a = problem.operands[0];
  const KernelOperand &b = problem.operands[1];
  int32_t n = problem.stickDim;
  int32_t k = a.coords.back().dim;
  Command matmul = make(CommandKind::Matmul);
  std::vector<int32_t> dims = commandDims(n, /*withReductions=*/false);
  std::erase_if(dims, [&](int32_t dim) {
    return std::find(serial.begin(), serial.end(), dim) != serial.end();
  });
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
  // B does not move along a row dim: other batches have tiles of one element.
  for (int32_t i = 0; i < matmul.numRowDims; ++i) {
    boxB.dims[i].deviceDim = -1;
  }
  Box boxAcc = computeBox(accumulator, accumulatorOperand, dims, n);
  walkSerially(boxA, a, serial);
  walkSerially(boxB, b, serial);
  walkSerially(boxAcc, accumulatorOperand, serial);
  matmul.boxes = {std::move(boxA), std::move(boxB), std::move(boxAcc)};
  matmul.first = reductionDepths();
  return matmul;
}

void KernelLowering::walkSerially(Box &box, const KernelOperand &operand,
                                  const std::vector<int32_t> &serial) const {
  for (size_t i = 0; i < serial.size(); ++i) {
    const int32_t coord = coordOf(operand, serial[i], DimKind::Full);
    if (coord >= 0) {
      launch::Term term;
      term.index = static_cast<int32_t>(geometry.loops().size() + i);
      box.offsets[coord].terms.push_back(term);
    }
  }
}

void KernelLowering::emitReduceOverCores() {
  size_t depth = geometry.numParallelLoops();
  emitNest(
      Unit::Ring, depth,
      [&](size_t level) {
        if (level != depth) {
          return;
        }
        Command reduce = make(CommandKind::Reduce);
        Box source = transferBox(accumulator, accumulatorOperand,
                                 /*inTensor=*/false, &reduce.dims);
        Box sum = transferBox(result, accumulatorOperand, /*inTensor=*/false,
                              nullptr);
        reduce.boxes = {std::move(source), std::move(sum)};
        if (predicate) {
          // A reduction has no predicate: idle cores add up nothing.
          launch::Affine bound;
          bound.terms.push_back({launch::TermKind::Table,
                                 static_cast<int32_t>(predicate->table), -1,
                                 program.buffers[accumulator].shape.front()});
          reduce.dims.front().bounds.push_back(std::move(bound));
          reduce.predicate = std::nullopt;
        }
        reduce.combine = launch::Combine::Add;
        reduce.cores = launch::TableRef{
            tableOf(program, "reduced",
                    geometry.sharingOf(accumulatorOperand).masks),
            -1};
        reduce.next = {accumulator, result};
        unit(Unit::Ring).push_back(std::move(reduce));
      },
      [](size_t) {});
}

void KernelLowering::emitEpilogue() {
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
          emitNext(Unit::SFU, {result});
        }
        emitNext(Unit::SFU, queuesAt(level, operands));
      });
}

Command KernelLowering::epilogueCommand(int32_t stick) {
  Command map = make(CommandKind::Map);
  map.predicate = ownerPredicate;
  std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/false);
  map.dims = extentsOf(dims);
  map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
  map.body = *kernel.epilogue;
  placePositions(map.body, dims, stick);
  map.boxes = {computeBox(result, accumulatorOperand, dims, stick)};
  addBoxes(map, dims, stick,
           [&](size_t i) { return problem.operands[i].epilogue; });
  addOutputs(map, dims, stick);
  return map;
}

void KernelLowering::placePositions(uint32_t body,
                                    const std::vector<int32_t> &dims,
                                    int32_t stick) {
  for (launch::BodyOp &op : program.bodies[body].ops) {
    if (op.opcode != launch::BodyOpcode::Index) {
      continue;
    }
    auto dim = static_cast<int32_t>(op.immediate);
    OperandCoord element;
    element.dim = dim;
    op.immediate = 0;
    op.index = geometry.tensorOffset(element);
    op.dimCoefficients.clear();
    for (int32_t walked : dims) {
      op.dimCoefficients.push_back(walked == dim ? 1 : 0);
    }
    op.laneCoefficient = dim == stick ? 1 : 0;
  }
}

void KernelLowering::addBoxes(
    Command &map, const std::vector<int32_t> &dims, int32_t stick,
    const std::function<bool(size_t operand)> &wanted) const {
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    if (wanted(i)) {
      map.boxes.push_back(
          computeBox(working[i], problem.operands[i], dims, stick));
    }
  }
}

void KernelLowering::addOutputs(Command &map, const std::vector<int32_t> &dims,
                                int32_t stick) const {
  addBoxes(map, dims, stick,
           [&](size_t i) { return problem.operands[i].output; });
  for (const KernelOperand &operand : problem.operands) {
    if (operand.output) {
      map.outputs.push_back({});
    }
  }
}

void KernelLowering::emitReduction() {
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

Command KernelLowering::combineCommand(bool stickReduced) {
  int32_t stick = problem.stickDim;
  Command map = make(CommandKind::Map);
  std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/true);
  map.dims = extentsOf(dims);
  map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
  map.body = *kernel.body;
  placePositions(map.body, dims, stick);
  addBoxes(map, dims, stick, [&](size_t i) {
    return !problem.operands[i].output && !problem.operands[i].epilogue;
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

void KernelLowering::emitElementwise() {
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

Command KernelLowering::mapCommand() {
  int32_t stick = problem.stickDim;
  Command map = make(CommandKind::Map);
  std::vector<int32_t> dims = commandDims(stick, /*withReductions=*/false);
  map.dims = extentsOf(dims);
  map.stick = stick >= 0 ? geometry.elementExtent(stick) : constantExtent(1);
  map.body = *kernel.body;
  placePositions(map.body, dims, stick);
  addBoxes(map, dims, stick, [&](size_t i) {
    return !problem.operands[i].output && !isIndex(i);
  });
  addOutputs(map, dims, stick);
  return map;
}

Command KernelLowering::restickifyCommand() {
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

} // namespace spyre::schedule
