// SPDX-License-Identifier: Apache-2.0
//
// One command instance as numbers: a cursor walks the list of one unit of one
// core through its loops, and evaluates extents, core sets and boxes at each
// command. A box becomes a walk over linear stick numbers of its buffer, proved
// to stay inside it per device dim.

#ifndef SPYRE_LIB_LAUNCHPLAN_CHECKEREVALUATE_H
#define SPYRE_LIB_LAUNCHPLAN_CHECKEREVALUATE_H

#include "CheckerInternal.h"

namespace spyre::launch::checker {

/// The sticks that one operand of a command instance touches:
/// base + sum over dims of i * steps + tile * tileStep + row * rowStep.
struct BoxWalk {
  uint32_t buffer = 0;
  int64_t base = 0;
  /// Per command dim; 0 where the box stands still.
  std::array<int64_t, kMaxCommandDims> steps = {};
  /// Extent per command dim; 1 where the box stands still.
  std::array<int64_t, kMaxCommandDims> extents = {};
  int64_t tiles = 1;
  int64_t tileStep = 0;
  int64_t rows = 1;
  int64_t rowStep = 0;
  /// First and last stick of the hull, and coordinate per outer device dim.
  int64_t lo = 0;
  int64_t hi = 0;
  std::array<int64_t, kMaxRank> low = {};
  std::array<int64_t, kMaxRank> high = {};
  /// Indexed: rows of the indexed dim and the step from one to the next; the
  /// walk visits the first, which stands for any.
  int64_t tableRows = 0;
  int64_t tableStep = 0;
  /// Splat: the lane.
  int64_t lane = 0;
  bool splat = false;
};

/// Holds the sums of any offset and distance.
using Wide = __int128;

/// Coordinates that a box reaches, per device dim (the last is the lane).
struct Reach {
  std::array<int64_t, kMaxRank> offsets = {};
  std::array<Wide, kMaxRank> low = {};
  std::array<Wide, kMaxRank> high = {};
};

struct Instance {
  const Command *command = nullptr;
  /// The predicate holds and no extent is 0: the command does work.
  bool active = false;
  size_t numDims = 0;
  std::array<int64_t, kMaxCommandDims> extents = {};
  int64_t stick = 1;
  int64_t inner = 1;
  /// Core set of a move or reduce; a move without one names its own core.
  uint64_t cores = 0;
  /// Indexed moves: first entry and number of entries of the index.
  int64_t indexFirst = 0;
  int64_t indexCount = 0;
  /// All loop variables of `first` are 0.
  bool isFirst = true;
  size_t numBoxes = 0;
  /// At least numBoxes entries if active; kept between instances.
  std::vector<BoxWalk> boxes;
};

/// Sticks that a walk visits (saturating).
int64_t numVisits(const BoxWalk &walk, size_t numDims);

/// Do the walks visit the same sticks in the same order?
bool sameWalk(const BoxWalk &a, const BoxWalk &b, size_t numDims);

/// Walks the command list of one unit of one core. Errors go to the reporter;
/// after one, the cursor stands still.
class Cursor {
public:
  Cursor(Context &context, size_t programIndex, size_t phase, Unit unit,
         int32_t core);

  /// Moves to the next command other than Loop and End and evaluates it into
  /// `instance`. False at the end of the list or after an error.
  bool advance(Instance &instance);

  Place place() const;
  bool failed() const { return hasFailed; }
  size_t position() const { return current; }

private:
  struct Level {
    size_t begin = 0;
    int64_t trips = 0;
    int64_t variable = 0;
  };

  bool fail(ErrorCode code, std::string message);
  bool control(const Command &command);
  bool evaluate(Instance &instance);
  bool evaluateBoxes(Instance &instance);
  bool tableEntry(uint32_t table, int32_t loopDepth, int64_t &value);
  bool affine(const Affine &expression, int64_t &value);
  bool extent(const Extent &expression, int64_t &value);
  bool coreSet(Instance &instance);
  bool walk(const Instance &instance, size_t box, BoxWalk &walk);
  /// Fills in where the walk goes, which is inside of the buffer.
  bool bounds(const Instance &instance, const Box &box, BoxWalk &walk);
  bool reachOf(const Instance &instance, const Box &box, BoxWalk &walk,
               Reach &reach);
  bool checkInside(const Buffer &buffer, const Reach &reach);
  void place(const Instance &instance, const Box &box, const Reach &reach,
             BoxWalk &walk) const;
  void tilesAndRows(const Instance &instance, size_t box, BoxWalk &walk) const;

  Context &context;
  const Program &program;
  const ProgramFacts &facts;
  size_t phase;
  Unit unit;
  int32_t core;
  const std::vector<Command> &list;
  const std::vector<uint32_t> &match;
  std::array<Level, kMaxLoopDepth> levels = {};
  size_t depth = 0;
  size_t next = 0;
  size_t current = 0;
  bool hasFailed = false;
};

} // namespace spyre::launch::checker

#endif // SPYRE_LIB_LAUNCHPLAN_CHECKEREVALUATE_H
