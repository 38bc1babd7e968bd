// SPDX-License-Identifier: Apache-2.0
//
// The time base: see TimeBase.h.

#include "TimeBase.h"

#include <algorithm>
#include <cmath>

namespace spyre::sim {
namespace {

/// Core, ring and DRAM cycles (1.1, 1.3, 0.8 GHz) are 104, 88, 143 of these.
constexpr double kCommonGHz = 114.4;
constexpr double kPicosecondsPerNs = 1000.0;
/// Longest duration in ticks, so that times never overflow.
constexpr double kMaxTicks = 1e15;

bool isWhole(double value) {
  return std::abs(value - std::round(value)) < 1e-6;
}

} // namespace

TimeBase::TimeBase(const target::Target &target) {
  const bool isCommon = isWhole(kCommonGHz / target.coreClockGHz) &&
                        isWhole(kCommonGHz / target.ringClockGHz);
  ticksPerNs = isCommon ? kCommonGHz : kPicosecondsPerNs;
  coreCycle =
      std::max<int64_t>(1, std::llround(ticksPerNs / target.coreClockGHz));
  ringCycle =
      std::max<int64_t>(1, std::llround(ticksPerNs / target.ringClockGHz));
}

int64_t TimeBase::ticks(double nanoseconds) const {
  return std::llround(std::min(nanoseconds * ticksPerNs, kMaxTicks));
}

} // namespace spyre::sim
