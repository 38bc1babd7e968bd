// SPDX-License-Identifier: Apache-2.0
//
// Published measurements against the simulator. The last line counts the
// ratios of two rows that come out within 20 %, and those whose order is
// inverted.
//
// usage: bench-machine [flow|stick]

#include "Anchors.h"

#include <cmath>
#include <fmt/format.h>

using namespace spyre;

int main(int argc, char **argv) {
  constexpr double kTolerance = 0.2;
  const std::optional<sim::Fidelity> fidelity =
      argc > 1 ? bench::parseFidelity(argv[1]) : sim::Fidelity::Stick;
  if (argc > 2 || !fidelity) {
    fmt::print(stderr, "usage: bench-machine [flow|stick]\n");
    return 2;
  }
  bench::Machine machine;
  machine.fidelity = *fidelity;
  int64_t within = 0;
  int64_t total = 0;
  int64_t inversions = 0;
  for (const bench::Section &section : bench::machineSections()) {
    fmt::print("{}\n  {:<42} {:>10} {:>10} {:>6}\n", section.title,
               section.unit, "measured", "simulated", "ratio");
    std::vector<double> simulated;
    for (const bench::Anchor &anchor : section.anchors) {
      const Expected<double> value = anchor.simulate(machine);
      if (!value) {
        fmt::print(stderr, "{}", value.error().str());
        return 1;
      }
      simulated.push_back(*value);
      fmt::print("  {:<42} {:>10.4g} {:>10.4g} {:>6.2f}\n", anchor.name,
                 anchor.measured, *value, *value / anchor.measured);
    }
    for (const auto &[a, b] : section.ratios) {
      const double measured =
          section.anchors[a].measured / section.anchors[b].measured;
      const double ours = simulated[a] / simulated[b];
      const bool isWithin = std::abs(ours / measured - 1) <= kTolerance;
      const bool isInverted = (measured - 1) * (ours - 1) < 0;
      ++total;
      within += isWithin ? 1 : 0;
      inversions += isInverted ? 1 : 0;
      fmt::print("    {} / {}: measured {:.3f}, simulated {:.3f}{}{}\n",
                 section.anchors[a].name, section.anchors[b].name, measured,
                 ours, isWithin ? "" : "  NOT within 20 %",
                 isInverted ? "  INVERTED" : "");
    }
  }
  fmt::print("{} of {} ratios within 20 %, {} inversions\n", within, total,
             inversions);
  return 0;
}
