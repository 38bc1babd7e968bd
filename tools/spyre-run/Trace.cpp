// SPDX-License-Identifier: Apache-2.0
//
// Trace output. Times are whole picoseconds until they are printed, so that
// the end of a slice is exactly the start of the next one and viewers that
// nest slices by time never see an overlap.

#include "Trace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace spyre;
using namespace spyre::tools;

namespace {

constexpr int kStreamProcess = 0;
constexpr int kCoreProcess = 1;

struct Slice {
  int64_t startPs = 0;
  int64_t endPs = 0;
  std::string name;
  auto operator<=>(const Slice &) const = default;
};

/// Process and thread of a track.
using Track = std::pair<int, int>;

int64_t picoseconds(double seconds) {
  return static_cast<int64_t>(std::llround(seconds * 1e12));
}

std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

/// Picoseconds as a decimal number of microseconds.
std::string microseconds(int64_t ps) {
  return fmt::format("{}.{:06}", ps / 1000000, ps % 1000000);
}

std::map<Track, std::vector<Slice>> collect(const rt::Model &model,
                                            const rt::LaunchStats &stats) {
  const double ticksPerSecond = model.device().ticksPerSecond();
  std::map<Track, std::vector<Slice>> tracks;
  for (const rt::StepStats &step : stats.steps) {
    const int64_t start = picoseconds(step.startSeconds);
    const std::string name = step.name.empty()
                                 ? std::string(launch::toString(step.kind))
                                 : step.name;
    tracks[{kStreamProcess, static_cast<int>(step.role)}].push_back(
        {start, picoseconds(step.endSeconds), name});
    for (const rt::TraceEvent &event : step.compute.trace) {
      const int thread =
          event.core * launch::kNumUnits + static_cast<int>(event.unit);
      const auto at = [&](int64_t ticks) {
        return start + picoseconds(static_cast<double>(ticks) / ticksPerSecond);
      };
      tracks[{kCoreProcess, thread}].push_back(
          {at(event.startTicks), at(event.endTicks), event.name});
    }
  }
  return tracks;
}

std::string trackName(const Track &track) {
  if (track.first == kStreamProcess) {
    return track.second == 0 ? "preparation stream" : "device stream";
  }
  return fmt::format("core {:02} {}", track.second / launch::kNumUnits,
                     launch::toString(static_cast<launch::Unit>(
                         track.second % launch::kNumUnits)));
}

} // namespace

std::string tools::formatChromeTrace(const rt::Model &model,
                                     const rt::LaunchStats &stats) {
  std::map<Track, std::vector<Slice>> tracks = collect(model, stats);
  std::string events;
  const auto add = [&](const std::string &event) {
    events += (events.empty() ? "" : ",\n") + event;
  };
  for (const auto &[process, name] : {std::pair(kStreamProcess, "streams"),
                                      std::pair(kCoreProcess, "cores")}) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name",)"
                    R"("args":{{"name":"{}"}}}})",
                    process, name));
  }
  for (auto &[track, slices] : tracks) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name",)"
                    R"("args":{{"name":"{}"}}}})",
                    track.first, track.second, trackName(track)));
    std::sort(slices.begin(), slices.end());
    int64_t end = 0;
    for (const Slice &slice : slices) {
      const int64_t start = std::max(slice.startPs, end);
      end = std::max(slice.endPs, start);
      add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},)"
                      R"("name":{}}})",
                      track.first, track.second, microseconds(start),
                      microseconds(end - start), quoted(slice.name)));
    }
  }
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + events + "\n]}\n";
}
