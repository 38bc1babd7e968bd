// SPDX-License-Identifier: Apache-2.0
//
// Definedness and access state of LX and device memory.

#include "CheckerMemory.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {

namespace {

constexpr int64_t kMaskBits = 64;
constexpr int64_t kBitsPerMaskBit = kStickBytes * 8 / kMaskBits;

uint64_t lowBits(int64_t count) {
  return count >= kMaskBits ? ~uint64_t{0}
                            : (uint64_t{1} << std::max<int64_t>(count, 0)) - 1;
}

/// Elements narrower than 16 bits share a mask bit: a partial bit counts.
int64_t maskBitsOf(ElementType type, int64_t lanes) {
  return (lanes * bitWidth(type) + kBitsPerMaskBit - 1) / kBitsPerMaskBit;
}

/// Distinguishes slot numbers from phases in one field.
uint32_t slotMark(const DdrAccess &access) {
  return access.slotNumber | uint32_t{1} << 31;
}

} // namespace

uint64_t maskOfLanes(ElementType type, int64_t lanes) {
  return lowBits(maskBitsOf(type, std::min(lanes, elementsPerStick(type))));
}

uint64_t maskOfLane(ElementType type, int64_t lane) {
  int64_t first = lane * bitWidth(type) / kBitsPerMaskBit;
  return lowBits(maskBitsOf(type, lane + 1)) & ~lowBits(first);
}

uint64_t maskOfPattern(const ValidPattern &valid, ElementType type,
                       int64_t index) {
  int64_t tile = valid.tiles == 1 ? 0 : index / valid.inner % valid.tiles;
  return maskOfLanes(type, valid.elements - tile * elementsPerStick(type));
}

Memory::Memory(Context &context) : context(context) {}

bool Memory::track(TrackedRegion &region, int64_t sizeBytes) {
  region.numSticks = sizeBytes / kStickBytes;
  trackedSticks += region.numSticks;
  int64_t count = std::max<int64_t>(region.numSticks, 1);
  if (trackedSticks > context.budgets.maxTrackedSticks ||
      !region.defined.allocate(count) || !region.writePhase.allocate(count) ||
      !region.readPhase.allocate(count) || !region.owner.allocate(count) ||
      !region.writeCore.allocate(count)) {
    context.errors.add(
        ErrorCode::CheckBudget, "",
        fmt::format("the programs write more than {} sticks of device memory",
                    context.budgets.maxTrackedSticks));
    return false;
  }
  return true;
}

std::vector<int64_t> Memory::touchedEnds() const {
  std::vector<int64_t> ends(context.plan.segments.size(), 0);
  auto add = [&](const StepFootprints &footprints) {
    for (const auto *list : {&footprints.reads, &footprints.writes}) {
      for (const Footprint &footprint : *list) {
        if (footprint.region == RegionKind::Segment) {
          ends[footprint.index] = std::max(ends[footprint.index], footprint.hi);
        }
      }
    }
  };
  for (const ProgramFacts &facts : context.facts) {
    add(facts.footprints);
  }
  for (const HostFacts &facts : context.hostFacts) {
    add(facts.footprints);
  }
  return ends;
}

bool Memory::initialise() {
  const LaunchPlan &plan = context.plan;
  constexpr int64_t kMostLxBytes = int64_t{1} << 26;
  lxSticks = std::min(context.target.lxBytes, kMostLxBytes) / kStickBytes;
  int64_t mostCores = 0;
  std::vector<bool> written(plan.arguments.size(), false);
  for (size_t index = 0; index < plan.programs.size(); ++index) {
    const Program &program = plan.programs[index];
    mostCores = std::max<int64_t>(mostCores, program.numCores);
    for (size_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
      if (context.facts[index].stored[buffer] &&
          program.buffers[buffer].binding == Binding::Argument) {
        written[context.storageOf(program.buffers[buffer].bindingIndex)] = true;
      }
    }
  }
  for (const HostFacts &facts : context.hostFacts) {
    for (const PlacedTensor &result : facts.results) {
      if (result.region == RegionKind::Argument) {
        written[context.storageOf(result.index)] = true;
      }
    }
  }
  size_t lxState = static_cast<size_t>(mostCores * lxSticks);
  definedBits.assign(lxState, 0);
  readBits.assign(lxState, 0);
  writers.assign(lxState, 0);
  arguments.resize(plan.arguments.size());
  segments.resize(plan.segments.size());
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    if (written[index]) {
      arguments[index] = std::make_unique<TrackedRegion>();
      if (!track(*arguments[index], context.argumentBytes[index])) {
        return false;
      }
    }
  }
  std::vector<int64_t> ends = touchedEnds();
  for (size_t index = 0; index < plan.segments.size(); ++index) {
    if (plan.segments[index].kind == SegmentKind::Scratch) {
      segments[index] = std::make_unique<TrackedRegion>();
      if (!track(*segments[index], ends[index])) {
        return false;
      }
    }
  }
  return true;
}

