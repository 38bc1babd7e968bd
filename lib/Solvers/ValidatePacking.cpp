// SPDX-License-Identifier: Apache-2.0
//
// Checks an offset packing by comparing every pair, without any of the
// solver's data structures: slow and obviously right.

#include "Packing.h"

#include <fmt/format.h>

namespace spyre::solvers {
namespace {

tl::unexpected<Error> invalid(std::string message) {
  return makeError(ErrorCode::PackingInvalid, "", std::move(message));
}

} // namespace

Status detail::verifyBuffers(std::span<const PackingBuffer> buffers) {
  if (buffers.size() > kMaxBuffers) {
    return makeError(ErrorCode::PackingMalformed, "",
                     fmt::format("{} buffers, at most {} are packed",
                                 buffers.size(), kMaxBuffers));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PackingBuffer &buffer = buffers[i];
    if (buffer.sizeBytes < 0 || buffer.sizeBytes > kMaxBytes ||
        buffer.alignment < 1 || buffer.alignment > kMaxBytes ||
        buffer.lower > buffer.upper || buffer.lower < -kMaxBytes ||
        buffer.upper > kMaxBytes) {
      return makeError(
          ErrorCode::PackingMalformed, fmt::format("buffer {}", i),
          fmt::format("{} bytes aligned to {}, live during [{}, {})",
                      buffer.sizeBytes, buffer.alignment, buffer.lower,
                      buffer.upper),
          {fmt::format("sizes and times up to {}, alignments from 1",
                       kMaxBytes)});
    }
  }
  return {};
}

Status validatePacking(std::span<const PackingBuffer> buffers,
                       std::span<const int64_t> offsets,
                       int64_t capacityBytes) {
  if (Status status = detail::verifyBuffers(buffers); !status) {
    return status;
  }
  if (offsets.size() != buffers.size()) {
    return invalid(fmt::format("{} offsets for {} buffers", offsets.size(),
                               buffers.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PackingBuffer &a = buffers[i];
    if (offsets[i] < 0 || offsets[i] % a.alignment != 0) {
      return invalid(fmt::format("buffer {} at offset {}, but aligned to {}", i,
                                 offsets[i], a.alignment));
    }
    if (a.sizeBytes > capacityBytes ||
        offsets[i] > capacityBytes - a.sizeBytes) {
      return invalid(fmt::format("buffer {} of {} bytes at offset {} exceeds "
                                 "the capacity of {}",
                                 i, a.sizeBytes, offsets[i], capacityBytes));
    }
    for (size_t j = 0; j < i; ++j) {
      const PackingBuffer &b = buffers[j];
      bool sameTime = a.lower < b.upper && b.lower < a.upper &&
                      a.lower < a.upper && b.lower < b.upper;
      bool sameBytes = offsets[i] < offsets[j] + b.sizeBytes &&
                       offsets[j] < offsets[i] + a.sizeBytes &&
                       a.sizeBytes > 0 && b.sizeBytes > 0;
      if (sameTime && sameBytes) {
        return invalid(fmt::format(
            "buffers {} and {} overlap: [{}, {}) and [{}, {}) live during "
            "[{}, {}) and [{}, {})",
            j, i, offsets[j], offsets[j] + b.sizeBytes, offsets[i],
            offsets[i] + a.sizeBytes, b.lower, b.upper, a.lower, a.upper));
      }
    }
  }
  return {};
}

} // namespace spyre::solvers
