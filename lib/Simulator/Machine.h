// SPDX-License-Identifier: Apache-2.0
//
// The machine that commands run on: what is shared between units and cores,
// and how long their demands take there. Two fidelities implement it (see
// FlowMachine.cpp and StickMachine.cpp) for one engine, which alone knows
// commands, queues and data.

#ifndef SPYRE_LIB_SIMULATOR_MACHINE_H
#define SPYRE_LIB_SIMULATOR_MACHINE_H

#include "Demand.h"

#include "spyre/Runtime/Device.h"

#include <limits>
#include <memory>

namespace spyre::sim {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// The unit of a process may take its next command from `time` on.
struct Release {
  int32_t process = 0;
  /// When the effects of the command show.
  int64_t completeTicks = 0;
  /// Ticks lost to each cause, by rt::WaitCause.
  std::array<int64_t, rt::kNumWaitCauses> lostTicks = {};
};

class Machine {
public:
  virtual ~Machine() = default;
  /// Takes on the command of a process; it has none unreleased.
  virtual void begin(int32_t process, const Demand &demand, int64_t now) = 0;
  /// When something changes next; kNever if all has been released.
  virtual int64_t nextTime() = 0;
  /// Goes on to `now`, at most `nextTime()`, and appends what is released then,
  /// by ascending process.
  virtual void advance(int64_t now, std::vector<Release> &released) = 0;
  /// Bytes that each shared part has carried, and its rate.
  virtual std::vector<rt::PartStats> parts() const = 0;
};

std::unique_ptr<Machine> makeFlowMachine(const target::Target &target);
std::unique_ptr<Machine> makeStickMachine(const target::Target &target);

/// The ring: node i < numCores is core i, the last is the memory node, which
/// lies between the last core and core 0. Link i leaves node i; clockwise goes
/// up. Data takes the shorter way, ties go clockwise, and is copied at passing
/// nodes.
class RingWays {
public:
  explicit RingWays(int64_t numCores) : nodes(numCores + 1) {}

  int64_t numNodes() const { return nodes; }
  int64_t memoryNode() const { return nodes - 1; }
  /// Links that a payload from `from` to all of `cores` takes in a direction
  /// (0 clockwise): how many, counted from the sender.
  std::array<int64_t, 2> hops(int64_t from, uint64_t cores) const;
  /// The same for data that a core reads from memory for all of `cores`: it
  /// comes the core's shorter way and goes on in that direction.
  std::array<int64_t, 2> hopsOfRead(int64_t core, uint64_t cores) const;
  /// The direction in which a core's requests and writes go.
  size_t directionToMemory(int64_t core) const {
    return shorterWay(core, memoryNode());
  }
  /// The direction in which what it reads comes.
  size_t directionFromMemory(int64_t core) const {
    return shorterWay(memoryNode(), core);
  }
  /// Hops from one node to another, the shorter way.
  int64_t distance(int64_t from, int64_t to) const {
    return hopsIn(shorterWay(from, to), from, to);
  }
  /// Link number `index` of a way that starts at `from`.
  int64_t link(int64_t from, int direction, int64_t index) const {
    return direction == 0 ? (from + index) % nodes
                          : (from + nodes - index % nodes) % nodes;
  }

private:
  /// Hops from one node to another in a direction.
  int64_t hopsIn(size_t direction, int64_t from, int64_t to) const {
    return (direction == 0 ? to - from + nodes : from - to + nodes) % nodes;
  }
  size_t shorterWay(int64_t from, int64_t to) const {
    return hopsIn(0, from, to) <= hopsIn(1, from, to) ? 0 : 1;
  }
  int64_t nodes;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_MACHINE_H
