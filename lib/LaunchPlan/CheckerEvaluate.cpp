// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of command instances. Constants, coefficients and results are
// bounded by 2^48 and loop variables by the target, so that every sum of up to
// 64 products fits 128 bits and every result is checked once.

#include "CheckerEvaluate.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

bool fits(Wide value) {
  return value <= kMaxMagnitude && value >= -kMaxMagnitude;
}

int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

} // namespace

int64_t numVisits(const BoxWalk &walk, size_t numDims) {
  Wide visits = static_cast<Wide>(walk.tiles) * walk.rows;
  for (size_t dim = 0; dim < numDims; ++dim) {
    visits = std::min<Wide>(visits, int64_t{1} << 62) * walk.extents[dim];
  }
  return static_cast<int64_t>(std::min<Wide>(visits, int64_t{1} << 62));
}

bool sameWalk(const BoxWalk &a, const BoxWalk &b, size_t numDims) {
  bool same = a.buffer == b.buffer && a.base == b.base && a.tiles == b.tiles &&
              a.splat == b.splat && (a.tiles == 1 || a.tileStep == b.tileStep);
  for (size_t dim = 0; same && dim < numDims; ++dim) {
    same = a.extents[dim] == b.extents[dim] &&
           (a.extents[dim] == 1 || a.steps[dim] == b.steps[dim]);
  }
  return same;
}

Cursor::Cursor(Context &context, size_t programIndex, size_t phase, Unit unit,
               int32_t core)
    : context(context), program(context.plan.programs[programIndex]),
      facts(context.facts[programIndex]), phase(phase), unit(unit), core(core),
      list(program.phases[phase].units[static_cast<size_t>(unit)]),
      match(facts.match[phase][static_cast<size_t>(unit)]) {}

Place Cursor::place() const {
  return Place{&program, phase, unit, current, core};
}

bool Cursor::fail(ErrorCode code, std::string message) {
  context.errors.addAt(code, place(), std::move(message));
  hasFailed = true;
  return false;
}

bool Cursor::advance(Instance &instance) {
  while (!hasFailed && next < list.size()) {
    if (++context.commandInstances > context.budgets.maxCommandInstances) {
      return fail(ErrorCode::CheckBudget,
                  fmt::format("the plan runs more than {} commands",
                              context.budgets.maxCommandInstances));
    }
    current = next;
    const Command &command = list[current];
    if (command.kind == CommandKind::Loop || command.kind == CommandKind::End) {
      if (!control(command)) {
        return false;
      }
      continue;
    }
    ++next;
    return evaluate(instance);
  }
  return false;
}

bool Cursor::control(const Command &command) {
  if (command.kind == CommandKind::End) {
    Level &level = levels[depth - 1];
    if (++level.variable < level.trips) {
      next = level.begin;
    } else {
      --depth;
      next = current + 1;
    }
    return true;
  }
  int64_t trips = 0;
  if (!extent(command.trip, trips)) {
    return false;
  }
  if (trips > context.target.maxLoopTrips) {
    return fail(ErrorCode::CheckTripCount,
                fmt::format("the loop runs {} times, at most {} are possible",
                            trips, context.target.maxLoopTrips));
  }
  if (trips == 0) {
    next = match[current] + 1;
    return true;
  }
  levels[depth++] = Level{current + 1, trips, 0};
  next = current + 1;
  return true;
}

bool Cursor::tableEntry(uint32_t index, int32_t loopDepth, int64_t &value) {
  const Table &table = program.tables[index];
  int64_t inner =
      loopDepth < 0 ? 0 : levels[static_cast<size_t>(loopDepth)].variable;
  if (inner >= table.innerSize) {
    return fail(ErrorCode::CheckTableIndex,
                fmt::format("loop variable {} indexes table {} of {} entries "
                            "per core",
                            inner, quoted(table.name), table.innerSize));
  }
  value = table.values[static_cast<size_t>(core * table.innerSize + inner)];
  return true;
}

bool Cursor::affine(const Affine &expression, int64_t &value) {
  Wide sum = expression.constant;
  for (const Term &term : expression.terms) {
    int64_t factor = 0;
    if (term.kind == TermKind::Loop) {
      factor = levels[static_cast<size_t>(term.index)].variable;
    } else if (!tableEntry(static_cast<uint32_t>(term.index), term.loopDepth,
                           factor)) {
      return false;
    }
    if (!fits(factor)) {
      return fail(ErrorCode::CheckArithmetic,
                  fmt::format("table entry {} in an expression exceeds {}",
                              factor, kMaxMagnitude));
    }
    sum += static_cast<Wide>(term.coefficient) * factor;
  }
  if (!fits(sum)) {
    return fail(ErrorCode::CheckArithmetic,
                fmt::format("an expression exceeds {}", kMaxMagnitude));
  }
  value = static_cast<int64_t>(sum);
  return true;
}

bool Cursor::extent(const Extent &expression, int64_t &value) {
  value = kMaxMagnitude;
  for (const Affine &bound : expression.bounds) {
    int64_t candidate = 0;
    if (!affine(bound, candidate)) {
      return false;
    }
    value = std::min(value, candidate);
  }
  value = std::max<int64_t>(value, 0);
  return true;
}

