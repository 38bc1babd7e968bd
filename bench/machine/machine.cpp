// SPDX-License-Identifier: Apache-2.0
//
// Published measurements against the simulator. The last line counts the
// ratios of two rows that come out within 20 %, and those whose order is
// inverted.
//
// usage: bench-machine [flow|stick]

#include "Anchors.h"

#include <fmt/format.h>

using namespace spyre;

int main(int argc, char **argv) {
  const std::optional<sim::Fidelity> fidelity =
      argc > 1 ? bench::parseFidelity(argv[1]) : sim::Fidelity::Stick;
  if (argc > 2 || !fidelity) {
    fmt::print(stderr, "usage: bench-machine [flow|stick]\n");
    return 2;
  }
  bench::CompiledPlans plans;
  bench::Machine machine;
  machine.fidelity = *fidelity;
  machine.plans = &plans;
  const Expected<bench::Verdict> verdict = bench::compareSections(machine);
  if (!verdict) {
    fmt::print(stderr, "{}", verdict.error().str());
    return 1;
  }
  fmt::print(
      "fidelity {}. The last column is simulated over measured. Judged "
      "are the indented ratios of two rows:\nwithin 20 %, and on the same "
      "side of 1 (else INVERTED).\n\n{}"
      "{} of {} ratios within 20 %, {} inversions\n",
      argc > 1 ? argv[1] : "stick", verdict->table, verdict->within,
      verdict->ratios.size(), verdict->inversions);
  return 0;
}
