// SPDX-License-Identifier: Apache-2.0
//
// Offsets, extents and core groups of a planned kernel as affine expressions
// and tables of a device program. Private to the lowering.

#ifndef SPYRE_LIB_SCHEDULE_GEOMETRY_H
#define SPYRE_LIB_SCHEDULE_GEOMETRY_H

#include "spyre/Schedule/KernelLowering.h"

namespace spyre::schedule {

/// The cores that need the same data of an operand.
struct SharingGroup {
  /// Cores per group; 1 = nothing is shared.
  int64_t size = 1;
  /// On core c: the mask of its group and its rank in it.
  std::vector<int64_t> masks;
  std::vector<int64_t> ranks;
};

class Geometry {
public:
  Geometry(launch::Program &program, const cost::KernelProblem &problem,
           const cost::KernelPlan &plan);

  /// Iteration dims with more than one trip, outermost first; the position is
  /// the loop depth.
  const std::vector<int32_t> &loops() const { return loopDims; }
  /// How many of the loops run over parallel dims (they come first).
  size_t numParallelLoops() const { return parallelLoops; }
  /// Number of trips of the loop at a depth.
  int64_t tripsAt(size_t depth) const;
  /// Loop depth at which an operand is staged (see cost::loopLevel).
  size_t levelOf(const cost::KernelOperand &operand) const;

  /// First position of a coordinate of the present tile, in the whole tensor
  /// (DDR), in units of the coordinate.
  launch::Affine tensorOffset(const cost::OperandCoord &coord) const;
  /// The same relative to the core's slice (LX-resident operands).
  launch::Affine sliceOffset(const cost::OperandCoord &coord) const;
  /// Positions of a coordinate in the present tile.
  launch::Extent coordExtent(const cost::OperandCoord &coord) const;
  /// Elements of a dim in the present tile.
  launch::Extent elementExtent(int32_t dim) const;

  SharingGroup sharingOf(const cost::KernelOperand &operand) const;
  /// 1 for cores that work, 0 for idle ones; nullopt if all work.
  std::optional<launch::TableRef> activePredicate() const;
  /// 1 for the cores that own what their kernel computes: those that work, and
  /// of a group that adds up its sums the last one.
  std::optional<launch::TableRef> ownerPredicate() const;
  bool isActive(int64_t core) const { return slices[core].has_value(); }

  /// `coefficient` times the table's entry, or a constant if all entries agree.
  void addTable(launch::Affine &affine, std::string name,
                const std::vector<int64_t> &values, int64_t coefficient) const;

private:
  std::vector<int64_t> perCore(int32_t dim, bool start, int64_t factor) const;
  launch::Extent tileExtent(int32_t dim, int64_t factor) const;
  std::optional<launch::TableRef>
  predicateOf(std::string name, const std::vector<int64_t> &values) const;
  launch::Affine loopOffset(int32_t dim, int64_t factor) const;

  launch::Program &program;
  const cost::KernelProblem &problem;
  const cost::KernelPlan &plan;
  std::vector<int32_t> loopDims;
  size_t parallelLoops = 0;
  /// Slice index per dim of each core; nullopt for idle cores.
  std::vector<std::optional<std::vector<int64_t>>> slices;
};

} // namespace spyre::schedule

#endif // SPYRE_LIB_SCHEDULE_GEOMETRY_H