bool Cursor::coreSet(Instance &instance) {
  const Command &command = *instance.command;
  instance.cores = uint64_t{1} << core;
  if (!command.cores) {
    return true;
  }
  int64_t mask = 0;
  if (!tableEntry(command.cores->table, command.cores->loopDepth, mask)) {
    return false;
  }
  if (mask <= 0 || (mask >> program.numCores) != 0) {
    return fail(ErrorCode::CheckTableValue,
                fmt::format("core set {:#x} is empty or names cores beyond {}",
                            mask, program.numCores));
  }
  instance.cores = static_cast<uint64_t>(mask);
  return true;
}

bool Cursor::evaluate(Instance &instance) {
  const Command &command = list[current];
  instance.command = &command;
  instance.active = command.kind != CommandKind::Next;
  instance.numDims = command.dims.size();
  instance.numBoxes = command.boxes.size();
  instance.stick = 1;
  instance.inner = 1;
  if (command.predicate) {
    int64_t flag = 0;
    if (!tableEntry(command.predicate->table, command.predicate->loopDepth,
                    flag)) {
      return false;
    }
    if (flag != 0 && flag != 1) {
      return fail(ErrorCode::CheckTableValue,
                  fmt::format("predicate {} is not 0 or 1", flag));
    }
    instance.active = instance.active && flag == 1;
  }
  instance.isFirst = std::all_of(
      command.first.begin(), command.first.end(), [&](int32_t loop) {
        return levels[static_cast<size_t>(loop)].variable == 0;
      });
  if (!instance.active) {
    return true;
  }
  for (size_t dim = 0; dim < instance.numDims; ++dim) {
    if (!extent(command.dims[dim], instance.extents[dim])) {
      return false;
    }
    instance.active = instance.active && instance.extents[dim] > 0;
  }
  bool hasStick =
      command.kind != CommandKind::Move && command.kind != CommandKind::Reduce;
  bool hasInner = command.kind == CommandKind::Matmul ||
                  command.kind == CommandKind::Transpose;
  if ((hasStick && !extent(command.stick, instance.stick)) ||
      (hasInner && !extent(command.inner, instance.inner)) ||
      !coreSet(instance)) {
    return false;
  }
  if (command.indexed &&
      (!affine(command.indexed->first, instance.indexFirst) ||
       !extent(command.indexed->count, instance.indexCount))) {
    return false;
  }
  instance.active = instance.active && instance.stick > 0 && instance.inner > 0;
  return !instance.active || evaluateBoxes(instance);
}

bool Cursor::evaluateBoxes(Instance &instance) {
  if (instance.boxes.size() < instance.numBoxes) {
    instance.boxes.resize(instance.numBoxes);
  }
  for (size_t box = 0; box < instance.numBoxes; ++box) {
    if (!walk(instance, box, instance.boxes[box])) {
      return false;
    }
  }
  if (instance.command->kind != CommandKind::Map) {
    return true;
  }
  int64_t ignored = 0;
  for (const BodyOp &op : program.bodies[instance.command->body].ops) {
    if (op.opcode == BodyOpcode::Index && !affine(op.index, ignored)) {
      return false;
    }
  }
  return true;
}

void Cursor::tilesAndRows(const Instance &instance, size_t box,
                          BoxWalk &walk) const {
  const Command &command = *instance.command;
  int64_t lanes = facts.buffers[walk.buffer].elementsPerStick;
  walk.tiles = 1;
  walk.rows = 1;
  switch (command.kind) {
  case CommandKind::Matmul:
    walk.tiles = ceilDiv(box == 0 ? instance.inner : instance.stick, lanes);
    walk.rows = box == 1 ? instance.inner : 1;
    break;
  case CommandKind::Map: {
    size_t numInputs = command.boxes.size() - command.outputs.size();
    bool oneStick = box < numInputs ? walk.splat
                                    : command.outputs[box - numInputs].lanes !=
                                          MapOutput::Lanes::Keep;
    walk.tiles = oneStick ? 1 : ceilDiv(instance.stick, lanes);
    break;
  }
  case CommandKind::Transpose:
    walk.tiles = ceilDiv(box == 0 ? instance.stick : instance.inner, lanes);
    walk.rows = box == 0 ? instance.inner : instance.stick;
    break;
  default:
    break;
  }
}

bool Cursor::walk(const Instance &instance, size_t index, BoxWalk &walk) {
  const Box &box = instance.command->boxes[index];
  walk.buffer = box.buffer;
  walk.splat = box.access == LaneAccess::Splat;
  tilesAndRows(instance, index, walk);
  const BufferFacts &buffer = facts.buffers[box.buffer];
  const std::string &name = program.buffers[box.buffer].name;
  if (instance.command->kind == CommandKind::Shift &&
      instance.stick > buffer.elementsPerStick) {
    return fail(ErrorCode::CheckBounds,
                fmt::format("shift writes {} lanes, a stick has {}",
                            instance.stick, buffer.elementsPerStick));
  }
  if ((walk.tiles > 1 && box.tileDim < 0) ||
      (walk.rows > 1 && box.rowDim < 0)) {
    return fail(ErrorCode::CheckBounds,
                fmt::format("{} tiles and {} rows of {} need dims to run along",
                            walk.tiles, walk.rows, quoted(name)));
  }
  return bounds(instance, box, walk);
}