uint64_t *Memory::lxDefined(int32_t core) {
  return definedBits.data() + core * lxSticks;
}

uint64_t *Memory::lxRead(int32_t core) {
  return readBits.data() + core * lxSticks;
}

uint8_t *Memory::lxWriter(int32_t core) {
  return writers.data() + core * lxSticks;
}

TrackedRegion *Memory::argument(uint32_t index) {
  return arguments[context.storageOf(index)].get();
}

TrackedRegion *Memory::segment(uint32_t index) { return segments[index].get(); }

void Memory::defineArgument(uint32_t index) {
  TrackedRegion *region = argument(index);
  if (!region) {
    return;
  }
  ElementType type = context.plan.arguments[index].deviceType;
  for (int64_t stick = 0; stick < region->numSticks; ++stick) {
    region->defined.get()[stick] =
        maskOfPattern(context.argumentValid[index], type, stick);
  }
}

std::optional<uint32_t> Memory::beginStep(const Step &step) {
  size_t count = step.kind == StepKind::Compute
                     ? context.plan.programs[step.index].buffers.size()
                     : context.plan.hostCalls[step.index].results.size();
  if (count > UINT32_MAX - nextTag) {
    return std::nullopt;
  }
  writersOfSteps.push_back({nextTag, &step});
  nextTag += static_cast<uint32_t>(count);
  return writersOfSteps.back().firstTag;
}

PlacedTensor Memory::tensorOf(uint32_t tag) const {
  auto after = std::upper_bound(writersOfSteps.begin(), writersOfSteps.end(),
                                tag, [](uint32_t wanted, const Writer &writer) {
                                  return wanted < writer.firstTag;
                                });
  const Writer &writer = *std::prev(after);
  uint32_t number = tag - writer.firstTag;
  if (writer.step->kind == StepKind::HostWork) {
    return context.hostFacts[writer.step->index].results[number];
  }
  const Buffer &buffer =
      context.plan.programs[writer.step->index].buffers[number];
  const ProgramFacts &facts = context.facts[writer.step->index];
  return {RegionKind::Segment,
          buffer.bindingIndex,
          buffer.offset,
          buffer.type,
          {facts.buffers[number].totalBytes, facts.valid[number]}};
}

TrackedRegion *Memory::regionOf(const PlacedTensor &tensor) {
  return tensor.region == RegionKind::Argument ? argument(tensor.index)
                                               : segment(tensor.index);
}

std::optional<AccessFailure> Memory::readTensor(const PlacedTensor &tensor) {
  bool isArgument = tensor.region == RegionKind::Argument;
  TrackedRegion *region = regionOf(tensor);
  if (!region && (!isArgument || context.plan.arguments[tensor.index].role !=
                                     ArgumentRole::Output)) {
    return std::nullopt; // Never written by a step: defined by its layout.
  }
  uint32_t accepted = 0;
  for (int64_t stick = 0; stick < tensor.image.bytes / kStickBytes; ++stick) {
    int64_t at = tensor.offset / kStickBytes + stick;
    uint64_t need = maskOfPattern(tensor.image.valid, tensor.type, stick);
    if (!region || (need & ~region->defined.get()[at]) != 0) {
      return AccessFailure{ErrorCode::CheckUndefinedRead, stick,
                           "no step before has written all of its valid lanes"};
    }
    uint32_t owner = region->owner.get()[at];
    if (isArgument || owner == 0 || owner == accepted) {
      continue;
    }
    if (!isSameTensor(tensorOf(owner), tensor)) {
      return AccessFailure{ErrorCode::CheckStaleRead, stick,
                           "another tensor was written there last"};
    }
    accepted = owner;
  }
  return std::nullopt;
}

