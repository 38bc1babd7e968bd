// SPDX-License-Identifier: Apache-2.0
//
// Formatting of results and statistics.

#include "Report.h"

#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <map>

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

namespace {

/// Lists stay short; --report has all.
constexpr size_t kMaxLines = 5;

std::string formatPercent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string formatCores(const RunSummary &summary) {
  int64_t busyCores = 0;
  int64_t sum = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (const rt::CoreStats &core : summary.cores) {
    int64_t busiest = 0;
    for (const rt::UnitStats &unit : core.units) {
      busiest = std::max(busiest, unit.busyTicks);
    }
    busyCores += busiest > 0 ? 1 : 0;
    sum += busiest;
    least = std::min(least, busiest);
    most = std::max(most, busiest);
  }
  const auto count = static_cast<double>(summary.cores.size());
  const double mean = static_cast<double>(sum) / count;
  return fmt::format(
      "  cores busy    {} of {}\n"
      "  core busy     min {}, mean {}, max {}, max/mean {:.3f}\n",
      busyCores, summary.cores.size(), formatSeconds(summary.secondsOf(least)),
      formatSeconds(mean / summary.ticksPerSecond),
      formatSeconds(summary.secondsOf(most)),
      mean > 0 ? static_cast<double>(most) / mean : 1.0);
}

std::string formatUnits(const RunSummary &summary) {
  std::string text;
  for (int i = 0; i < launch::kNumUnits; ++i) {
    const rt::UnitStats unit = summary.unit(i);
    text += fmt::format(
        "  unit {:<8} busy {}, stalled {}, commands {} (all cores)\n",
        launch::toString(static_cast<launch::Unit>(i)),
        formatSeconds(summary.secondsOf(unit.busyTicks)),
        formatSeconds(summary.secondsOf(unit.stallTicks)), unit.commands);
    for (size_t cause = 0; cause < rt::kNumWaitCauses; ++cause) {
      if (unit.waitTicks[cause] > 0) {
        text += fmt::format(
            "    waits for {:<12} {}\n",
            rt::toString(static_cast<rt::WaitCause>(cause)),
            formatSeconds(summary.secondsOf(unit.waitTicks[cause])));
      }
    }
  }
  for (size_t i = 0; i < std::min(kMaxLines, summary.queues.size()); ++i) {
    const QueueSummary &queue = summary.queues[i];
    text +=
        fmt::format("  queue {:<7} waited for {} empty, {} full\n", queue.name,
                    formatSeconds(summary.secondsOf(queue.emptyTicks)),
                    formatSeconds(summary.secondsOf(queue.fullTicks)));
  }
  text += fmt::format("  host          every unit waits {} for it\n",
                      formatSeconds(summary.hostWaitSeconds));
  return text;
}

std::string formatTraffic(const RunSummary &summary) {
  std::string text = fmt::format(
      "  DDR           {} bytes read, {} bytes written\n"
      "  ring          {} bytes\n",
      summary.ddrReadBytes, summary.ddrWriteBytes, summary.ringBytes);
  std::map<launch::BufferRole, TensorSummary> kinds;
  for (const TensorSummary &tensor : summary.tensors) {
    kinds[tensor.role].readBytes += tensor.readBytes;
    kinds[tensor.role].writeBytes += tensor.writeBytes;
  }
  for (const auto &[role, sum] : kinds) {
    text += fmt::format("  DDR {:<9} {} bytes read, {} bytes written\n",
                        launch::nameOf(role), sum.readBytes, sum.writeBytes);
  }
  for (size_t i = 0; i < std::min(kMaxLines, summary.tensors.size()); ++i) {
    const TensorSummary &tensor = summary.tensors[i];
    text += fmt::format("  tensor {:<6} {} bytes read, {} bytes written ({})\n",
                        tensor.name, tensor.readBytes, tensor.writeBytes,
                        launch::nameOf(tensor.role));
  }
  return text;
}

/// Parts of one sort have names that differ in a number only.
std::string sortOf(const std::string &part) {
  std::string sort;
  std::copy_if(part.begin(), part.end(), std::back_inserter(sort),
               [](unsigned char c) { return std::isdigit(c) == 0; });
  return sort;
}

/// The busiest part of each sort.
std::string formatParts(const RunSummary &summary) {
  std::vector<const PartSummary *> busiest;
  for (const PartSummary &part : summary.parts) {
    const bool isNew =
        busiest.empty() || sortOf(busiest.back()->name) != sortOf(part.name);
    if (isNew) {
      busiest.push_back(&part);
    } else if (part.bytes > busiest.back()->bytes) {
      busiest.back() = &part;
    }
  }
  std::string text;
  for (const PartSummary *part : busiest) {
    if (part->bytes > 0) {
      text += fmt::format("  part          {} {} used\n", part->name,
                          formatPercent(part->utilisation));
    }
  }
  return text;
}

std::string formatLimits(const RunSummary &summary,
                         const rt::LaunchStats &stats) {
  const double fraction = stats.computeSeconds > 0
                              ? summary.limitSeconds / stats.computeSeconds
                              : 1;
  return fmt::format("  limits        compute {} ({} MACs), compulsory traffic "
                     "{}, ring sharing {}\n"
                     "  limit         {}: of each kernel the largest\n"
                     "  achieved      {}, {} of the limit\n",
                     formatSeconds(summary.limits.computeSeconds), summary.macs,
                     formatSeconds(summary.limits.compulsorySeconds),
                     formatSeconds(summary.limits.sharingSeconds),
                     formatSeconds(summary.limitSeconds),
                     formatSeconds(stats.computeSeconds),
                     formatPercent(fraction));
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

std::string formatSteps(const RunSummary &summary,
                        const rt::LaunchStats &stats) {
  std::string text;
  auto kernel = summary.kernels.begin();
  for (const rt::StepStats &step : stats.steps) {
    text += fmt::format("  {:<9} {} {}", launch::toString(step.kind),
                        step.name.empty() ? "-" : step.name,
                        formatSeconds(step.endSeconds - step.startSeconds));
    text += step.transferBytes > 0
                ? fmt::format(" ({} bytes)\n", step.transferBytes)
                : "\n";
    for (size_t i = 0; i < step.compute.phases.size(); ++i, ++kernel) {
      text += fmt::format("    kernel {} {}, {:.0f} % of its limit ({})\n",
                          kernel->phase->name, formatSeconds(kernel->seconds),
                          100 * kernel->fraction, kernel->limit.bound());
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

std::string tools::formatStats(const RunSummary &summary,
                               const rt::LaunchStats &stats) {
  return "statistics (last run)\n" + formatCores(summary) +
         formatUnits(summary) + formatHostWork(stats) + formatTraffic(summary) +
         formatParts(summary) + formatLimits(summary, stats) + "steps\n" +
         formatSteps(summary, stats);
}
