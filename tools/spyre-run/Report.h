// SPDX-License-Identifier: Apache-2.0
//
// What spyre-run prints: outputs, comparisons, simulated time and statistics.

#ifndef SPYRE_TOOLS_SPYRE_RUN_REPORT_H
#define SPYRE_TOOLS_SPYRE_RUN_REPORT_H

#include "spyre/Runtime/Compare.h"
#include "spyre/Runtime/Runtime.h"

#include <string>

namespace spyre::tools {

/// "12.345 us", in the unit that fits.
std::string formatSeconds(double seconds);

/// One line: row L2, max, cosine, verdict.
std::string formatComparison(const std::string &name,
                             const rt::Comparison &comparison, bool isFloat);

/// Sums of all compute steps of a launch.
struct RunTotals {
  int64_t macs = 0;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  /// Per core: ticks in which its busiest unit was busy, summed over steps.
  std::vector<int64_t> coreBusyTicks;
};
RunTotals sumSteps(const rt::LaunchStats &stats);

/// A line for each kernel whose stores met an overflow or a NaN.
std::string formatNumerics(const rt::LaunchStats &stats);

/// The text of --stats, several lines.
std::string formatStats(const rt::Model &model, const rt::LaunchStats &stats);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_RUN_REPORT_H
