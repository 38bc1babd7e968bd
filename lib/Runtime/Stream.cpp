// SPDX-License-Identifier: Apache-2.0
//
// Launches. The checker has proved that the order of the plan's steps is one
// of its executions (every wait follows its signal) and that no other one
// differs, so that steps run in that order. Preparation and device steps
// overlap in time: each of the two has a clock, events carry times between
// them, and both book the host and the two DMA engines.

#include "HostEngines.h"
#include "TensorCopies.h"

#include "spyre/Runtime/HostFunctions.h"
#include "spyre/Runtime/Runtime.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;
using launch::StepKind;

namespace {

std::string subjectOf(const launch::Argument &argument) {
  return fmt::format("argument \"{}\"", argument.name);
}

Status copyArgumentIn(const Model &model, uint32_t index,
                      const Binding &binding) {
  // A tensor without elements has no memory on either side.
  if (model.isTimingOnly() || model.argumentBytes(index) == 0) {
    return {};
  }
  const launch::Argument &argument = model.plan().arguments[index];
  return copyTensorIn(model.device(), binding.device, argument,
                      argument.hostType, binding.hostInput,
                      subjectOf(argument));
}

Status copyArgumentOut(const Model &model, uint32_t index,
                       const Binding &binding) {
  // A tensor without elements has no memory on either side.
  if (model.isTimingOnly() || model.argumentBytes(index) == 0) {
    return {};
  }
  const launch::Argument &argument = model.plan().arguments[index];
  const Expected<std::vector<std::byte>> host =
      copyTensorOut(model.device(), binding.device, argument, argument.hostType,
                    subjectOf(argument));
  if (!host) {
    return tl::unexpected(host.error());
  }
  if (host->size() != binding.hostOutput.size()) {
    return makeError(ErrorCode::InvalidBinding, subjectOf(argument),
                     fmt::format("its output needs {} bytes of host memory, {} "
                                 "are bound",
                                 host->size(), binding.hostOutput.size()));
  }
  std::copy(host->begin(), host->end(), binding.hostOutput.begin());
  return {};
}

/// The value that a launch patches into a scalar.
Expected<int64_t> scalarValue(const Model &model, const launch::Scalar &scalar,
                              const Binding &binding) {
  const launch::Argument &argument = model.plan().arguments[scalar.argument];
  if (model.isTimingOnly() && binding.hostInput.empty()) {
    // The most work that the plan allows.
    return scalar.lo +
           (scalar.hi - 1 - scalar.lo) / scalar.granule * scalar.granule;
  }
  const int64_t bytes = launch::sizeOf(argument.hostType);
  if (isFloat(argument.hostType) ||
      binding.hostInput.size() != static_cast<size_t>(bytes)) {
    return makeError(ErrorCode::InvalidBinding, subjectOf(argument),
                     fmt::format("a launch-time value needs {} bytes of an "
                                 "integer in host memory, {} are bound",
                                 bytes, binding.hostInput.size()));
  }
  const HostTensor tensor{argument.hostType,
                          {},
                          {binding.hostInput.begin(), binding.hostInput.end()}};
  const int64_t value = elementAsInteger(tensor, 0);
  if (value < scalar.lo || value >= scalar.hi || value % scalar.granule != 0) {
    return makeError(ErrorCode::ScalarOutOfRange, subjectOf(argument),
                     fmt::format("the value {} is not a multiple of {} in [{}, "
                                 "{})",
                                 value, scalar.granule, scalar.lo, scalar.hi));
  }
  return value;
}

/// One launch on its way.
class Launch {
public:
  Launch(const Model &model, std::span<const Binding> bindings,
         LaunchStats &stats)
      : model(model), plan(model.plan()), bindings(bindings), stats(stats),
        engines(model.target()) {}

  Status run() {
    clocks.fill(model.target().hostLaunchUs * 1e-6);
    prepare();
    eventTimes.assign(static_cast<size_t>(plan.numEvents), 0);
    for (const launch::Step &step : plan.steps) {
      if (Status status = execute(step); !status) {
        return status;
      }
    }
    stats.totalSeconds = std::max(clocks[0], clocks[1]);
    return {};
  }

private:
  double &clockOf(launch::StepRole role) {
    return clocks[static_cast<size_t>(role)];
  }

  Status execute(const launch::Step &step) {
    double &clock = clockOf(step.role);
    if (step.kind == StepKind::Signal) {
      eventTimes[step.index] = clock;
      return {};
    }
    if (step.kind == StepKind::Wait) {
      clock = std::max(clock, eventTimes[step.index]);
      return {};
    }
    StepStats record;
    record.kind = step.kind;
    record.role = step.role;
    record.name = step.name.empty() ? defaultName(step) : step.name;
    record.startSeconds = clock;
    const Expected<double> end =
        step.kind == StepKind::Compute    ? compute(step, record)
        : step.kind == StepKind::HostWork ? hostWork(step, record)
                                          : transfer(step, record);
    if (!end) {
      return tl::unexpected(end.error());
    }
    clock = *end;
    record.endSeconds = clock;
    stats.steps.push_back(std::move(record));
    return {};
  }

