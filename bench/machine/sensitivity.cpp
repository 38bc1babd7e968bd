// SPDX-License-Identifier: Apache-2.0
//
// What of the comparison with the device depends on parameters that nobody has
// published for sure: each is halved and raised by half, and the ratios that
// leave or enter their 20 %, or turn round, are named.
//
// usage: bench-sensitivity [flow|stick]

#include "Anchors.h"

#include "spyre/Target/Fields.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace spyre;

namespace {

constexpr std::string_view kUncertain[] = {
    "coreClockGHz",        "ptFp16MacsPerCycle",
    "sfuFp32Lanes",        "lxPortBytesPerCycle",
    "lxLatencyCycles",     "ringClockGHz",
    "ringHopCycles",       "partialSumBytesPerCycle",
    "requestPacketBytes",  "ringCorePortBytesPerCycle",
    "memoryNodeGBps",      "ddrReadToWriteNs",
    "ddrWriteToReadNs",    "ddrDrainBatchSticks",
    "ddrRefreshNs",        "ddrBanks",
    "ddrRowBytes",         "ddrInterleaveBytes",
    "requestWindowSticks", "requestLatencyNs"};

/// The value times `factor`; nothing if it cannot be that.
std::optional<std::string> scale(target::Target &target,
                                 const target::Field &field, double factor) {
  if (const auto *real = std::get_if<double target::Target::*>(&field.member)) {
    target.*(*real) *= factor;
    return fmt::format("{:g}", target.*(*real));
  }
  const auto *whole = std::get_if<int64_t target::Target::*>(&field.member);
  if (!whole) {
    return std::nullopt;
  }
  const double scaled = static_cast<double>(target.*(*whole)) * factor;
  if (scaled < 1 || scaled != std::floor(scaled)) {
    return std::nullopt;
  }
  target.*(*whole) = static_cast<int64_t>(scaled);
  return fmt::format("{}", target.*(*whole));
}

int run(const bench::Machine &reference) {
  const Expected<bench::Verdict> base = bench::compareSections(reference);
  if (!base) {
    fmt::print(stderr, "{}", base.error().str());
    return 1;
  }
  fmt::print("as described: {} of {} ratios within 20 %, {} inversions\n\n"
             "| parameter | value | ratios | inversions | conclusions that "
             "change |\n|---|---|---|---|---|\n",
             base->within, base->ratios.size(), base->inversions);
  for (const target::Field &field : target::fields()) {
    if (std::find(std::begin(kUncertain), std::end(kUncertain), field.key()) ==
        std::end(kUncertain)) {
      continue;
    }
    for (double factor : {0.5, 1.5}) {
      bench::Machine machine = reference;
      const std::optional<std::string> value =
          scale(machine.target, field, factor);
      if (!value) {
        continue;
      }
      const Expected<bench::Verdict> verdict = bench::compareSections(machine);
      if (!verdict) {
        fmt::print("| `{}` | {} | - | - | {} |\n", field.key(), *value,
                   verdict.error().message);
        continue;
      }
      std::string changes;
      for (size_t i = 0; i < base->ratios.size(); ++i) {
        const bench::Ratio &before = base->ratios[i];
        const bench::Ratio &after = verdict->ratios[i];
        if (before.isWithin != after.isWithin ||
            before.isInverted != after.isInverted) {
          changes += fmt::format("{}{} {:.2f}", changes.empty() ? "" : ", ",
                                 after.name, after.simulated);
        }
      }
      fmt::print("| `{}` | {} | {} | {} | {} |\n", field.key(), *value,
                 verdict->within, verdict->inversions,
                 changes.empty() ? "none" : changes);
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  const std::optional<sim::Fidelity> fidelity =
      argc > 1 ? bench::parseFidelity(argv[1]) : sim::Fidelity::Stick;
  if (argc > 2 || !fidelity) {
    fmt::print(stderr, "usage: bench-sensitivity [flow|stick]\n");
    return 2;
  }
  bench::CompiledPlans plans;
  bench::Machine machine;
  machine.fidelity = *fidelity;
  machine.plans = &plans;
  return run(machine);
}
