// SPDX-License-Identifier: Apache-2.0
//
// SFU maps. The stick extent is cut into blocks of 256 elements (whole sticks
// of every type); a block's inputs are converted to 32-bit registers, the body
// runs op by op over the block, and each output is stored or combined. The
// order of a combination is fixed: an output that keeps its lanes goes to eight
// chains (Chains.h); any other position by position, over lanes first tile onto
// tile at the same lane of 64, then halves of the 64 lanes in a tree.

#include "Chains.h"
#include "Executor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace spyre::sim {
namespace {

using launch::BodyOpcode;
using launch::Combine;
using launch::MapOutput;

constexpr int64_t kTreeLanes = 64;

uint32_t bitsOf(float value) { return __builtin_bit_cast(uint32_t, value); }

/// The neutral element of a combination, as 32 bits.
uint32_t identityOf(Combine combine, bool isFloat) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (combine) {
  case Combine::Mul:
    return isFloat ? bitsOf(1.0f) : 1;
  case Combine::Min:
    return isFloat ? bitsOf(kInfinity) : 0x7fffffffu;
  case Combine::Max:
    return isFloat ? bitsOf(-kInfinity) : 0x80000000u;
  case Combine::And:
    return 0xffffffffu;
  default:
    return 0;
  }
}

} // namespace

/// One map command.
class MapRun {
public:
  MapRun(Executor &executor, Workspace &workspace, const Place &place,
         const ResolvedCommand &command)
      : executor(executor), workspace(workspace), place(place),
        command(command), body(executor.program.bodies[command.command->body]),
        types(command.info->types) {}
  void run();

private:
  uint32_t *registerOf(int32_t value) {
    return workspace.registers.data() + value * kBlockElements;
  }
  void checkOutputs();
  void openOperands();
  void fillConstants();
  void fillSplats();
  void loadBlock(int64_t first, int64_t count);
  void evaluateBlock(int64_t first, int64_t count);
  void evaluateIndex(const launch::BodyOp &op, int32_t value, int64_t first,
                     int64_t count);
  void checkDivisor(const launch::BodyOp &op, int64_t count);
  void storeBlock(size_t output, int64_t first, int64_t count);
  void combineLanes(size_t output, int64_t first, int64_t count);
  void finishLanes(size_t output);
  void createChains();
  void finishChains(size_t output, int64_t tile, int64_t stick, int64_t count);
  void markWritten(const Operand &operand, int64_t stick, uint64_t mask);
  bool isFirstVisit(size_t output) const;
  bool isLastVisit(size_t output) const;
  bool startsFromIdentity(size_t output) const {
    return isFirstVisit(output) &&
           (!command.command->outputs[output].accumulate || command.starts);
  }

  Executor &executor;
  Workspace &workspace;
  const Place &place;
  const ResolvedCommand &command;
  const launch::Body &body;
  const std::vector<ValueType> &types;
  std::vector<Operand> operands;
  std::vector<int64_t> indexBases;
  PositionWalker *walker = nullptr;
  /// Per output: the lanes of a combination over lanes.
  std::vector<std::array<uint32_t, kTreeLanes>> lanes;
  /// Per output: the chains of a combination over positions.
  std::vector<std::optional<Chains>> chains;
};

void MapRun::checkOutputs() {
  size_t inputs = body.numInputs;
  for (size_t i = inputs; i < command.boxes.size(); ++i) {
    const ResolvedBox &output = command.boxes[i];
    const std::string &name = executor.program.buffers[output.buffer].name;
    bool lanesOnly =
        command.command->outputs[i - inputs].lanes != MapOutput::Lanes::Keep;
    Lattice sticks = latticeOf(command, output);
    if (command.command->outputs[i - inputs].combine == Combine::Store) {
      requireDistinct(place, latticeOf(command, output, command.numDims), name);
    } else {
      requireDistinct(place, sticks, name);
    }
    for (size_t j = 0; j < i; ++j) {
      if (command.boxes[j].buffer != output.buffer) {
        continue;
      }
      bool mayBeEqual = j < inputs && !lanesOnly;
      if (!mayBeEqual || !sameSticks(command, command.boxes[j], output)) {
        requireDisjoint(place, sticks, latticeOf(command, command.boxes[j]),
                        name);
      }
    }
  }
}

