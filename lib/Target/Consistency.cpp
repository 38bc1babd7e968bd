// SPDX-License-Identifier: Apache-2.0
//
// Relations between the values of a target. Each value alone has been accepted
// by its field's range; here two or more are compared.

#include "Internal.h"

#include <cmath>
#include <fmt/format.h>

namespace spyre::target::detail {
namespace {

/// Peak rates that are stated twice may differ by rounding only.
constexpr double kRateTolerance = 0.01;

class Checker {
public:
  Checker(const Target &target, std::vector<Error> &errors)
      : target(target), errors(errors) {}

  void atMost(std::string_view what, int64_t value, std::string_view limitName,
              int64_t limit) {
    if (value > limit) {
      fail(fmt::format("{} = {} exceeds {} = {}", what, value, limitName,
                       limit));
    }
  }

  void atMost(std::string_view what, double value, std::string_view limitName,
              double limit) {
    if (value > limit) {
      fail(fmt::format("{} = {} exceeds {} = {}", what, value, limitName,
                       limit));
    }
  }

  void wholeSticks(std::string_view what, int64_t bytes) {
    if (bytes % kStickBytes != 0) {
      fail(fmt::format("{} = {} is not a multiple of a stick, {} bytes", what,
                       bytes, kStickBytes));
    }
  }

  void sameRate(std::string_view what, double rate) {
    if (std::abs(rate - target.ddrPeakGBps) >
        kRateTolerance * target.ddrPeakGBps) {
      fail(fmt::format("{} give {:.1f} GB/s, but ddr.ddrPeakGBps = {} GB/s",
                       what, rate, target.ddrPeakGBps));
    }
  }

  void fail(std::string message) {
    errors.push_back(Error{ErrorCode::TargetInconsistent,
                           fmt::format("target \"{}\"", target.name),
                           std::move(message),
                           {},
                           {}});
  }

private:
  const Target &target;
  std::vector<Error> &errors;
};

void checkScratchpad(const Target &t, Checker &check) {
  check.atMost("lx.lxPlannerBudgetBytes", t.lxPlannerBudgetBytes, "lx.lxBytes",
               t.lxBytes);
  check.wholeSticks("lx.lxBytes", t.lxBytes);
  check.wholeSticks("lx.lxPlannerBudgetBytes", t.lxPlannerBudgetBytes);
}

void checkMemory(const Target &t, Checker &check) {
  check.atMost("ddr.ddrUsableBytes", t.ddrUsableBytes, "ddr.ddrBytes",
               t.ddrBytes);
  // Both factors are bounded by 2^50 each, so the product is compared by a
  // division.
  if (t.segmentBytes > t.ddrBytes / t.numSegments) {
    check.fail(fmt::format(
        "ddr.numSegments = {} segments of ddr.segmentBytes = {} exceed "
        "ddr.ddrBytes = {}",
        t.numSegments, t.segmentBytes, t.ddrBytes));
  }
  check.wholeSticks("ddr.segmentBytes", t.segmentBytes);
  check.wholeSticks("ddr.segmentAlignmentBytes", t.segmentAlignmentBytes);
  check.wholeSticks("limits.maxSpanBytes", t.maxSpanBytes);
  check.atMost("limits.maxSpanBytes", t.maxSpanBytes, "ddr.segmentBytes",
               t.segmentBytes);
  check.wholeSticks("ddr.ddrRowBytes", t.ddrRowBytes);
  check.wholeSticks("ddr.ddrInterleaveBytes", t.ddrInterleaveBytes);
  check.wholeSticks("ddr.maxRequestBytes", t.maxRequestBytes);
  check.atMost("ddr.ddrInterleaveBytes", t.ddrInterleaveBytes,
               "ddr.ddrRowBytes", t.ddrRowBytes);
  check.atMost("ddr.ddrRefreshNs", 2 * t.ddrRefreshNs,
               "half of ddr.ddrRefreshIntervalNs", t.ddrRefreshIntervalNs);
  double channels = static_cast<double>(t.ddrChannels);
  check.sameRate(
      "ddr.ddrChannels x ddr.ddrChannelBits x ddr.ddrMegaTransfersPerSecond",
      channels * static_cast<double>(t.ddrChannelBits) / 8 *
          t.ddrMegaTransfersPerSecond / 1000);
  check.sameRate("ddr.ddrChannels x ddr.ddrBurstBytes / ddr.ddrBurstNs",
                 channels * static_cast<double>(t.ddrBurstBytes) /
                     t.ddrBurstNs);
}

} // namespace

void checkConsistency(const Target &t, std::vector<Error> &errors) {
  Checker check(t, errors);
  checkScratchpad(t, check);
  checkMemory(t, check);
  // One position is the memory node's.
  check.atMost("cores.numCores + 1", t.numCores + 1, "ring.ringNodes",
               t.ringNodes);
  check.atMost("allocator.regionMediumBytes", t.regionMediumBytes,
               "allocator.regionLargeBytes", t.regionLargeBytes);
  check.atMost("allocator.regionSmallBytes", t.regionSmallBytes,
               "allocator.regionMediumBytes", t.regionMediumBytes);
  check.atMost("host.pcieGBps", t.pcieGBps, "host.pcieLinkGBps",
               t.pcieLinkGBps);
  check.atMost("host.queuedDispatchGapUs", t.queuedDispatchGapUs,
               "host.dispatchGapUs", t.dispatchGapUs);
  check.atMost("reference.sustainedDdrGBps", t.reference.sustainedDdrGBps,
               "ddr.ddrPeakGBps", t.ddrPeakGBps);
}

} // namespace spyre::target::detail
