// SPDX-License-Identifier: Apache-2.0
//
// The launch plan: everything that a runtime needs to execute a compiled graph.
// Plain structs; the artifact model.spyre is their serialised form. This
// library owns the format and the compiler depends on it, never the reverse.

#ifndef SPYRE_LAUNCHPLAN_LAUNCHPLAN_H
#define SPYRE_LAUNCHPLAN_LAUNCHPLAN_H

#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Layout/StickLayout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch {

enum class ArgumentRole : uint8_t { Input = 0, Output = 1, InOut = 2 };

/// Host element type of an argument: what a user's .npy file holds. Int64 is
/// narrowed to the device's i32 after a range check; Bool bytes become f16.
enum class HostType : uint8_t {
  F16 = 0,
  F32 = 1,
  F64 = 2,
  I8 = 3,
  U8 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  Bool = 8,
  BF16 = 9,
};
std::string_view toString(HostType type);
int64_t sizeOf(HostType type);

/// The contract of one argument.
struct Argument {
  std::string name;
  ArgumentRole role = ArgumentRole::Input;
  HostType hostType = HostType::F16;
  std::vector<int64_t> shape;
  ElementType deviceType = ElementType::F16;
  layout::StickLayout layout;
  /// Values of an index tensor lie in [0, indexBound); 0 = not an index.
  int64_t indexBound = 0;
  /// Output: the input argument that it overwrites in place, or -1.
  int32_t alias = -1;
  bool operator==(const Argument &) const = default;
};

/// Device memory segments. Arguments live outside of segments, at addresses
/// that the launch supplies.
enum class SegmentKind : uint8_t { Weights = 0, Scratch = 1, Program = 2 };
std::string_view toString(SegmentKind kind);

struct Segment {
  SegmentKind kind = SegmentKind::Scratch;
  /// A multiple of 128.
  int64_t sizeBytes = 0;
  bool operator==(const Segment &) const = default;
};

/// Where the image of a weight comes from.
enum class WeightStorage : uint8_t {
  /// In the artifact's weight section, `fileOffset` bytes from its start,
  /// already laid out.
  Embedded = 0,
  /// In `file`, relative to the artifact's folder, `fileOffset` bytes from its
  /// start, `hostBytes` bytes long, as a dense row-major host tensor; laid out
  /// by the loader.
  External = 1,
  /// Not stored: such a plan runs with timing only.
  None = 2,
};

struct Weight {
  std::string name;
  /// Segment (of kind Weights) and byte offset of the device image.
  uint32_t segment = 0;
  int64_t offset = 0;
  int64_t sizeBytes = 0;
  WeightStorage storage = WeightStorage::Embedded;
  std::string file;
  int64_t fileOffset = 0;
  int64_t hostBytes = 0;
  HostType hostType = HostType::F16;
  std::vector<int64_t> shape;
  ElementType deviceType = ElementType::F16;
  layout::StickLayout layout;
  /// xxh3-64 of the stored bytes (embedded image, or external range).
  uint64_t hash = 0;
  bool operator==(const Weight &) const = default;
};

enum class StepKind : uint8_t {
  HostWork = 0,
  H2D = 1,
  Compute = 2,
  D2H = 3,
  Fill = 4,
  Signal = 5,
  Wait = 6,
  Send = 7,
  Recv = 8,
};
std::string_view toString(StepKind kind);

/// Prep steps run on the preparation stream (h2d of what later steps need);
/// device steps on the device stream.
enum class StepRole : uint8_t { Prep = 0, Device = 1 };

enum class RegionKind : uint8_t { Argument = 0, Segment = 1 };

/// Bytes [lo, hi) of a region that a step reads or writes.
struct Footprint {
  RegionKind region = RegionKind::Argument;
  uint32_t index = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  bool operator==(const Footprint &) const = default;
};

/// One step. `index` names the program (Compute), the argument (H2D, D2H),
/// the event (Signal, Wait), the peer card (Send, Recv) or the host call
/// (HostWork).
struct Step {
  StepKind kind = StepKind::Compute;
  StepRole role = StepRole::Device;
  int32_t card = 0;
  uint32_t index = 0;
  std::vector<Footprint> reads;
  std::vector<Footprint> writes;
  std::string name;
  bool operator==(const Step &) const = default;
};

/// What the host can do for the device. Names, attributes and what operands and
/// results must be: HostFunction.h.
enum class HostFunction : uint8_t { TopK = 0 };
std::string_view toString(HostFunction function);

/// A whole tensor that host work reads or writes, as it lies in a region.
struct HostOperand {
  RegionKind region = RegionKind::Segment;
  uint32_t index = 0;
  int64_t offset = 0;
  std::vector<int64_t> shape;
  ElementType deviceType = ElementType::F16;
  layout::StickLayout layout;
  bool operator==(const HostOperand &) const = default;
};

/// What a step of host work does.
struct HostCall {
  HostFunction function = HostFunction::TopK;
  /// In the order of attributeNames(function).
  std::vector<int64_t> attributes;
  std::vector<HostOperand> operands;
  std::vector<HostOperand> results;
  /// Why the device does not do it, for people.
  std::string reason;
  bool operator==(const HostCall &) const = default;
};

enum class SymbolKind : uint8_t { Address = 0, Value = 1 };

/// What a launch patches: the address of an argument into a program's buffer,
/// or its value into a program's scalar. Order is part of the contract.
struct Symbol {
  SymbolKind kind = SymbolKind::Address;
  uint32_t argument = 0;
  uint32_t program = 0;
  /// Buffer (Address) or scalar (Value).
  uint32_t target = 0;
  bool operator==(const Symbol &) const = default;
};

struct LaunchPlan {
  std::string producer;
  std::string modelName;
  std::string targetName;
  /// Hash of the target description that the plan was made for.
  uint64_t targetHash = 0;
  std::vector<Argument> arguments;
  std::vector<Segment> segments;
  std::vector<Weight> weights;
  std::vector<Program> programs;
  std::vector<Step> steps;
  std::vector<Symbol> symbols;
  int32_t numEvents = 0;
  std::vector<HostCall> hostCalls;
  bool operator==(const LaunchPlan &) const = default;
};

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_LAUNCHPLAN_H
