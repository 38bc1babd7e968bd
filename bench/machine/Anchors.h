// SPDX-License-Identifier: Apache-2.0
//
// Published measurements of the device, each with a program that does the same
// here. Absolute times depend on clocks in dispute, so that ratios of two rows
// of one section are what is compared.

#ifndef SPYRE_BENCH_MACHINE_ANCHORS_H
#define SPYRE_BENCH_MACHINE_ANCHORS_H

#include "SimulateMlir.h"

#include <functional>

namespace spyre::bench {

struct Anchor {
  /// Empty: the value is 1 by definition and shows in no table.
  std::string name;
  /// In the section's unit.
  double measured = 0;
  std::function<Expected<double>(const Machine &)> simulate;
};

/// Anchors of one source and unit.
struct Section {
  std::string title;
  std::string unit;
  std::vector<Anchor> anchors;
  /// Pairs of anchors whose ratio the source reports and a mechanism explains.
  std::vector<std::pair<size_t, size_t>> ratios;
};

std::vector<Section> machineSections();

struct Ratio {
  std::string name;
  double measured = 0;
  double simulated = 0;
  /// Within 20 % of what was measured.
  bool isWithin = false;
  /// On the other side of 1.
  bool isInverted = false;
};

struct Verdict {
  std::string table;
  std::vector<Ratio> ratios;
  int64_t within = 0;
  int64_t inversions = 0;
};

Expected<Verdict> compareSections(const Machine &machine);

} // namespace spyre::bench

#endif // SPYRE_BENCH_MACHINE_ANCHORS_H