void MapRun::openOperands() {
  for (size_t i = 0; i < command.boxes.size(); ++i) {
    operands.push_back(executor.open(place, command.boxes[i], place.core,
                                     i >= body.numInputs));
  }
}

void MapRun::fillConstants() {
  size_t values = types.size();
  workspace.registers.resize(values * kBlockElements);
  indexBases.assign(body.ops.size(), 0);
  for (size_t i = 0; i < body.ops.size(); ++i) {
    const launch::BodyOp &op = body.ops[i];
    int64_t immediate = op.immediate;
    switch (op.opcode) {
    case BodyOpcode::ConstBool:
      immediate = immediate != 0;
      break;
    case BodyOpcode::ConstF32:
    case BodyOpcode::ConstI32:
      break;
    case BodyOpcode::ScalarValue:
      immediate = executor.launch.scalarValues[static_cast<size_t>(immediate)];
      break;
    case BodyOpcode::Index:
      indexBases[i] = executor.evaluator.affine(place, op.index, command.loops);
      continue;
    default:
      continue;
    }
    uint32_t *to = registerOf(static_cast<int32_t>(body.numInputs + i));
    std::fill(to, to + kBlockElements, static_cast<uint32_t>(immediate));
  }
}

/// Splats change with the position only.
void MapRun::fillSplats() {
  for (size_t i = 0; i < body.numInputs; ++i) {
    const ResolvedBox &box = command.boxes[i];
    if (!box.splat) {
      continue;
    }
    int64_t stick = walker->stick(i);
    executor.requireDefined(place, operands[i], stick,
                            laneBit(box.type, box.lane));
    uint32_t value = 0;
    elementKernels().load(box.type,
                          operands[i].view.stick<std::byte>(stick) +
                              box.lane * bitWidth(box.type) / 8,
                          &value, 1);
    uint32_t *to = registerOf(static_cast<int32_t>(i));
    std::fill(to, to + std::min(command.stick, kBlockElements), value);
  }
}

void MapRun::loadBlock(int64_t first, int64_t count) {
  for (size_t i = 0; i < body.numInputs; ++i) {
    const ResolvedBox &box = command.boxes[i];
    if (box.splat) {
      continue;
    }
    int64_t perStick = elementsPerStick(box.type);
    uint32_t *to = registerOf(static_cast<int32_t>(i));
    for (int64_t done = 0; done < count; done += perStick) {
      int64_t stick =
          walker->stick(i) + (first + done) / perStick * box.tileStride;
      int64_t part = std::min(perStick, count - done);
      executor.requireDefined(place, operands[i], stick,
                              laneMask(box.type, part));
      elementKernels().load(box.type, operands[i].view.stick<void>(stick),
                            to + done, part);
    }
  }
}

void MapRun::evaluateIndex(const launch::BodyOp &op, int32_t value,
                           int64_t first, int64_t count) {
  // i32 arithmetic wraps; so does a position beyond its range.
  auto sum = static_cast<uint64_t>(
      indexBases[static_cast<size_t>(value) - body.numInputs]);
  std::span<const int64_t> position = walker->position();
  for (size_t dim = 0; dim < op.dimCoefficients.size(); ++dim) {
    sum += static_cast<uint64_t>(op.dimCoefficients[dim]) *
           static_cast<uint64_t>(position[dim]);
  }
  auto step = static_cast<uint64_t>(op.laneCoefficient);
  sum += step * static_cast<uint64_t>(first);
  uint32_t *to = registerOf(value);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<uint32_t>(sum);
    sum += step;
  }
}

void MapRun::checkDivisor(const launch::BodyOp &op, int64_t count) {
  const uint32_t *right = registerOf(op.operands[1]);
  bool isShift = op.opcode == BodyOpcode::IShl || op.opcode == BodyOpcode::IShr;
  for (int64_t i = 0; i < count; ++i) {
    if (isShift ? right[i] >= 32 : right[i] == 0) {
      trap(isShift ? ErrorCode::SimShiftCount : ErrorCode::SimDivisionByZero,
           place,
           fmt::format("op {} of body \"{}\" has right operand {}",
                       launch::toString(op.opcode), body.name,
                       static_cast<int32_t>(right[i])),
           {fmt::format("at position {}, element {} of its block",
                        listText(walker->position().first(
                            static_cast<size_t>(command.numDims))),
                        i)});
    }
  }
}

