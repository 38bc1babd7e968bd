// SPDX-License-Identifier: Apache-2.0
//
// Copies between a dense host tensor and its device image. Every device dim is
// an axis that advances the host by one stride and the image by another, so
// packing is a loop nest in which the order of loops is free. The two innermost
// loops are the axis that is contiguous on the host and the one that is
// contiguous in the image: if they are the same one the nest copies runs, else
// it transposes small blocks that stay in the first-level cache.

#include "spyre/Layout/StickLayout.h"

#include <algorithm>
#include <cstring>

namespace spyre::layout {

namespace {

/// A loop of the nest. Strides are in elements.
struct Axis {
  int64_t extent = 1;
  /// First position, if only a part is copied.
  int64_t first = 0;
  int64_t hostStride = 0;
  int64_t deviceStride = 0;
  size_t deviceDim = 0;
  /// For a tile: the axis of its stick, whose extent the last tile cuts.
  int32_t stickAxis = -1;
  int64_t factor = 1;
  int64_t hostExtent = 1;
};

/// Elements of the contiguous host axis in a transposed block: with 64 sticks
/// of 128 bytes both sides of the block are 8 KiB.
constexpr int64_t kBlockElements = 64;

/// One element type and direction; `Element` is only a width.
template <typename Element, bool ToDevice> class Copier {
public:
  Copier(const StickLayout &layout, std::span<const int64_t> hostShape,
         char *host, char *device)
      : host(reinterpret_cast<Element *>(host)),
        device(reinterpret_cast<Element *>(device)) {
    buildAxes(layout, hostShape);
  }

  /// Restricts the copy to some positions of a device dim; the image begins
  /// with the first of them.
  void restrict(size_t deviceDim, int64_t first, int64_t count) {
    for (Axis &axis : axes) {
      if (axis.deviceDim == deviceDim) {
        axis.first = first;
        axis.extent = count;
        host += axis.hostStride * first;
      }
    }
  }

  void run() {
    chooseInnerAxes();
    runOuter(0, host, device);
  }

private:
  void buildAxes(const StickLayout &layout, std::span<const int64_t> hostShape);
  void chooseInnerAxes();
  void runOuter(size_t depth, Element *hostAt, Element *deviceAt);
  void runInner(Element *hostAt, Element *deviceAt);
  void runRows(Element *hostAt, Element *deviceAt);
  void runTransposed(Element *hostAt, Element *deviceAt);

  static void copyOne(Element *hostAt, Element *deviceAt) {
    // Buffers may have any alignment.
    if constexpr (ToDevice) {
      std::memcpy(deviceAt, hostAt, sizeof(Element));
    } else {
      std::memcpy(hostAt, deviceAt, sizeof(Element));
    }
  }
  static void copyRun(Element *hostAt, Element *deviceAt, size_t bytes) {
    void *to = ToDevice ? deviceAt : hostAt;
    const void *from = ToDevice ? hostAt : deviceAt;
    if (bytes == kStickBytes) {
      std::memcpy(to, from, kStickBytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  }

  Element *host;
  Element *device;
  std::vector<Axis> axes;
  std::vector<int32_t> outer;
  /// Rows: the loop around the run. Transposed: contiguous on the host.
  int32_t hostAxis = -1;
  /// Contiguous in the image.
  int32_t deviceAxis = -1;
  bool rows = false;
};

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::buildAxes(const StickLayout &layout,
                                          std::span<const int64_t> hostShape) {
  std::vector<int64_t> hostStride(hostShape.size(), 1);
  for (size_t d = hostShape.size(); d-- > 1;) {
    hostStride[d - 1] = hostStride[d] * hostShape[d];
  }
  const std::vector<int64_t> shape = deviceShape(layout, hostShape);
  std::vector<int64_t> deviceStride(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    deviceStride[i - 1] = deviceStride[i] * shape[i];
  }
  std::vector<int32_t> tileOfHostDim(hostShape.size(), -1);
  for (size_t i = 0; i < layout.dims.size(); ++i) {
    const DeviceDim &dim = layout.dims[i];
    if (dim.kind == DimKind::Unit) {
      // Only position 0 is not padding.
      continue;
    }
    const int32_t index = static_cast<int32_t>(axes.size());
    Axis axis;
    axis.deviceDim = i;
    axis.extent = shape[i];
    axis.hostStride = hostStride[dim.hostDim];
    axis.deviceStride = deviceStride[i];
    if (dim.kind == DimKind::Tile) {
      axis.hostStride *= dim.factor;
      axis.factor = dim.factor;
      axis.hostExtent = hostShape[dim.hostDim];
      tileOfHostDim[dim.hostDim] = index;
    } else if (dim.kind == DimKind::Stick) {
      axes[tileOfHostDim[dim.hostDim]].stickAxis = index;
    }
    axes.push_back(axis);
  }
}

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::chooseInnerAxes() {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].stickAxis >= 0) {
      continue;
    }
    if (axes[i].deviceStride == 1) {
      deviceAxis = static_cast<int32_t>(i);
    }
    if (axes[i].hostStride == 1 && axes[i].extent > 1) {
      hostAxis = static_cast<int32_t>(i);
    }
  }
  rows = deviceAxis >= 0 && axes[deviceAxis].hostStride == 1;
  if (rows) {
    // The innermost other axis runs over consecutive sticks of the image.
    hostAxis = -1;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (static_cast<int32_t>(i) != deviceAxis && axes[i].stickAxis < 0) {
        hostAxis = static_cast<int32_t>(i);
      }
    }
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int32_t index = static_cast<int32_t>(i);
    if (index != hostAxis && index != deviceAxis) {
      outer.push_back(index);
    }
  }
}

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::runOuter(size_t depth, Element *hostAt,
                                         Element *deviceAt) {
  if (depth == outer.size()) {
    runInner(hostAt, deviceAt);
    return;
  }
  const Axis &axis = axes[outer[depth]];
  for (int64_t i = 0; i < axis.extent; ++i) {
    if (axis.stickAxis >= 0) {
      axes[axis.stickAxis].extent = std::min(
          axis.factor, axis.hostExtent - (axis.first + i) * axis.factor);
    }
    runOuter(depth + 1, hostAt + i * axis.hostStride,
             deviceAt + i * axis.deviceStride);
  }
}

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::runInner(Element *hostAt, Element *deviceAt) {
  if (rows) {
    runRows(hostAt, deviceAt);
  } else {
    runTransposed(hostAt, deviceAt);
  }
}

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::runRows(Element *hostAt, Element *deviceAt) {
  const size_t bytes = axes[deviceAxis].extent * sizeof(Element);
  const Axis none;
  const Axis &row = hostAxis >= 0 ? axes[hostAxis] : none;
  for (int64_t i = 0; i < row.extent; ++i) {
    copyRun(hostAt + i * row.hostStride, deviceAt + i * row.deviceStride,
            bytes);
  }
}

