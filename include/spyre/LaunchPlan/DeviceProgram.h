// SPDX-License-Identifier: Apache-2.0
//
// The device program: what a compute step runs, and the only thing that the
// simulator executes. One program serves all cores; what differs per core
// stands in tables. Every core has five units (load, store, ring, PT, SFU);
// each runs its command list of a phase in order, and units meet only at queue
// buffers, so that results never depend on timing.
//
// These are plain structs; Fields.h describes their fields once for the
// writer, the reader, the JSON dump and equality.

#ifndef SPYRE_LAUNCHPLAN_DEVICEPROGRAM_H
#define SPYRE_LAUNCHPLAN_DEVICEPROGRAM_H

#include "spyre/Support/ElementType.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch {

//===----------------------------------------------------------------------===//
// Tables and affine expressions
//===----------------------------------------------------------------------===//

/// int64 constants per core, optionally with a second index that an enclosing
/// loop variable supplies (at most 256 entries). Serves as offset, extent,
/// trip count, predicate or core set (a mask: bit c stands for core c);
/// always evaluated on the issuing core.
struct Table {
  std::string name;
  /// Entries per core: 1 when indexed by the core alone.
  int64_t innerSize = 1;
  /// values[core * innerSize + inner]; numCores * innerSize entries.
  std::vector<int64_t> values;
  bool operator==(const Table &) const = default;
};

/// A use of a table. `loopDepth` names the enclosing loop whose variable is
/// the second index (0 = outermost loop of the unit's list), -1 for none
/// (required exactly if innerSize is 1).
struct TableRef {
  uint32_t table = 0;
  int32_t loopDepth = -1;
  bool operator==(const TableRef &) const = default;
};

enum class TermKind : uint8_t {
  /// Variable of the enclosing loop at depth `index`.
  Loop = 0,
  /// Entry of table `index` on the issuing core, second index `loopDepth`.
  Table = 1,
  /// Launch-time scalar `index`.
  Scalar = 2,
};

struct Term {
  TermKind kind = TermKind::Loop;
  int32_t index = 0;
  int32_t loopDepth = -1;
  int64_t coefficient = 1;
  bool operator==(const Term &) const = default;
};

/// constant + sum of coefficient * term.
struct Affine {
  int64_t constant = 0;
  std::vector<Term> terms;
  bool operator==(const Affine &) const = default;
};

/// max(0, min over `bounds`), never empty. One bound is a plain extent; the
/// second is usually `T - s * loop`, so that remainders need no peeled code.
struct Extent {
  std::vector<Affine> bounds;
  bool operator==(const Extent &) const = default;
};

/// An integer that the launch patches in (cache position, valid length). The
/// checker assumes the whole range [lo, hi) in multiples of `granule`.
struct Scalar {
  std::string name;
  uint32_t argument = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t granule = 1;
  bool operator==(const Scalar &) const = default;
};

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

enum class Unit : uint8_t { Load = 0, Store = 1, Ring = 2, PT = 3, SFU = 4 };
inline constexpr int kNumUnits = 5;
std::string_view toString(Unit unit);

enum class Space : uint8_t { DDR = 0, LX = 1 };
enum class BufferRole : uint8_t {
  Input = 0,
  Output = 1,
  InOut = 2,
  Weight = 3,
  Scratch = 4,
};
enum class BufferKind : uint8_t {
  /// In any one phase either one unit of a core accesses it, or all only read.
  Private = 0,
  /// Slots that a producer unit fills and consumer units leave.
  Queue = 1,
};
/// Where a DDR buffer's address comes from.
enum class Binding : uint8_t {
  /// LX: `offset` is the byte offset in LX, the same on every core.
  Lx = 0,
  /// Argument `bindingIndex` of the plan, `offset` bytes into it; patched at
  /// launch.
  Argument = 1,
  /// Segment `bindingIndex` of the plan, `offset` bytes into it.
  Segment = 2,
};

