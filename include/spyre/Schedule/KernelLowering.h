// SPDX-License-Identifier: Apache-2.0
//
// From a planned kernel to one phase of a device program. The lowering knows
// nothing of operations: which unit does what follows from the kernel's kind,
// every address and extent from the operands' coordinates and the plan.

#ifndef SPYRE_SCHEDULE_KERNELLOWERING_H
#define SPYRE_SCHEDULE_KERNELLOWERING_H

#include "spyre/Cost/KernelPlan.h"
#include "spyre/LaunchPlan/DeviceProgram.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace spyre::schedule {

/// Everything that the lowering needs of one kernel.
struct KernelToLower {
  cost::KernelProblem problem;
  cost::KernelPlan plan;
  /// Program buffer of each operand: in DDR (staged through a queue), or in LX
  /// where the operand is resident.
  std::vector<uint32_t> operandBuffers;
  /// LX address of each operand's staging buffer (-1 if resident), then of the
  /// accumulator (-1 if there is none).
  std::vector<int64_t> lxAddresses;
  /// Indices into Program::bodies; the body of a Contract and both of a
  /// Restickify are absent.
  std::optional<uint32_t> body;
  std::optional<uint32_t> epilogue;
  /// How a Reduce combines.
  launch::Combine combine = launch::Combine::Add;
  /// Index into Program::sources.
  uint32_t source = 0;
};

/// Appends tables and staging buffers to the program and returns the phase.
///
/// Loads, compute and stores of successive tiles overlap through queues of
/// `plan.buffers` slots. An operand that several cores need alike is read from
/// DDR once: each core of the group reads a share and multicasts it.
launch::Phase lowerKernel(launch::Program &program,
                          const KernelToLower &kernel);

/// Index of a table with these values (one per core), added if it is new.
uint32_t tableOf(launch::Program &program, std::string name,
                 const std::vector<int64_t> &values);

} // namespace spyre::schedule

#endif // SPYRE_SCHEDULE_KERNELLOWERING_H