template <typename Element, bool ToDevice>
void Copier<Element, ToDevice>::runTransposed(Element *hostAt,
                                              Element *deviceAt) {
  const Axis none;
  const Axis &column = hostAxis >= 0 ? axes[hostAxis] : none;
  const Axis &lane = deviceAxis >= 0 ? axes[deviceAxis] : none;
  for (int64_t begin = 0; begin < column.extent; begin += kBlockElements) {
    const int64_t end = std::min(begin + kBlockElements, column.extent);
    for (int64_t l = 0; l < lane.extent; ++l) {
      Element *from = hostAt + l * lane.hostStride;
      Element *to = deviceAt + l * lane.deviceStride;
      for (int64_t c = begin; c < end; ++c) {
        copyOne(from + c * column.hostStride, to + c * column.deviceStride);
      }
    }
  }
}

/// Rows of an image: those that a copy takes.
struct RowRange {
  ImageRows rows;
  int64_t first = 0;
  int64_t count = 1;
};

/// A layout with an element arrangement: position by position.
void copyArranged(const StickLayout &layout, std::span<const int64_t> hostShape,
                  const RowRange &range, int64_t elementBytes, char *host,
                  char *device, bool toDevice) {
  const std::vector<int64_t> shape = deviceShape(layout, hostShape);
  std::vector<int64_t> coordinate(shape.size(), 0);
  if (range.rows.dim >= 0) {
    coordinate[range.rows.dim] = range.first;
  }
  for (int64_t position = 0; position < range.count * range.rows.elements;
       ++position) {
    const int64_t index = hostIndex(layout, hostShape, coordinate);
    if (index >= 0) {
      char *hostAt = host + index * elementBytes;
      char *deviceAt = device + position * elementBytes;
      std::memcpy(toDevice ? deviceAt : hostAt, toDevice ? hostAt : deviceAt,
                  elementBytes);
    }
    size_t i = shape.size();
    while (i > 0 && ++coordinate[i - 1] == shape[i - 1]) {
      coordinate[--i] = 0;
    }
  }
}

