// SPDX-License-Identifier: Apache-2.0
//
// The runtime: a Model is a checked plan whose weights are on a device, a
// Stream is the only way to launch it, a Session is the simple way to use both
// with host tensors. Addresses are {region, offset} throughout; a launch
// patches the addresses of its arguments into the programs.

#ifndef SPYRE_RUNTIME_RUNTIME_H
#define SPYRE_RUNTIME_RUNTIME_H

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/Runtime/Device.h"
#include "spyre/Runtime/HostTensor.h"
#include "spyre/Target/Target.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spyre::rt {

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

struct LoadOptions {
  /// Load no weights and move no data: launches only predict time.
  bool timingOnly = false;
};

/// A loaded plan. Frees its device memory; the device must outlive it.
class Model {
public:
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const launch::LaunchPlan &plan() const { return launchPlan; }
  const target::Target &target() const { return machine; }
  Device &device() const { return *owner; }
  bool isTimingOnly() const { return timingOnly; }

  /// Address of a segment's first byte.
  Address segment(uint32_t index) const;
  /// Bytes of an argument's device image.
  int64_t argumentBytes(uint32_t index) const { return imageBytes[index]; }
  std::optional<uint32_t> findArgument(std::string_view name) const;

  /// One buffer or scalar of a program that a launch patches.
  struct Patch {
    launch::SymbolKind kind = launch::SymbolKind::Address;
    uint32_t argument = 0;
    uint32_t target = 0;
  };
  /// The patches of a program, in the order of the plan's symbols.
  std::span<const Patch> patches(uint32_t program) const {
    return programPatches[program];
  }

private:
  friend Expected<std::unique_ptr<Model>> load(launch::Artifact artifact,
                                               Device &device,
                                               const target::Target &target,
                                               const LoadOptions &options);
  Model(launch::LaunchPlan plan, Device &device, const target::Target &target,
        bool timingOnly);
  Status prepare();
  Status allocateSegments();

  launch::LaunchPlan launchPlan;
  target::Target machine;
  Device *owner;
  bool timingOnly;
  /// Region of each segment; none for an empty one.
  std::vector<std::optional<uint32_t>> segmentRegions;
  std::vector<int64_t> imageBytes;
  std::vector<std::vector<Patch>> programPatches;
};

/// Opens, checks and loads an artifact. Whatever can be wrong with the plan is
/// reported here, before anything runs.
Expected<std::unique_ptr<Model>> load(const std::string &path, Device &device,
                                      const target::Target &target,
                                      const LoadOptions &options = {});
Expected<std::unique_ptr<Model>> load(launch::Artifact artifact, Device &device,
                                      const target::Target &target,
                                      const LoadOptions &options = {});

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

/// Memory of one argument. Host memory is dense, in the argument's host type,
/// and must stay valid until synchronize().
struct Binding {
  Address device;
  /// Source of the plan's h2d step and of launch-time scalars; may be empty if
  /// the plan uses neither, or with timing only.
  std::span<const std::byte> hostInput;
  /// Destination of the plan's d2h step; likewise.
  std::span<std::byte> hostOutput;
};

/// What one step did. Times count from the start of the launch.
struct StepStats {
  launch::StepKind kind = launch::StepKind::Compute;
  launch::StepRole role = launch::StepRole::Device;
  std::string name;
  double startSeconds = 0;
  double endSeconds = 0;
  /// Bytes over PCIe (h2d, d2h, and both ways of host work).
  int64_t transferBytes = 0;
  /// Compute steps.
  ComputeStats compute;
};

struct LaunchStats {
  /// In order of execution.
  std::vector<StepStats> steps;
  /// Seconds of all steps of host work together.
  double hostWorkSeconds = 0;
  /// Ticks of all compute steps together.
  int64_t computeTicks = 0;
  /// The same in seconds.
  double computeSeconds = 0;
  /// From the host's call to the end of the last step: launch, transfers,
  /// address correction and compute, preparation overlapping the device.
  double totalSeconds = 0;
};

/// Runs launches in order. Errors are sticky: after a failure nothing more is
/// dispatched, and synchronize() reports the first failure for good.
class Stream {
public:
  explicit Stream(Device &device) : device(&device) {}

  /// Enqueues one launch with a binding per argument of the plan. The returned
  /// error is a misuse (unbound or unaligned memory, wrong sizes) and leaves
  /// the stream usable; failures of the execution are sticky. `stats` is
  /// complete after synchronize().
  Status launch(const Model &model, std::span<const Binding> bindings,
                LaunchStats *stats = nullptr);

  /// Waits for everything that was enqueued; the first failure, if any.
  Status synchronize();

private:
  void record(const Status &status);

  Device *device;
  std::optional<Error> failure;
};

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// Inputs, outputs and device memory of one user of a model.
class Session {
public:
  /// Reserves device memory for the arguments.
  static Expected<std::unique_ptr<Session>> create(const Model &model);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Checks the tensor against the argument's contract and keeps it.
  Status setInput(uint32_t argument, HostTensor tensor);
  /// Gives every input that is not set its random value (see randomTensor);
  /// a launch-time scalar gets the lowest value of its range.
  Status fillInputs(uint64_t seed);
  /// Runs once; outputs hold the results afterwards.
  Expected<LaunchStats> run();

  /// The value of an input (if set) or, after run(), of an output.
  const HostTensor *input(uint32_t argument) const;
  const HostTensor *output(uint32_t argument) const;

private:
  explicit Session(const Model &model);
  Status allocate();
  Expected<std::vector<Binding>> bindArguments();

  const Model &model;
  std::vector<Address> addresses;
  std::vector<uint32_t> regions;
  std::vector<std::optional<HostTensor>> inputs;
  std::vector<std::optional<HostTensor>> outputs;
  bool hasRun = false;
};

struct RunResult {
  std::map<std::string, HostTensor> outputs;
  LaunchStats stats;
};

/// One run of a model with all inputs given by name.
Expected<RunResult> run(const Model &model,
                        const std::map<std::string, HostTensor> &inputs);

/// Accepts a tensor for an argument, or says what is required and what given.
Status checkInput(const launch::Argument &argument, const HostTensor &tensor);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_RUNTIME_H
