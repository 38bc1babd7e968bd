// SPDX-License-Identifier: Apache-2.0
//
// Work division and tiling of one kernel: the problem, the decision, the
// geometry that follows from a decision, and the search. A kernel iterates
// over a rectangular space; every operand is described by how its device
// coordinates follow from the iteration dims, so that no rule is written per
// operation. The scheduler uses the same geometry functions as the search:
// what was charged is what is built.

#ifndef SPYRE_COST_KERNELPLAN_H
#define SPYRE_COST_KERNELPLAN_H

#include "spyre/Layout/StickLayout.h"
#include "spyre/Support/ElementType.h"
#include "spyre/Support/Error.h"
#include "spyre/Target/Target.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyre::cost {

enum class KernelKind : uint8_t {
  /// Elementwise over an all-parallel space; SFU.
  Map = 0,
  /// Map combined over reduction dims into an f32 (i32) accumulator, then an
  /// epilogue map; SFU.
  Reduce = 1,
  /// Matrix product on the PT into an f32 accumulator, then an epilogue map.
  Contract = 2,
  /// Change of the stick dim or of the device dim order; SFU transposes.
  Restickify = 3,
  /// Rows of a table picked by an i32 index: operands table, index, output;
  /// iteration dim 0 runs over the index, and the coordinate of the table that
  /// depends on it is the index value itself. Indices are staged once per
  /// slice, so that dim 0 is not tiled.
  Gather = 4,
};

/// One dim of the iteration space.
struct KernelDim {
  std::string name;
  int64_t extent = 1;
  bool reduction = false;
  /// Slices and tiles are multiples of this many elements (the last one may be
  /// cut by the extent): the largest stick factor with which the dim appears
  /// in an operand, else 1.
  int64_t granule = 1;
  /// False: the dim has one slice, unless slices are forced on a contraction
  /// (see splitReduction).
  bool splittable = true;
  /// False: the tile must cover the whole slice.
  bool tileable = true;
};

/// One device coordinate of an operand, outermost first, the stick last:
///   Full   stride * d + windowStride * w + offset
///   Tile   d floordiv factor + offset
///   Stick  d mod factor
///   Unit   0
/// with d the value of iteration dim `dim` and w that of `windowDim`. A window
/// (the taps of a convolution or a pooling) is a reduced dim that is walked one
/// value at a time, so that what is staged for it is dense in d.
struct OperandCoord {
  layout::DimKind kind = layout::DimKind::Full;
  /// Iteration dim, or -1 for a constant coordinate.
  int32_t dim = -1;
  /// Elements per stick for Tile and Stick.
  int64_t factor = 1;
  int64_t stride = 1;
  int64_t offset = 0;
  /// -1: none.
  int32_t windowDim = -1;
  int64_t windowStride = 1;
  /// Positions that the buffer has along the coordinate; 0: those that the
  /// iteration space reaches.
  int64_t extent = 0;

  bool dependsOn(int32_t iterationDim) const {
    return iterationDim >= 0 &&
           (dim == iterationDim || windowDim == iterationDim);
  }
  /// Whether the coordinate covers its device dim one by one from 0.
  bool isWhole() const { return stride == 1 && offset == 0 && windowDim < 0; }
};

struct KernelOperand {
  std::string name;
  ElementType type = ElementType::F16;
  std::vector<OperandCoord> coords;
  bool output = false;
  /// Read by the epilogue (after the reduction loops) rather than by the body.
  bool epilogue = false;
  /// Lives in LX already (or stays there): not staged, no DDR traffic.
  bool resident = false;

  bool dependsOn(int32_t iterationDim) const {
    return std::any_of(coords.begin(), coords.end(),
                       [iterationDim](const OperandCoord &coord) {
                         return coord.dependsOn(iterationDim);
                       });
  }
};

/// Choices that an attribute on the op forces; absent = free.
struct ForcedChoices {
  std::optional<std::vector<int64_t>> slices;
  std::optional<std::vector<int64_t>> tiles;
  std::optional<std::vector<int32_t>> loopOrder;
  std::optional<std::vector<int32_t>> coreOrder;
  std::optional<int32_t> buffers;
  std::optional<int64_t> maxCores;
};

/// SFU operations per element.
struct BodyWork {
  double simple = 1;
  /// Each counts as the target's factor.
  double transcendental = 0;

  double simpleOps(const target::Target &target) const {
    return simple + transcendental * target.sfuTranscendentalFactor;
  }
};

struct KernelProblem {
  std::string name;
  KernelKind kind = KernelKind::Map;
  std::vector<KernelDim> dims;
  std::vector<KernelOperand> operands;
  /// The iteration dim in the stick of the output of the inner body (Map,
  /// Reduce), N for Contract; -1 if every access is a splat.
  int32_t stickDim = -1;
  BodyWork body;
  BodyWork epilogue;
  /// LX bytes that this kernel may use (the planner's budget minus residents).
  int64_t lxBudgetBytes = 0;
  ForcedChoices forced;
};

