// SPDX-License-Identifier: Apache-2.0
//
// The second form of a trace: what the public aiu-trace-analyzer 1.3 reads
// without a warning. Each kernel, transfer and piece of host work is one
// control block with five time stamps: TS1 to TS2 it is fed by DMA, to TS3 it
// is prepared or the host works, to TS4 it computes, to TS5 its result goes
// out. Stamps are whole nanoseconds, and the events' microseconds follow from
// them, so that both agree exactly.

#include "Trace.h"

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace spyre;
using namespace spyre::tools;

namespace {

using Json = nlohmann::ordered_json;

/// TS1 to TS5 in ns from the start of the launch.
using Stamps = std::array<int64_t, 5>;

struct ControlBlock {
  std::string name;
  int stream = 0;
  Stamps stamps = {};
  int64_t bytes = 0;
};

int64_t nanoseconds(double seconds) {
  return static_cast<int64_t>(std::llround(seconds * 1e9));
}

/// A compute step: a control block for each phase, the first with what the
/// step needs before it starts.
void addCompute(const rt::Model &model, const rt::StepStats &step,
                double preparedSince, std::vector<ControlBlock> &blocks) {
  const double ticksPerSecond = model.device().ticksPerSecond();
  int64_t begin = nanoseconds(preparedSince);
  double start = step.startSeconds;
  for (const rt::PhaseStats &phase : step.compute.phases) {
    const double end =
        start + static_cast<double>(phase.ticks) / ticksPerSecond;
    ControlBlock block;
    block.name = phase.name;
    block.stream = static_cast<int>(step.role);
    block.stamps = {begin, begin, nanoseconds(start), nanoseconds(end),
                    nanoseconds(end)};
    blocks.push_back(std::move(block));
    start = end;
    begin = nanoseconds(end);
  }
}

/// A step that is no compute step is one part of a control block.
Stamps stampsOf(const rt::StepStats &step) {
  const int64_t start = nanoseconds(step.startSeconds);
  const int64_t end = nanoseconds(step.endSeconds);
  switch (step.kind) {
  case launch::StepKind::H2D:
    return {start, end, end, end, end};
  case launch::StepKind::D2H:
    return {start, start, start, start, end};
  default:
    return {start, start, end, end, end};
  }
}

std::vector<ControlBlock> blocksOf(const rt::Model &model,
                                   const rt::LaunchStats &stats) {
  std::vector<ControlBlock> blocks;
  std::array<double, 2> clocks = {0, 0};
  for (const rt::StepStats &step : stats.steps) {
    double &clock = clocks[static_cast<size_t>(step.role)];
    if (step.kind == launch::StepKind::Compute) {
      addCompute(model, step, clock, blocks);
    } else {
      ControlBlock block;
      block.name = step.name;
      block.stream = static_cast<int>(step.role);
      block.bytes = step.transferBytes;
      block.stamps = stampsOf(step);
      blocks.push_back(std::move(block));
    }
    clock = step.endSeconds;
  }
  return blocks;
}

void addEvents(const ControlBlock &block, int64_t correlation, Json &events) {
  struct Part {
    const char *suffix;
    const char *category;
    bool isTransfer;
  };
  constexpr Part kParts[] = {{" DmaI", "gpu_memcpy", true},
                             {" Cmpt Prep", "kernel", false},
                             {" Cmpt Exec", "kernel", false},
                             {" DmaO", "gpu_memcpy", true}};
  for (size_t i = 0; i < std::size(kParts); ++i) {
    const int64_t begin = block.stamps[i];
    const int64_t end = block.stamps[i + 1];
    if (begin == end) {
      continue;
    }
    Json arguments;
    for (size_t stamp = 0; stamp < block.stamps.size(); ++stamp) {
      arguments["TS" + std::to_string(stamp + 1)] =
          std::to_string(block.stamps[stamp]);
    }
    arguments["correlation"] = correlation;
    arguments["External id"] = correlation;
    arguments["device"] = 0;
    arguments["stream"] = block.stream;
    if (kParts[i].isTransfer) {
      arguments["Bytes"] = block.bytes;
    }
    events.push_back({{"ph", "X"},
                      {"name", block.name + kParts[i].suffix},
                      {"cat", kParts[i].category},
                      {"ts", static_cast<double>(begin) / 1000},
                      {"dur", static_cast<double>(end - begin) / 1000},
                      {"pid", 0},
                      {"tid", block.stream},
                      {"args", std::move(arguments)}});
  }
}

} // namespace

std::string tools::formatAnalyserTrace(const rt::Model &model,
                                       const rt::LaunchStats &stats) {
  Json events = Json::array();
  int64_t correlation = 0;
  for (const ControlBlock &block : blocksOf(model, stats)) {
    addEvents(block, ++correlation, events);
  }
  const Json trace = {
      {"schemaVersion", 1},
      {"deviceProperties", {{{"id", 0}, {"name", model.target().name}}}},
      {"traceEvents", std::move(events)}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}
