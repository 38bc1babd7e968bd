// SPDX-License-Identifier: Apache-2.0
//
// Expressions and boxes: see Evaluate.h. All arithmetic on values that a
// program supplies is checked.

#include "Evaluate.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

/// Positions of one command.
constexpr int64_t kMaxPositions = int64_t{1} << 40;

[[noreturn]] void overflow(const Place &place) {
  trap(ErrorCode::SimAddressOverflow, place,
       "an address expression exceeds 64 bits");
}

int64_t multiply(const Place &place, int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    overflow(place);
  }
  return result;
}

int64_t add(const Place &place, int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    overflow(place);
  }
  return result;
}

int64_t tilesOf(int64_t elements, ElementType type) {
  int64_t lanes = elementsPerStick(type);
  return elements / lanes + (elements % lanes != 0 ? 1 : 0);
}

} // namespace

int64_t Evaluator::table(const Place &place, const launch::TableRef &ref,
                         std::span<const int64_t> loops) const {
  const launch::Table &table = program.tables[ref.table];
  int64_t inner =
      ref.loopDepth < 0 ? 0 : loops[static_cast<size_t>(ref.loopDepth)];
  if (inner >= table.innerSize) {
    trap(ErrorCode::SimOutOfBounds, place,
         fmt::format("table \"{}\" has {} entries a core, the loop asks for "
                     "entry {}",
                     table.name, table.innerSize, inner));
  }
  return table
      .values[static_cast<size_t>(place.core * table.innerSize + inner)];
}

int64_t Evaluator::affine(const Place &place, const launch::Affine &affine,
                          std::span<const int64_t> loops) const {
  int64_t sum = affine.constant;
  for (const launch::Term &term : affine.terms) {
    int64_t value = 0;
    switch (term.kind) {
    case launch::TermKind::Loop:
      value = loops[static_cast<size_t>(term.index)];
      break;
    case launch::TermKind::Table:
      value = table(place, {static_cast<uint32_t>(term.index), term.loopDepth},
                    loops);
      break;
    case launch::TermKind::Scalar:
      value = scalars[static_cast<size_t>(term.index)];
      break;
    }
    sum = add(place, sum, multiply(place, value, term.coefficient));
  }
  return sum;
}

int64_t Evaluator::extent(const Place &place, const launch::Extent &extent,
                          std::span<const int64_t> loops) const {
  int64_t least = affine(place, extent.bounds[0], loops);
  for (size_t i = 1; i < extent.bounds.size(); ++i) {
    least = std::min(least, affine(place, extent.bounds[i], loops));
  }
  return std::max<int64_t>(0, least);
}

void Evaluator::resolveExtents(const Place &place,
                               std::span<const int64_t> loops,
                               ResolvedCommand &out) const {
  const launch::Command &command = *out.command;
  out.numDims = static_cast<int32_t>(command.dims.size());
  out.positions = 1;
  // An outer K dim of extent 0 leaves a matmul the task of clearing.
  int64_t visible = 1;
  for (size_t i = 0; i < command.dims.size(); ++i) {
    out.extents[i] = extent(place, command.dims[i], loops);
    out.positions = multiply(place, out.positions, out.extents[i]);
    bool isRow = command.kind != launch::CommandKind::Matmul ||
                 static_cast<int32_t>(i) < command.numRowDims;
    visible = std::min(visible, isRow ? out.extents[i] : 1);
  }
  out.stick = out.inner = 1;
  if (!command.stick.bounds.empty()) {
    out.stick = extent(place, command.stick, loops);
  }
  if (!command.inner.bounds.empty()) {
    out.inner = extent(place, command.inner, loops);
  }
  int64_t needed = std::min(visible, out.stick);
  if (command.kind == launch::CommandKind::Transpose) {
    needed = std::min(needed, out.inner);
  }
  out.idle = out.idle || needed <= 0;
  int64_t work = multiply(place, multiply(place, out.positions, out.inner),
                          tilesOf(out.stick, ElementType::F32));
  if (work > kMaxPositions) {
    trap(ErrorCode::SimBudget, place,
         fmt::format("a command visits {} positions, more than {}", work,
                     kMaxPositions));
  }
}