  /// The argument that moves, the program or the host function that runs.
  std::string defaultName(const launch::Step &step) const {
    switch (step.kind) {
    case StepKind::Compute:
      return plan.programs[step.index].name;
    case StepKind::HostWork:
      return std::string(launch::toString(plan.hostCalls[step.index].function));
    default:
      return plan.arguments[step.index].name;
    }
  }

  /// Like the others: the end of the step.
  Expected<double> transfer(const launch::Step &step, StepStats &record) {
    const Binding &binding = bindings[step.index];
    const Status status = step.kind == StepKind::H2D
                              ? copyArgumentIn(model, step.index, binding)
                              : copyArgumentOut(model, step.index, binding);
    if (!status) {
      return tl::unexpected(status.error());
    }
    record.transferBytes = model.argumentBytes(step.index);
    return step.kind == StepKind::H2D
               ? engines.copyIn(record.startSeconds, record.transferBytes)
               : engines.copyOut(record.startSeconds, record.transferBytes);
  }

  /// Every operand out, every result in. The function itself takes no time: no
  /// target says how fast its host is.
  Expected<double> hostWork(const launch::Step &step, StepStats &record) {
    const launch::HostCall &call = plan.hostCalls[step.index];
    if (!model.isTimingOnly()) {
      if (Status status = callHost(step, call); !status) {
        return tl::unexpected(inStep(status.error(), step));
      }
    }
    double end = record.startSeconds;
    const auto bytesOf = [&](const launch::HostOperand &tensor) {
      // The checker has found the sizes to be right.
      const int64_t bytes =
          layout::sizeBytes(tensor.layout, tensor.shape, tensor.deviceType)
              .value_or(0);
      record.transferBytes += bytes;
      return bytes;
    };
    for (const launch::HostOperand &operand : call.operands) {
      end = engines.copyOut(end, bytesOf(operand));
    }
    for (const launch::HostOperand &result : call.results) {
      end = engines.copyIn(end, bytesOf(result));
    }
    stats.hostWorkSeconds += end - record.startSeconds;
    return end;
  }

  Status callHost(const launch::Step &step, const launch::HostCall &call) {
    const std::string subject = fmt::format("host work \"{}\"", step.name);
    std::vector<HostTensor> operands;
    for (const launch::HostOperand &operand : call.operands) {
      const launch::HostType type = hostTypeOf(operand.deviceType);
      Expected<std::vector<std::byte>> bytes = copyTensorOut(
          model.device(), addressOf(operand), operand, type, subject);
      if (!bytes) {
        return tl::unexpected(bytes.error());
      }
      operands.push_back({type, operand.shape, std::move(*bytes)});
    }
    const std::vector<HostTensor> results = runHostCall(call, operands);
    for (size_t i = 0; i < results.size(); ++i) {
      Status status = copyTensorIn(model.device(), addressOf(call.results[i]),
                                   call.results[i], results[i].type,
                                   results[i].bytes, subject);
      if (!status) {
        return status;
      }
    }
    return {};
  }

  Address addressOf(const launch::HostOperand &tensor) const {
    Address address = baseOf(tensor.region, tensor.index);
    address.offset += tensor.offset;
    return address;
  }

  Address baseOf(launch::RegionKind region, uint32_t index) const {
    return region == launch::RegionKind::Segment ? model.segment(index)
                                                 : bindings[index].device;
  }

  static Error inStep(Error error, const launch::Step &step) {
    if (!step.name.empty()) {
      error.notes.push_back(fmt::format("in step \"{}\"", step.name));
    }
    return error;
  }

  Expected<double> compute(const launch::Step &step, StepStats &record) {
    ComputeLaunch launch;
    if (Status status = patch(step, launch); !status) {
      return tl::unexpected(status.error());
    }
    launch.timingOnly = model.isTimingOnly();
    launch.reads = resolve(step.reads);
    launch.writes = resolve(step.writes);
    Expected<ComputeStats> result = model.device().run(launch);
    if (!result) {
      return tl::unexpected(inStep(result.error(), step));
    }
    const double seconds =
        static_cast<double>(result->ticks) / model.device().ticksPerSecond();
    stats.computeTicks += result->ticks;
    stats.computeSeconds += seconds;
    record.compute = std::move(*result);
    const double ready =
        std::max(record.startSeconds, preparedSeconds[step.index]);
    // A program that is ready when the one before it ends waits in the queue.
    const bool isQueued = ready <= programEndSeconds;
    const target::Target &target = model.target();
    record.startSeconds =
        ready +
        (isQueued ? target.queuedDispatchGapUs : target.dispatchGapUs) * 1e-6;
    programEndSeconds = record.startSeconds + seconds;
    return programEndSeconds;
  }

