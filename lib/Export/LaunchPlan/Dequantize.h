// SPDX-License-Identifier: Apache-2.0
//
// The bytes of quantized weights.

#ifndef SPYRE_LIB_EXPORT_LAUNCHPLAN_DEQUANTIZE_H
#define SPYRE_LIB_EXPORT_LAUNCHPLAN_DEQUANTIZE_H

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace spyre {

/// Gives the bytes of a stored operand.
using MapStored =
    llvm::function_ref<Expected<std::unique_ptr<llvm::MemoryBuffer>>(
        stick::StoredAttr stored, int64_t sizeBytes)>;

/// Bytes [offset, offset + bytes) of the f32 tensor that the attribute means;
/// an error unless they are whole elements of it.
Expected<std::unique_ptr<llvm::MemoryBuffer>>
dequantize(stick::DequantizedAttr weight, int64_t offset, int64_t bytes,
           const std::string &subject, MapStored map);

} // namespace spyre

#endif // SPYRE_LIB_EXPORT_LAUNCHPLAN_DEQUANTIZE_H
