// SPDX-License-Identifier: Apache-2.0
//
// The parts that a target describes: see Parts.h.

#include "Parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::sim {

Parts::Parts(const target::Target &target, const TimeBase &base) {
  const auto makePart = [&](std::string name, double gigabytes) {
    return Part{std::move(name), base.bytesPerTick(gigabytes), 0, {}};
  };
  const auto ringRate = [&](int64_t bytesPerCycle) {
    return static_cast<double>(bytesPerCycle) * target.ringClockGHz;
  };
  const auto coreRate = [&](int64_t bytesPerCycle) {
    return static_cast<double>(bytesPerCycle) * target.coreClockGHz;
  };
  // A reduction goes up the cores, and so over the one ring that does; it
  // holds that ring.
  partialSums =
      makePart("partial sums", coreRate(target.partialSumBytesPerCycle));
  for (size_t direction : {0, 1}) {
    const char *name = direction == 0 ? "clockwise" : "counter-clockwise";
    const double half = target.memoryNodeGBps / 2;
    nodeOut.push_back({makePart(fmt::format("memory node out {}", name), half),
                       Refreshes(target, base)});
    nodeIn.push_back({makePart(fmt::format("memory node in {}", name), half),
                      Refreshes(target, base)});
    requests[direction] = makePart(fmt::format("requests {}", name),
                                   ringRate(target.requestRingBytesPerCycle));
    for (int64_t node = 0; node <= target.numCores; ++node) {
      links[direction].push_back(makePart(fmt::format("link {} {}", node, name),
                                          ringRate(target.ringBytesPerCycle)));
    }
  }
  const double port = ringRate(target.ringCorePortBytesPerCycle);
  for (int64_t core = 0; core < target.numCores; ++core) {
    portsIn.push_back(
        makePart(fmt::format("ring port in of core {}", core), port));
    portsOut.push_back(
        makePart(fmt::format("ring port out of core {}", core), port));
    scratchpads.push_back(
        makePart(fmt::format("scratchpad port of core {}", core),
                 coreRate(target.lxPortBytesPerCycle)));
    matrixUnits.push_back(
        makePart(fmt::format("matrix unit of core {}", core), base.ticksPerNs));
  }
}

void Parts::addTo(std::vector<rt::PartStats> &stats) const {
  const auto add = [&](const Part &part) {
    stats.push_back({part.name, part.bytes, part.bytesPerTick});
  };
  for (size_t direction : {0, 1}) {
    add(nodeOut[direction].part);
    add(nodeIn[direction].part);
    add(requests[direction]);
  }
  add(partialSums);
  for (const std::vector<Part> *group :
       {&links[0], &links[1], &portsIn, &portsOut, &scratchpads,
        &matrixUnits}) {
    std::for_each(group->begin(), group->end(), add);
  }
}

} // namespace spyre::sim