  /// Addresses are known when the host launches: before all other work it makes
  /// a blob of them for each program that is patched, and an engine takes the
  /// blobs to the device.
  void prepare() {
    double &clock = clockOf(launch::StepRole::Prep);
    preparedSeconds.assign(plan.programs.size(), 0);
    for (const launch::Step &step : plan.steps) {
      if (step.kind != StepKind::Compute || preparedSeconds[step.index] > 0 ||
          model.patches(step.index).empty()) {
        continue;
      }
      clock = engines.makeCorrection(clock);
      preparedSeconds[step.index] = engines.sendCorrection(clock);
    }
  }

  /// Addresses of segment buffers, then what the symbols patch.
  Status patch(const launch::Step &step, ComputeLaunch &launch) const {
    const launch::Program &program = plan.programs[step.index];
    launch.program = &program;
    launch.bufferAddresses.resize(program.buffers.size());
    launch.scalarValues.resize(program.scalars.size());
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const launch::Buffer &buffer = program.buffers[i];
      if (buffer.binding == launch::Binding::Segment) {
        launch.bufferAddresses[i] = model.segment(buffer.bindingIndex);
        launch.bufferAddresses[i].offset += buffer.offset;
      }
    }
    for (const Model::Patch &patch : model.patches(step.index)) {
      const Binding &binding = bindings[patch.argument];
      if (patch.kind == launch::SymbolKind::Address) {
        launch.bufferAddresses[patch.target] = binding.device;
        launch.bufferAddresses[patch.target].offset +=
            program.buffers[patch.target].offset;
        continue;
      }
      const Expected<int64_t> value =
          scalarValue(model, program.scalars[patch.target], binding);
      if (!value) {
        return tl::unexpected(value.error());
      }
      launch.scalarValues[patch.target] = *value;
    }
    return {};
  }

  std::vector<Access>
  resolve(std::span<const launch::Footprint> footprints) const {
    std::vector<Access> accesses;
    for (const launch::Footprint &footprint : footprints) {
      accesses.push_back({baseOf(footprint.region, footprint.index),
                          footprint.lo, footprint.hi});
    }
    return accesses;
  }

  const Model &model;
  const launch::LaunchPlan &plan;
  std::span<const Binding> bindings;
  LaunchStats &stats;
  std::array<double, 2> clocks = {0, 0};
  /// By program: when its blob has arrived; 0 without one.
  std::vector<double> preparedSeconds;
  /// Of the last program that ran; before all others nothing did.
  double programEndSeconds = -1;
  HostEngines engines;
  std::vector<double> eventTimes;
};

Status checkBindings(const Model &model, std::span<const Binding> bindings) {
  const launch::LaunchPlan &plan = model.plan();
  if (bindings.size() != plan.arguments.size()) {
    return makeError(ErrorCode::InvalidBinding,
                     fmt::format("model \"{}\"", plan.modelName),
                     fmt::format("{} arguments are bound, the plan has {}",
                                 bindings.size(), plan.arguments.size()));
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Address &address = bindings[i].device;
    if (address.offset < 0 || address.offset % kStickBytes != 0) {
      return makeError(ErrorCode::InvalidBinding, subjectOf(plan.arguments[i]),
                       fmt::format("its offset {} is not a multiple of {}",
                                   address.offset, kStickBytes));
    }
  }
  for (const launch::Step &step : plan.steps) {
    const bool isInput = step.kind == StepKind::H2D;
    if ((!isInput && step.kind != StepKind::D2H) || model.isTimingOnly()) {
      continue;
    }
    const launch::Argument &argument = plan.arguments[step.index];
    const Binding &binding = bindings[step.index];
    const size_t given =
        isInput ? binding.hostInput.size() : binding.hostOutput.size();
    const int64_t required =
        denseBytes(argument.hostType, argument.shape).value_or(-1);
    if (static_cast<size_t>(required) != given) {
      return makeError(ErrorCode::InvalidBinding, subjectOf(argument),
                       fmt::format("{} needs {} bytes of host memory, {} are "
                                   "bound",
                                   describe(argument.hostType, argument.shape),
                                   required, given));
    }
  }
  return {};
}

} // namespace

void Stream::record(const Status &status) {
  if (!status && !failure) {
    failure = status.error();
  }
}

Status Stream::launch(const Model &model, std::span<const Binding> bindings,
                      LaunchStats *stats) {
  if (&model.device() != device) {
    return makeError(ErrorCode::InvalidBinding,
                     fmt::format("model \"{}\"", model.plan().modelName),
                     "it is loaded on another device than the stream's");
  }
  if (Status status = checkBindings(model, bindings); !status) {
    return status;
  }
  if (!failure) {
    LaunchStats unused;
    record(Launch(model, bindings, stats != nullptr ? *stats : unused).run());
  }
  return {};
}

Status Stream::synchronize() {
  if (failure) {
    return tl::unexpected(*failure);
  }
  return {};
}
