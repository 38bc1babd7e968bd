// SPDX-License-Identifier: Apache-2.0
//
// Which lanes of a laid-out tensor carry values. The mask of a stick depends
// only on the coordinates of tile and unit dims, and these change slowly from
// stick to stick, so the last answer is kept.

#include "spyre/Runtime/Conversion.h"

#include <algorithm>

using namespace spyre;
using namespace spyre::rt;
using layout::DeviceDim;
using layout::DimKind;

namespace {

/// Computes masks for one layout and shape.
class MaskBuilder {
public:
  MaskBuilder(const layout::StickLayout &layout, std::span<const int64_t> shape,
              ElementType type)
      : layout(layout), shape(shape), elementBits(bitWidth(type)),
        extents(layout::deviceShape(layout, shape)),
        coordinate(extents.size(), 0) {
    int64_t lanes = 1;
    numOuter = extents.size();
    while (numOuter > 0 && lanes < elementsPerStick(type)) {
      lanes *= extents[--numOuter];
    }
    for (size_t dim = 0; dim < numOuter; ++dim) {
      if (layout.dims[dim].kind != DimKind::Full) {
        decisive.push_back(dim);
      }
    }
  }

  uint64_t maskOfStick(int64_t stick) {
    for (size_t dim = numOuter; dim-- > 0;) {
      coordinate[dim] = stick % extents[dim];
      stick /= extents[dim];
    }
    std::vector<int64_t> key;
    key.reserve(decisive.size());
    for (size_t dim : decisive) {
      key.push_back(coordinate[dim]);
    }
    if (!known || key != lastKey) {
      lastMask = computeMask();
      lastKey = std::move(key);
      known = true;
    }
    return lastMask;
  }

private:
  uint64_t computeMask() {
    uint64_t mask = 0;
    std::fill(coordinate.begin() + static_cast<ptrdiff_t>(numOuter),
              coordinate.end(), 0);
    int64_t bit = 0;
    do {
      if (layout::hostIndex(layout, shape, coordinate) >= 0) {
        for (int64_t at = bit; at < bit + elementBits; at += 8) {
          mask |= uint64_t{1} << (at / 16);
        }
      }
      bit += elementBits;
    } while (advanceLane());
    return mask;
  }

  bool advanceLane() {
    for (size_t dim = extents.size(); dim-- > numOuter;) {
      if (++coordinate[dim] < extents[dim]) {
        return true;
      }
      coordinate[dim] = 0;
    }
    return false;
  }

  const layout::StickLayout &layout;
  std::span<const int64_t> shape;
  int64_t elementBits;
  std::vector<int64_t> extents;
  std::vector<int64_t> coordinate;
  size_t numOuter = 0;
  std::vector<size_t> decisive;
  bool known = false;
  std::vector<int64_t> lastKey;
  uint64_t lastMask = 0;
};

} // namespace

std::vector<uint64_t> rt::layoutDefinedMask(const layout::StickLayout &layout,
                                            std::span<const int64_t> shape,
                                            ElementType type,
                                            int64_t firstStick,
                                            int64_t numSticks) {
  MaskBuilder builder(layout, shape, type);
  std::vector<uint64_t> masks(static_cast<size_t>(numSticks));
  for (int64_t stick = 0; stick < numSticks; ++stick) {
    masks[static_cast<size_t>(stick)] = builder.maskOfStick(firstStick + stick);
  }
  return masks;
}

std::vector<uint64_t> rt::layoutDefinedMask(const layout::StickLayout &layout,
                                            std::span<const int64_t> shape,
                                            ElementType type) {
  const Expected<int64_t> bytes = layout::sizeBytes(layout, shape, type);
  return layoutDefinedMask(layout, shape, type, 0,
                           bytes.value_or(0) / kStickBytes);
}
