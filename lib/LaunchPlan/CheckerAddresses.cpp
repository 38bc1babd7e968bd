// SPDX-License-Identifier: Apache-2.0
//
// Addresses: LX buffers inside the scratchpad, DDR buffers inside their
// segments, buffers of one phase apart, residents live without a gap, and the
// whole plan inside the device's memory.

#include "CheckerInternal.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

/// Bytes [lo, hi) of a region with the name of what lies there.
struct Range {
  uint32_t region = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  uint32_t index = 0;
};

/// Calls `report(a, b)` for neighbours that overlap.
template <typename Function>
void findOverlaps(std::vector<Range> &extents, Function report) {
  std::sort(extents.begin(), extents.end(), [](const Range &a, const Range &b) {
    return std::tie(a.region, a.lo, a.index) <
           std::tie(b.region, b.lo, b.index);
  });
  // The one that reaches furthest so far is the only one a next can hit first.
  size_t furthest = 0;
  for (size_t i = 1; i < extents.size(); ++i) {
    const Range &before = extents[furthest];
    if (before.region == extents[i].region && before.hi > extents[i].lo) {
      report(before, extents[i]);
    }
    if (before.region != extents[i].region || extents[i].hi > before.hi) {
      furthest = i;
    }
  }
}

bool isAligned(int64_t bytes) { return bytes % kStickBytes == 0; }

void checkSegments(Context &context) {
  const LaunchPlan &plan = context.plan;
  if (static_cast<int64_t>(plan.segments.size()) > context.target.numSegments) {
    context.errors.add(ErrorCode::CheckSegment, "",
                       fmt::format("the plan has {} segments, the target {}",
                                   plan.segments.size(),
                                   context.target.numSegments));
  }
  int64_t total = 0;
  auto add = [&](int64_t bytes) {
    total = checkedSum(total, bytes).value_or(int64_t{1} << 62);
  };
  for (size_t index = 0; index < plan.segments.size(); ++index) {
    int64_t bytes = plan.segments[index].sizeBytes;
    if (bytes > context.target.segmentBytes || !isAligned(bytes)) {
      context.errors.add(
          ErrorCode::CheckSegment, fmt::format("segment {}", index),
          fmt::format("its {} bytes are not a multiple of {} up to {}", bytes,
                      kStickBytes, context.target.segmentBytes));
    }
    add(bytes);
  }
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    if (plan.arguments[index].alias < 0) {
      add(context.argumentBytes[index]);
    }
  }
  if (total > context.target.ddrUsableBytes) {
    context.errors.add(ErrorCode::CheckMemory, "",
                       fmt::format("segments and arguments need {} bytes, the "
                                   "device has {}",
                                   total, context.target.ddrUsableBytes));
  }
}

void checkWeights(Context &context) {
  const LaunchPlan &plan = context.plan;
  std::vector<Range> extents;
  for (uint32_t index = 0; index < plan.weights.size(); ++index) {
    const Weight &weight = plan.weights[index];
    const Segment &segment = plan.segments[weight.segment];
    if (segment.kind != SegmentKind::Weights || !isAligned(weight.offset) ||
        weight.offset + weight.sizeBytes > segment.sizeBytes) {
      context.errors.add(
          ErrorCode::CheckWeightPlacement,
          fmt::format("weight {}", quoted(weight.name)),
          fmt::format("its bytes [{}, {}) are not aligned or not inside "
                      "segment {} of {} bytes and kind {}",
                      weight.offset, weight.offset + weight.sizeBytes,
                      weight.segment, segment.sizeBytes,
                      toString(segment.kind)));
    }
    if (weight.sizeBytes > 0) {
      extents.push_back({weight.segment, weight.offset,
                         weight.offset + weight.sizeBytes, index});
    }
  }
  findOverlaps(extents, [&](const Range &a, const Range &b) {
    context.errors.add(
        ErrorCode::CheckWeightPlacement,
        fmt::format("weight {}", quoted(plan.weights[b.index].name)),
        fmt::format("its bytes [{}, {}) overlap weight {} at [{}, {})", b.lo,
                    b.hi, quoted(plan.weights[a.index].name), a.lo, a.hi));
  });
}

