// SPDX-License-Identifier: Apache-2.0
//
// Offset packing by first fit. Which order of the buffers is good depends on
// the instance, so several are tried and the lowest packing is kept.

#include "spyre/Solvers/OffsetPacking.h"

#include "Packing.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>

namespace spyre::solvers {
namespace {

constexpr int64_t kTooHigh = std::numeric_limits<int64_t>::max();

int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Pairs of buffers that are live together, as adjacency lists.
std::vector<std::vector<size_t>>
conflictLists(std::span<const PackingBuffer> buffers) {
  std::vector<size_t> byLower(buffers.size());
  std::iota(byLower.begin(), byLower.end(), size_t(0));
  std::sort(byLower.begin(), byLower.end(), [&](size_t a, size_t b) {
    return std::pair(buffers[a].lower, a) < std::pair(buffers[b].lower, b);
  });
  std::vector<std::vector<size_t>> conflicts(buffers.size());
  std::vector<size_t> live;
  for (size_t next : byLower) {
    std::erase_if(live, [&](size_t other) {
      return buffers[other].upper <= buffers[next].lower;
    });
    for (size_t other : live) {
      conflicts[next].push_back(other);
      conflicts[other].push_back(next);
    }
    live.push_back(next);
  }
  return conflicts;
}

/// Lowest aligned offset that is free among the placed conflicting buffers.
int64_t firstFit(std::span<const PackingBuffer> buffers,
                 const std::vector<size_t> &conflicts,
                 const std::vector<int64_t> &offsets, size_t index) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t other : conflicts) {
    if (offsets[other] >= 0) {
      taken.emplace_back(offsets[other],
                         offsets[other] + buffers[other].sizeBytes);
    }
  }
  std::sort(taken.begin(), taken.end());
  int64_t offset = 0;
  for (const auto &[begin, end] : taken) {
    if (offset + buffers[index].sizeBytes <= begin) {
      break;
    }
    offset = std::max(offset, alignUp(end, buffers[index].alignment));
  }
  return offset;
}

struct Packing {
  std::vector<int64_t> offsets;
  int64_t height = kTooHigh;
};

Packing packInOrder(std::span<const PackingBuffer> buffers,
                    const std::vector<std::vector<size_t>> &conflicts,
                    const std::vector<size_t> &order) {
  Packing packing{std::vector<int64_t>(buffers.size(), -1), 0};
  for (size_t index : order) {
    int64_t offset =
        firstFit(buffers, conflicts[index], packing.offsets, index);
    packing.offsets[index] = offset;
    packing.height =
        std::max(packing.height, offset + buffers[index].sizeBytes);
  }
  return packing;
}

/// Live bytes at the most crowded time of each buffer: those of crowded
/// sections have the least freedom.
std::vector<int64_t>
crowding(std::span<const PackingBuffer> buffers,
         const std::vector<std::vector<size_t>> &conflicts) {
  std::vector<int64_t> result(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    result[i] = buffers[i].sizeBytes;
    for (size_t other : conflicts[i]) {
      result[i] += buffers[other].sizeBytes;
    }
  }
  return result;
}

std::vector<std::vector<size_t>>
orders(std::span<const PackingBuffer> buffers,
       const std::vector<std::vector<size_t>> &conflicts) {
  std::vector<int64_t> crowd = crowding(buffers, conflicts);
  auto sortedBy = [&](auto key) {
    std::vector<size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(key(a), a) < std::pair(key(b), b);
    });
    return order;
  };
  auto size = [&](size_t i) { return buffers[i].sizeBytes; };
  auto length = [&](size_t i) { return buffers[i].upper - buffers[i].lower; };
  auto area = [&](size_t i) {
    return static_cast<double>(size(i)) * static_cast<double>(length(i));
  };
  return {
      sortedBy([&](size_t i) { return std::pair(-size(i), -length(i)); }),
      sortedBy([&](size_t i) { return std::pair(-length(i), -size(i)); }),
      sortedBy([&](size_t i) { return std::pair(-area(i), -size(i)); }),
      sortedBy([&](size_t i) { return std::pair(-crowd[i], -size(i)); }),
      sortedBy([&](size_t i) {
        return std::pair(-static_cast<int64_t>(conflicts[i].size()), -size(i));
      }),
      sortedBy([&](size_t i) { return std::pair(buffers[i].lower, -size(i)); }),
  };
}

/// Moves what ends at the top to the front of the order and packs again: the
/// buffers that determine the height get the first choice.
Packing promoteTop(std::span<const PackingBuffer> buffers,
                   const std::vector<std::vector<size_t>> &conflicts,
                   std::vector<size_t> order, Packing packing, int64_t bound) {
  constexpr int kRounds = 16;
  Packing best = packing;
  for (int round = 0; round < kRounds && best.height > bound; ++round) {
    auto atTop = [&](size_t i) {
      return packing.offsets[i] + buffers[i].sizeBytes == packing.height;
    };
    std::vector<size_t> promoted;
    std::copy_if(order.begin(), order.end(), std::back_inserter(promoted),
                 atTop);
    std::erase_if(order, atTop);
    order.insert(order.begin(), promoted.begin(), promoted.end());
    packing = packInOrder(buffers, conflicts, order);
    if (packing.height < best.height) {
      best = packing;
    }
  }
  return best;
}

} // namespace

int64_t packingLowerBound(std::span<const PackingBuffer> buffers) {
  // At one time, buffers that end there leave before others arrive.
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const PackingBuffer &buffer : buffers) {
    if (buffer.lower < buffer.upper && buffer.sizeBytes > 0) {
      changes.emplace_back(buffer.lower, buffer.sizeBytes);
      changes.emplace_back(buffer.upper, -buffer.sizeBytes);
    }
  }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0;
  int64_t most = 0;
  for (const auto &[time, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

Expected<std::vector<int64_t>>
packOffsets(std::span<const PackingBuffer> buffers, int64_t capacityBytes) {
  if (Status status = detail::verifyBuffers(buffers); !status) {
    return tl::unexpected(status.error());
  }
  int64_t bound = packingLowerBound(buffers);
  std::vector<std::vector<size_t>> conflicts = conflictLists(buffers);
  Packing best;
  for (const std::vector<size_t> &order : orders(buffers, conflicts)) {
    Packing packing = packInOrder(buffers, conflicts, order);
    if (packing.height > bound) {
      packing = promoteTop(buffers, conflicts, order, packing, bound);
    }
    if (packing.height < best.height) {
      best = std::move(packing);
    }
    if (best.height <= bound) {
      break;
    }
  }
  if (best.height > capacityBytes) {
    return makeError(
        ErrorCode::PackingTooLarge, "",
        fmt::format("{} buffers do not fit the memory", buffers.size()),
        {fmt::format("the lowest packing found needs {} bytes, {} available "
                     "(excess {})",
                     best.height, capacityBytes, best.height - capacityBytes),
         fmt::format("no packing needs less than {} bytes", bound)});
  }
  return best.offsets;
}

} // namespace spyre::solvers
