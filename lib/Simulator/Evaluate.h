// SPDX-License-Identifier: Apache-2.0
//
// From a command with expressions to one with numbers: extents, and per box
// the first stick and the stick stride of every command dim. A box is checked
// against its buffer here, once, by its corners (extents are those of the
// command and offsets are affine, so the corners bound it exactly per device
// dim); kernels then walk sticks without asking.

#ifndef SPYRE_LIB_SIMULATOR_EVALUATE_H
#define SPYRE_LIB_SIMULATOR_EVALUATE_H

#include "ProgramInfo.h"

#include <array>

namespace spyre::sim {

struct ResolvedBox {
  uint32_t buffer = 0;
  ElementType type = ElementType::F16;
  bool splat = false;
  int64_t lane = 0;
  /// Sticks from the start of the slot.
  int64_t first = 0;
  std::array<int64_t, kMaxCommandDims> strides = {};
  int64_t tileStride = 0;
  int64_t rowStride = 0;
  /// Sticks that tile and row run over: 1 where the box does not move.
  int64_t tiles = 1;
  int64_t rows = 1;
  /// Lowest and highest stick touched (indexed boxes: with index 0).
  int64_t hullLow = 0;
  int64_t hullHigh = 0;
  /// Indexed dim: its stride in sticks, and what each command dim adds to the
  /// index position.
  std::array<int64_t, kMaxCommandDims> indexSteps = {};
  int64_t indexStart = 0;
  int64_t indexStride = 0;
  int64_t indexExtent = 0;
  /// If the buffer is a queue: the slot's number.
  int64_t slotNumber = 0;
};

struct ResolvedCommand {
  const launch::Command *command = nullptr;
  const CommandInfo *info = nullptr;
  int32_t numDims = 0;
  std::array<int64_t, kMaxCommandDims> extents = {};
  int64_t stick = 0;
  int64_t inner = 0;
  /// Product of `extents`.
  int64_t positions = 0;
  std::vector<ResolvedBox> boxes;
  /// Predicate off or some extent zero: only queue actions remain.
  bool idle = false;
  /// All loop variables of Command::first are 0.
  bool starts = false;
  uint64_t coreMask = 0;
  int64_t indexFirst = 0;
  int64_t indexCount = 0;
  int64_t indexSlotNumber = 0;
  /// Values of the loop variables, outermost first.
  std::array<int64_t, kMaxLoopDepth> loops = {};
};

/// Evaluates expressions of one core.
class Evaluator {
public:
  Evaluator(const launch::Program &program, const ProgramInfo &info,
            std::span<const int64_t> scalars)
      : program(program), info(info), scalars(scalars) {}

  int64_t affine(const Place &place, const launch::Affine &affine,
                 std::span<const int64_t> loops) const;
  int64_t extent(const Place &place, const launch::Extent &extent,
                 std::span<const int64_t> loops) const;
  int64_t table(const Place &place, const launch::TableRef &ref,
                std::span<const int64_t> loops) const;
  /// Fills `out`; traps on a box that leaves its buffer.
  void resolve(const Place &place, const CommandInfo &commandInfo,
               std::span<const int64_t> loops, ResolvedCommand &out) const;

private:
  void resolveExtents(const Place &place, std::span<const int64_t> loops,
                      ResolvedCommand &out) const;
  void resolveBox(const Place &place, size_t index,
                  std::span<const int64_t> loops, ResolvedCommand &out) const;
  void checkBounds(const Place &place, const launch::Box &box,
                   std::span<const int64_t> low, std::span<const int64_t> high,
                   int32_t indexedDim) const;

  const launch::Program &program;
  const ProgramInfo &info;
  std::span<const int64_t> scalars;
};

/// Walks the positions of a command's dims [begin, end), row-major, keeping
/// the stick of each box.
class PositionWalker {
public:
  PositionWalker(const ResolvedCommand &command,
                 std::span<const ResolvedBox> boxes, int32_t beginDim,
                 int32_t endDim);
  explicit PositionWalker(const ResolvedCommand &command)
      : PositionWalker(command, command.boxes, 0, command.numDims) {}
  /// False after the last position.
  bool next();
  int64_t stick(size_t box) const { return sticks[box]; }
  std::span<const int64_t> position() const { return index; }

private:
  const ResolvedCommand &command;
  std::span<const ResolvedBox> boxes;
  int32_t begin;
  int32_t end;
  std::array<int64_t, kMaxCommandDims> index = {};
  std::array<int64_t, kMaxBoxes> sticks = {};
};

/// A walk given by extents and strides only.
struct Lattice {
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;
  int64_t first = 0;
  int64_t low = 0;
  int64_t high = 0;
};
/// The sticks of a box over the dims that it maps, its tiles and rows. The
/// first `numWholeDims` dims count even where the box does not move along them.
Lattice latticeOf(const ResolvedCommand &command, const ResolvedBox &box,
                  int32_t numWholeDims = 0);
/// Calls visit(stick) for each stick of a lattice.
template <typename Visit>
void forEachStick(const Lattice &lattice, Visit visit) {
  std::vector<int64_t> index(lattice.extents.size(), 0);
  int64_t stick = lattice.first;
  while (true) {
    visit(stick);
    size_t dim = index.size();
    while (dim > 0) {
      --dim;
      stick += lattice.strides[dim];
      if (++index[dim] < lattice.extents[dim]) {
        break;
      }
      stick -= lattice.strides[dim] * lattice.extents[dim];
      index[dim] = 0;
      if (dim == 0) {
        return;
      }
    }
    if (index.empty()) {
      return;
    }
  }
}

/// Traps unless every stick of the lattice is hit once.
void requireDistinct(const Place &place, const Lattice &lattice,
                     const std::string &buffer);
bool sameSticks(const ResolvedCommand &command, const ResolvedBox &a,
                const ResolvedBox &b);
/// Traps unless two boxes of one buffer share no stick.
void requireDisjoint(const Place &place, const Lattice &a, const Lattice &b,
                     const std::string &buffer);

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_EVALUATE_H