/// The queue discipline of a buffer (see device-program documentation): slots
/// are numbered 0, 1, 2, ... per unit and phase. A producer's command waits
/// until slot q mod n of every receiver has been left by all its consumers; a
/// consumer's command waits until every core of `fill` has delivered slot q.
struct Queue {
  int32_t slots = 1;
  Unit producer = Unit::Load;
  std::vector<Unit> consumers;
  /// On core c: the mask of cores whose producer delivers into c's slots (the
  /// table is read at the *receiving* core; the receivers of a core p follow
  /// as the cores c with bit p in fill(c)). None: each core fills its own.
  std::optional<uint32_t> fillTable;
  bool operator==(const Queue &) const = default;
};

/// A named buffer. `shape` is the device shape; its last extent is the stick
/// (E elements of `type`); row-major, whole sticks. A queue holds `slots`
/// copies of the shape back to back.
struct Buffer {
  std::string name;
  Space space = Space::LX;
  BufferRole role = BufferRole::Scratch;
  BufferKind kind = BufferKind::Private;
  ElementType type = ElementType::F16;
  std::vector<int64_t> shape;
  Binding binding = Binding::Lx;
  uint32_t bindingIndex = 0;
  /// Bytes, a multiple of 128.
  int64_t offset = 0;
  std::optional<Queue> queue;
  /// Which lanes carry values (arguments, weights, outputs): position (tile t
  /// of device dim `validTileDim`, lane l) is defined iff
  /// t * E + l < validElements; with validTileDim = -1 iff l < validElements.
  /// Scratch: what has been written, whatever stands here.
  int32_t validTileDim = -1;
  int64_t validElements = 0;
  /// An earlier buffer in device memory whose sticks this one shows under
  /// another shape: one value, not two; -1 = none.
  int32_t viewOf = -1;
  bool operator==(const Buffer &) const = default;
};

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// How a command dim walks a buffer: device dim `deviceDim` advances by `step`
/// per position; -1 = the operand does not move along this command dim
/// (broadcast of an input, reduction of an output).
struct DimMap {
  int32_t deviceDim = -1;
  int64_t step = 1;
  bool operator==(const DimMap &) const = default;
};

enum class LaneAccess : uint8_t {
  /// Element e of the command's stick extent is lane e mod E of tile e div E,
  /// the tile advancing along `tileDim` (none needed if e < E always).
  Stickwise = 0,
  /// The one lane offsets.back(), for every element (inputs only).
  Splat = 1,
};

/// An affine box of a buffer. Its iteration space is that of the command, so
/// all boxes of a command have equal extents by construction.
struct Box {
  uint32_t buffer = 0;
  /// First position, one expression per device dim. The last (lane) is 0
  /// unless `access` is Splat. Several DimMaps may share a device dim.
  std::vector<Affine> offsets;
  /// One entry per entry of Command::dims, in that order.
  std::vector<DimMap> dims;
  /// Device dim that advances when the stick extent runs over E; -1 = none.
  int32_t tileDim = -1;
  /// Device dim of the second element extent (matmul B: along K; transpose:
  /// along the rows); -1 = none.
  int32_t rowDim = -1;
  LaneAccess access = LaneAccess::Stickwise;
  bool operator==(const Box &) const = default;
};

/// Data-dependent addressing of one DDR device dim by an int32 index buffer in
/// LX: coordinate = idx[first + i], or page[idx div P] * P + idx mod P.
struct IndexedAccess {
  int32_t deviceDim = 0;
  uint32_t indexBuffer = 0;
  Affine first;
  Extent count;
  /// 0 = not paged, else the page size P.
  int64_t pageSize = 0;
  bool operator==(const IndexedAccess &) const = default;
};

//===----------------------------------------------------------------------===//
// Bodies of SFU maps
//===----------------------------------------------------------------------===//

