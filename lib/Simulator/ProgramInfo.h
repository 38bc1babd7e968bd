// SPDX-License-Identifier: Apache-2.0
//
// What the simulator derives from a program before it runs: matched loops,
// queue uses of each command, value types of the map bodies. Deriving it
// verifies the structure (every index, rank and nesting), so that the engine
// may follow indices without asking again. Values (offsets, extents, epochs)
// are checked while running.

#ifndef SPYRE_LIB_SIMULATOR_PROGRAMINFO_H
#define SPYRE_LIB_SIMULATOR_PROGRAMINFO_H

#include "Memory.h"
#include "Traps.h"

#include "spyre/Runtime/Device.h"
#include "spyre/Target/Target.h"

#include <array>
#include <vector>

namespace spyre::sim {

/// Limits of the format that also bound the simulator's own memory.
inline constexpr int64_t kMaxCommandDims = 7;
inline constexpr int64_t kMaxDeviceDims = 8;
inline constexpr int64_t kMaxLoopDepth = 16;
inline constexpr int64_t kMaxBoxes = 16;
inline constexpr int64_t kMaxBodyValues = 1024;
inline constexpr int64_t kMaxSlots = 4096;

/// Type of a value inside a map body; each is 32 bits wide (bool: 0 or 1).
enum class ValueType : uint8_t { F32, I32, Bool };
ValueType valueType(ElementType type);

/// One side of a queue as a unit sees it.
struct QueueUse {
  uint32_t buffer = 0;
  /// -1: the producer, else the position in Queue::consumers.
  int32_t side = -1;
  bool operator==(const QueueUse &) const = default;
};

struct CommandInfo {
  /// Loop: index of its End; End: index of its Loop.
  int32_t match = -1;
  /// Queues that must be ready before the command starts, and those that it
  /// moves on when done.
  std::vector<QueueUse> waits;
  std::vector<QueueUse> nexts;
  /// Map: the type of each value of the body.
  std::vector<ValueType> types;
};

struct PhaseInfo {
  std::array<std::vector<CommandInfo>, launch::kNumUnits> units;
  /// Buffers that some command accesses, and LX buffers that are resident;
  /// ascending.
  std::vector<uint32_t> buffers;
  /// Per buffer: private, and more than one core or unit may interfere.
  std::vector<bool> raceTracked;
};

struct BufferInfo {
  /// Per device dim, in sticks (the last dim, the lanes, has none).
  std::vector<int64_t> strides;
  int64_t slotSticks = 0;
  int64_t slots = 1;
  int64_t bytes = 0;
};

struct ProgramInfo {
  std::vector<BufferInfo> buffers;
  std::vector<PhaseInfo> phases;
};

/// Derives the info; traps where the program's structure is wrong.
ProgramInfo analyse(const launch::Program &program,
                    const target::Target &target);

/// Side of `unit` on the queue of a buffer: -1 producer, >= 0 consumer,
/// nothing if the queue does not name it.
std::optional<int32_t> queueSide(const launch::Queue &queue, launch::Unit unit);

/// Infers the types of a body from those of its inputs (declared in
/// Bodies.cpp); traps on a wrong operand.
std::vector<ValueType> inferTypes(const Place &place, const launch::Body &body,
                                  std::span<const ValueType> inputs);

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_PROGRAMINFO_H
