// SPDX-License-Identifier: Apache-2.0
//
// The lowering of one kernel, shared by the files that emit its parts.
//
// Every unit gets the same loop nest (the loops with more than one trip, in the
// plan's order). A unit acts on an operand at the operand's loop level: the
// depth of the innermost loop on which the operand depends. Producer and
// consumers therefore count the same slots, whatever the loops outside.

#ifndef SPYRE_LIB_SCHEDULE_LOWERING_H
#define SPYRE_LIB_SCHEDULE_LOWERING_H

#include "Geometry.h"

#include <functional>

namespace spyre::schedule {

/// An extent that is the same on every core and trip.
launch::Extent constantExtent(int64_t value);

class KernelLowering {
public:
  KernelLowering(launch::Program &program, const KernelToLower &kernel)
      : program(program), kernel(kernel), problem(kernel.problem),
        geometry(program, problem, kernel.plan) {}

  launch::Phase run();

private:
  //===--- Buffers and loops (KernelLowering.cpp) ---===//

  bool hasAccumulator() const;

  /// The operand that holds the row numbers of a gather.
  bool isIndex(size_t operand) const {
    return problem.kind == cost::KernelKind::Gather && operand == 1;
  }

  launch::Unit consumerOf(const cost::KernelOperand &operand) const;

  uint32_t addLxBuffer(std::string name, const cost::KernelOperand &operand,
                       int64_t address);

  void createBuffers();

  std::vector<launch::Command> &unit(launch::Unit which);

  launch::Command make(launch::CommandKind kind) const;

  /// Emits a loop nest of `depth` loops into the unit. `before(level)` acts on
  /// entry of a level, `after(level)` on leaving it, level 0 being outside of
  /// all loops.
  void emitNest(launch::Unit which, size_t depth,
                const std::function<void(size_t)> &before,
                const std::function<void(size_t)> &after, size_t level = 0);

  /// Leaves or delivers the queue buffers of operands staged at `level`.
  void emitNext(launch::Unit which, const std::vector<uint32_t> &buffers);

  /// Queue buffers of the operands that `wanted` selects, staged at `level`.
  std::vector<uint32_t> queuesAt(
      size_t level,
      const std::function<bool(const cost::KernelOperand &)> &wanted) const;

  //===--- Loads and stores (Transfers.cpp) ---===//

  /// A box that covers the present tile of an operand, one command dim per
  /// moving device dim (in `dims`); `inTensor` addresses the whole tensor, else
  /// the staging buffer.
  launch::Box transferBox(uint32_t buffer, const cost::KernelOperand &operand,
                          bool inTensor,
                          std::vector<launch::Extent> *dims) const;

  void emitLoads();

  void emitLoad(size_t index);

  /// Lets the index choose the row of the table.
  void indexRows(launch::Command &move, launch::Box &source);

  /// Cuts the move to this core's share of what its group needs: part `rank` of
  /// the longest dim, multicast to the group.
  void share(size_t index, launch::Command &move, launch::Box &source,
             launch::Box &destination);

  void emitStores();

  //===--- PT and SFU commands (Compute.cpp) ---===//

  /// Iteration dims that a command walks, the stick dim apart.
  std::vector<int32_t> commandDims(int32_t stick, bool withReductions) const;

  /// Box of a compute operand over the command dims `dims` with the elements of
  /// `stick` in the stick. Resident operands are addressed inside their slice.
  launch::Box computeBox(uint32_t buffer, const cost::KernelOperand &operand,
                         const std::vector<int32_t> &dims, int32_t stick) const;

  int32_t coordOf(const cost::KernelOperand &operand, int32_t dim,
                  layout::DimKind kind) const;

  std::vector<launch::Extent> extentsOf(const std::vector<int32_t> &dims) const;

  /// Loop depths of the reduction loops: an accumulator starts when all their
  /// variables are 0.
  std::vector<int32_t> reductionDepths() const;

  void emitMatmul();

  /// Dims of a tile that the PT walks one value at a time, since B depends on
  /// them and a product has one B: batches and groups of columns.
  std::vector<int32_t> serialDims() const;

  /// The products of a tile: loops over the serial dims around one command.
  void emitProducts();

  launch::Command matmulCommand(const std::vector<int32_t> &serial) const;

  /// Lets a box follow the loops over the serial dims.
  void walkSerially(launch::Box &box, const cost::KernelOperand &operand,
                    const std::vector<int32_t> &serial) const;

  /// The epilogue of a contraction, on the SFU: once per tile of the output.
  /// Partial sums of a contraction that is cut along K: the cores of a group
  /// add them up over the ring.
  void emitReduceOverCores();

  void emitEpilogue();

  launch::Command epilogueCommand(int32_t stick);

  void addBoxes(launch::Command &map, const std::vector<int32_t> &dims,
                int32_t stick,
                const std::function<bool(size_t operand)> &wanted) const;

  /// Expresses the iteration dims that the body's positions name by the
  /// command's own dims.
  void placePositions(uint32_t body, const std::vector<int32_t> &dims,
                      int32_t stick);

  void addOutputs(launch::Command &map, const std::vector<int32_t> &dims,
                  int32_t stick) const;

  void emitReduction();

  launch::Command combineCommand(bool stickReduced);

  void emitElementwise();

  launch::Command mapCommand();

  /// Source rows run along the dim that enters the stick, source elements along
  /// the dim that leaves it; a sparse side has one element instead.
  launch::Command restickifyCommand();

  launch::Program &program;
  const KernelToLower &kernel;
  const cost::KernelProblem &problem;
  Geometry geometry;
  launch::Phase phase;
  std::optional<launch::TableRef> predicate;
  /// For the commands that go on with a result: the same, or 1 only for the
  /// core of a group that owns the sum.
  std::optional<launch::TableRef> ownerPredicate;
  /// The buffer that compute reads or writes: staging queue or resident.
  std::vector<uint32_t> working;
  std::vector<SharingGroup> sharing;
  cost::KernelOperand accumulatorOperand;
  /// What the PT adds to, and what the epilogue reads: another buffer where
  /// cores add up their sums.
  uint32_t accumulator = 0;
  uint32_t result = 0;
};

} // namespace spyre::schedule

#endif // SPYRE_LIB_SCHEDULE_LOWERING_H
