// SPDX-License-Identifier: Apache-2.0
//
// A linalg.generic on known elements: what it means when it is folded, and what
// the reference computes.

#ifndef SPYRE_REFERENCE_GENERIC_H
#define SPYRE_REFERENCE_GENERIC_H

#include "spyre/Reference/ScalarBody.h"
#include "spyre/Support/Error.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <vector>

namespace spyre {

/// Steps to the next position, row-major; false behind the last.
bool advance(llvm::SmallVectorImpl<int64_t> &position,
             llvm::ArrayRef<int64_t> extents);

/// The row-major index of a position.
int64_t linearPosition(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> position);

/// The elements of the one result of a generic whose maps are sums of dims.
/// `operands` are the elements of its operands, in order and row-major; the
/// last one is the init.
Expected<std::vector<Number>>
runGeneric(mlir::linalg::GenericOp op,
           llvm::ArrayRef<const std::vector<Number> *> operands,
           Rounding rounding);

} // namespace spyre

#endif // SPYRE_REFERENCE_GENERIC_H
