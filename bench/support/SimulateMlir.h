// SPDX-License-Identifier: Apache-2.0
//
// From graph-level MLIR text to a simulated time: compile, load, run with
// timing only. Benchmarks force divisions in the text (sdsc.force).

#ifndef SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H
#define SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H

#include "spyre/Driver/Driver.h"
#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include <map>
#include <string>

namespace spyre::bench {

/// Artifacts of texts, compiled once for the default target and kept in files
/// until the end.
class CompiledPlans {
public:
  CompiledPlans() = default;
  ~CompiledPlans();
  CompiledPlans(const CompiledPlans &) = delete;
  CompiledPlans &operator=(const CompiledPlans &) = delete;
  Expected<launch::Artifact> compiled(const std::string &text, Phase from);

private:
  std::map<std::string, std::string> paths;
};

struct Machine {
  target::Target target = target::defaultTarget();
  sim::Fidelity fidelity = sim::Fidelity::Stick;
  CompiledPlans *plans = nullptr;
};

/// The statistics of a run on the machine, whose parameters may differ from
/// those that the plan was made for. `from`: the first phase that the text goes
/// through (types with layouts would pass for laid out).
Expected<rt::LaunchStats> simulateMlir(const std::string &text,
                                       const Machine &machine,
                                       Phase from = Phase::Layout);

/// `flow` or `stick`.
std::optional<sim::Fidelity> parseFidelity(std::string_view name);

} // namespace spyre::bench

#endif // SPYRE_BENCH_SUPPORT_SIMULATEMLIR_H
