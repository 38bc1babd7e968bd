// SPDX-License-Identifier: Apache-2.0
//
// Memories by anonymous mappings: see Memory.h.

#include "Memory.h"

#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

namespace spyre::sim {

static_assert(sizeof(StickTag) == sizeof(uint64_t));

LazyBytes::LazyBytes(int64_t bytes) {
  if (bytes <= 0) {
    return;
  }
  void *mapping =
      mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping != MAP_FAILED) {
    start = static_cast<std::byte *>(mapping);
    size = static_cast<size_t>(bytes);
  }
}

LazyBytes::LazyBytes(LazyBytes &&other) noexcept
    : start(std::exchange(other.start, nullptr)),
      size(std::exchange(other.size, 0)) {}

LazyBytes &LazyBytes::operator=(LazyBytes &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}

LazyBytes::~LazyBytes() {
  if (start) {
    munmap(start, size);
  }
}

void LazyBytes::clear() {
  if (start) {
    madvise(start, size, MADV_DONTNEED);
  }
}

MemoryView DeviceMemory::Region::at(int64_t offset) const {
  int64_t stick = offset / kStickBytes;
  return {bytes.data() + offset, defined.as<uint64_t>() + stick,
          tags.as<StickTag>() + stick};
}

Expected<uint32_t> DeviceMemory::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > capacity - used) {
    return makeError(ErrorCode::SimDeviceMemoryExhausted, "",
                     "the device has too little memory left",
                     {fmt::format("needs {} bytes, {} of {} left", bytes,
                                  capacity - used, capacity)});
  }
  // An empty region still gets an address.
  int64_t sticks =
      std::max<int64_t>(1, (bytes + kStickBytes - 1) / kStickBytes);
  Region region;
  region.size = bytes;
  region.bytes = LazyBytes(sticks * kStickBytes);
  region.defined = LazyBytes(sticks * int64_t{sizeof(uint64_t)});
  region.tags = LazyBytes(sticks * int64_t{sizeof(StickTag)});
  if (!region.bytes.data() || !region.defined.data() || !region.tags.data()) {
    return makeError(ErrorCode::SimDeviceMemoryExhausted, "",
                     "the host refuses memory for a device region",
                     {fmt::format("needs {} bytes of host memory", bytes)});
  }
  used += bytes;
  region.physical = top;
  top += sticks * kStickBytes;
  regions.emplace(nextRegion, std::move(region));
  return nextRegion++;
}

int64_t DeviceMemory::physical(rt::Address address) const {
  auto found = regions.find(address.region);
  return address.offset + (found == regions.end() ? 0 : found->second.physical);
}

Status DeviceMemory::free(uint32_t region) {
  auto found = regions.find(region);
  if (found == regions.end()) {
    return makeError(ErrorCode::SimBadAddress, "",
                     fmt::format("region {} is not allocated", region));
  }
  used -= found->second.size;
  regions.erase(found);
  return {};
}

DeviceMemory::Region *DeviceMemory::find(uint32_t region) {
  auto found = regions.find(region);
  return found == regions.end() ? nullptr : &found->second;
}

Expected<DeviceMemory::Region *> DeviceMemory::locate(rt::Address address,
                                                      int64_t bytes) {
  Region *region = find(address.region);
  if (!region) {
    return makeError(ErrorCode::SimBadAddress, "",
                     fmt::format("region {} is not allocated", address.region));
  }
  if (address.offset % kStickBytes != 0 || bytes % kStickBytes != 0) {
    return makeError(
        ErrorCode::SimMisaligned, "", "a copy does not consist of whole sticks",
        {fmt::format("offset {}, {} bytes", address.offset, bytes)});
  }
  if (address.offset < 0 || bytes > region->size ||
      address.offset > region->size - bytes) {
    return makeError(
        ErrorCode::SimBadAddress, "", "a copy reaches outside its region",
        {fmt::format("offset {}, {} bytes, region {} has {} bytes",
                     address.offset, bytes, address.region, region->size)});
  }
  return region;
}

void DeviceMemory::clearTags() {
  for (auto &[id, region] : regions) {
    region.tags.clear();
  }
}

LocalMemory::LocalMemory(int64_t coreCount, int64_t coreBytes)
    : numCores(coreCount), bytesPerCore(coreBytes / kStickBytes * kStickBytes),
      bytes(numCores * bytesPerCore),
      defined(numCores * bytesPerCore / kStickBytes *
              int64_t{sizeof(uint64_t)}),
      tags(numCores * bytesPerCore / kStickBytes * int64_t{sizeof(StickTag)}) {}

MemoryView LocalMemory::at(int64_t core, int64_t offset) const {
  int64_t position = core * bytesPerCore + offset;
  int64_t stick = position / kStickBytes;
  return {bytes.data() + position, defined.as<uint64_t>() + stick,
          tags.as<StickTag>() + stick};
}

void LocalMemory::undefine(int64_t offset, int64_t count) {
  for (int64_t core = 0; core < numCores; ++core) {
    undefine(core, offset, count);
  }
}

void LocalMemory::undefine(int64_t core, int64_t offset, int64_t count) {
  std::memset(at(core, offset).defined, 0,
              static_cast<size_t>(count / kStickBytes) * sizeof(uint64_t));
}

void LocalMemory::undefineAll() {
  for (int64_t core = 0; core < numCores; ++core) {
    undefine(core, 0, bytesPerCore);
  }
}

void LocalMemory::clearTags() { tags.clear(); }

} // namespace spyre::sim
