// SPDX-License-Identifier: Apache-2.0
//
// The device program of a planned function, with the place of every buffer in
// device memory. Private to the conversion.

#ifndef SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H
#define SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spyre {

/// A program and what the plan around it declares.
struct AssembledProgram {
  launch::Program program;
  /// Weights in the order of their offsets in segment `weightSegment`.
  llvm::SmallVector<std::pair<sdsc::WeightOp, int64_t>> weights;
  int64_t weightBytes = 0;
  int64_t scratchBytes = 0;
};

/// Segment numbers of the plan; a segment of 0 bytes is not declared, and the
/// numbers close up.
inline constexpr uint32_t kWeightSegment = 0;

llvm::FailureOr<AssembledProgram> assembleProgram(mlir::func::FuncOp func,
                                                  const target::Target &target);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H
