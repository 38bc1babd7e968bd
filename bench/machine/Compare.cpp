// SPDX-License-Identifier: Apache-2.0
//
// Sections on a machine: see Anchors.h.

#include "Anchors.h"

#include <cmath>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::bench;

namespace {

constexpr double kTolerance = 0.2;

void compareRatios(const Section &section, const std::vector<double> &simulated,
                   Verdict &verdict) {
  for (const auto &[a, b] : section.ratios) {
    Ratio ratio;
    ratio.name = section.anchors[a].name;
    if (!section.anchors[b].name.empty()) {
      ratio.name += " / " + section.anchors[b].name;
    }
    ratio.measured = section.anchors[a].measured / section.anchors[b].measured;
    ratio.simulated = simulated[a] / simulated[b];
    ratio.isWithin =
        std::abs(ratio.simulated / ratio.measured - 1) <= kTolerance;
    ratio.isInverted = (ratio.measured - 1) * (ratio.simulated - 1) < 0;
    verdict.within += ratio.isWithin ? 1 : 0;
    verdict.inversions += ratio.isInverted ? 1 : 0;
    verdict.table +=
        fmt::format("    {}: measured {:.3f}, simulated {:.3f}{}{}\n",
                    ratio.name, ratio.measured, ratio.simulated,
                    ratio.isWithin ? "" : "  NOT within 20 %",
                    ratio.isInverted ? "  INVERTED" : "");
    verdict.ratios.push_back(std::move(ratio));
  }
}

} // namespace

Expected<Verdict> bench::compareSections(const Machine &machine) {
  Verdict verdict;
  for (const Section &section : machineSections()) {
    verdict.table +=
        fmt::format("{}\n  {:<42} {:>10} {:>10} {:>6}\n", section.title,
                    section.unit, "measured", "simulated", "ratio");
    std::vector<double> simulated;
    for (const Anchor &anchor : section.anchors) {
      const Expected<double> value = anchor.simulate(machine);
      if (!value) {
        return tl::unexpected(value.error());
      }
      simulated.push_back(*value);
      if (anchor.name.empty()) {
        continue;
      }
      verdict.table +=
          fmt::format("  {:<42} {:>10.4g} {:>10.4g} {:>6.2f}\n", anchor.name,
                      anchor.measured, *value, *value / anchor.measured);
    }
    compareRatios(section, simulated, verdict);
  }
  return verdict;
}