void MapRun::evaluateBlock(int64_t first, int64_t count) {
  const ElementKernels &kernels = elementKernels();
  for (size_t i = 0; i < body.ops.size(); ++i) {
    const launch::BodyOp &op = body.ops[i];
    auto value = static_cast<int32_t>(body.numInputs + i);
    const void *arguments[3] = {};
    for (int j = 0; j < launch::numOperands(op.opcode); ++j) {
      arguments[j] = registerOf(op.operands[static_cast<size_t>(j)]);
    }
    switch (op.opcode) {
    case BodyOpcode::ConstF32:
    case BodyOpcode::ConstI32:
    case BodyOpcode::ConstBool:
    case BodyOpcode::ScalarValue:
      break;
    case BodyOpcode::Index:
      evaluateIndex(op, value, first, count);
      break;
    case BodyOpcode::RoundTo: {
      auto type = static_cast<ElementType>(op.immediate);
      uint32_t rounded[kBlockElements];
      *workspace.counts += kernels.store(type, arguments[0], rounded, count);
      kernels.load(type, rounded, registerOf(value), count);
      break;
    }
    case BodyOpcode::IDiv:
    case BodyOpcode::IRem:
    case BodyOpcode::IShl:
    case BodyOpcode::IShr:
      checkDivisor(op, count);
      [[fallthrough]];
    default:
      kernels.evaluate(
          op.opcode, types[static_cast<size_t>(value)] == ValueType::Bool,
          arguments[0], arguments[1], arguments[2], registerOf(value), count);
    }
  }
}

/// True if the present position is the first that reaches its output stick.
bool MapRun::isFirstVisit(size_t output) const {
  const launch::Box &box = command.command->boxes[body.numInputs + output];
  for (size_t dim = 0; dim < static_cast<size_t>(command.numDims); ++dim) {
    if (box.dims[dim].deviceDim < 0 && walker->position()[dim] != 0) {
      return false;
    }
  }
  return true;
}

bool MapRun::isLastVisit(size_t output) const {
  const launch::Box &box = command.command->boxes[body.numInputs + output];
  for (size_t dim = 0; dim < static_cast<size_t>(command.numDims); ++dim) {
    if (box.dims[dim].deviceDim < 0 &&
        walker->position()[dim] + 1 != command.extents[dim]) {
      return false;
    }
  }
  return true;
}

/// Stores, or combines over positions, the sticks of a block.
void MapRun::storeBlock(size_t output, int64_t first, int64_t count) {
  const Combine combine = command.command->outputs[output].combine;
  size_t index = body.numInputs + output;
  const ResolvedBox &box = command.boxes[index];
  const Operand &operand = operands[index];
  int64_t perStick = elementsPerStick(box.type);
  bool isFloatType = valueType(box.type) == ValueType::F32;
  const uint32_t *values = registerOf(body.results[output]);
  for (int64_t done = 0; done < count; done += perStick) {
    int64_t tile = (first + done) / perStick;
    int64_t stick = walker->stick(index) + tile * box.tileStride;
    int64_t part = std::min(perStick, count - done);
    if (combine == Combine::Store) {
      *workspace.counts += elementKernels().store(
          box.type, values + done, operand.view.stick<void>(stick), part);
      markWritten(operand, stick, laneMask(box.type, part));
      continue;
    }
    chains[output]->add(combine, isFloatType, walker->position(), tile,
                        values + done, part);
    if (isLastVisit(output)) {
      finishChains(output, tile, stick, part);
    }
  }
}