void Evaluator::checkBounds(const Place &place, const launch::Box &box,
                            std::span<const int64_t> low,
                            std::span<const int64_t> high,
                            int32_t indexedDim) const {
  const launch::Buffer &buffer = program.buffers[box.buffer];
  for (size_t dim = 0; dim < low.size(); ++dim) {
    if (static_cast<int32_t>(dim) == indexedDim) {
      continue;
    }
    if (low[dim] < 0 || high[dim] >= buffer.shape[dim]) {
      trap(ErrorCode::SimOutOfBounds, place,
           fmt::format("a box of buffer \"{}\" leaves the buffer", buffer.name),
           {fmt::format("device dim {}: coordinates {} to {}, extent {}", dim,
                        low[dim], high[dim], buffer.shape[dim])});
    }
  }
}

void Evaluator::resolveBox(const Place &place, size_t index,
                           std::span<const int64_t> loops,
                           ResolvedCommand &out) const {
  const launch::Command &command = *out.command;
  const launch::Box &box = command.boxes[index];
  const launch::Buffer &buffer = program.buffers[box.buffer];
  const BufferInfo &bufferInfo = info.buffers[box.buffer];
  bool isIndexed = command.indexed && buffer.space == launch::Space::DDR;
  int32_t indexedDim = isIndexed ? command.indexed->deviceDim : -1;
  size_t outerDims = bufferInfo.strides.size();
  std::array<int64_t, kMaxDeviceDims> low = {};
  std::array<int64_t, kMaxDeviceDims> high = {};
  ResolvedBox &result = out.boxes[index];
  result = ResolvedBox{};
  result.buffer = box.buffer;
  result.type = buffer.type;
  result.splat = box.access == launch::LaneAccess::Splat;
  for (size_t dim = 0; dim <= outerDims; ++dim) {
    low[dim] = high[dim] = affine(place, box.offsets[dim], loops);
  }
  if (!result.splat && low[outerDims] != 0) {
    trap(ErrorCode::SimOutOfBounds, place,
         fmt::format("a stickwise box of buffer \"{}\" starts at lane {}",
                     buffer.name, low[outerDims]));
  }
  result.lane = low[outerDims];

  auto advance = [&](int32_t dim, int64_t step, int64_t extent) {
    int64_t reach = multiply(place, step, std::max<int64_t>(extent - 1, 0));
    auto at = static_cast<size_t>(dim);
    (reach < 0 ? low : high)[at] =
        add(place, (reach < 0 ? low : high)[at], reach);
  };
  for (size_t i = 0; i < command.dims.size(); ++i) {
    const launch::DimMap &map = box.dims[i];
    if (map.deviceDim < 0) {
      continue;
    }
    advance(map.deviceDim, map.step, out.extents[i]);
    if (map.deviceDim == indexedDim) {
      result.indexSteps[i] = map.step;
    } else if (out.extents[i] > 1) {
      result.strides[i] =
          multiply(place, map.step,
                   bufferInfo.strides[static_cast<size_t>(map.deviceDim)]);
    }
  }
  // Which element extents run over this box, and in which direction.
  int64_t tileElements = 1;
  int64_t rows = 1;
  bool usesTiles = !result.splat;
  switch (command.kind) {
  case launch::CommandKind::Map: {
    size_t inputs = program.bodies[command.body].numInputs;
    bool combinesLanes =
        index >= inputs &&
        command.outputs[index - inputs].lanes != launch::MapOutput::Lanes::Keep;
    tileElements = combinesLanes ? 1 : out.stick;
    break;
  }
  case launch::CommandKind::Matmul:
    tileElements = index == 0 ? out.inner : out.stick;
    rows = index == 1 ? out.inner : 1;
    break;
  case launch::CommandKind::Transpose:
    tileElements = index == 0 ? out.stick : out.inner;
    rows = index == 0 ? out.inner : out.stick;
    break;
  case launch::CommandKind::Shift:
    if (out.stick > elementsPerStick(buffer.type)) {
      trap(ErrorCode::SimOutOfBounds, place,
           fmt::format("a shift writes {} lanes of {}", out.stick,
                       elementsPerStick(buffer.type)));
    }
    break;
  default:
    break;
  }
  result.tiles = usesTiles ? tilesOf(tileElements, buffer.type) : 1;
  result.rows = rows;
  auto runOver = [&](int32_t dim, int64_t count, int64_t &stride,
                     const char *what) {
    if (dim >= 0) {
      advance(dim, 1, count);
      stride = bufferInfo.strides[static_cast<size_t>(dim)];
    } else if (count > 1) {
      trap(ErrorCode::SimOutOfBounds, place,
           fmt::format("a box of buffer \"{}\" has no {} dim but runs over {} "
                       "of them",
                       buffer.name, what, count));
    }
  };
  if (usesTiles) {
    runOver(box.tileDim, result.tiles, result.tileStride, "tile");
    runOver(box.rowDim, rows, result.rowStride, "row");
  }
  if (out.idle) {
    return;
  }
  checkBounds(place, box, {low.data(), outerDims + 1},
              {high.data(), outerDims + 1}, indexedDim);
  for (size_t dim = 0; dim < outerDims; ++dim) {
    if (static_cast<int32_t>(dim) == indexedDim) {
      result.indexStart = affine(place, box.offsets[dim], loops);
      result.indexStride = bufferInfo.strides[dim];
      result.indexExtent = buffer.shape[dim];
      continue;
    }
    int64_t start = affine(place, box.offsets[dim], loops);
    result.first += start * bufferInfo.strides[dim];
    result.hullLow += low[dim] * bufferInfo.strides[dim];
    result.hullHigh += high[dim] * bufferInfo.strides[dim];
  }
  if (isIndexed) {
    auto dim = static_cast<size_t>(indexedDim);
    constexpr int64_t kMaxIndex = int64_t{1} << 40;
    if (low[dim] < -kMaxIndex || high[dim] > kMaxIndex) {
      overflow(place);
    }
  }
}

