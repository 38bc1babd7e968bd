// SPDX-License-Identifier: Apache-2.0
//
// The device programs of a planned function and the host work between them,
// with the place of every buffer in device memory. Private to the conversion.

#ifndef SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H
#define SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/LaunchPlan/DeviceProgram.h"
#include "spyre/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <variant>

namespace spyre {

/// Where a buffer in device memory is: an argument, or an offset of a segment.
struct BufferPlace {
  launch::Binding binding = launch::Binding::Argument;
  uint32_t index = 0;
  int64_t offset = 0;
};

/// The buffer of a value as a program declares it if its kernels use it.
struct DeclaredBuffer {
  mlir::Value value;
  launch::Buffer buffer;
  /// In LX: the steps (ticks) that write and last read it.
  int64_t firstTick = 0;
  int64_t lastTick = 0;
};

/// The buffer of which a view, or a view of views, shows the sticks.
mlir::Value viewedBuffer(sdsc::ViewOp view);

/// The program that runs `kernels`, the first of them at `firstTick`.
llvm::FailureOr<launch::Program>
assembleProgram(std::string name, const target::Target &target,
                llvm::ArrayRef<sdsc::KernelOp> kernels,
                llvm::ArrayRef<DeclaredBuffer> declared, int64_t firstTick);

/// Host work, with the places of inputs and outputs.
struct AssembledHostWork {
  sdsc::HostOp op;
  llvm::SmallVector<BufferPlace> inputs;
  llvm::SmallVector<BufferPlace> outputs;
};

/// The steps between the transfers, and what the plan around them declares.
struct AssembledPlan {
  std::vector<std::variant<launch::Program, AssembledHostWork>> steps;
  /// Weights in the order of their offsets in segment `weightSegment`.
  llvm::SmallVector<std::pair<sdsc::WeightOp, int64_t>> weights;
  int64_t weightBytes = 0;
  int64_t scratchBytes = 0;
};

/// Segment numbers of the plan; a segment of 0 bytes is not declared, and the
/// numbers close up.
inline constexpr uint32_t kWeightSegment = 0;

llvm::FailureOr<AssembledPlan> assemblePlan(mlir::func::FuncOp func,
                                            const target::Target &target);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_SDSCTOLAUNCH_PROGRAMASSEMBLY_H
