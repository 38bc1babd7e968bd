// SPDX-License-Identifier: Apache-2.0
//
// What a launch did, summed over its steps and cores, and how near each kernel
// came to its limit: what the text of --stats and the JSON of --report show.

#ifndef SPYRE_TOOLS_SPYRE_RUN_SUMMARY_H
#define SPYRE_TOOLS_SPYRE_RUN_SUMMARY_H

#include "spyre/Runtime/Runtime.h"

#include <string>
#include <vector>

namespace spyre::tools {

/// The least time of a kernel by each bound, at the published sustained rates.
/// No division of the work over the cores can be faster than the largest.
struct KernelLimit {
  /// Its multiply-accumulates.
  double computeSeconds = 0;
  /// Each operand once through device memory, with turns of the bus.
  double compulsorySeconds = 0;
  /// The traffic of its products when the cores share reads over the ring.
  double sharingSeconds = 0;

  double seconds() const;
  /// The largest bound in words.
  std::string_view bound() const;
};

struct KernelSummary {
  const rt::PhaseStats *phase = nullptr;
  double seconds = 0;
  KernelLimit limit;
  /// Of the limit that is reached.
  double fraction = 0;
};

/// What launches and steps moved of a tensor in device memory.
struct TensorSummary {
  std::string name;
  launch::BufferRole role = launch::BufferRole::Scratch;
  int64_t readBytes = 0;
  int64_t writeBytes = 0;
  int64_t bytes() const { return readBytes + writeBytes; }
};

/// How long units waited for a queue.
struct QueueSummary {
  std::string name;
  int64_t emptyTicks = 0;
  int64_t fullTicks = 0;
  int64_t ticks() const { return emptyTicks + fullTicks; }
};

struct PartSummary {
  std::string name;
  int64_t bytes = 0;
  /// Of what it could carry while the device computes.
  double utilisation = 0;
};

struct RunSummary {
  double ticksPerSecond = 1;
  int64_t macs = 0;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  /// Launch, transfers and host work: no unit has anything to do.
  double hostWaitSeconds = 0;
  /// Sums over the kernels; `seconds` of the largest bound of each.
  KernelLimit limits;
  double limitSeconds = 0;
  std::vector<KernelSummary> kernels;
  /// Per core of the target and unit.
  std::vector<rt::CoreStats> cores;
  /// Most bytes first.
  std::vector<TensorSummary> tensors;
  /// Longest wait first.
  std::vector<QueueSummary> queues;
  /// In the machine's order.
  std::vector<PartSummary> parts;

  double secondsOf(int64_t ticks) const {
    return static_cast<double>(ticks) / ticksPerSecond;
  }
  /// A unit of all cores.
  rt::UnitStats unit(int unit) const;
};

RunSummary summarize(const rt::Model &model, const rt::LaunchStats &stats);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_RUN_SUMMARY_H
