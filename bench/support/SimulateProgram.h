// SPDX-License-Identifier: Apache-2.0
//
// The time of a hand-written device program (see docs/LaunchPlanFormat.md for
// its text form).

#ifndef SPYRE_BENCH_SUPPORT_SIMULATEPROGRAM_H
#define SPYRE_BENCH_SUPPORT_SIMULATEPROGRAM_H

#include "SimulateMlir.h"

namespace spyre::bench {

/// Every buffer in device memory gets a region of its own.
Expected<rt::ComputeStats> simulateProgram(const std::string &text,
                                           const Machine &machine);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_SIMULATEPROGRAM_H