enum class BodyOpcode : uint8_t {
  // clang-format off
  // f32 unary
  Neg, Abs, Sign, Floor, Ceil, Round, Recip, Sqrt, Rsqrt, Exp, Log, Erf, Tanh,
  Sigmoid, Sin, Cos,
  // f32 binary / ternary; Min and Max propagate NaN, MinNum and MaxNum ignore it
  Add, Sub, Mul, Div, Fma, Min, Max, MinNum, MaxNum, Pow,
  // comparisons of two f32 (result bool), select(cond, a, b)
  CmpEq, CmpNe, CmpLt, CmpLe, CmpGt, CmpGe, Select, IsNan, IsInf,
  // bool, or i32 bitwise
  And, Or, Xor, Not,
  // i32
  IShl, IShr, IAdd, ISub, IMul, IDiv, IRem, IMin, IMax,
  ICmpEq, ICmpNe, ICmpLt, ICmpLe, ICmpGt, ICmpGe,
  // casts: f32->i32 truncates and saturates (NaN -> 0)
  F32ToI32, I32ToF32, BoolToF32, BoolToI32, F32ToBool, I32ToBool,
  // leaves
  ConstF32, ConstI32, ConstBool, ScalarValue, Index,
  // rounds an f32 value to a storage type and back (an explicit truncf kept by
  // the user's precision demands); `index` names the ElementType
  RoundTo,
  // clang-format on
};
std::string_view toString(BodyOpcode opcode);
std::optional<BodyOpcode> parseBodyOpcode(std::string_view name);
/// Number of value operands of an opcode (0 to 3).
int numOperands(BodyOpcode opcode);

/// What an opcode costs the SFU: nothing (constants, positions), one simple
/// operation, or a transcendental, which a target counts by its factor.
enum class OpWork : uint8_t { Free, Simple, Transcendental };
OpWork workOf(BodyOpcode opcode);

/// One SSA operation. Values are numbered: the map's inputs in order, then
/// the results of the ops in order. Inputs are read as f32 (f16, bf16, dl16,
/// f32, fp8), i32 (i32, i8, i4) or bool.
struct BodyOp {
  BodyOpcode opcode = BodyOpcode::ConstF32;
  std::array<int32_t, 3> operands = {-1, -1, -1};
  /// ConstF32: the bits of the float; ConstI32, ConstBool: the value;
  /// ScalarValue: the scalar; RoundTo: the ElementType.
  int64_t immediate = 0;
  /// Index: i32 value = index + sum dimCoefficients[d] * position of command
  /// dim d + laneCoefficient * element of the stick extent.
  Affine index;
  std::vector<int64_t> dimCoefficients;
  int64_t laneCoefficient = 0;
  bool operator==(const BodyOp &) const = default;
};

struct Body {
  std::string name;
  uint32_t numInputs = 0;
  std::vector<BodyOp> ops;
  /// One value per output of the map.
  std::vector<int32_t> results;
  bool operator==(const Body &) const = default;
};

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

enum class CommandKind : uint8_t {
  /// Repeats the commands up to the matching End `trip` times (constant or
  /// table of the core, 0 allowed, at most the target's loop bound).
  Loop = 0,
  End = 1,
  /// load: DDR -> LX; store: LX -> DDR; ring: LX -> LX. Copies whole sticks:
  /// boxes = {source, destination}, one stick per position of `dims`. `cores`
  /// (load and ring) is the mask of receiving cores, none = the issuing core.
  Move = 2,
  /// ring: boxes = {source, destination}, f32 in LX; the cores of `cores` in
  /// ascending order each combine their box with their predecessor's stream;
  /// the last owns the result and delivers it.
  Reduce = 3,
  /// pt: boxes = {A, B, acc}. dims = `numRowDims` row dims, then up to two
  /// outer K dims. acc[row, n] (+)= sum over k A[row, k] * B[k, n]: `stick`
  /// is the N extent (elements; B and acc stickwise along tileDim), `inner`
  /// the K extent (A stickwise along tileDim, B along rowDim). acc is f32 (i32
  /// for integer operands). Cleared when all loop variables in `first` are 0.
  /// Lanes of acc beyond N are undefined.
  Matmul = 4,
  /// sfu: boxes = inputs then outputs (body.results.size() outputs); `stick`
  /// is the element extent of the stick dim. Outputs combine as `outputs`
  /// says. An output box equals an input box or is disjoint from all of them.
  Map = 5,
  /// sfu: boxes = {source, destination} in LX, equal element types: source row
  /// i (i < `inner`, along source.rowDim), element j (j < `stick`, along
  /// source.tileDim) becomes destination row j (along destination.rowDim),
  /// element i (along destination.tileDim). Also dense [n] -> [n,1] (inner =
  /// 1) and back (stick = 1). Cost: one block per E x E.
  Transpose = 6,
  /// sfu: boxes = {lo, hi, destination}: lane l of each destination stick =
  /// lane l + shiftLanes of lo followed by hi; only lanes < `stick` written.
  Shift = 7,
  /// Only queue actions.
  Next = 8,
};
std::string_view toString(CommandKind kind);

