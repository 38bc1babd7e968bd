// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one weight: a range of a file, transposed, converted and laid
// out as the weight's op says. Private to the export.

#ifndef SPYRE_LIB_EXPORT_LAUNCHPLAN_WEIGHTIMAGE_H
#define SPYRE_LIB_EXPORT_LAUNCHPLAN_WEIGHTIMAGE_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spyre {

/// Maps bytes [offset, offset + length) of a file.
Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFileRange(const std::string &path, int64_t offset, int64_t length,
             const std::string &weight);

/// The dense tensor whose dim i is dim perm[i] of the source.
std::vector<std::byte> transposeTensor(std::span<const std::byte> source,
                                       llvm::ArrayRef<int64_t> sourceShape,
                                       llvm::ArrayRef<int64_t> perm,
                                       int64_t elementBytes);

/// The device image of a weight whose file range is `stored`. `perm` is empty
/// or a permutation of the dims.
Expected<std::vector<std::byte>>
weightImage(const launch::Weight &weight, std::span<const std::byte> stored,
            llvm::ArrayRef<int64_t> storedShape, llvm::ArrayRef<int64_t> perm);

} // namespace spyre

#endif // SPYRE_LIB_EXPORT_LAUNCHPLAN_WEIGHTIMAGE_H
