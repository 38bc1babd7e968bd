// SPDX-License-Identifier: Apache-2.0
//
// From graph-level MLIR text to a simulated time: compile, load, run with
// timing only. Benchmarks force divisions in the text (sdsc.force).

#ifndef SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H
#define SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H

#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include <string>

namespace spyre::bench {

struct Machine {
  target::Target target = target::defaultTarget();
  sim::Fidelity fidelity = sim::Fidelity::Stick;
};

/// The statistics of the compute steps, or what went wrong.
Expected<rt::LaunchStats> simulateMlir(const std::string &text,
                                       const Machine &machine);

/// `flow` or `stick`.
std::optional<sim::Fidelity> parseFidelity(std::string_view name);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H
