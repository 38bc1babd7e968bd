// SPDX-License-Identifier: Apache-2.0
//
// Formatting of results and statistics. Limits are those of the target's
// peaks: no run can be faster than its multiply-accumulates at the peak rate
// or its device memory traffic at the peak bandwidth.

#include "Report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace spyre;
using namespace spyre::tools;

std::string tools::formatSeconds(double seconds) {
  if (seconds < 1e-3) {
    return fmt::format("{:.3f} us", seconds * 1e6);
  }
  return seconds < 1 ? fmt::format("{:.3f} ms", seconds * 1e3)
                     : fmt::format("{:.3f} s", seconds);
}

std::string tools::formatComparison(const std::string &name,
                                    const rt::Comparison &comparison,
                                    bool isFloat) {
  const char *verdict = comparison.passed ? "passed" : "FAILED";
  if (!isFloat) {
    return fmt::format("  {}: {} elements differ, max {} (element {}): {}\n",
                       name, comparison.integerMismatches, comparison.maxAbs,
                       comparison.maxElement, verdict);
  }
  std::string text = fmt::format(
      "  {}: row L2 {:.3e} (row {} of {}, tolerance {:g}), max {:.3e} (element "
      "{}), cosine {:.6f}: {}\n",
      name, comparison.rowL2, comparison.worstRow, comparison.numRows,
      comparison.tolerance, comparison.maxAbs, comparison.maxElement,
      comparison.cosine, verdict);
  if (comparison.nonFiniteMismatches > 0) {
    text +=
        fmt::format("    NaN or infinity differs in {} elements, first in "
                    "element {}\n",
                    comparison.nonFiniteMismatches, comparison.firstNonFinite);
  }
  return text;
}

RunTotals tools::sumSteps(const rt::LaunchStats &stats) {
  RunTotals totals;
  for (const rt::StepStats &step : stats.steps) {
    const rt::ComputeStats &compute = step.compute;
    totals.macs += compute.macs;
    totals.ddrReadBytes += compute.ddrReadBytes;
    totals.ddrWriteBytes += compute.ddrWriteBytes;
    totals.ringBytes += compute.ringBytes;
    totals.coreBusyTicks.resize(
        std::max(totals.coreBusyTicks.size(), compute.cores.size()), 0);
    for (size_t core = 0; core < compute.cores.size(); ++core) {
      int64_t busiest = 0;
      for (const rt::UnitStats &unit : compute.cores[core].units) {
        busiest = std::max(busiest, unit.busyTicks);
      }
      totals.coreBusyTicks[core] += busiest;
    }
  }
  return totals;
}

