// SPDX-License-Identifier: Apache-2.0
//
// The parts of plan verification that the search also needs one by one.

#ifndef SPYRE_LIB_COST_VERIFY_H
#define SPYRE_LIB_COST_VERIFY_H

#include "spyre/Cost/KernelPlan.h"

#include <span>

namespace spyre::cost {

/// More dims than this are refused; buffers of fixed size rely on it.
inline constexpr size_t kMaxKernelDims = 16;

/// The subject of every error about a kernel.
std::string kernelSubject(const KernelProblem &problem);

/// Is the problem itself consistent?
Status verifyProblem(const KernelProblem &problem);

/// Sizes, ranges, granules, cores and orders of a plan; not its memory.
Status verifyChoices(const KernelProblem &problem, const KernelPlan &plan,
                     const target::Target &target);

/// Bytes from the first to the last stick of an operand that one core
/// addresses.
int64_t spanBytes(const KernelProblem &problem, const KernelOperand &operand,
                  std::span<const int64_t> slices);

/// Is no operand's span above the target's limit?
Status verifySpans(const KernelProblem &problem,
                   std::span<const int64_t> slices,
                   const target::Target &target);

/// True for windows: what is staged for a tap is dense.
bool hasUnitTile(const KernelProblem &problem, size_t dim);
/// Whether the PT walks the dim one value at a time: B depends on it and has it
/// neither in its rows nor in its stick (a batch, a group of columns).
bool isSerial(const KernelProblem &problem, size_t dim);
/// Whether tiles fill all slices, of which `slice` is the largest, so that a
/// loop over a tile has the same trips everywhere.
bool isWholeTile(const KernelDim &dim, int64_t slice, int64_t tile);

} // namespace spyre::cost

#endif // SPYRE_LIB_COST_VERIFY_H
