// SPDX-License-Identifier: Apache-2.0
//
// One sdsc.kernel from one linalg.generic, or from a reduction and the
// elementwise op that finishes it. Private to the conversion.

#ifndef SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBUILDER_H
#define SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBUILDER_H

#include "spyre/Analysis/OpClass.h"
#include "spyre/Analysis/StickAccess.h"
#include "spyre/Dialect/Sdsc/IR/SdscOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace spyre {

/// Gives the buffer of a tensor value.
using BufferOf = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The elementwise op that alone reads the result of a Reduce or Contract, each
/// element once, and can therefore run on its accumulator; null if there is
/// none.
mlir::linalg::GenericOp findEpilogue(mlir::linalg::GenericOp op);

/// Builds the kernel of `op` (and of `epilogue`, if not null) at the builder's
/// insertion point. Reports what cannot be converted.
mlir::FailureOr<sdsc::KernelOp> buildKernel(mlir::OpBuilder &builder,
                                            mlir::linalg::GenericOp op,
                                            mlir::linalg::GenericOp epilogue,
                                            llvm::StringRef name,
                                            BufferOf bufferOf);

/// One end of a copy: a buffer, the tensor in it, and where the copied elements
/// stand in the tensor (null: everywhere).
struct CopyEnd {
  mlir::Value buffer;
  mlir::RankedTensorType type;
  mlir::AffineMap map = {};
};

/// Builds a kernel that copies `extents` elements from one tensor to another,
/// whose layouts may differ.
sdsc::KernelOp buildCopyKernel(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::StringRef name, const CopyEnd &source,
                               const CopyEnd &destination,
                               llvm::ArrayRef<int64_t> extents);

/// Builds a kernel that copies the rows (dim 0) of `table` that `index` (N x 1)
/// names to `destination`.
sdsc::KernelOp buildGatherKernel(mlir::OpBuilder &builder, mlir::Location loc,
                                 llvm::StringRef name, const CopyEnd &table,
                                 const CopyEnd &index,
                                 const CopyEnd &destination);

/// Builds a kernel that fills `destination` with a scalar constant.
sdsc::KernelOp buildFillKernel(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::StringRef name, mlir::TypedAttr value,
                               mlir::Value destination,
                               mlir::RankedTensorType type);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBUILDER_H
