// SPDX-License-Identifier: Apache-2.0
//
// Names of what a device reports: see Device.h.

#include "spyre/Runtime/Device.h"

using namespace spyre;

std::string_view rt::toString(WaitCause cause) {
  constexpr std::string_view kNames[kNumWaitCauses] = {
      "queue empty", "queue full", "peers",       "memory",
      "ring",        "scratchpad", "matrix unit", "own commands"};
  return kNames[static_cast<size_t>(cause)];
}
