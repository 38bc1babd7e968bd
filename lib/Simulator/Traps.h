// SPDX-License-Identifier: Apache-2.0
//
// A trap ends a run. Inside this library it travels as an exception, because
// it may arise in the innermost loop of any command; Simulator::run turns it
// into an Error, so that none crosses the library's boundary.

#ifndef SPYRE_LIB_SIMULATOR_TRAPS_H
#define SPYRE_LIB_SIMULATOR_TRAPS_H

#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Support/Error.h"

#include <span>
#include <string>
#include <vector>

namespace spyre::sim {

struct Trap {
  Error error;
};

/// Where in the program something happens. Core and command may be unknown
/// (-1, null) for rules about the program's structure.
struct Place {
  const launch::Program *program = nullptr;
  int32_t phase = -1;
  int32_t unit = -1;
  int32_t core = -1;
  const launch::Command *command = nullptr;
};

/// "[1, 2, 3]"
std::string listText(std::span<const int64_t> values);

[[noreturn]] void trap(ErrorCode code, const Place &place, std::string message,
                       std::vector<std::string> notes = {});

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_TRAPS_H
