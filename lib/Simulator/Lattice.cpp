// SPDX-License-Identifier: Apache-2.0
//
// Walking the sticks of boxes, and the questions about sets of sticks: are
// they distinct, equal, disjoint? Boxes that a sort by stride settles cost
// nothing; the others are listed, within a bound.

#include "Evaluate.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

/// Sticks that an exact test may list.
constexpr int64_t kMaxListedSticks = int64_t{1} << 27;

int64_t countOf(const Lattice &lattice) {
  int64_t count = 1;
  for (int64_t extent : lattice.extents) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      return INT64_MAX;
    }
  }
  return count;
}

/// True if sorting by stride proves that no two positions meet: each stride
/// exceeds all that the smaller ones can span.
bool isObviouslyDistinct(const Lattice &lattice) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t i = 0; i < lattice.extents.size(); ++i) {
    if (lattice.extents[i] > 1) {
      dims.emplace_back(std::abs(lattice.strides[i]), lattice.extents[i]);
    }
  }
  std::sort(dims.begin(), dims.end());
  int64_t span = 0;
  for (const auto &[stride, extent] : dims) {
    if (stride <= span) {
      return false;
    }
    span += stride * (extent - 1);
  }
  return true;
}

} // namespace

PositionWalker::PositionWalker(const ResolvedCommand &walked,
                               std::span<const ResolvedBox> walkedBoxes,
                               int32_t beginDim, int32_t endDim)
    : command(walked), boxes(walkedBoxes), begin(beginDim), end(endDim) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    sticks[i] = boxes[i].first;
  }
}

bool PositionWalker::next() {
  for (int32_t dim = end - 1; dim >= begin; --dim) {
    auto at = static_cast<size_t>(dim);
    if (++index[at] < command.extents[at]) {
      for (size_t i = 0; i < boxes.size(); ++i) {
        sticks[i] += boxes[i].strides[at];
      }
      return true;
    }
    for (size_t i = 0; i < boxes.size(); ++i) {
      sticks[i] -= boxes[i].strides[at] * (command.extents[at] - 1);
    }
    index[at] = 0;
  }
  return false;
}

Lattice latticeOf(const ResolvedCommand &command, const ResolvedBox &box,
                  int32_t numWholeDims) {
  Lattice lattice;
  lattice.first = box.first;
  lattice.low = box.hullLow;
  lattice.high = box.hullHigh;
  auto append = [&](int64_t extent, int64_t stride) {
    if (extent > 1) {
      lattice.extents.push_back(extent);
      lattice.strides.push_back(stride);
    }
  };
  auto index = static_cast<size_t>(&box - command.boxes.data());
  for (int32_t dim = 0; dim < command.numDims; ++dim) {
    auto at = static_cast<size_t>(dim);
    bool isMapped = command.command->boxes[index].dims[at].deviceDim >= 0;
    if (isMapped || dim < numWholeDims) {
      append(command.extents[at], box.strides[at]);
    }
  }
  append(box.rows, box.rowStride);
  append(box.tiles, box.tileStride);
  return lattice;
}

void requireDistinct(const Place &place, const Lattice &lattice,
                     const std::string &buffer) {
  if (isObviouslyDistinct(lattice)) {
    return;
  }
  int64_t hull = lattice.high - lattice.low + 1;
  int64_t count = countOf(lattice);
  bool twice = count > hull;
  if (!twice && hull > kMaxListedSticks) {
    trap(ErrorCode::SimBudget, place,
         fmt::format("cannot tell whether {} sticks of \"{}\" are distinct",
                     count, buffer));
  }
  int64_t where = lattice.first;
  if (!twice) {
    std::vector<bool> seen(static_cast<size_t>(hull), false);
    forEachStick(lattice, [&](int64_t stick) {
      auto at = static_cast<size_t>(stick - lattice.low);
      if (seen[at] && !twice) {
        twice = true;
        where = stick;
      }
      seen[at] = true;
    });
  }
  if (twice) {
    trap(ErrorCode::SimWrittenTwice, place,
         fmt::format("a command writes a stick of buffer \"{}\" twice", buffer),
         {fmt::format("{} positions over {} sticks, first at stick {}", count,
                      hull, where)});
  }
}

bool sameSticks(const ResolvedCommand &command, const ResolvedBox &a,
                const ResolvedBox &b) {
  if (a.buffer != b.buffer || a.splat || b.splat || a.first != b.first ||
      a.tiles != b.tiles || (a.tiles > 1 && a.tileStride != b.tileStride)) {
    return false;
  }
  for (int32_t dim = 0; dim < command.numDims; ++dim) {
    auto at = static_cast<size_t>(dim);
    if (command.extents[at] > 1 && a.strides[at] != b.strides[at]) {
      return false;
    }
  }
  return true;
}

void requireDisjoint(const Place &place, const Lattice &a, const Lattice &b,
                     const std::string &buffer) {
  if (a.high < b.low || b.high < a.low) {
    return;
  }
  int64_t hull = a.high - a.low + 1;
  if (hull > kMaxListedSticks || countOf(a) > kMaxListedSticks ||
      countOf(b) > kMaxListedSticks) {
    trap(ErrorCode::SimBudget, place,
         fmt::format("cannot tell whether two boxes of \"{}\" are disjoint",
                     buffer));
  }
  std::vector<bool> seen(static_cast<size_t>(hull), false);
  forEachStick(a, [&](int64_t stick) {
    seen[static_cast<size_t>(stick - a.low)] = true;
  });
  int64_t shared = -1;
  forEachStick(b, [&](int64_t stick) {
    if (stick >= a.low && stick <= a.high &&
        seen[static_cast<size_t>(stick - a.low)]) {
      shared = stick;
    }
  });
  if (shared >= 0) {
    trap(ErrorCode::SimOverlappingOperands, place,
         fmt::format("an output in buffer \"{}\" overlaps another operand "
                     "without being equal to it",
                     buffer),
         {fmt::format("both hold stick {}", shared)});
  }
}

} // namespace spyre::sim
