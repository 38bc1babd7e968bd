// SPDX-License-Identifier: Apache-2.0
//
// Shapes, sizes, positions and text of stick layouts. Every function reads the
// device dims as coordinate functions of the host dims; none of them looks at
// extents to decide what a dim means.

#include "spyre/Layout/StickLayout.h"

#include <algorithm>

namespace spyre::layout {

StickLayout defaultLayout(int64_t rank, int64_t stickDim, ElementType type) {
  const int64_t elements = elementsPerStick(type);
  StickLayout layout;
  layout.sparse = stickDim < 0 && rank > 0;
  if (stickDim < 0) {
    for (int64_t dim = 0; dim < rank; ++dim) {
      layout.dims.push_back({DimKind::Full, static_cast<int32_t>(dim), 1});
    }
    layout.dims.push_back({DimKind::Unit, -1, elements});
    return layout;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != stickDim) {
      layout.dims.push_back({DimKind::Full, static_cast<int32_t>(dim), 1});
    }
  }
  const int32_t stick = static_cast<int32_t>(stickDim);
  // The tile goes just before the last of the other dims, which stays next to
  // the stick: consecutive sticks then belong to consecutive rows.
  auto tilePosition =
      layout.dims.empty() ? layout.dims.end() : layout.dims.end() - 1;
  layout.dims.insert(tilePosition, {DimKind::Tile, stick, elements});
  layout.dims.push_back({DimKind::Stick, stick, elements});
  return layout;
}

std::vector<int64_t> deviceShape(const StickLayout &layout,
                                 std::span<const int64_t> hostShape) {
  std::vector<int64_t> shape;
  shape.reserve(layout.dims.size());
  for (const DeviceDim &dim : layout.dims) {
    switch (dim.kind) {
    case DimKind::Full:
      shape.push_back(hostShape[dim.hostDim]);
      break;
    case DimKind::Tile: {
      // Not (extent + factor - 1) / factor, which overflows for huge extents.
      const int64_t extent = hostShape[dim.hostDim];
      shape.push_back(extent / dim.factor + (extent % dim.factor != 0));
      break;
    }
    case DimKind::Stick:
    case DimKind::Unit:
      shape.push_back(dim.factor);
      break;
    }
  }
  return shape;
}

Expected<int64_t> sizeBytes(const StickLayout &layout,
                            std::span<const int64_t> hostShape,
                            ElementType type) {
  const std::vector<int64_t> shape = deviceShape(layout, hostShape);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return 0;
  }
  // The stick dims multiply to E, so dividing them out first keeps every
  // partial product at or below the result.
  int64_t stickElements = elementsPerStick(type);
  int64_t bytes = kStickBytes;
  for (size_t i = shape.size(); i-- > 0;) {
    if (stickElements > 1 && stickElements % shape[i] == 0) {
      stickElements /= shape[i];
      continue;
    }
    if (__builtin_mul_overflow(bytes, shape[i], &bytes)) {
      return makeError(ErrorCode::LayoutTooLarge, "",
                       "the device image of a tensor with layout <" +
                           toString(layout) + "> exceeds 2^63 bytes");
    }
  }
  return bytes;
}

int32_t stickHostDim(const StickLayout &layout) {
  if (layout.dims.empty() || layout.dims.back().kind != DimKind::Stick) {
    return -1;
  }
  return layout.dims.back().hostDim;
}

namespace {

/// Lane that an arrangement gives to an element of the stick.
int64_t laneOfElement(const std::vector<ArrangementFold> &arrangement,
                      int64_t element) {
  int64_t lane = 0;
  for (auto fold = arrangement.rbegin(); fold != arrangement.rend(); ++fold) {
    lane += (element % fold->factor) * fold->stride;
    element /= fold->factor;
  }
  return lane;
}

/// Replaces the physical stick coordinates by those that the element in that
/// lane would have in ascending order.
void undoArrangement(const StickLayout &layout,
                     std::vector<int64_t> &coordinate) {
  size_t first = layout.dims.size();
  int64_t lane = 0;
  int64_t elements = 1;
  while (first > 0 && (layout.dims[first - 1].kind == DimKind::Stick ||
                       layout.dims[first - 1].kind == DimKind::Unit)) {
    --first;
    lane += coordinate[first] * elements;
    elements *= layout.dims[first].factor;
  }
  int64_t element = 0;
  while (element < elements &&
         laneOfElement(layout.arrangement, element) != lane) {
    ++element;
  }
  for (size_t i = layout.dims.size(); i-- > first;) {
    coordinate[i] = element % layout.dims[i].factor;
    element /= layout.dims[i].factor;
  }
}

} // namespace

int64_t hostIndex(const StickLayout &layout, std::span<const int64_t> hostShape,
                  std::span<const int64_t> deviceCoordinate) {
  std::vector<int64_t> coordinate(deviceCoordinate.begin(),
                                  deviceCoordinate.end());
  if (!layout.arrangement.empty()) {
    undoArrangement(layout, coordinate);
  }
  std::vector<int64_t> host(hostShape.size(), 0);
  for (size_t i = 0; i < layout.dims.size(); ++i) {
    const DeviceDim &dim = layout.dims[i];
    switch (dim.kind) {
    case DimKind::Full:
    case DimKind::Stick:
      host[dim.hostDim] += coordinate[i];
      break;
    case DimKind::Tile:
      host[dim.hostDim] += coordinate[i] * dim.factor;
      break;
    case DimKind::Unit:
      if (coordinate[i] != 0) {
        return -1;
      }
      break;
    }
  }
  int64_t index = 0;
  for (size_t d = 0; d < hostShape.size(); ++d) {
    if (host[d] >= hostShape[d]) {
      return -1;
    }
    index = index * hostShape[d] + host[d];
  }
  return index;
}

std::string toString(const StickLayout &layout) {
  std::string text;
  for (const DeviceDim &dim : layout.dims) {
    text += text.empty() ? "" : ", ";
    switch (dim.kind) {
    case DimKind::Full:
      text += "d" + std::to_string(dim.hostDim);
      break;
    case DimKind::Tile:
      text += "d" + std::to_string(dim.hostDim) + " floordiv " +
              std::to_string(dim.factor);
      break;
    case DimKind::Stick:
      text += "d" + std::to_string(dim.hostDim) + " mod " +
              std::to_string(dim.factor);
      break;
    case DimKind::Unit:
      text += "0 : " + std::to_string(dim.factor);
      break;
    }
  }
  if (layout.sparse) {
    text += " sparse";
  }
  if (!layout.arrangement.empty()) {
    text += " arrangement";
    for (const ArrangementFold &fold : layout.arrangement) {
      text += " " + std::to_string(fold.factor) + " : " +
              std::to_string(fold.stride);
    }
  }
  return text;
}

} // namespace spyre::layout