class ProgramAddresses {
public:
  ProgramAddresses(Context &context, size_t index)
      : context(context), program(context.plan.programs[index]),
        facts(context.facts[index]) {}

  void check() {
    for (uint32_t index = 0; index < program.buffers.size(); ++index) {
      checkPlace(index);
    }
    for (size_t phase = 0; phase < program.phases.size(); ++phase) {
      checkPhase(phase);
      checkResidents(phase);
    }
  }

private:
  std::string subjectOf(uint32_t buffer) const {
    return fmt::format("buffer {} of program {}",
                       quoted(program.buffers[buffer].name),
                       quoted(program.name));
  }

  void checkPlace(uint32_t index) {
    const Buffer &buffer = program.buffers[index];
    int64_t end = buffer.offset + facts.buffers[index].totalBytes;
    if (buffer.space == Space::LX) {
      if (!isAligned(buffer.offset) || end > context.target.lxBytes) {
        context.errors.add(
            ErrorCode::CheckLxAddress, subjectOf(index),
            fmt::format("its bytes [{}, {}) are not aligned to {} or not "
                        "inside the {} bytes of LX",
                        buffer.offset, end, kStickBytes,
                        context.target.lxBytes));
      }
    } else if (buffer.binding == Binding::Segment) {
      int64_t size = context.plan.segments[buffer.bindingIndex].sizeBytes;
      if (!isAligned(buffer.offset) || end > size) {
        context.errors.add(
            ErrorCode::CheckSegment, subjectOf(index),
            fmt::format("its bytes [{}, {}) are not aligned to {} or not "
                        "inside segment {} of {} bytes",
                        buffer.offset, end, kStickBytes, buffer.bindingIndex,
                        size));
      }
    }
  }

  void checkPhase(size_t phase) {
    // Region 0 is LX, region s + 1 is segment s. Weights may be shared.
    std::vector<Range> extents;
    for (uint32_t index : facts.live[phase]) {
      const Buffer &buffer = program.buffers[index];
      int64_t bytes = facts.buffers[index].totalBytes;
      if (buffer.binding == Binding::Argument ||
          buffer.role == BufferRole::Weight || bytes == 0) {
        continue;
      }
      uint32_t region = buffer.space == Space::LX ? 0 : buffer.bindingIndex + 1;
      extents.push_back({region, buffer.offset, buffer.offset + bytes, index});
    }
    findOverlaps(extents, [&](const Range &a, const Range &b) {
      if (facts.sameSticks[a.index] == facts.sameSticks[b.index]) {
        return;
      }
      context.errors.add(
          ErrorCode::CheckOverlap, subjectOf(b.index),
          fmt::format("its bytes [{}, {}) overlap {} at [{}, {}) in phase {} "
                      "{}",
                      b.lo, b.hi, quoted(program.buffers[a.index].name), a.lo,
                      a.hi, phase, quoted(program.phases[phase].name)));
    });
  }

  void checkResidents(size_t phase) {
    for (uint32_t index : program.phases[phase].residents) {
      const Buffer &buffer = program.buffers[index];
      bool wasLive =
          phase > 0 && std::binary_search(facts.live[phase - 1].begin(),
                                          facts.live[phase - 1].end(), index);
      if (!wasLive || buffer.space != Space::LX ||
          buffer.kind != BufferKind::Private) {
        context.errors.add(
            ErrorCode::CheckResident, subjectOf(index),
            fmt::format("is listed as resident in phase {} {} but is not a "
                        "private LX buffer that is live in the phase before",
                        phase, quoted(program.phases[phase].name)));
      }
    }
  }

  Context &context;
  const Program &program;
  const ProgramFacts &facts;
};

} // namespace

void checkAddresses(Context &context) {
  checkSegments(context);
  checkWeights(context);
  for (size_t index = 0; index < context.plan.programs.size(); ++index) {
    ProgramAddresses(context, index).check();
  }
}

} // namespace spyre::launch::checker
