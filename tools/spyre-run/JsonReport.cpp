// SPDX-License-Identifier: Apache-2.0
//
// The report of a run as JSON. Times are nanoseconds of the simulated machine,
// utilisations and fractions are of one.

#include "Report.h"

#include "spyre/LaunchPlan/Names.h"

#include <nlohmann/json.hpp>

using namespace spyre;
using namespace spyre::tools;
using Json = nlohmann::ordered_json;

namespace {

Json unitJson(const RunSummary &summary, size_t index,
              const rt::UnitStats &unit) {
  const auto nanoseconds = [&](int64_t ticks) {
    return summary.secondsOf(ticks) * 1e9;
  };
  Json waits = Json::object();
  for (size_t cause = 0; cause < rt::kNumWaitCauses; ++cause) {
    waits[rt::toString(static_cast<rt::WaitCause>(cause))] =
        nanoseconds(unit.waitTicks[cause]);
  }
  return {{"name", launch::toString(static_cast<launch::Unit>(index))},
          {"commands", unit.commands},
          {"busyNs", nanoseconds(unit.busyTicks)},
          {"stallNs", nanoseconds(unit.stallTicks)},
          {"waitNs", std::move(waits)}};
}

Json coresJson(const RunSummary &summary) {
  Json cores = Json::array();
  for (const rt::CoreStats &core : summary.cores) {
    Json units = Json::array();
    for (size_t i = 0; i < core.units.size(); ++i) {
      units.push_back(unitJson(summary, i, core.units[i]));
    }
    cores.push_back({{"units", std::move(units)}});
  }
  return cores;
}

Json kernelsJson(const RunSummary &summary) {
  Json kernels = Json::array();
  for (const KernelSummary &kernel : summary.kernels) {
    const rt::PhaseStats &phase = *kernel.phase;
    kernels.push_back(
        {{"name", phase.name},
         {"timeNs", kernel.seconds * 1e9},
         {"macs", phase.macs},
         {"ddrReadBytes", phase.ddrReadBytes},
         {"ddrWriteBytes", phase.ddrWriteBytes},
         {"compulsoryReadBytes", phase.compulsoryReadBytes},
         {"compulsoryWriteBytes", phase.compulsoryWriteBytes},
         {"computeLimitNs", kernel.limit.computeSeconds * 1e9},
         {"compulsoryLimitNs", kernel.limit.compulsorySeconds * 1e9},
         {"sharingLimitNs", kernel.limit.sharingSeconds * 1e9},
         {"limitNs", kernel.limit.seconds() * 1e9},
         {"bound", kernel.limit.bound()},
         {"fraction", kernel.fraction}});
  }
  return kernels;
}

Json stepsJson(const rt::LaunchStats &stats) {
  Json steps = Json::array();
  for (const rt::StepStats &step : stats.steps) {
    steps.push_back({{"kind", launch::toString(step.kind)},
                     {"name", step.name},
                     {"startNs", step.startSeconds * 1e9},
                     {"endNs", step.endSeconds * 1e9},
                     {"transferBytes", step.transferBytes}});
  }
  return steps;
}

} // namespace

std::string tools::formatReport(const rt::Model &model,
                                const RunSummary &summary,
                                const rt::LaunchStats &stats) {
  Json json;
  json["target"] = model.target().name;
  json["totalNs"] = stats.totalSeconds * 1e9;
  json["computeNs"] = stats.computeSeconds * 1e9;
  json["hostWorkNs"] = stats.hostWorkSeconds * 1e9;
  json["hostWaitNs"] = summary.hostWaitSeconds * 1e9;
  json["limitNs"] = summary.limitSeconds * 1e9;
  json["macs"] = summary.macs;
  json["ddrReadBytes"] = summary.ddrReadBytes;
  json["ddrWriteBytes"] = summary.ddrWriteBytes;
  json["ringBytes"] = summary.ringBytes;
  json["tensors"] = Json::array();
  for (const TensorSummary &tensor : summary.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"kind", launch::nameOf(tensor.role)},
                               {"readBytes", tensor.readBytes},
                               {"writeBytes", tensor.writeBytes}});
  }
  json["queues"] = Json::array();
  for (const QueueSummary &queue : summary.queues) {
    json["queues"].push_back(
        {{"name", queue.name},
         {"emptyNs", summary.secondsOf(queue.emptyTicks) * 1e9},
         {"fullNs", summary.secondsOf(queue.fullTicks) * 1e9}});
  }
  json["parts"] = Json::array();
  for (const PartSummary &part : summary.parts) {
    json["parts"].push_back({{"name", part.name},
                             {"bytes", part.bytes},
                             {"utilisation", part.utilisation}});
  }
  json["kernels"] = kernelsJson(summary);
  json["steps"] = stepsJson(stats);
  json["cores"] = coresJson(summary);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
