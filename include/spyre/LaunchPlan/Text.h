// SPDX-License-Identifier: Apache-2.0
//
// The text form of a device program: what spyre-objdump prints and what tests
// and hand-written programs are written in. The grammar stands in
// docs/LaunchPlanFormat.md. parseProgram(printProgram(p)) == p for every
// program whose names are unique and whose loops are balanced; any other
// program still prints.

#ifndef SPYRE_LAUNCHPLAN_TEXT_H
#define SPYRE_LAUNCHPLAN_TEXT_H

#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Support/Error.h"

#include <string>
#include <string_view>

namespace spyre::launch {

std::string printProgram(const Program &program);

/// What is omitted takes the structs' defaults. Errors name line and column.
Expected<Program> parseProgram(std::string_view text);

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_TEXT_H
