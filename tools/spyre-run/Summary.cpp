// SPDX-License-Identifier: Apache-2.0
//
// Sums and limits: see Summary.h. The bounds are those by which plans are
// judged (docs/Machine.md); they hold for the published rates, which the
// simulated machine does not read.

#include "Summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace spyre;
using namespace spyre::tools;

namespace {

constexpr double kF16Bytes = 2;

KernelLimit limitOf(const rt::PhaseStats &phase, const target::Target &target) {
  const target::ReferenceFits &fit = target.reference;
  const auto cores = static_cast<double>(target.numCores);
  const auto macs = static_cast<double>(phase.macs);
  const auto reads = static_cast<double>(phase.compulsoryReadBytes);
  const auto writes = static_cast<double>(phase.compulsoryWriteBytes);
  KernelLimit limit;
  limit.computeSeconds = macs / (cores * fit.sustainedMacsPerNsPerCore) * 1e-9;
  limit.compulsorySeconds =
      ((reads + writes) / fit.sustainedDdrGBps +
       fit.mixedPenaltyNsPerByte * std::min(reads, writes)) *
      1e-9;
  // 2 M N K / sqrt(cores * S) elements of f16, S of them in a scratchpad.
  const double elements =
      static_cast<double>(target.lxPlannerBudgetBytes) / kF16Bytes;
  limit.sharingSeconds = 2 * macs / std::sqrt(cores * elements) * kF16Bytes /
                         fit.sustainedDdrGBps * 1e-9;
  return limit;
}

void addUnit(rt::UnitStats &sum, const rt::UnitStats &unit) {
  sum.busyTicks += unit.busyTicks;
  sum.stallTicks += unit.stallTicks;
  sum.commands += unit.commands;
  for (size_t cause = 0; cause < rt::kNumWaitCauses; ++cause) {
    sum.waitTicks[cause] += unit.waitTicks[cause];
  }
}

/// Sums over the compute steps of one launch.
class Summarizer {
public:
  Summarizer(const rt::Model &launched, RunSummary &result)
      : model(launched), summary(result) {}
  void add(const rt::ComputeStats &compute);
  void finish(const rt::LaunchStats &stats);

private:
  void addKernels(const rt::ComputeStats &compute);
  void addBuffers(const rt::ComputeStats &compute);

  const rt::Model &model;
  RunSummary &summary;
  std::map<std::pair<std::string, launch::BufferRole>, TensorSummary> tensors;
  std::map<std::string, QueueSummary> queues;
};

void Summarizer::addKernels(const rt::ComputeStats &compute) {
  for (const rt::PhaseStats &phase : compute.phases) {
    KernelSummary kernel;
    kernel.phase = &phase;
    kernel.seconds = summary.secondsOf(phase.ticks);
    kernel.limit = limitOf(phase, model.target());
    kernel.fraction =
        kernel.seconds > 0 ? kernel.limit.seconds() / kernel.seconds : 1;
    summary.limits.computeSeconds += kernel.limit.computeSeconds;
    summary.limits.compulsorySeconds += kernel.limit.compulsorySeconds;
    summary.limits.sharingSeconds += kernel.limit.sharingSeconds;
    summary.limitSeconds += kernel.limit.seconds();
    summary.kernels.push_back(kernel);
  }
}

void Summarizer::addBuffers(const rt::ComputeStats &compute) {
  for (const rt::BufferStats &buffer : compute.buffers) {
    if (buffer.readBytes + buffer.writeBytes > 0) {
      TensorSummary &tensor = tensors[{buffer.name, buffer.role}];
      tensor.name = buffer.name;
      tensor.role = buffer.role;
      tensor.readBytes += buffer.readBytes;
      tensor.writeBytes += buffer.writeBytes;
    }
    if (buffer.emptyTicks + buffer.fullTicks > 0) {
      QueueSummary &queue = queues[buffer.name];
      queue.name = buffer.name;
      queue.emptyTicks += buffer.emptyTicks;
      queue.fullTicks += buffer.fullTicks;
    }
  }
}

void Summarizer::add(const rt::ComputeStats &compute) {
  summary.macs += compute.macs;
  summary.ddrReadBytes += compute.ddrReadBytes;
  summary.ddrWriteBytes += compute.ddrWriteBytes;
  summary.ringBytes += compute.ringBytes;
  for (size_t core = 0; core < compute.cores.size(); ++core) {
    const std::vector<rt::UnitStats> &units = compute.cores[core].units;
    for (size_t unit = 0; unit < units.size(); ++unit) {
      addUnit(summary.cores[core].units[unit], units[unit]);
    }
  }
  // Every program runs on the same machine.
  summary.parts.resize(compute.parts.size());
  for (size_t i = 0; i < compute.parts.size(); ++i) {
    const rt::PartStats &part = compute.parts[i];
    summary.parts[i].name = part.name;
    summary.parts[i].bytes += part.bytes;
    summary.parts[i].utilisation +=
        static_cast<double>(part.bytes) / part.bytesPerTick;
  }
  addKernels(compute);
  addBuffers(compute);
}

void Summarizer::finish(const rt::LaunchStats &stats) {
  summary.hostWaitSeconds = stats.totalSeconds - stats.computeSeconds;
  for (PartSummary &part : summary.parts) {
    part.utilisation /=
        static_cast<double>(std::max<int64_t>(stats.computeTicks, 1));
  }
  for (auto &[key, tensor] : tensors) {
    summary.tensors.push_back(std::move(tensor));
  }
  for (auto &[name, queue] : queues) {
    summary.queues.push_back(std::move(queue));
  }
  // Names break ties.
  std::sort(summary.tensors.begin(), summary.tensors.end(),
            [](const TensorSummary &a, const TensorSummary &b) {
              return std::tuple(b.bytes(), a.name, a.role) <
                     std::tuple(a.bytes(), b.name, b.role);
            });
  std::sort(summary.queues.begin(), summary.queues.end(),
            [](const QueueSummary &a, const QueueSummary &b) {
              return std::tuple(b.ticks(), a.name) <
                     std::tuple(a.ticks(), b.name);
            });
}

} // namespace

double KernelLimit::seconds() const {
  return std::max({computeSeconds, compulsorySeconds, sharingSeconds});
}

std::string_view KernelLimit::bound() const {
  if (seconds() == 0) {
    return "none: no products, no device memory";
  }
  if (computeSeconds >= seconds()) {
    return "compute";
  }
  return compulsorySeconds >= seconds() ? "compulsory traffic" : "ring sharing";
}

rt::UnitStats RunSummary::unit(int unit) const {
  rt::UnitStats sum;
  for (const rt::CoreStats &core : cores) {
    addUnit(sum, core.units[static_cast<size_t>(unit)]);
  }
  return sum;
}

RunSummary tools::summarize(const rt::Model &model,
                            const rt::LaunchStats &stats) {
  RunSummary summary;
  summary.ticksPerSecond = model.device().ticksPerSecond();
  // Cores that no program uses are idle.
  summary.cores.assign(
      static_cast<size_t>(model.target().numCores),
      {std::vector<rt::UnitStats>(static_cast<size_t>(launch::kNumUnits))});
  Summarizer summarizer(model, summary);
  for (const rt::StepStats &step : stats.steps) {
    if (step.kind == launch::StepKind::Compute) {
      summarizer.add(step.compute);
    }
  }
  summarizer.finish(stats);
  return summary;
}