void Memory::writeTensor(const PlacedTensor &tensor, uint32_t tag) {
  TrackedRegion &region = *regionOf(tensor);
  for (int64_t stick = 0; stick < tensor.image.bytes / kStickBytes; ++stick) {
    int64_t at = tensor.offset / kStickBytes + stick;
    region.defined.get()[at] =
        maskOfPattern(tensor.image.valid, tensor.type, stick);
    region.writePhase.get()[at] = 0;
    region.owner.get()[at] = tag;
  }
}

std::optional<int64_t> Memory::firstIncomplete(uint32_t index) {
  TrackedRegion *region = argument(index);
  ElementType type = context.plan.arguments[index].deviceType;
  int64_t sticks = context.argumentBytes[index] / kStickBytes;
  for (int64_t stick = 0; stick < sticks; ++stick) {
    uint64_t need = maskOfPattern(context.argumentValid[index], type, stick);
    uint64_t have = region ? region->defined.get()[stick] : 0;
    if ((need & ~have) != 0) {
      return stick;
    }
  }
  return std::nullopt;
}

bool Memory::read(const DdrAccess &access, int64_t first, int64_t step,
                  int64_t count, uint64_t *out, AccessFailure &failure) const {
  if (!access.region) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = maskOfPattern(access.valid, access.type, first + i * step);
    }
    return true;
  }
  const TrackedRegion &region = *access.region;
  uint32_t accepted = access.tag;
  for (int64_t i = 0; i < count; ++i) {
    int64_t stick = access.baseStick + first + i * step;
    failure.stick = first + i * step;
    bool thisPhase = region.writePhase.get()[stick] == access.phase;
    if (access.isQueue) {
      uint32_t core = region.writeCore.get()[stick];
      if (!thisPhase || region.readPhase.get()[stick] != slotMark(access) ||
          (access.fill >> core & 1) == 0) {
        failure.code = ErrorCode::CheckUndefinedRead;
        failure.message = "no core that fills this slot has written the stick";
        return false;
      }
    } else {
      if (thisPhase) {
        failure.code = ErrorCode::CheckDdrRace;
        failure.message =
            fmt::format("core {} writes the stick in the same phase",
                        region.writeCore.get()[stick]);
        return false;
      }
      region.readPhase.get()[stick] = access.phase;
    }
    uint32_t owner = region.owner.get()[stick];
    if (access.checkOwner && owner != accepted && owner != 0) {
      failure.code = ErrorCode::CheckStaleRead;
      if (owner >= access.firstTag) {
        failure.message = fmt::format("buffer number {} was written there last",
                                      owner - access.firstTag);
        return false;
      }
      if (!isSameTensor(tensorOf(owner), tensorOf(access.tag))) {
        failure.message = "a step before wrote another tensor there last";
        return false;
      }
      accepted = owner;
    }
    out[i] = region.defined.get()[stick];
  }
  return true;
}

bool Memory::write(const DdrAccess &access, int64_t first, int64_t step,
                   int64_t count, const uint64_t *in, AccessFailure &failure) {
  const TrackedRegion &region = *access.region;
  for (int64_t i = 0; i < count; ++i) {
    int64_t stick = access.baseStick + first + i * step;
    failure.stick = first + i * step;
    failure.code = ErrorCode::CheckDdrRace;
    bool thisPhase = region.writePhase.get()[stick] == access.phase;
    uint8_t core = region.writeCore.get()[stick];
    if (access.isQueue) {
      if (thisPhase && core != access.core &&
          region.readPhase.get()[stick] == slotMark(access)) {
        failure.code = ErrorCode::CheckSlotRace;
        failure.message =
            fmt::format("core {} writes the stick of the same slot", core);
        return false;
      }
      region.readPhase.get()[stick] = slotMark(access);
    } else if (region.readPhase.get()[stick] == access.phase) {
      failure.message = "a load reads the stick in the same phase";
      return false;
    } else if (thisPhase && core != access.core) {
      failure.message =
          fmt::format("core {} writes the stick in the same phase", core);
      return false;
    } else if (thisPhase && access.writeOnce) {
      failure.code = ErrorCode::CheckWrittenTwice;
      failure.message = "the stick of an output is written again in one phase";
      return false;
    }
    region.writePhase.get()[stick] = access.phase;
    region.writeCore.get()[stick] = static_cast<uint8_t>(access.core);
    region.owner.get()[stick] = access.tag;
    region.defined.get()[stick] = in[i];
  }
  return true;
}

} // namespace spyre::launch::checker