template <bool ToDevice>
void copy(const StickLayout &layout, std::span<const int64_t> hostShape,
          const RowRange &range, int64_t elementBytes, char *host,
          char *device) {
  const auto copyWidth = [&](auto element) {
    Copier<decltype(element), ToDevice> copier(layout, hostShape, host, device);
    if (range.rows.dim >= 0) {
      copier.restrict(range.rows.dim, range.first, range.count);
    }
    copier.run();
  };
  if (layout.arrangement.empty()) {
    switch (elementBytes) {
    case 1:
      return copyWidth(uint8_t());
    case 2:
      return copyWidth(uint16_t());
    case 4:
      return copyWidth(uint32_t());
    case 8:
      return copyWidth(uint64_t());
    default:
      break;
    }
  }
  copyArranged(layout, hostShape, range, elementBytes, host, device, ToDevice);
}

RowRange allRows(const StickLayout &layout,
                 std::span<const int64_t> hostShape) {
  const ImageRows rows = imageRows(layout, hostShape);
  return {rows, 0, rows.count};
}

} // namespace

ImageRows imageRows(const StickLayout &layout,
                    std::span<const int64_t> hostShape) {
  const std::vector<int64_t> shape = deviceShape(layout, hostShape);
  ImageRows rows;
  size_t dim = 0;
  while (dim < shape.size() && shape[dim] == 1) {
    ++dim;
  }
  for (size_t inner = dim; inner < shape.size(); ++inner) {
    rows.elements *= shape[inner];
  }
  if (dim < shape.size() && (layout.dims[dim].kind == DimKind::Full ||
                             layout.dims[dim].kind == DimKind::Tile)) {
    rows.dim = static_cast<int32_t>(dim);
    rows.count = shape[dim];
    rows.elements = shape[dim] == 0 ? 0 : rows.elements / shape[dim];
  }
  return rows;
}

void packToDevice(const StickLayout &layout, std::span<const int64_t> hostShape,
                  int64_t elementBytes, const void *host, void *device) {
  const RowRange all = allRows(layout, hostShape);
  packRowsToDevice(layout, hostShape, elementBytes, all.first, all.count, host,
                   device);
}

void packRowsToDevice(const StickLayout &layout,
                      std::span<const int64_t> hostShape, int64_t elementBytes,
                      int64_t first, int64_t count, const void *host,
                      void *device) {
  // The host side is only read in this direction.
  copy<true>(layout, hostShape, {imageRows(layout, hostShape), first, count},
             elementBytes, const_cast<char *>(static_cast<const char *>(host)),
             static_cast<char *>(device));
}

void unpackFromDevice(const StickLayout &layout,
                      std::span<const int64_t> hostShape, int64_t elementBytes,
                      const void *device, void *host) {
  copy<false>(layout, hostShape, allRows(layout, hostShape), elementBytes,
              static_cast<char *>(host),
              const_cast<char *>(static_cast<const char *>(device)));
}

} // namespace spyre::layout
