// SPDX-License-Identifier: Apache-2.0
//
// What a run counts: stalls by cause, bytes by buffer and phase, the trace and
// what stores met.

#include "Engine.h"

#include <algorithm>
#include <utility>

namespace spyre::sim {

using launch::Command;

rt::UnitStats &Engine::statsOf(const Process &process) {
  return stats.cores[static_cast<size_t>(process.core)]
      .units[static_cast<size_t>(process.unit)];
}

void Engine::beginStall(Process &process, int64_t now, rt::WaitCause cause) {
  endStall(process, now);
  process.stalledSince = now;
  process.stallCause = cause;
}

void Engine::endStall(Process &process, int64_t now) {
  if (process.stalledSince < 0) {
    return;
  }
  const int64_t ticks = now - process.stalledSince;
  rt::UnitStats &unit = statsOf(process);
  unit.stallTicks += ticks;
  unit.waitTicks[static_cast<size_t>(process.stallCause)] += ticks;
  process.stalledSince = -1;
  if (process.stallCause != rt::WaitCause::OwnCommands) {
    rt::BufferStats &buffer = stats.buffers[process.waitsFor.buffer];
    (process.waitsFor.side >= 0 ? buffer.emptyTicks : buffer.fullTicks) +=
        ticks;
  }
}

void Engine::countBytes(const ResolvedCommand &command, const Work &work) {
  stats.ddrReadBytes += work.ddrReadBytes;
  stats.ddrWriteBytes += work.ddrWriteBytes;
  stats.ringBytes += work.ringBytes;
  stats.macs += work.macs;
  rt::PhaseStats &counts = stats.phases.back();
  counts.macs += work.macs;
  counts.ddrReadBytes += work.ddrReadBytes;
  counts.ddrWriteBytes += work.ddrWriteBytes;
  if (work.ddrReadBytes > 0) {
    moved[command.boxes[0].buffer].readBytes += work.ddrReadBytes;
  }
  if (work.ddrWriteBytes > 0) {
    moved[command.boxes[1].buffer].writeBytes += work.ddrWriteBytes;
  }
}

/// Adds what the phase moved of each buffer to the run's, and tells what it had
/// to move: each value once, a view and its source together (views show a
/// buffer that is no view).
void Engine::countBuffers() {
  const std::vector<uint32_t> &used =
      info.phases[static_cast<size_t>(phase)].buffers;
  const auto valueOf = [&](uint32_t buffer) {
    const int32_t source = program.buffers[buffer].viewOf;
    return source >= 0 && source < static_cast<int64_t>(buffer)
               ? static_cast<uint32_t>(source)
               : buffer;
  };
  for (uint32_t buffer : used) {
    stats.buffers[buffer].readBytes += moved[buffer].readBytes;
    stats.buffers[buffer].writeBytes += moved[buffer].writeBytes;
    const Moved part = std::exchange(moved[buffer], {});
    moved[valueOf(buffer)].readBytes += part.readBytes;
    moved[valueOf(buffer)].writeBytes += part.writeBytes;
  }
  rt::PhaseStats &counts = stats.phases.back();
  for (uint32_t buffer : used) {
    const uint32_t value = valueOf(buffer);
    const Moved all = std::exchange(moved[value], {});
    // A queue hands values on inside of the kernel.
    if (!program.buffers[value].queue) {
      const int64_t size = info.buffers[value].bytes;
      counts.compulsoryReadBytes += std::min(all.readBytes, size);
      counts.compulsoryWriteBytes += std::min(all.writeBytes, size);
    }
  }
}

void Engine::trace(const Process &process, const Open &open, int64_t now) {
  if (!options.trace) {
    return;
  }
  const Command &command = *open.command.command;
  std::string name(launch::toString(command.kind));
  if (command.source < program.sources.size()) {
    name = program.sources[command.source].kernel + " " + name;
  }
  stats.trace.push_back(
      {std::move(name), process.core, process.unit, open.startedAt, now});
}

void Engine::collectNumerics() {
  const std::vector<StoreCounts> counts = effects->storeCounts();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].overflows == 0 && counts[i].nans == 0) {
      continue;
    }
    rt::NumericStats numeric;
    if (i < program.sources.size()) {
      numeric.kernel = program.sources[i].kernel;
      numeric.nodes = program.sources[i].nodes;
    }
    numeric.overflows = counts[i].overflows;
    numeric.nans = counts[i].nans;
    stats.numerics.push_back(std::move(numeric));
  }
}

} // namespace spyre::sim
