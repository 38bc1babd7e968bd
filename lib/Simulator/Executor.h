// SPDX-License-Identifier: Apache-2.0
//
// The data effects of commands. An operand is opened once per command (slot,
// epoch, footprint) and then walked by sticks; every stick that is read or
// written passes the shadow, and where others may interfere the tags. What
// happens to different cores' scratchpads touches nothing in common; the rest
// is told apart by isLocal.

#ifndef SPYRE_LIB_SIMULATOR_EXECUTOR_H
#define SPYRE_LIB_SIMULATOR_EXECUTOR_H

#include "Evaluate.h"
#include "Kernels.h"
#include "Memory.h"
#include "Queues.h"

#include <map>
#include <optional>

namespace spyre::sim {

/// Byte ranges that the plan declares, by region, merged and ascending.
class Footprint {
public:
  void add(const rt::Access &access);
  void finish();
  bool covers(uint32_t region, int64_t low, int64_t high) const;

private:
  std::map<uint32_t, std::vector<std::pair<int64_t, int64_t>>> ranges;
};

/// An opened operand.
struct Operand {
  MemoryView view;
  const launch::Buffer *buffer = nullptr;
  bool isQueue = false;
  /// Slot number, for the tags of DDR queues.
  int64_t slotNumber = 0;
  /// DDR: where the slot starts, and whether each run must be compared with
  /// the footprint.
  uint32_t region = 0;
  int64_t regionOffset = 0;
  bool checkFootprint = false;
};

/// A command whose effects show.
struct Effect {
  Place place;
  ResolvedCommand command;
};

/// What one host thread needs for effects.
struct Workspace {
  explicit Workspace(size_t numSources) : sourceCounts(numSources + 1) {}

  /// What stores met, by source of the program; the last entry is for commands
  /// without a source.
  std::vector<StoreCounts> sourceCounts;
  StoreCounts *counts = nullptr;
  /// Of a map.
  std::vector<uint32_t> registers;
  /// Operands of a matmul.
  std::vector<float> scratch[2];
};

/// Cores whose scratchpads an effect changes or stores.
uint64_t receiversOf(const Effect &effect);

class Executor {
public:
  Executor(const launch::Program &program, const ProgramInfo &info,
           const Evaluator &evaluator, const rt::ComputeLaunch &launch,
           DeviceMemory &deviceMemory, LocalMemory &localMemory);

  /// Traps unless every DDR buffer lies inside its region.
  void checkAddresses();
  void beginPhase(int32_t phase, const Queues &phaseQueues,
                  uint32_t phaseEpoch);
  /// Sets the numbers of the slots that a command works on, which is the next
  /// of its core.
  void bind(Effect &effect) const;
  /// What needs no data and looks beyond a core: races in device memory. In
  /// the order of effects.
  void prepare(const Effect &effect);
  /// Whether nothing but the order of effects on one core's scratchpad matters,
  /// so that each core may go at its own pace.
  bool isLocal(const Effect &effect) const;
  /// Does what `effect` does to one of its receivers.
  void execute(Workspace &workspace, const Effect &effect, int32_t receiver);
  /// In ascending order of their cores; the last owns the result.
  void reduce(std::span<const Effect> members);
  /// A slot that is opened with another number holds nothing.
  void openSlots(uint32_t buffer, int64_t slotNumber, uint64_t cores);

private:
  friend class MapRun;
  friend class MatmulRun;

  // Operands.cpp
  int32_t sideOf(const Place &place, const launch::Buffer &buffer) const;
  Operand open(const Place &place, const ResolvedBox &box, int32_t core,
               bool isWrite);
  Operand openBuffer(const Place &place, uint32_t index, int64_t slotNumber,
                     int32_t core, bool isWrite);
  void openSlot(uint32_t buffer, int32_t core, int64_t slotNumber);
  void checkDdrRange(const Place &place, Operand &operand, int64_t low,
                     int64_t high, bool isWrite);
  void readTag(const Place &place, const Operand &operand, int64_t stick) const;
  void writeTag(const Place &place, const Operand &operand,
                int64_t stick) const;
  /// Traps unless the lanes of `mask` are defined.
  void requireDefined(const Place &place, const Operand &operand, int64_t stick,
                      uint64_t mask) const {
    if ((operand.view.defined[stick] & mask) != mask) [[unlikely]] {
      undefinedRead(place, operand, stick, mask);
    }
    if (operand.view.tags) {
      readTag(place, operand, stick);
    }
  }
  [[noreturn]] void undefinedRead(const Place &place, const Operand &operand,
                                  int64_t stick, uint64_t mask) const;
  void requireOutputsDistinct(const Place &place,
                              const ResolvedCommand &command, size_t index);
  void checkDdrOverlap(const Place &place);

  // Moves.cpp
  void prepareMove(const Place &place, const ResolvedCommand &command);
  void move(const Place &place, const ResolvedCommand &command,
            int32_t receiver);
  void copyRun(const Place &place, const Operand &from, int64_t source,
               const Operand &to, int64_t destination, int64_t sticks);
  int64_t indexedStick(const Place &place, const ResolvedCommand &command,
                       const ResolvedBox &box, const Operand &indices,
                       std::span<const int64_t> position);
  // Rearrange.cpp
  void transpose(const Place &place, const ResolvedCommand &command);
  void shift(const Place &place, const ResolvedCommand &command);
  // Maps.cpp, Matmuls.cpp
  void map(Workspace &workspace, const Place &place,
           const ResolvedCommand &command);
  void matmul(Workspace &workspace, const Place &place,
              const ResolvedCommand &command);

  const launch::Program &program;
  const ProgramInfo &info;
  const Evaluator &evaluator;
  const rt::ComputeLaunch &launch;
  DeviceMemory &deviceMemory;
  LocalMemory &localMemory;
  Footprint readable;
  Footprint writable;
  const Queues *queues = nullptr;
  const PhaseInfo *phaseInfo = nullptr;
  uint32_t epoch = 0;
  std::vector<bool> tracked;
  /// Per queue buffer and core * slots + slot: 1 + the slot number whose
  /// content the slot holds.
  std::vector<std::vector<int64_t>> slotEpochs;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_EXECUTOR_H