enum class Combine : uint8_t {
  Store = 0,
  Add = 1,
  Mul = 2,
  Min = 3,
  Max = 4,
  And = 5,
  Or = 6,
};
std::string_view toString(Combine combine);

/// How a map writes one output. With Store every position is written once.
/// Otherwise values are combined over the command dims that the output's box
/// does not map (deviceDim = -1), row-major, and over lanes if `lanes` is not
/// Keep; accumulators are f32 or i32.
struct MapOutput {
  Combine combine = Combine::Store;
  enum class Lanes : uint8_t {
    /// Stickwise, lane by lane.
    Keep = 0,
    /// Combined over the stick extent; the result goes to lane 0 (sparse).
    Lane0 = 1,
    /// Combined over the stick extent; the result goes to all lanes.
    SplatAll = 2,
  } lanes = Lanes::Keep;
  /// Continue from the content of the output (accumulate) unless all loop
  /// variables of Command::first are 0 (then start from the identity).
  bool accumulate = false;
  bool operator==(const MapOutput &) const = default;
};

struct Command {
  CommandKind kind = CommandKind::Next;
  /// Loop: the trip count.
  Extent trip;
  /// Iteration space outside the stick; row-major, first is outermost.
  std::vector<Extent> dims;
  /// Matmul: how many of `dims` are rows (the others are outer K dims).
  int32_t numRowDims = 0;
  Extent stick;
  Extent inner;
  std::vector<Box> boxes;
  /// Depths of the loops whose variables must all be 0 to clear (Matmul) or to
  /// start (Map) an accumulator. Empty: clear every time.
  std::vector<int32_t> first;
  /// Move, Reduce: core set.
  std::optional<TableRef> cores;
  /// 0/1: suppresses the command's work, never its queue actions.
  std::optional<TableRef> predicate;
  std::optional<IndexedAccess> indexed;
  /// Reduce: Add, Min, Max.
  Combine combine = Combine::Store;
  /// Map: index into Program::bodies, and one entry per output.
  uint32_t body = 0;
  std::vector<MapOutput> outputs;
  /// Shift.
  int64_t shiftLanes = 0;
  /// Queue buffers on which the unit is done with its slot: it delivers
  /// (producer) or leaves (consumer) after the command.
  std::vector<uint32_t> next;
  /// Index into Program::sources, for messages only.
  uint32_t source = 0;
  bool operator==(const Command &) const = default;
};

/// All cores enter a phase together, when every core has left the one before;
/// queues start empty. Addresses are reused only between phases. Content of LX
/// is undefined on entry except for `residents`; DDR content persists.
struct Phase {
  std::string name;
  std::array<std::vector<Command>, kNumUnits> units;
  /// LX buffers whose content survives from the phase before into this one
  /// (and which therefore occupy their addresses in this phase).
  std::vector<uint32_t> residents;
  bool operator==(const Phase &) const = default;
};

/// Debug table: where a command comes from.
struct SourceInfo {
  /// Kernel name.
  std::string kernel;
  /// Names of the graph's nodes.
  std::vector<std::string> nodes;
  bool operator==(const SourceInfo &) const = default;
};

struct Program {
  std::string name;
  int32_t numCores = 0;
  std::vector<Table> tables;
  std::vector<Scalar> scalars;
  std::vector<Buffer> buffers;
  std::vector<Body> bodies;
  std::vector<Phase> phases;
  std::vector<SourceInfo> sources;
  bool operator==(const Program &) const = default;
};

/// Sticks of one slot of the buffer (product of the outer extents).
int64_t numSticks(const Buffer &buffer);
/// Bytes of one slot; `slots` of them for a queue.
int64_t slotBytes(const Buffer &buffer);
int64_t sizeBytes(const Buffer &buffer);

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_DEVICEPROGRAM_H
