// SPDX-License-Identifier: Apache-2.0
//
// Stick arithmetic: how a host tensor of a given shape lies in device memory.
// A layout is a list of device dims, each a function of one host dim; extents
// come from the shape and E from the element type, so that a layout survives
// tiling and slicing. This is the only place that computes device shapes,
// offsets and bytes.

#ifndef SPYRE_LAYOUT_STICKLAYOUT_H
#define SPYRE_LAYOUT_STICKLAYOUT_H

#include "spyre/Support/ElementType.h"
#include "spyre/Support/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spyre::layout {

/// How a device dim follows from its host dim d.
enum class DimKind : uint8_t {
  /// The whole of d: coordinate d.
  Full = 0,
  /// The tile of d: coordinate `d floordiv factor`.
  Tile = 1,
  /// The position of d inside a stick: coordinate `d mod factor`.
  Stick = 2,
  /// No host dim: constant coordinate 0 (extent `factor`; the stick of a sparse
  /// layout and of a scalar has kind Unit with factor E).
  Unit = 3,
};

/// One device dim.
struct DeviceDim {
  DimKind kind = DimKind::Full;
  /// Host dim, or -1 for Unit.
  int32_t hostDim = -1;
  /// Elements that the stick holds of this dim (Tile, Stick: the same number
  /// in both); the device extent for Unit; 1 for Full.
  int64_t factor = 1;
  bool operator==(const DeviceDim &) const = default;
};

/// One fold of an element arrangement inside the stick (see layouts
/// reference): the element index is split outermost first into digits of
/// `factor` values, each advancing the lane by `stride`. An empty list is the
/// plain ascending order, the only one planned today.
struct ArrangementFold {
  int64_t factor = 1;
  int64_t stride = 1;
  bool operator==(const ArrangementFold &) const = default;
};

/// A stick layout. Invariants (see `verify`): every host dim with an extent
/// appears exactly once, as Full or as a Tile/Stick pair with equal factors;
/// Stick and trailing Unit dims come last; the product of the stick dims'
/// factors is E.
struct StickLayout {
  std::vector<DeviceDim> dims;
  std::vector<ArrangementFold> arrangement = {};
  /// One logical element a stick, in lane 0; the other lanes are undefined.
  /// Never inferred from extents.
  bool sparse = false;
  bool operator==(const StickLayout &) const = default;
};

/// The default layout of a host tensor of `rank` dims whose stick dim is
/// `stickDim` (-1: sparse, or a scalar when rank is 0). The device order is
/// o0 ... o(n-3), tile of the stick dim, o(n-2), stick, where o lists the
/// other host dims in order: batches outermost, the last remaining dim just
/// outside the stick.  [M,N] gives [ceil(N/E), M, E].
StickLayout defaultLayout(int64_t rank, int64_t stickDim, ElementType type);

/// Checks the invariants for a tensor of `hostRank` dims of `type`.
Status verify(const StickLayout &layout, int64_t hostRank, ElementType type);

/// Device extents: Full -> extent, Tile -> ceil(extent/factor), Stick ->
/// factor, Unit -> factor. The product of the stick dims is E.
/// Host extents may be 0 (an empty tensor has 0 bytes).
std::vector<int64_t> deviceShape(const StickLayout &layout,
                                 std::span<const int64_t> hostShape);

/// 128 * number of sticks; an error if it exceeds int64.
Expected<int64_t> sizeBytes(const StickLayout &layout,
                            std::span<const int64_t> hostShape,
                            ElementType type);

/// The host dim in the (innermost) stick, or -1 if sparse or scalar.
int32_t stickHostDim(const StickLayout &layout);

/// Row-major host element index for a device coordinate, or -1 if the
/// position is padding (out of the host range, or a lane other than 0 of a
/// sparse stick).
int64_t hostIndex(const StickLayout &layout, std::span<const int64_t> hostShape,
                  std::span<const int64_t> deviceCoordinate);

/// A device image as rows of whole sticks that follow each other: the positions
/// of its first dim whose extent is not 1, or one row if that is padding or in
/// the stick.
struct ImageRows {
  int64_t count = 1;
  /// Elements of a row, padding included.
  int64_t elements = 1;
  /// The device dim, or -1 for one row.
  int32_t dim = -1;
};
ImageRows imageRows(const StickLayout &layout,
                    std::span<const int64_t> hostShape);

/// Copies a dense row-major host tensor into a device image of the layout, and
/// back, without converting elements: `elementBytes` is the width of both. The
/// padding of the image is left untouched. Runs of whole sticks are copied at
/// once; uses no memory beyond the buffers.
void packToDevice(const StickLayout &layout, std::span<const int64_t> hostShape,
                  int64_t elementBytes, const void *host, void *device);
/// The same for the rows [first, first + count) of the image only; `device` is
/// where the first of them begins.
void packRowsToDevice(const StickLayout &layout,
                      std::span<const int64_t> hostShape, int64_t elementBytes,
                      int64_t first, int64_t count, const void *host,
                      void *device);
void unpackFromDevice(const StickLayout &layout,
                      std::span<const int64_t> hostShape, int64_t elementBytes,
                      const void *device, void *host);

/// Text form, as in the dialect's attribute: "d1 floordiv 64, d0, d1 mod 64",
/// sparse "d0, 0 : 64 sparse".
std::string toString(const StickLayout &layout);

} // namespace spyre::layout

#endif // SPYRE_LAYOUT_STICKLAYOUT_H
