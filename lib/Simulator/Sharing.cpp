// SPDX-License-Identifier: Apache-2.0
//
// Max-min fair rates: see Sharing.h.

#include "Sharing.h"

#include <algorithm>
#include <limits>

namespace spyre::sim {
namespace {

/// A part counts as full when this fraction of it is left.
constexpr double kFull = 1e-9;

class Sharing {
public:
  Sharing(std::span<FlowRate *const> flows, std::vector<SharedPart> &allParts)
      : parts(allParts) {
    for (const FlowRate *flow : flows) {
      for (const Use &use : flow->uses) {
        partOf(use).growing = 0;
      }
    }
    for (FlowRate *flow : flows) {
      flow->now = flow->most;
      if (!flow->uses.empty()) {
        growing.push_back(flow);
      }
      for (const Use &use : flow->uses) {
        SharedPart &part = partOf(use);
        if (part.growing == 0) {
          part.left = part.bytesPerTick;
          used.push_back(&part);
        }
        part.growing += use.bytes;
      }
    }
  }

  void run() {
    while (!growing.empty()) {
      grow();
      std::erase_if(growing, [&](FlowRate *flow) { return stops(*flow); });
      std::erase_if(used,
                    [](SharedPart *part) { return part->growing < kFull; });
    }
  }

private:
  SharedPart &partOf(const Use &use) {
    return parts[static_cast<size_t>(use.part)];
  }

  /// All flows, until the first must stop.
  void grow() {
    double step = std::numeric_limits<double>::max();
    for (const SharedPart *part : used) {
      step = std::min(step, part->left / part->growing);
    }
    for (const FlowRate *flow : growing) {
      step = std::min(step, flow->most - level);
    }
    step = std::max(step, 0.0);
    level += step;
    for (SharedPart *part : used) {
      part->left -= step * part->growing;
    }
  }

  bool stops(FlowRate &flow) {
    const auto full =
        std::find_if(flow.uses.begin(), flow.uses.end(), [&](const Use &use) {
          const SharedPart &part = partOf(use);
          return part.left <= kFull * part.bytesPerTick;
        });
    const bool isAtMost = flow.most <= level * (1 + kFull);
    if (!isAtMost && full == flow.uses.end()) {
      return false;
    }
    if (!isAtMost) {
      flow.now = level;
      flow.cause = partOf(*full).cause;
    }
    for (const Use &use : flow.uses) {
      partOf(use).growing -= use.bytes;
    }
    return true;
  }

  std::vector<SharedPart> &parts;
  std::vector<SharedPart *> used;
  std::vector<FlowRate *> growing;
  double level = 0;
};

} // namespace

void shareFairly(std::span<FlowRate *const> rates,
                 std::vector<SharedPart> &parts) {
  Sharing(rates, parts).run();
}

} // namespace spyre::sim
