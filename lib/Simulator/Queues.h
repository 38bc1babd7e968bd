// SPDX-License-Identifier: Apache-2.0
//
// Queue counters of one phase. Slots are numbered 0, 1, 2, ... per core and
// side; nothing else decides who may proceed, so that the outcome of a run
// cannot depend on timing.

#ifndef SPYRE_LIB_SIMULATOR_QUEUES_H
#define SPYRE_LIB_SIMULATOR_QUEUES_H

#include "ProgramInfo.h"

namespace spyre::sim {

class Queues {
public:
  Queues(const launch::Program &program, const PhaseInfo &phase);

  /// Number of the slot that a side of a core is at.
  int64_t position(const QueueUse &use, int32_t core) const;
  /// Whether a side of a core may begin a command on the slot after those that
  /// it has claimed.
  bool isReady(const QueueUse &use, int32_t core) const;
  /// A command that will deliver or leave the slot has begun; the next one is
  /// for the next slot.
  void claim(const QueueUse &use, int32_t core);
  void advance(const QueueUse &use, int32_t core);
  /// Mask of cores whose producers fill the slots of `core`.
  uint64_t fillMask(uint32_t buffer, int32_t core) const;
  /// A unit and core that a side that is not ready waits for.
  std::pair<launch::Unit, int32_t> blockerOf(const QueueUse &use,
                                             int32_t core) const;
  /// In words, what a unit waits for.
  std::string waitText(const QueueUse &use, int32_t core) const;
  /// Traps if a queue's deliveries and departures differ.
  void requireBalanced(const Place &place) const;

private:
  struct State {
    std::vector<uint64_t> fill;
    std::vector<uint64_t> receivers;
    int64_t slots = 1;
    std::vector<int64_t> delivered;
    /// Per consumer and core.
    std::vector<std::vector<int64_t>> left;
    /// Per side (the producer first) and core.
    std::vector<std::vector<int64_t>> claimed;
  };
  int64_t claimed(const QueueUse &use, int32_t core) const;
  const launch::Program &program;
  /// Per buffer; only queues of the phase are filled in.
  std::vector<State> states;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_QUEUES_H
