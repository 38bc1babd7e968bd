// SPDX-License-Identifier: Apache-2.0
//
// One report object, from which the summary and the JSON follow.

#include "Report.h"

#include "spyre/Cost/KernelPlan.h"
#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Dialect/Support/PlanEnum.h"
#include "spyre/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace spyre {

void countRestickifies(ModuleOp module, CompileReport &report) {
  module.walk([&](stick::RestickifyOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    ++report.restickifies;
    report.restickifyBytes +=
        type.getNumElements() * type.getElementTypeBitWidth() / 8;
  });
}

/// Of a planned tensor as it lies in device memory, else without padding; wide
/// integers are i32 there.
static int64_t bytesOf(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type)) {
    return sdsc::deviceBytes(buffer.getShape());
  }
  auto tensor = cast<RankedTensorType>(type);
  const unsigned bits = tensor.getElementTypeBitWidth();
  const bool isWide = tensor.getElementType().isInteger() && bits > 32;
  return tensor.getNumElements() * (isWide ? 4 : llvm::divideCeil(bits, 8));
}

/// Multiply-accumulates of a contraction.
static double macsOf(sdsc::KernelOp kernel) {
  double macs = kernel.getKind() == cost::KernelKind::Contract ? 1 : 0;
  for (int64_t extent : kernel.getExtents()) {
    macs *= static_cast<double>(extent);
  }
  return macs;
}

static void describeKernel(sdsc::KernelOp kernel, const target::Target &target,
                           CompileReport &report) {
  cost::KernelProblem problem = kernel.getProblem(target.lxPlannerBudgetBytes);
  cost::KernelPlan plan = kernel.getPlan();
  cost::KernelCost cost = cost::estimate(problem, plan, target);
  CompileReport::Kernel row;
  row.name = kernel.getName().str();
  row.kind = planEnumName(kernel.getKind()).str();
  row.slices = plan.slices;
  row.tiles = plan.tiles;
  row.predictedNs = cost.totalNs;
  row.lxBytes = cost::lxBytes(problem, plan);
  row.ddrBytes = cost.ddrReadBytes + cost.ddrWriteBytes;
  report.kernelList.push_back(std::move(row));
  ++report.kernels;
  report.predictedNs += cost.totalNs;
  report.ddrReadBytes += cost.ddrReadBytes;
  report.ddrWriteBytes += cost.ddrWriteBytes;
  report.ringBytes += cost.ringBytes;
  report.computeFloorNs +=
      macsOf(kernel) / target.peakFp16MacsPerSecond() * 1e9;
  int64_t resident = 0;
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    if (problem.operands[i].resident) {
      resident += bytesOf(kernel.getAllOperands()[i].getType());
    }
  }
  report.lxPeakBytes =
      std::max(report.lxPeakBytes, report.kernelList.back().lxBytes + resident);
}

/// `op` is a stick.host, or an sdsc.host, whose results are operands.
template <typename HostOp>
static void describeHostWork(HostOp op, CompileReport &report) {
  CompileReport::HostWork row{subjectOf(op), op.getFunction().str(),
                              op.getReason().str(), 0};
  for (Value operand : op->getOperands()) {
    row.bytes += bytesOf(operand.getType());
  }
  for (Value result : op->getResults()) {
    row.bytes += bytesOf(result.getType());
  }
  report.hostWork.push_back(std::move(row));
}

void describeHostWork(ModuleOp module, CompileReport &report) {
  report.hostWork.clear();
  module.walk([&](Operation *op) {
    if (auto host = dyn_cast<stick::HostOp>(op)) {
      describeHostWork(host, report);
    } else if (auto planned = dyn_cast<sdsc::HostOp>(op)) {
      describeHostWork(planned, report);
    }
  });
}