/// The decision.
struct KernelPlan {
  /// Slices per iteration dim; the product is the number of cores that work.
  std::vector<int64_t> slices;
  /// Tile extent per iteration dim (elements), at most the largest slice.
  std::vector<int64_t> tiles;
  /// All iteration dims, outermost loop first; reduction dims come last.
  std::vector<int32_t> loopOrder;
  /// Iteration dims in the order of the core id, slowest first: core ids are
  /// row-major over the slices of the dims in this order.
  std::vector<int32_t> coreOrder;
  /// Slots of each staged operand (2 = double buffering).
  int32_t buffers = 2;
  bool operator==(const KernelPlan &) const = default;
};

//===----------------------------------------------------------------------===//
// Geometry (exact; used by the search and by the scheduler)
//===----------------------------------------------------------------------===//

/// Granules of a dim are dealt out as evenly as possible: the first
/// (granules mod slices) slices have one more. Element range of slice `index`:
int64_t sliceStart(const KernelDim &dim, int64_t slices, int64_t index);
/// Elements of slice `index` (0 if there are more slices than granules).
int64_t sliceSize(const KernelDim &dim, int64_t slices, int64_t index);
int64_t maxSliceSize(const KernelDim &dim, int64_t slices);
/// Slice index per dim of a core, or nullopt for an idle core.
std::optional<std::vector<int64_t>> slicesOfCore(const KernelPlan &plan,
                                                 int64_t core);
/// Loop trips of a dim: ceil(max slice / tile).
int64_t trips(const KernelProblem &problem, const KernelPlan &plan,
              int32_t dim);
/// Device shape of an operand's tile in LX (last extent = E of its type).
std::vector<int64_t> tileShape(const KernelProblem &problem,
                               const KernelPlan &plan,
                               const KernelOperand &operand);
/// The f32 (i32 for integer outputs) accumulator of a Reduce or Contract
/// kernel: the output's coordinates with the accumulator's stick factor.
KernelOperand accumulatorOperand(const KernelProblem &problem);
/// The reduced dim that the plan cuts into slices, or -1. Its cores follow each
/// other in core order, add up their sums over the ring, and the last of them
/// goes on with the result. Contract only, one dim at most.
int32_t splitReduction(const KernelProblem &problem, const KernelPlan &plan);
/// Buffers of the accumulator: a second one for what is added up over the ring.
int64_t accumulatorBuffers(const KernelProblem &problem,
                           const KernelPlan &plan);
/// 1 + position in loopOrder of the innermost loop (trips > 1) on which the
/// operand depends; 0 if on none. Staging happens at this loop depth, counted
/// over loops with more than one trip only.
int32_t loopLevel(const KernelProblem &problem, const KernelPlan &plan,
                  const KernelOperand &operand);
/// LX bytes per core: staged operands x buffers, accumulators.
int64_t lxBytes(const KernelProblem &problem, const KernelPlan &plan);

/// Checks a plan against every rule (ranges, granules, cores, order, LX
/// budget, loop bound, span of each DDR operand per core) and says which one
/// fails with both numbers. Independent of the search.
Status verifyPlan(const KernelProblem &problem, const KernelPlan &plan,
                  const target::Target &target);

//===----------------------------------------------------------------------===//
// Model and search
//===----------------------------------------------------------------------===//

/// Predicted time of a plan, by resource, in nanoseconds.
struct KernelCost {
  double computeNs = 0;
  double ddrNs = 0;
  double ringNs = 0;
  /// Fill and drain of the pipeline that nothing hides.
  double exposedNs = 0;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  /// max(compute, ddr, ring) + exposed; the sum if buffers = 1.
  double totalNs = 0;
};
KernelCost estimate(const KernelProblem &problem, const KernelPlan &plan,
                    const target::Target &target);

/// A considered candidate, for the decision trace.
struct Candidate {
  KernelPlan plan;
  KernelCost cost;
  int64_t lxBytes = 0;
  /// Empty if feasible, else the rule that refused it.
  std::string refused;
};

struct SearchResult {
  KernelPlan plan;
  KernelCost cost;
  int64_t lxBytes = 0;
  /// Best candidates in order, at most `traceLimit`.
  std::vector<Candidate> trace;
  int64_t stepsSpent = 0;
};

/// Enumerates divisions and tiles within a step budget and returns the plan of
/// least cost (ties: fewer DDR bytes, more cores, lexicographic).
/// Deterministic. If none is feasible: an error that names the kernel, the
/// smallest working set found, what is available, and what would fix it.
Expected<SearchResult> searchPlan(const KernelProblem &problem,
                                  const target::Target &target,
                                  int64_t traceLimit = 8);

} // namespace spyre::cost

#endif // SPYRE_COST_KERNELPLAN_H