namespace {

std::string formatCores(RunTotals totals, double ticksPerSecond,
                        int64_t numCores) {
  // Cores that no program uses are idle.
  totals.coreBusyTicks.resize(
      std::max(totals.coreBusyTicks.size(), static_cast<size_t>(numCores)), 0);
  int64_t busyCores = 0;
  int64_t sum = 0;
  int64_t least = totals.coreBusyTicks[0];
  int64_t most = 0;
  for (int64_t ticks : totals.coreBusyTicks) {
    busyCores += ticks > 0 ? 1 : 0;
    sum += ticks;
    least = std::min(least, ticks);
    most = std::max(most, ticks);
  }
  const auto count = static_cast<double>(totals.coreBusyTicks.size());
  const double mean = static_cast<double>(sum) / count;
  const auto seconds = [&](double ticks) {
    return formatSeconds(ticks / ticksPerSecond);
  };
  return fmt::format(
      "  cores busy    {} of {}\n"
      "  core busy     min {}, mean {}, max {}, max/mean {:.3f}\n",
      busyCores, numCores, seconds(static_cast<double>(least)), seconds(mean),
      seconds(static_cast<double>(most)),
      mean > 0 ? static_cast<double>(most) / mean : 1.0);
}

std::string formatUnits(const rt::LaunchStats &stats, double ticksPerSecond) {
  constexpr int kUnits = launch::kNumUnits;
  int64_t busy[kUnits] = {};
  int64_t stalled[kUnits] = {};
  int64_t commands[kUnits] = {};
  int64_t waits[kUnits][rt::kNumWaitCauses] = {};
  for (const rt::StepStats &step : stats.steps) {
    for (const rt::CoreStats &core : step.compute.cores) {
      for (size_t unit = 0; unit < core.units.size() && unit < kUnits; ++unit) {
        busy[unit] += core.units[unit].busyTicks;
        stalled[unit] += core.units[unit].stallTicks;
        commands[unit] += core.units[unit].commands;
        for (size_t cause = 0; cause < rt::kNumWaitCauses; ++cause) {
          waits[unit][cause] += core.units[unit].waitTicks[cause];
        }
      }
    }
  }
  std::string text;
  for (int unit = 0; unit < kUnits; ++unit) {
    text += fmt::format(
        "  unit {:<8} busy {}, stalled {}, commands {} (all cores)\n",
        launch::toString(static_cast<launch::Unit>(unit)),
        formatSeconds(static_cast<double>(busy[unit]) / ticksPerSecond),
        formatSeconds(static_cast<double>(stalled[unit]) / ticksPerSecond),
        commands[unit]);
    for (size_t cause = 0; cause < rt::kNumWaitCauses; ++cause) {
      if (waits[unit][cause] > 0) {
        text +=
            fmt::format("    waits for {:<12} {}\n",
                        rt::toString(static_cast<rt::WaitCause>(cause)),
                        formatSeconds(static_cast<double>(waits[unit][cause]) /
                                      ticksPerSecond));
      }
    }
  }
  return text;
}

/// What device memory needs at its peak.
double memorySeconds(int64_t bytes, const target::Target &target) {
  return static_cast<double>(bytes) / (target.ddrPeakGBps * 1e9);
}

/// No kernel can be faster: its arithmetic at the peak rate, or its traffic at
/// the peak bandwidth.
double limitSeconds(const rt::PhaseStats &phase, const target::Target &target) {
  return std::max(static_cast<double>(phase.macs) /
                      target.peakFp16MacsPerSecond(),
                  memorySeconds(phase.ddrBytes, target));
}

std::string formatLimits(const RunTotals &totals, const rt::LaunchStats &stats,
                         const target::Target &target) {
  const double compute =
      static_cast<double>(totals.macs) / target.peakFp16MacsPerSecond();
  const double memory =
      memorySeconds(totals.ddrReadBytes + totals.ddrWriteBytes, target);
  const bool isComputeBound = compute >= memory;
  const double limit = std::max(compute, memory);
  const double percent =
      stats.computeSeconds > 0 ? 100 * limit / stats.computeSeconds : 0;
  return fmt::format("  compute limit {} ({} MACs at the f16 peak)\n"
                     "  DDR limit     {} (at {} GB/s)\n"
                     "  achieved      {}, {:.1f} % of the {} limit\n",
                     formatSeconds(compute), totals.macs, formatSeconds(memory),
                     target.ddrPeakGBps, formatSeconds(stats.computeSeconds),
                     percent, isComputeBound ? "compute" : "DDR");
}

/// A line if there is any: DMA both ways and conversions of layout.
std::string formatHostWork(const rt::LaunchStats &stats) {
  int64_t count = 0;
  int64_t bytes = 0;
  for (const rt::StepStats &step : stats.steps) {
    if (step.kind == launch::StepKind::HostWork) {
      ++count;
      bytes += step.transferBytes;
    }
  }
  return count == 0
             ? ""
             : fmt::format("  host work     {} in {} steps, {} bytes\n",
                           formatSeconds(stats.hostWorkSeconds), count, bytes);
}

std::string formatSteps(const rt::Model &model, const rt::LaunchStats &stats) {
  const double ticksPerSecond = model.device().ticksPerSecond();
  std::string text;
  for (const rt::StepStats &step : stats.steps) {
    text += fmt::format("  {:<9} {} {}", launch::toString(step.kind),
                        step.name.empty() ? "-" : step.name,
                        formatSeconds(step.endSeconds - step.startSeconds));
    text += step.transferBytes > 0
                ? fmt::format(" ({} bytes)\n", step.transferBytes)
                : "\n";
    for (const rt::PhaseStats &phase : step.compute.phases) {
      const double seconds = static_cast<double>(phase.ticks) / ticksPerSecond;
      const double limit = limitSeconds(phase, model.target());
      text += fmt::format(
          "    kernel {} {}, {:.0f} % of its {} limit\n", phase.name,
          formatSeconds(seconds), seconds > 0 ? 100 * limit / seconds : 100.0,
          limit > memorySeconds(phase.ddrBytes, model.target()) ? "compute"
                                                                : "DDR");
    }
  }
  return text;
}

} // namespace

std::string tools::formatNumerics(const rt::LaunchStats &stats) {
  std::string text;
  for (const rt::StepStats &step : stats.steps) {
    for (const rt::NumericStats &numeric : step.compute.numerics) {
      text += fmt::format("warning: kernel {} ({}): ", numeric.kernel,
                          fmt::join(numeric.nodes, ", "));
      if (numeric.overflows > 0) {
        text += fmt::format("{} values left the range of their 16-bit type{}",
                            numeric.overflows, numeric.nans > 0 ? ", " : "");
      }
      text += numeric.nans > 0 ? fmt::format("{} NaNs\n", numeric.nans) : "\n";
    }
  }
  return text;
}

std::string tools::formatStats(const rt::Model &model,
                               const rt::LaunchStats &stats) {
  const RunTotals totals = sumSteps(stats);
  const double ticksPerSecond = model.device().ticksPerSecond();
  return "statistics (last run)\n" +
         formatCores(totals, ticksPerSecond, model.target().numCores) +
         formatUnits(stats, ticksPerSecond) +
         fmt::format("  DDR           {} bytes read, {} bytes written\n"
                     "  ring          {} bytes\n",
                     totals.ddrReadBytes, totals.ddrWriteBytes,
                     totals.ringBytes) +
         formatHostWork(stats) + formatLimits(totals, stats, model.target()) +
         "steps\n" + formatSteps(model, stats);
}