void Evaluator::resolve(const Place &place, const CommandInfo &commandInfo,
                        std::span<const int64_t> loops,
                        ResolvedCommand &out) const {
  const launch::Command &command = *place.command;
  out.command = &command;
  out.info = &commandInfo;
  out.idle = command.predicate && table(place, *command.predicate, loops) == 0;
  std::copy(loops.begin(), loops.end(), out.loops.begin());
  out.starts = std::all_of(
      command.first.begin(), command.first.end(),
      [&](int32_t depth) { return loops[static_cast<size_t>(depth)] == 0; });
  out.coreMask = uint64_t{1} << place.core;
  out.boxes.resize(command.boxes.size());
  if (command.kind == launch::CommandKind::Next) {
    out.idle = true;
  }
  if (out.idle) {
    return;
  }
  if (command.cores) {
    int64_t mask = table(place, *command.cores, loops);
    if (mask < 0 || mask >> program.numCores != 0) {
      trap(ErrorCode::SimOutOfBounds, place,
           fmt::format("core set {:#x} names cores beyond {}", mask,
                       program.numCores));
    }
    out.coreMask = static_cast<uint64_t>(mask);
  }
  resolveExtents(place, loops, out);
  if (command.indexed) {
    out.indexFirst = affine(place, command.indexed->first, loops);
    out.indexCount = extent(place, command.indexed->count, loops);
  }
  for (size_t i = 0; i < command.boxes.size(); ++i) {
    resolveBox(place, i, loops, out);
  }
}

} // namespace spyre::sim
