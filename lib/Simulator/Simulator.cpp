// SPDX-License-Identifier: Apache-2.0
//
// The device: memory requests, and a run from validation to statistics.

#include "spyre/Simulator/Simulator.h"

#include "Engine.h"

#include <cstring>
#include <fmt/format.h>
#include <new>

namespace spyre::sim {
namespace {

/// Phase epochs have 24 bits in the tags.
constexpr uint32_t kMaxEpoch = (1u << 24) - 1;

Status checkMask(std::span<const std::byte> bytes, rt::DefinedMask mask) {
  size_t sticks = bytes.size() / kStickBytes;
  if (!mask.empty() && mask.size() != sticks) {
    return makeError(
        ErrorCode::SimBadAddress, "",
        "a copy's mask does not have one word per stick",
        {fmt::format("{} words for {} sticks", mask.size(), sticks)});
  }
  return {};
}

void checkScalars(const rt::ComputeLaunch &launch) {
  const launch::Program &program = *launch.program;
  Place place{&program};
  if (launch.scalarValues.size() != program.scalars.size()) {
    trap(ErrorCode::SimScalarRange, place,
         fmt::format("the launch gives {} scalars, the program has {}",
                     launch.scalarValues.size(), program.scalars.size()));
  }
  for (size_t i = 0; i < program.scalars.size(); ++i) {
    const launch::Scalar &scalar = program.scalars[i];
    int64_t value = launch.scalarValues[i];
    bool isGranular = scalar.granule > 0 && value % scalar.granule == 0;
    if (value < scalar.lo || value >= scalar.hi || !isGranular) {
      trap(ErrorCode::SimScalarRange, place,
           fmt::format("scalar \"{}\" is {}", scalar.name, value),
           {fmt::format("declared [{}, {}) in steps of {}", scalar.lo,
                        scalar.hi, scalar.granule)});
    }
  }
}

} // namespace

struct Simulator::State {
  State(const target::Target &machine, SimulatorOptions simulatorOptions)
      : target(machine), options(simulatorOptions),
        deviceMemory(machine.ddrUsableBytes),
        localMemory(machine.numCores, machine.lxBytes) {}

  rt::ComputeStats run(const rt::ComputeLaunch &launch);

  target::Target target;
  SimulatorOptions options;
  DeviceMemory deviceMemory;
  LocalMemory localMemory;
  uint32_t epoch = 0;
};

rt::ComputeStats Simulator::State::run(const rt::ComputeLaunch &launch) {
  const launch::Program &program = *launch.program;
  ProgramInfo info = analyse(program, target);
  checkScalars(launch);
  if (program.phases.size() > kMaxEpoch / 2) {
    trap(ErrorCode::SimBudget, {&program}, "the program has too many phases");
  }
  if (epoch > kMaxEpoch - program.phases.size()) {
    deviceMemory.clearTags();
    localMemory.clearTags();
    epoch = 0;
  }
  Evaluator evaluator(program, info, launch.scalarValues);
  std::vector<int64_t> addresses(program.buffers.size(), 0);
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (program.buffers[i].space == launch::Space::DDR &&
        i < launch.bufferAddresses.size()) {
      addresses[i] = deviceMemory.physical(launch.bufferAddresses[i]);
    }
  }
  if (launch.timingOnly || !options.functional) {
    return Engine(program, info, evaluator, nullptr, target, options, addresses)
        .run(epoch);
  }
  localMemory.undefineAll();
  Executor executor(program, info, evaluator, launch, deviceMemory,
                    localMemory);
  executor.checkAddresses();
  Effects effects(executor, program, options.numThreads);
  return Engine(program, info, evaluator, &effects, target, options, addresses)
      .run(epoch);
}

Simulator::Simulator(const target::Target &target, SimulatorOptions options)
    : state(std::make_unique<State>(target, options)) {}

Simulator::~Simulator() = default;

Expected<uint32_t> Simulator::allocate(int64_t bytes) {
  return state->deviceMemory.allocate(bytes);
}

Status Simulator::free(uint32_t region) {
  return state->deviceMemory.free(region);
}

Status Simulator::copyIn(rt::Address to, std::span<const std::byte> bytes,
                         rt::DefinedMask defined) {
  Expected<DeviceMemory::Region *> region =
      state->deviceMemory.locate(to, static_cast<int64_t>(bytes.size()));
  if (!region) {
    return tl::unexpected(region.error());
  }
  if (Status status = checkMask(bytes, defined); !status) {
    return status;
  }
  if (bytes.empty()) {
    return {};
  }
  MemoryView view = (*region)->at(to.offset);
  std::memcpy(view.bytes, bytes.data(), bytes.size());
  for (size_t stick = 0; stick < bytes.size() / kStickBytes; ++stick) {
    view.defined[stick] = defined.empty() ? ~uint64_t{0} : defined[stick];
  }
  return {};
}

Status Simulator::copyOut(rt::Address from, std::span<std::byte> bytes,
                          rt::DefinedMask required) {
  Expected<DeviceMemory::Region *> region =
      state->deviceMemory.locate(from, static_cast<int64_t>(bytes.size()));
  if (!region) {
    return tl::unexpected(region.error());
  }
  if (Status status = checkMask(bytes, required); !status) {
    return status;
  }
  if (bytes.empty()) {
    return {};
  }
  MemoryView view = (*region)->at(from.offset);
  for (size_t stick = 0; stick < bytes.size() / kStickBytes; ++stick) {
    uint64_t needed = required.empty() ? ~uint64_t{0} : required[stick];
    if ((view.defined[stick] & needed) != needed) {
      return makeError(
          ErrorCode::SimUndefinedCopyOut, "",
          "a copy from the device reads bytes that nothing wrote",
          {fmt::format("stick {} of the copy at region {} offset {}: defined "
                       "{:#018x}, required {:#018x}",
                       stick, from.region, from.offset, view.defined[stick],
                       needed)});
    }
  }
  std::memcpy(bytes.data(), view.bytes, bytes.size());
  return {};
}

Expected<rt::ComputeStats> Simulator::run(const rt::ComputeLaunch &launch) {
  if (!launch.program) {
    return makeError(ErrorCode::SimBadProgram, "", "the launch has no program");
  }
  try {
    return state->run(launch);
  } catch (Trap &caught) {
    return tl::unexpected(std::move(caught.error));
  } catch (const std::bad_alloc &) {
    return makeError(ErrorCode::SimBudget,
                     fmt::format("program \"{}\"", launch.program->name),
                     "the run needs more host memory than there is");
  }
}

double Simulator::ticksPerSecond() const {
  return TimeBase(state->target).ticksPerNs * 1e9;
}

} // namespace spyre::sim
