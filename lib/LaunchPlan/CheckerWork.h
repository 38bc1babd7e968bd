// SPDX-License-Identifier: Apache-2.0
//
// The work of one command instance on the memory state, once the scheduler has
// found that its queues let it run.

#ifndef SPYRE_LIB_LAUNCHPLAN_CHECKERWORK_H
#define SPYRE_LIB_LAUNCHPLAN_CHECKERWORK_H

#include "CheckerEvaluate.h"
#include "CheckerMemory.h"

namespace spyre::launch::checker {

/// A queue that is live in the phase.
struct QueueState {
  uint32_t buffer = 0;
  int64_t slots = 1;
  Unit producer = Unit::Load;
  std::vector<Unit> consumers;
  /// fill[c]: cores that deliver into c's slots; receivers[p]: the reverse.
  std::vector<uint64_t> fill;
  std::vector<uint64_t> receivers;
  /// Deliveries or departures per core * kNumUnits + unit.
  std::vector<int64_t> counts;
  /// LX: the slot number that each core's slot was last cleared for, -1 none.
  std::vector<int64_t> epochs;

  int64_t count(int32_t core, Unit unit) const {
    return counts[static_cast<size_t>(core * kNumUnits) +
                  static_cast<size_t>(unit)];
  }
};

/// The phase that runs.
struct PhaseState {
  size_t program = 0;
  uint32_t serial = 0;
  uint32_t firstTag = 0;
  /// Index into `queues` per buffer, -1 for private and unused buffers.
  std::vector<int32_t> queueOf;
  std::vector<QueueState> queues;
};

class Worker {
public:
  Worker(Context &context, Memory &memory, PhaseState &state)
      : context(context), memory(memory), state(state) {}

  /// Prepares the tables of the program that runs from now on.
  void beginProgram();
  /// Private LX buffers of the phase start undefined unless resident.
  void beginPhase(size_t phase);
  /// What the phase wrote into LX or read there was read in full: a command
  /// with too small an extent would leave a rest. Not asked of buffers that the
  /// next phase takes over and this one only wrote.
  bool checkRead(size_t phase);

  /// Everything but reduce.
  bool perform(const Instance &instance, const Place &place);
  /// One member of a ring reduction: a lane of the result is defined if it is
  /// defined in all of them, which `common` collects. The last member writes.
  bool reduceRead(const Instance &instance, const Place &place,
                  std::vector<uint64_t> &common);
  bool reduceWrite(const Instance &instance, const Place &place,
                   const std::vector<uint64_t> &common);

  /// Clears the slots that a delivery at `where` concerns, if not yet done.
  bool beginSlots(QueueState &queue, const Place &where);

private:
  /// A buffer of a core in LX: its masks and, of a queue that several cores
  /// fill, the last writers.
  struct LxView {
    uint64_t *defined = nullptr;
    uint64_t *read = nullptr;
    uint8_t *writer = nullptr;

    void write(int64_t stick, uint64_t bits) const {
      defined[stick] = bits;
      read[stick] = 0;
    }
    /// Reads all lanes of a stick.
    uint64_t take(int64_t stick) const {
      read[stick] = ~uint64_t{0};
      return defined[stick];
    }
    LxView from(int64_t stick) const {
      return {defined + stick, read + stick, writer ? writer + stick : nullptr};
    }
  };
  struct Access {
    uint32_t serial = 0;
    uint16_t unit = 0;
    bool shared = false;
    bool written = false;
    bool read = false;
  };

  bool fail(ErrorCode code, std::string message);
  bool failAccess(uint32_t buffer, const AccessFailure &failure);
  bool spendVisits(const Instance &instance);
  bool openLx(uint32_t buffer, int32_t owner, bool write, LxView &view);
  bool openDdr(uint32_t buffer, bool write, DdrAccess &access);
  bool notePrivate(uint32_t buffer, int32_t owner, bool write);
  bool clearSlot(QueueState &queue, int32_t core, int64_t slotNumber);
  /// Every defined lane of one slot of a buffer of `core` has been read.
  bool isRead(uint32_t buffer, int32_t core, int64_t slot);
  /// The same of a queue slot from which anything was read: a core whose
  /// extent is 0 on a trip leaves what the others of its group need.
  bool isSlotRead(uint32_t buffer, int32_t core, int64_t slot);
  bool areSlotsRead(uint32_t buffer, int32_t core);
  /// Must the phase have read the private buffer in full?
  bool mustBeRead(uint32_t buffer, int32_t core, bool goesOn);
  Access &accessOf(uint32_t buffer, int32_t core);

  /// Lanes that tile `tile` of an operand must have.
  uint64_t tileMask(const BoxWalk &walk, int64_t elements, int64_t tile) const;
  bool require(const BoxWalk &walk, int64_t elements, size_t numDims,
               std::string_view what);
  template <typename Function>
  bool update(const BoxWalk &walk, int64_t elements, size_t numDims,
              Function function);

  bool move(const Instance &instance);
  bool moveRows(const Instance &instance, const LxView *source,
                const DdrAccess *from, const std::vector<LxView> &targets,
                const DdrAccess *to);
  /// The lanes that every row of a table has.
  bool readRows(const DdrAccess &from, const BoxWalk &walk, int64_t first,
                int64_t step, int64_t count, AccessFailure &failure);
  /// The entries that an indexed move uses are defined.
  bool requireIndices(const Instance &instance);
  bool scatter(const LxView &target, int64_t first, int64_t step);
  bool matmul(const Instance &instance);
  bool map(const Instance &instance);
  bool mapOutput(const Instance &instance, size_t box, const MapOutput &output);
  /// Counts all lanes of a splat output but the first as read: they hold copies
  /// of the first, so that reading that one is enough.
  bool markCopies(const BoxWalk &walk, size_t numDims);
  bool transpose(const Instance &instance);
  void transposeBlock(const Instance &instance, const LxView &source,
                      const LxView &target, int64_t sourceTile,
                      int64_t targetTile);
  bool shift(const Instance &instance);

  Context &context;
  Memory &memory;
  PhaseState &state;
  const Program *program = nullptr;
  const ProgramFacts *facts = nullptr;
  /// Of private LX buffers, per buffer * numCores + core.
  std::vector<Access> accesses;
  std::vector<uint64_t> row;
  Place place;
};

/// Runs a phase to its end; false after reporting why it cannot.
bool runPhase(Context &context, Worker &worker, PhaseState &state,
              size_t phase);

} // namespace spyre::launch::checker

#endif // SPYRE_LIB_LAUNCHPLAN_CHECKERWORK_H
