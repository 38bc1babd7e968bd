// SPDX-License-Identifier: Apache-2.0
//
// Max-min fair sharing: all flows grow at one rate until a part is full or a
// flow runs at its own most, those stop, the others go on. Only sums, products
// and comparisons of doubles decide, in a fixed order: the result is the same
// on every host.

#ifndef SPYRE_LIB_SIMULATOR_SHARING_H
#define SPYRE_LIB_SIMULATOR_SHARING_H

#include "spyre/Runtime/Device.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spyre::sim {

/// What one byte of a flow takes from a part.
struct Use {
  int32_t part = 0;
  double bytes = 0;
};

struct SharedPart {
  std::string name;
  rt::WaitCause cause = rt::WaitCause::Memory;
  double bytesPerTick = 0;
  double bytes = 0;
  /// While rates are found: what is left, and what the growing flows take for
  /// each byte of theirs.
  double left = 0;
  double growing = 0;
};

struct FlowRate {
  /// Bytes a tick: at most, and now.
  double most = 0;
  double now = 0;
  /// What holds it below its most.
  rt::WaitCause cause = rt::WaitCause::Memory;
  std::vector<Use> uses;
};

/// Sets the present rate of each flow, and its cause where it is not the most.
void shareFairly(std::span<FlowRate *const> rates,
                 std::vector<SharedPart> &parts);

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_SHARING_H
