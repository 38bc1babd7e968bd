// SPDX-License-Identifier: Apache-2.0
//
// A tensor in host memory as users know it: dense, row-major, one of the host
// element types. Files, random inputs and comparisons all speak this struct.

#ifndef SPYRE_RUNTIME_HOSTTENSOR_H
#define SPYRE_RUNTIME_HOSTTENSOR_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::rt {

struct HostTensor {
  launch::HostType type = launch::HostType::F32;
  std::vector<int64_t> shape;
  /// Product of the shape times the element size; little-endian.
  std::vector<std::byte> bytes;
  bool operator==(const HostTensor &) const = default;
};

/// Product of the extents, or nothing if it exceeds int64 or an extent is
/// negative.
std::optional<int64_t> numElements(std::span<const int64_t> shape);
/// Bytes of a dense tensor, or nothing on overflow.
std::optional<int64_t> denseBytes(launch::HostType type,
                                  std::span<const int64_t> shape);

/// "f32": the type's name on the command line and in messages.
std::optional<launch::HostType> parseHostType(std::string_view name);
/// "2x3xf32".
std::string describe(launch::HostType type, std::span<const int64_t> shape);

bool isFloat(launch::HostType type);
/// Element `index` as a double; exact for every type but wide integers beyond
/// 2^53.
double elementAsDouble(const HostTensor &tensor, int64_t index);
/// Element `index` of an integer or bool tensor.
int64_t elementAsInteger(const HostTensor &tensor, int64_t index);

/// A tensor from text, "2x2xf32=1,2,3,4": shape, type, values in row-major
/// order; one value fills the whole tensor.
Expected<HostTensor> parseLiteral(std::string_view text);

/// Reproducible values for an input that was not given. With z(i) the i-th
/// output (i = 0, 1, ...) of splitmix64 started at seed ^ FNV-1a-64(name):
/// floats are (z >> (64 - b)) * 2^(1-b) - 1 with b = 24 (f32, f64), 11 (f16) or
/// 8 (bf16), which is exact in the type and lies in [-1, 1); integers are
/// ((z >> 32) * bound) >> 32 with bound = `indexBound`, or 2 if that is 0,
/// limited to what the type holds; bool is z >> 63.
Expected<HostTensor> randomTensor(launch::HostType type,
                                  std::span<const int64_t> shape,
                                  int64_t indexBound, std::string_view name,
                                  uint64_t seed);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_HOSTTENSOR_H