LogicalResult describePlan(ModuleOp module, const std::string &targetName,
                           CompileReport &report) {
  Expected<target::Target> target = target::loadTarget(targetName);
  if (!target) {
    return emitCoded(module, target.error());
  }
  report.isPlanned = true;
  report.lxBudgetBytes = target->lxPlannerBudgetBytes;
  describeHostWork(module, report);
  // What must cross the memory port at least once: weights and arguments.
  int64_t compulsory = 0;
  module.walk([&](func::FuncOp func) {
    for (Type type : func.getArgumentTypes()) {
      compulsory += bytesOf(type);
    }
  });
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<sdsc::KernelOp>(op)) {
      describeKernel(kernel, *target, report);
    } else if (auto weight = dyn_cast<sdsc::WeightOp>(op)) {
      ++report.weights;
      report.weightBytes += bytesOf(weight.getType());
      auto file = dyn_cast<StringAttr>(weight.getFile());
      if (!file || file.empty()) {
        ++report.filelessWeights;
        report.filelessWeightBytes += bytesOf(weight.getType());
      }
    } else if (auto alloc = dyn_cast<sdsc::AllocOp>(op)) {
      ++report.tensors;
      report.residentTensors += alloc.getAddress() ? 1 : 0;
      if (alloc.getReason()) {
        report.spills.emplace_back(subjectOf(op), alloc.getReason()->str());
      }
    }
  });
  report.ddrFloorNs = static_cast<double>(compulsory + report.weightBytes) /
                      target->ddrPeakGBps;
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static std::string formatBytes(int64_t bytes) {
  double value = static_cast<double>(bytes);
  return value < 1e6   ? fmt::format("{:.1f} kB", value / 1e3)
         : value < 1e9 ? fmt::format("{:.1f} MB", value / 1e6)
                       : fmt::format("{:.2f} GB", value / 1e9);
}

static std::string formatTime(double ns) {
  return ns < 1e6 ? fmt::format("{:.3f} us", ns / 1e3)
                  : fmt::format("{:.3f} ms", ns / 1e6);
}

static std::string lineText(std::string_view name, std::string_view value) {
  return fmt::format("{:<11}{}\n", name, value);
}

/// The first lines of it.
static std::string hostWorkText(const CompileReport &report, size_t maxLines) {
  const size_t shown = std::min(maxLines, report.hostWork.size());
  const size_t more = report.hostWork.size() - shown;
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const CompileReport::HostWork &host = report.hostWork[i];
    text += lineText(i == 0 ? "host work" : "",
                     fmt::format("{} ({}): {}{}", host.name,
                                 formatBytes(host.bytes), host.reason,
                                 i + 1 == shown && more > 0
                                     ? fmt::format("   and {} more", more)
                                     : ""));
  }
  return text;
}

std::string checkText(const CompileReport &report) {
  return (report.problems.empty() ? "0 unsupported operations\n" : "") +
         hostWorkText(report, report.hostWork.size());
}

std::string summaryText(const CompileReport &report) {
  std::string text;
  auto line = [&](std::string_view name, const std::string &value) {
    text += lineText(name, value);
  };
  line("model", fmt::format("{}  {} kernels   target {}", report.model,
                            report.kernels, report.target));
  line("time", fmt::format("{} predicted for the kernels, without transfers{}",
                           formatTime(report.predictedNs),
                           report.hostWork.empty() ? "" : " and host work"));
  line("floor",
       report.computeFloorNs > report.ddrFloorNs
           ? fmt::format("{} (compute: the arithmetic at the f16 peak)",
                         formatTime(report.computeFloorNs))
           : fmt::format("{} (DDR: each operand once at the peak)",
                         formatTime(report.ddrFloorNs)));
  line("traffic", fmt::format("DDR {} read, {} written   ring {}",
                              formatBytes(report.ddrReadBytes),
                              formatBytes(report.ddrWriteBytes),
                              formatBytes(report.ringBytes)));
  line("scratchpad",
       fmt::format("peak {} of {} bytes per core   resident {} of {} "
                   "intermediates",
                   report.lxPeakBytes, report.lxBudgetBytes,
                   report.residentTensors, report.tensors));
  std::string fileless;
  if (report.filelessWeights > 0) {
    fileless = fmt::format("; {} ({}) with no file of their own",
                           report.filelessWeights,
                           formatBytes(report.filelessWeightBytes));
  }
  line("weights",
       fmt::format("{} ({}), laid out at compile time{}", report.weights,
                   formatBytes(report.weightBytes), fileless));
  line("layout", fmt::format("{} restickifies ({})", report.restickifies,
                             formatBytes(report.restickifyBytes)));
  std::vector<CompileReport::Kernel> top = report.kernelList;
  std::sort(top.begin(), top.end(), [](const auto &a, const auto &b) {
    return a.predictedNs != b.predictedNs ? a.predictedNs > b.predictedNs
                                          : a.name < b.name;
  });
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(kShown, top.size()); ++i) {
    line(i == 0 ? "top" : "",
         fmt::format("{} {:.0f} %   {} cores {}   tiles {}", top[i].name,
                     100 * top[i].predictedNs / report.predictedNs, top[i].kind,
                     fmt::join(top[i].slices, "x"),
                     fmt::join(top[i].tiles, "x")));
  }
  text += hostWorkText(report, kShown);
  double total = 0;
  std::string phases;
  for (const auto &[phase, seconds] : report.phaseSeconds) {
    total += seconds;
    phases += fmt::format("   {} {:.2f}", phase, seconds);
  }
  line("compile", fmt::format("{:.2f} s{}", total, phases));
  return text;
}

