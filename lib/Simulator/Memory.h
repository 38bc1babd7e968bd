// SPDX-License-Identifier: Apache-2.0
//
// The simulated memories: device memory in regions, and one scratchpad (LX)
// per core. Beside every byte array stands its shadow: one 64-bit word per
// stick, bit i for bytes [2i, 2i+2), set where something has been written. All
// arrays are committed by the host only where they are touched, so that a
// region costs what a program uses of it; a fresh page reads as undefined.

#ifndef SPYRE_LIB_SIMULATOR_MEMORY_H
#define SPYRE_LIB_SIMULATOR_MEMORY_H

#include "spyre/Runtime/Device.h"
#include "spyre/Support/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace spyre::sim {

/// Zero-filled memory that the host commits on first touch.
class LazyBytes {
public:
  LazyBytes() = default;
  /// `data()` is null if the host refuses.
  explicit LazyBytes(int64_t bytes);
  LazyBytes(LazyBytes &&other) noexcept;
  LazyBytes &operator=(LazyBytes &&other) noexcept;
  LazyBytes(const LazyBytes &) = delete;
  LazyBytes &operator=(const LazyBytes &) = delete;
  ~LazyBytes();

  std::byte *data() const { return start; }
  template <typename T> T *as() const { return reinterpret_cast<T *>(start); }
  /// Back to zero, giving the pages back.
  void clear();

private:
  std::byte *start = nullptr;
  size_t size = 0;
};

/// Who touched a stick in the present phase: what the race and epoch checks
/// compare. All zero = nobody.
struct StickTag {
  /// Phase epoch (24 bits) and writing core + 1 (8 bits).
  uint32_t writer = 0;
  /// Private buffers: phase epoch and reading core + 1, 0xff for several.
  /// Queues: the slot number of the write.
  uint32_t other = 0;
};

/// One memory seen from one buffer slot: sticks counted from the slot's start.
struct MemoryView {
  std::byte *bytes = nullptr;
  uint64_t *defined = nullptr;
  /// Null where nobody else can interfere in this phase.
  StickTag *tags = nullptr;

  template <typename T> T *stick(int64_t index) const {
    return reinterpret_cast<T *>(bytes + index * kStickBytes);
  }
};

/// The shadow bits of lanes [0, count) of a type.
constexpr uint64_t laneMask(ElementType type, int64_t count) {
  const int64_t bits = (count * bitWidth(type) + 15) / 16;
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}
/// The shadow bits of one lane.
constexpr uint64_t laneBit(ElementType type, int64_t lane) {
  const int64_t width = bitWidth(type);
  return width >= 32 ? uint64_t{3} << (2 * lane)
                     : uint64_t{1} << (lane * width / 16);
}

class DeviceMemory {
public:
  struct Region {
    int64_t size = 0;
    /// Where the region lies for the timing of channels, banks and rows.
    int64_t physical = 0;
    LazyBytes bytes;
    LazyBytes defined;
    LazyBytes tags;
    MemoryView at(int64_t offset) const;
  };

  explicit DeviceMemory(int64_t capacityBytes) : capacity(capacityBytes) {}
  Expected<uint32_t> allocate(int64_t bytes);
  Status free(uint32_t region);
  /// Null if there is no such region.
  Region *find(uint32_t region);
  /// The region, if [offset, offset + bytes) is aligned and inside it.
  Expected<Region *> locate(rt::Address address, int64_t bytes);
  /// Physical address; regions that timing-only runs never allocated lie at 0.
  int64_t physical(rt::Address address) const;
  void clearTags();

private:
  int64_t capacity = 0;
  int64_t used = 0;
  int64_t top = 0;
  uint32_t nextRegion = 0;
  std::map<uint32_t, Region> regions;
};

/// The scratchpads of all cores.
class LocalMemory {
public:
  LocalMemory(int64_t numCores, int64_t bytesPerCore);
  MemoryView at(int64_t core, int64_t offset) const;
  /// Makes [offset, offset + bytes) undefined on every core.
  void undefine(int64_t offset, int64_t bytes);
  void undefine(int64_t core, int64_t offset, int64_t bytes);
  void undefineAll();
  void clearTags();
  int64_t sizePerCore() const { return bytesPerCore; }

private:
  int64_t numCores = 0;
  int64_t bytesPerCore = 0;
  LazyBytes bytes;
  LazyBytes defined;
  LazyBytes tags;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_MEMORY_H
