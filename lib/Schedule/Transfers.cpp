// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: one move per staged operand, at its loop level. What a
// group of cores shares is cut into parts that each core multicasts.

#include "Lowering.h"

#include <algorithm>
#include <numeric>

namespace spyre::schedule {

using cost::KernelOperand;
using cost::OperandCoord;
using launch::Affine;
using launch::Box;
using launch::Command;
using launch::CommandKind;
using launch::DimMap;
using launch::Extent;
using launch::Unit;
using layout::DimKind;

Box KernelLowering::transferBox(uint32_t buffer, const KernelOperand &operand,
                                bool inTensor,
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
    box.dims.push_back(
        DimMap{static_cast<int32_t>(i), inTensor ? coord.stride : 1});
    if (dims) {
      dims->push_back(geometry.coordExtent(coord));
    }
  }
  return box;
}

void KernelLowering::emitLoads() {
  auto loads = [](const KernelOperand &operand) { return !operand.output; };
  size_t depth = 0;
  for (const KernelOperand &operand : problem.operands) {
    if (loads(operand) && !operand.resident) {
      depth = std::max(depth, geometry.levelOf(operand));
    }
  }
  std::vector<size_t> order(problem.operands.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (problem.kind == cost::KernelKind::Gather) {
    // The index before the table whose rows it chooses.
    std::swap(order[0], order[1]);
  }
  emitNest(
      Unit::Load, depth,
      [&](size_t level) {
        for (size_t i : order) {
          const KernelOperand &operand = problem.operands[i];
          if (loads(operand) && !operand.resident &&
              geometry.levelOf(operand) == level) {
            emitLoad(i);
          }
        }
      },
      [](size_t) {});
}

void KernelLowering::emitLoad(size_t index) {
  const KernelOperand &operand = problem.operands[index];
  Command move = make(CommandKind::Move);
  Box source = transferBox(kernel.operandBuffers[index], operand,
                           /*inTensor=*/true, &move.dims);
  Box destination =
      transferBox(working[index], operand, /*inTensor=*/false, nullptr);
  if (problem.kind == cost::KernelKind::Gather && index == 0) {
    indexRows(move, source);
  }
  if (sharing[index].size > 1) {
    share(index, move, source, destination);
  }
  move.boxes = {std::move(source), std::move(destination)};
  if (!isIndex(index)) {
    move.next = {working[index]};
  }
  unit(Unit::Load).push_back(std::move(move));
}

void KernelLowering::indexRows(Command &move, Box &source) {
  const std::vector<OperandCoord> &coords = problem.operands[0].coords;
  auto row =
      std::find_if(coords.begin(), coords.end(),
                   [](const OperandCoord &coord) { return coord.dim == 0; });
  launch::IndexedAccess indexed;
  indexed.deviceDim = static_cast<int32_t>(row - coords.begin());
  indexed.indexBuffer = working[1];
  indexed.count = geometry.coordExtent(*row);
  source.offsets[indexed.deviceDim] = Affine();
  move.indexed = std::move(indexed);
}

void KernelLowering::share(size_t index, Command &move, Box &source,
                           Box &destination) {
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
  geometry.addTable(source.offsets[deviceDim], "rank", group.ranks,
                    part * source.dims[longest].step);
  geometry.addTable(destination.offsets[deviceDim], "rank", group.ranks, part);
  for (Affine &bound : move.dims[longest].bounds) {
    geometry.addTable(bound, "rank", group.ranks, -part);
  }
  Affine full;
  full.constant = part;
  move.dims[longest].bounds.insert(move.dims[longest].bounds.begin(), full);
}

void KernelLowering::emitStores() {
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
          move.predicate = ownerPredicate;
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

} // namespace spyre::schedule