bool Cursor::bounds(const Instance &instance, const Box &box, BoxWalk &walk) {
  Reach reach;
  if (!reachOf(instance, box, walk, reach) ||
      !checkInside(program.buffers[box.buffer], reach)) {
    return false;
  }
  place(instance, box, reach, walk);
  return true;
}

/// The dim of a table in device memory that an indexed command picks rows of,
/// or -1.
static int32_t tableDimOf(const Instance &instance, const Buffer &buffer) {
  return instance.command->indexed && buffer.space == Space::DDR
             ? instance.command->indexed->deviceDim
             : -1;
}

bool Cursor::reachOf(const Instance &instance, const Box &box, BoxWalk &walk,
                     Reach &reach) {
  const Buffer &buffer = program.buffers[box.buffer];
  size_t outerDims = facts.buffers[box.buffer].strides.size();
  for (size_t dim = 0; dim <= outerDims; ++dim) {
    if (!affine(box.offsets[dim], reach.offsets[dim])) {
      return false;
    }
    reach.low[dim] = reach.high[dim] = reach.offsets[dim];
  }
  int32_t tableDim = tableDimOf(instance, buffer);
  if (tableDim >= 0) {
    if (reach.offsets[tableDim] != 0) {
      return fail(
          ErrorCode::CheckBounds,
          fmt::format("starts at {} of the indexed dim of {}, must at 0",
                      reach.offsets[tableDim], quoted(buffer.name)));
    }
    // An index reaches any row.
    reach.high[tableDim] = buffer.shape[tableDim] - 1;
  }
  for (size_t dim = 0; dim < instance.numDims; ++dim) {
    const DimMap &map = box.dims[dim];
    walk.extents[dim] = map.deviceDim < 0 ? 1 : instance.extents[dim];
    if (map.deviceDim < 0) {
      continue;
    }
    if (map.deviceDim == tableDim) {
      if (map.step != 1 || walk.extents[dim] != instance.indexCount) {
        return fail(ErrorCode::CheckBounds,
                    fmt::format("takes {} rows in steps of {} by {} indices",
                                walk.extents[dim], map.step,
                                instance.indexCount));
      }
      continue;
    }
    Wide distance = static_cast<Wide>(walk.extents[dim] - 1) * map.step;
    (distance < 0 ? reach.low : reach.high)[map.deviceDim] += distance;
  }
  if (box.tileDim >= 0) {
    reach.high[box.tileDim] += walk.tiles - 1;
  }
  if (box.rowDim >= 0) {
    reach.high[box.rowDim] += walk.rows - 1;
  }
  return true;
}

bool Cursor::checkInside(const Buffer &buffer, const Reach &reach) {
  const auto shown = [](Wide value) {
    return static_cast<int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX));
  };
  for (size_t dim = 0; dim < buffer.shape.size(); ++dim) {
    if (reach.low[dim] < 0 || reach.high[dim] >= buffer.shape[dim]) {
      return fail(ErrorCode::CheckBounds,
                  fmt::format("reaches [{}, {}] of dim {} of {}, which has {}",
                              shown(reach.low[dim]), shown(reach.high[dim]),
                              dim, quoted(buffer.name), buffer.shape[dim]));
    }
  }
  return true;
}

void Cursor::place(const Instance &instance, const Box &box, const Reach &reach,
                   BoxWalk &walk) const {
  const Buffer &buffer = program.buffers[box.buffer];
  const std::vector<int64_t> &strides = facts.buffers[box.buffer].strides;
  // The last dim is the lane: the structure stage has it 0 unless Splat.
  walk.lane = reach.offsets[strides.size()];
  walk.base = walk.lo = walk.hi = 0;
  // Everything is inside the buffer: products of coordinate and stride fit.
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    walk.base += reach.offsets[dim] * strides[dim];
    walk.low[dim] = static_cast<int64_t>(reach.low[dim]);
    walk.high[dim] = static_cast<int64_t>(reach.high[dim]);
    walk.lo += walk.low[dim] * strides[dim];
    walk.hi += walk.high[dim] * strides[dim];
  }
  int32_t tableDim = tableDimOf(instance, buffer);
  walk.tableRows = 0;
  if (tableDim >= 0) {
    walk.tableRows = buffer.shape[tableDim];
    walk.tableStep = strides[tableDim];
  }
  for (size_t dim = 0; dim < instance.numDims; ++dim) {
    const DimMap &map = box.dims[dim];
    bool walks = walk.extents[dim] > 1 && map.deviceDim != tableDim;
    walk.steps[dim] = walks ? map.step * strides[map.deviceDim] : 0;
  }
  walk.tileStep = walk.tiles > 1 ? strides[box.tileDim] : 0;
  walk.rowStep = walk.rows > 1 ? strides[box.rowDim] : 0;
}

} // namespace spyre::launch::checker
