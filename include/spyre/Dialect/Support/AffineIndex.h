// SPDX-License-Identifier: Apache-2.0
//
// The form of index that the device walks: a dim with a stride and an offset,
// and at most one window on top.

#ifndef SPYRE_DIALECT_SUPPORT_AFFINEINDEX_H
#define SPYRE_DIALECT_SUPPORT_AFFINEINDEX_H

#include "mlir/IR/AffineMap.h"

#include <cstdint>
#include <optional>

namespace spyre {

/// What one result of an indexing map reads: stride * d + windowStride * w +
/// offset. Of two dims the first is d and the second the window w.
struct ResultIndex {
  /// -1: a constant.
  int64_t dim = -1;
  int64_t stride = 1;
  int64_t windowDim = -1;
  int64_t windowStride = 1;
  int64_t offset = 0;

  /// One iteration dim, as it is.
  bool isPlain() const {
    return dim >= 0 && stride == 1 && windowDim < 0 && offset == 0;
  }
};

/// Reads one result of an indexing map; nullopt if it has another form or runs
/// backwards.
std::optional<ResultIndex> readIndex(mlir::AffineMap map, unsigned position);

} // namespace spyre

#endif // SPYRE_DIALECT_SUPPORT_AFFINEINDEX_H
