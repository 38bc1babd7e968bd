// SPDX-License-Identifier: Apache-2.0
//
// What trains of sticks pass between device memory and the units, each serving
// one train at a time.

#ifndef SPYRE_LIB_SIMULATOR_PARTS_H
#define SPYRE_LIB_SIMULATOR_PARTS_H

#include "Calendar.h"
#include "MemoryChannels.h"

#include "spyre/Runtime/Device.h"

#include <array>
#include <string>
#include <vector>

namespace spyre::sim {

struct Part {
  std::string name;
  double bytesPerTick = 0;
  int64_t bytes = 0;
  Calendar calendar;
};

/// Where data enters or leaves one direction of the ring at the memory node,
/// which stands still while memory refreshes.
struct NodePort {
  Part part;
  Refreshes refreshes;
};

struct Parts {
  Parts(const target::Target &target, const TimeBase &base);
  /// Appends what each has carried.
  void addTo(std::vector<rt::PartStats> &stats) const;

  /// By direction of travel.
  std::vector<NodePort> nodeOut;
  std::vector<NodePort> nodeIn;
  std::array<Part, 2> requests;
  std::array<std::vector<Part>, 2> links;
  Part partialSums;
  /// By core.
  std::vector<Part> portsIn;
  std::vector<Part> portsOut;
  std::vector<Part> scratchpads;
  /// Its measure is its time: a tick a tick.
  std::vector<Part> matrixUnits;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_PARTS_H
