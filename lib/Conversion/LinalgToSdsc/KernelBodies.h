// SPDX-License-Identifier: Apache-2.0
//
// The regions of a kernel from the body of a linalg.generic. Private to the
// conversion.

#ifndef SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBODIES_H
#define SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBODIES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace spyre {

/// The iteration dim of a kernel for one of an op.
using RenameDim = llvm::function_ref<int32_t(int32_t)>;

/// The only block of a region.
mlir::Block *addBlock(mlir::Region &region, mlir::TypeRange types,
                      mlir::Location loc);

/// Copies what `values` depend on inside `op`'s body to `block` and yields
/// them, without the op `skip`; `mapping` holds the block arguments. Constants
/// from outside are copied too. Reports what a kernel cannot hold.
mlir::LogicalResult cloneBody(mlir::OpBuilder &builder,
                              mlir::linalg::GenericOp op, mlir::Block *block,
                              mlir::IRMapping &mapping, mlir::ValueRange values,
                              mlir::Operation *skip, RenameDim rename);

/// Body or epilogue from an elementwise op; `operands` are those that the block
/// takes, in order.
mlir::LogicalResult
fillElementwise(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                mlir::Region &region, llvm::ArrayRef<int64_t> operands,
                mlir::TypeRange argumentTypes, RenameDim rename);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_LINALGTOSDSC_KERNELBODIES_H