/// Brings what a stick was given in this command to memory.
void MapRun::finishChains(size_t output, int64_t tile, int64_t stick,
                          int64_t count) {
  const MapOutput &how = command.command->outputs[output];
  size_t index = body.numInputs + output;
  const Operand &operand = operands[index];
  const ElementType type = command.boxes[index].type;
  const bool isFloatType = valueType(type) == ValueType::F32;
  const uint64_t mask = laneMask(type, count);
  const uint32_t *result = chains[output]->finish(
      how.combine, isFloatType, walker->position(), tile, count);
  void *to = operand.view.stick<void>(stick);
  if (!how.accumulate || command.starts) {
    std::memcpy(to, result, static_cast<size_t>(count) * 4);
  } else {
    executor.requireDefined(place, operand, stick, mask);
    elementKernels().combine(how.combine, isFloatType, result, to, count);
  }
  markWritten(operand, stick, mask);
}

void MapRun::markWritten(const Operand &operand, int64_t stick, uint64_t mask) {
  operand.view.defined[stick] |= mask;
  if (operand.view.tags) {
    executor.writeTag(place, operand, stick);
  }
}

void MapRun::combineLanes(size_t output, int64_t first, int64_t count) {
  const MapOutput &how = command.command->outputs[output];
  bool isFloatType =
      types[static_cast<size_t>(body.results[output])] == ValueType::F32;
  const uint32_t *values = registerOf(body.results[output]);
  if (first == 0) {
    lanes[output].fill(identityOf(how.combine, isFloatType));
  }
  for (int64_t done = 0; done < count; done += kTreeLanes) {
    elementKernels().combine(how.combine, isFloatType, values + done,
                             lanes[output].data(),
                             std::min(kTreeLanes, count - done));
  }
}

void MapRun::finishLanes(size_t output) {
  const MapOutput &how = command.command->outputs[output];
  size_t index = body.numInputs + output;
  const ResolvedBox &box = command.boxes[index];
  const Operand &operand = operands[index];
  bool isFloatType = valueType(box.type) == ValueType::F32;
  const ElementKernels &kernels = elementKernels();
  uint32_t *tree = lanes[output].data();
  for (int64_t half = kTreeLanes / 2; half > 0; half /= 2) {
    kernels.combine(how.combine, isFloatType, tree + half, tree, half);
  }
  int64_t stick = walker->stick(index);
  auto *to = operand.view.stick<uint32_t>(stick);
  uint32_t result = tree[0];
  if (!startsFromIdentity(output)) {
    executor.requireDefined(place, operand, stick, laneBit(box.type, 0));
    result = to[0];
    kernels.combine(how.combine, isFloatType, tree, &result, 1);
  }
  int64_t width =
      how.lanes == MapOutput::Lanes::SplatAll ? elementsPerStick(box.type) : 1;
  std::fill(to, to + width, result);
  markWritten(operand, stick, laneMask(box.type, width));
}

void MapRun::createChains() {
  chains.resize(body.results.size());
  for (size_t output = 0; output < body.results.size(); ++output) {
    const MapOutput &how = command.command->outputs[output];
    if (how.lanes != MapOutput::Lanes::Keep || how.combine == Combine::Store) {
      continue;
    }
    size_t index = body.numInputs + output;
    int64_t perStick = elementsPerStick(command.boxes[index].type);
    int64_t numTiles = (command.stick + perStick - 1) / perStick;
    chains[output].emplace(command, command.command->boxes[index], numTiles,
                           perStick);
  }
}

void MapRun::run() {
  checkOutputs();
  openOperands();
  fillConstants();
  createChains();
  lanes.resize(body.results.size());
  PositionWalker positions(command);
  walker = &positions;
  do {
    fillSplats();
    for (int64_t first = 0; first < command.stick; first += kBlockElements) {
      int64_t count = std::min(kBlockElements, command.stick - first);
      loadBlock(first, count);
      evaluateBlock(first, count);
      for (size_t output = 0; output < body.results.size(); ++output) {
        bool keeps =
            command.command->outputs[output].lanes == MapOutput::Lanes::Keep;
        keeps ? storeBlock(output, first, count)
              : combineLanes(output, first, count);
      }
    }
    for (size_t output = 0; output < body.results.size(); ++output) {
      if (command.command->outputs[output].lanes != MapOutput::Lanes::Keep) {
        finishLanes(output);
      }
    }
  } while (positions.next());
}

void Executor::map(Workspace &workspace, const Place &place,
                   const ResolvedCommand &command) {
  MapRun(*this, workspace, place, command).run();
}

} // namespace spyre::sim
