// SPDX-License-Identifier: Apache-2.0
//
// What spyre-run prints: outputs, comparisons, simulated time and statistics.

#ifndef SPYRE_TOOLS_SPYRE_RUN_REPORT_H
#define SPYRE_TOOLS_SPYRE_RUN_REPORT_H

#include "Summary.h"

#include "spyre/Runtime/Compare.h"
#include "spyre/Runtime/Runtime.h"

#include <string>

namespace spyre::tools {

/// "12.345 us", in the unit that fits.
std::string formatSeconds(double seconds);

/// One line: row L2, max, cosine, verdict.
std::string formatComparison(const std::string &name,
                             const rt::Comparison &comparison, bool isFloat);

/// A line for each kernel whose stores met an overflow or a NaN.
std::string formatNumerics(const rt::LaunchStats &stats);

/// The text of --stats, several lines.
std::string formatStats(const RunSummary &summary,
                        const rt::LaunchStats &stats);

/// The JSON of --report: all that the text shows, without leaving lines out.
std::string formatReport(const rt::Model &model, const RunSummary &summary,
                         const rt::LaunchStats &stats);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_RUN_REPORT_H
