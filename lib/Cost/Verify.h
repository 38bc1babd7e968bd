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

/// True for the dims of a Contract that the PT takes one at a time: those of B
/// and the output that are not in B's stick.
bool hasUnitTile(const KernelProblem &problem, size_t dim);

} // namespace spyre::cost

#endif // SPYRE_LIB_COST_VERIFY_H