static nlohmann::ordered_json
jsonOf(const std::vector<CompileReport::Problem> &problems) {
  auto list = nlohmann::ordered_json::array();
  for (const CompileReport::Problem &problem : problems) {
    list.push_back({{"severity", problem.isWarning ? "warning" : "error"},
                    {"code", problem.code},
                    {"phase", problem.phase},
                    {"subject", problem.subject},
                    {"message", problem.message},
                    {"nodes", problem.nodes},
                    {"notes", problem.notes},
                    {"help", problem.help}});
  }
  return list;
}

static nlohmann::ordered_json
jsonOf(const std::vector<CompileReport::HostWork> &hostWork) {
  auto list = nlohmann::ordered_json::array();
  for (const CompileReport::HostWork &host : hostWork) {
    list.push_back({{"name", host.name},
                    {"function", host.function},
                    {"reason", host.reason},
                    {"bytes", host.bytes}});
  }
  return list;
}

/// What the phase plan decided.
static void putPlan(const CompileReport &report, nlohmann::ordered_json &json) {
  json["predictedNs"] = report.predictedNs;
  json["computeFloorNs"] = report.computeFloorNs;
  json["ddrFloorNs"] = report.ddrFloorNs;
  json["ddrReadBytes"] = report.ddrReadBytes;
  json["ddrWriteBytes"] = report.ddrWriteBytes;
  json["ringBytes"] = report.ringBytes;
  json["lxPeakBytes"] = report.lxPeakBytes;
  json["lxBudgetBytes"] = report.lxBudgetBytes;
  json["tensors"] = report.tensors;
  json["residentTensors"] = report.residentTensors;
  json["weights"] = report.weights;
  json["weightBytes"] = report.weightBytes;
  json["filelessWeights"] = report.filelessWeights;
  json["filelessWeightBytes"] = report.filelessWeightBytes;
  json["restickifies"] = report.restickifies;
  json["restickifyBytes"] = report.restickifyBytes;
  json["kernels"] = nlohmann::ordered_json::array();
  for (const CompileReport::Kernel &kernel : report.kernelList) {
    json["kernels"].push_back({{"name", kernel.name},
                               {"kind", kernel.kind},
                               {"slices", kernel.slices},
                               {"tiles", kernel.tiles},
                               {"predictedNs", kernel.predictedNs},
                               {"lxBytes", kernel.lxBytes},
                               {"ddrBytes", kernel.ddrBytes}});
  }
  json["spills"] = nlohmann::ordered_json::array();
  for (const auto &[tensor, reason] : report.spills) {
    json["spills"].push_back({{"tensor", tensor}, {"reason", reason}});
  }
}

std::string reportJson(const CompileReport &report) {
  nlohmann::ordered_json json;
  json["model"] = report.model;
  json["target"] = report.target;
  json["problems"] = jsonOf(report.problems);
  json["hostWork"] = jsonOf(report.hostWork);
  if (report.isPlanned) {
    putPlan(report, json);
  }
  json["phaseSeconds"] = nlohmann::ordered_json::object();
  for (const auto &[phase, seconds] : report.phaseSeconds) {
    json["phaseSeconds"][phase] = seconds;
  }
  // Names of a model need not be UTF-8.
  return json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace spyre
