// SPDX-License-Identifier: Apache-2.0
//
// What the runtime asks of a device. The simulator implements it; a driver for
// a card would implement the same.

#ifndef SPYRE_RUNTIME_DEVICE_H
#define SPYRE_RUNTIME_DEVICE_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::rt {

/// A device address: a region and a byte offset into it. Raw pointers stay
/// hidden.
struct Address {
  uint32_t region = 0;
  int64_t offset = 0;
  bool operator==(const Address &) const = default;
};

/// Which parts of each stick carry values: bit i of word s stands for bytes
/// [2i, 2i+2) of stick s. An empty span means: every byte.
using DefinedMask = std::span<const uint64_t>;

/// One region of a compute step with the bytes that the plan says it touches.
struct Access {
  Address base;
  int64_t lo = 0;
  int64_t hi = 0;
};

/// A program with everything a launch patches in.
struct ComputeLaunch {
  const launch::Program *program = nullptr;
  /// Address of every DDR buffer of the program (indexed by buffer; LX buffers
  /// have an unused entry).
  std::vector<Address> bufferAddresses;
  std::vector<int64_t> scalarValues;
  std::vector<Access> reads;
  std::vector<Access> writes;
  /// Without data: only time.
  bool timingOnly = false;
};

/// Why a unit that has a command gets on with it late, or more slowly than it
/// could: a queue without a full slot (QueueEmpty) or without a free one
/// (QueueFull), the other cores of a reduction (Peers), device memory and the
/// memory node (Memory), links and ports of the ring (Ring), the scratchpad's
/// port (Scratchpad), the matrix unit while it adds sums of other cores
/// (MatrixUnit), the unit's own commands, since only so many may be open
/// (OwnCommands).
enum class WaitCause : uint8_t {
  QueueEmpty = 0,
  QueueFull = 1,
  Peers = 2,
  Memory = 3,
  Ring = 4,
  Scratchpad = 5,
  MatrixUnit = 6,
  OwnCommands = 7,
};
inline constexpr size_t kNumWaitCauses = 8;
std::string_view toString(WaitCause cause);

struct UnitStats {
  /// From the start of commands to the moment that the unit is free for the
  /// next, what memory, ring and scratchpad make them lose included.
  int64_t busyTicks = 0;
  /// Waiting for queues, peers and own commands.
  int64_t stallTicks = 0;
  /// By WaitCause.
  std::array<int64_t, kNumWaitCauses> waitTicks = {};
  int64_t commands = 0;
};

/// What a buffer moved, and how long units waited for its queue.
struct BufferStats {
  std::string name;
  launch::BufferRole role = launch::BufferRole::Scratch;
  /// Device memory only.
  int64_t readBytes = 0;
  int64_t writeBytes = 0;
  int64_t emptyTicks = 0;
  int64_t fullTicks = 0;
};

/// What the stores of a kernel met.
struct NumericStats {
  std::string kernel;
  /// Names of the graph's nodes.
  std::vector<std::string> nodes;
  /// Finite values that left the finite range of f16 or dl16.
  int64_t overflows = 0;
  int64_t nans = 0;
};

/// A phase of a program, usually one kernel.
struct PhaseStats {
  std::string name;
  int64_t ticks = 0;
  /// Multiply-accumulates of the matrix units.
  int64_t macs = 0;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  /// The least of them for the same task: each operand once, queues not at all.
  int64_t compulsoryReadBytes = 0;
  int64_t compulsoryWriteBytes = 0;
};

/// A shared part of the machine: a link, a channel, a port.
struct PartStats {
  std::string name;
  int64_t bytes = 0;
  /// What it carries at most.
  double bytesPerTick = 0;
};

struct CoreStats {
  /// Indexed by launch::Unit.
  std::vector<UnitStats> units;
};

/// One interval on a track of the trace.
struct TraceEvent {
  std::string name;
  int32_t core = 0;
  launch::Unit unit = launch::Unit::Load;
  int64_t startTicks = 0;
  int64_t endTicks = 0;
};

struct ComputeStats {
  /// Duration of the program in ticks of the device's time base.
  int64_t ticks = 0;
  std::vector<CoreStats> cores;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  /// Multiply-accumulates of the matrix units.
  int64_t macs = 0;
  /// Kernels whose stores met something worth knowing.
  std::vector<NumericStats> numerics;
  /// In order.
  std::vector<PhaseStats> phases;
  /// By buffer of the program.
  std::vector<BufferStats> buffers;
  std::vector<PartStats> parts;
  /// Filled when tracing is on.
  std::vector<TraceEvent> trace;
};

class Device {
public:
  virtual ~Device() = default;

  /// Reserves a region; its content is undefined. An error names the bytes
  /// asked for and the bytes left.
  virtual Expected<uint32_t> allocate(int64_t bytes) = 0;
  virtual Status free(uint32_t region) = 0;

  /// Copies bytes to the device. Whole sticks; what `defined` leaves out stays
  /// undefined.
  virtual Status copyIn(Address to, std::span<const std::byte> bytes,
                        DefinedMask defined) = 0;
  /// Copies bytes from the device; an error if a part that `required` names is
  /// undefined.
  virtual Status copyOut(Address from, std::span<std::byte> bytes,
                         DefinedMask required) = 0;

  /// Runs a program to its end.
  virtual Expected<ComputeStats> run(const ComputeLaunch &launch) = 0;

  /// Ticks per second of the device's time base.
  virtual double ticksPerSecond() const = 0;
};

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_DEVICE_H
