// SPDX-License-Identifier: Apache-2.0
//
// What lives in the scratchpad and when, one tick per kernel in program order.
// Shared by the passes that place, pack and verify. Private to the folder.

#ifndef SPYRE_LIB_DIALECT_SDSC_TRANSFORMS_LIFETIMES_H
#define SPYRE_LIB_DIALECT_SDSC_TRANSFORMS_LIFETIMES_H

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Solvers/OffsetPacking.h"
#include "spyre/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spyre::sdsc {

/// The target that a pass option names; reports at `op` what cannot be loaded.
llvm::FailureOr<target::Target> loadTargetFor(mlir::Operation *op,
                                              llvm::StringRef name);

/// One buffer in LX: a staging buffer or accumulator of a kernel (`slot` is its
/// index in the kernel's `lx`), or a tensor (`alloc`).
struct LxBuffer {
  KernelOp kernel;
  size_t slot = 0;
  AllocOp alloc;
  solvers::PackingBuffer packing;
};

/// Kernels of the function in program order.
llvm::SmallVector<KernelOp> kernelsOf(mlir::func::FuncOp func);
/// Kernels that write a buffer: more than one if some write a part of it.
llvm::SmallVector<KernelOp> writersOf(AllocOp alloc);
/// Kernels that read a buffer.
llvm::SmallVector<KernelOp> readersOf(AllocOp alloc);

/// Number of the device program that each kernel will be part of: host work
/// ends one, and nothing in LX outlives it.
llvm::DenseMap<mlir::Operation *, int64_t> programsOf(mlir::func::FuncOp func);
/// The host work that reads or writes a buffer; null if there is none.
HostOp hostWorkOn(AllocOp alloc);

/// Bytes of LX per core that each tensor in LX and each staging buffer needs,
/// with lifetimes. All kernels must be divided.
llvm::SmallVector<LxBuffer> lxBuffersOf(mlir::func::FuncOp func);

/// Device shape of the largest slice of an operand in LX.
llvm::SmallVector<int64_t> sliceShape(const cost::KernelProblem &problem,
                                      const cost::KernelPlan &plan,
                                      const cost::KernelOperand &operand);

} // namespace spyre::sdsc

#endif // SPYRE_LIB_DIALECT_SDSC_TRANSFORMS_LIFETIMES_H
